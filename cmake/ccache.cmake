# Compile through ccache where it is installed; a launcher given on the command line wins.
find_program(TILEWALK_CCACHE ccache)
mark_as_advanced(TILEWALK_CCACHE)
if(TILEWALK_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TILEWALK_CCACHE})
endif()
