# A CUDA compiler is optional: without one everything but the kernels is built.
include(CheckLanguage)
check_language(CUDA)

if(CMAKE_CUDA_COMPILER)
  message(STATUS "tilewalk: CUDA compiler ${CMAKE_CUDA_COMPILER} (its kernels come with gpu/)")
elseif(TILEWALK_GPU)
  message(FATAL_ERROR "TILEWALK_GPU is ON, but there is no CUDA compiler: install nvcc, set CUDACXX to it, or turn TILEWALK_GPU off")
else()
  message(STATUS "tilewalk: no CUDA compiler, so the kernels are skipped")
endif()
