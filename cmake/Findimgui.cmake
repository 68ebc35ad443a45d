# Dear ImGui as Debian and Ubuntu package it: a static archive that holds the GLFW and OpenGL3 back ends too, and leaves
# stb to the distribution's. Defines imgui::imgui.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(imgui_package QUIET imgui)
  pkg_check_modules(stb_package QUIET stb)
endif()
find_library(imgui_LIBRARY imgui HINTS ${imgui_package_LIBRARY_DIRS})
find_library(stb_LIBRARY stb HINTS ${stb_package_LIBRARY_DIRS})
find_path(imgui_INCLUDE_DIR imgui.h HINTS ${imgui_package_INCLUDE_DIRS} PATH_SUFFIXES imgui)
find_path(stb_INCLUDE_DIR stb_image_write.h HINTS ${stb_package_INCLUDE_DIRS} PATH_SUFFIXES stb)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(imgui
  REQUIRED_VARS imgui_LIBRARY stb_LIBRARY imgui_INCLUDE_DIR stb_INCLUDE_DIR VERSION_VAR imgui_package_VERSION)

if(imgui_FOUND AND NOT TARGET imgui::imgui)
  add_library(imgui::imgui UNKNOWN IMPORTED)
  set_target_properties(imgui::imgui PROPERTIES
    IMPORTED_LOCATION ${imgui_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${imgui_INCLUDE_DIR};${stb_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${stb_LIBRARY};${CMAKE_DL_LIBS}")
endif()
mark_as_advanced(imgui_LIBRARY stb_LIBRARY imgui_INCLUDE_DIR stb_INCLUDE_DIR)
