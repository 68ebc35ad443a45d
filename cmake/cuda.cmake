# A CUDA compiler is optional: without one everything but the kernels is built.
include(CheckLanguage)
check_language(CUDA)

set(TILEWALK_CUDA OFF)
if(CMAKE_CUDA_COMPILER)
  # Every GPU from compute capability 8.0 on. "native" would fail on a machine without a GPU.
  set(CMAKE_CUDA_ARCHITECTURES "80-virtual;90" CACHE STRING "GPUs that the kernels are compiled for")
  enable_language(CUDA)
  set(TILEWALK_CUDA ON)
  message(STATUS "tilewalk: the kernels are compiled with ${CMAKE_CUDA_COMPILER} for ${CMAKE_CUDA_ARCHITECTURES}")
elseif(TILEWALK_GPU)
  message(FATAL_ERROR "TILEWALK_GPU is ON, but there is no CUDA compiler: install nvcc, set CUDACXX to it, or turn TILEWALK_GPU off")
else()
  message(STATUS "tilewalk: no CUDA compiler, so the kernels are skipped")
endif()
