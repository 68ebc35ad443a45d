# Built with Emscripten (web.sh), tilewalk is a page: the same program, whose window is a canvas. Dependencies are
# compiled from source here, and so are the parts of the viewer that a package would hold compiled.
include(FetchContent)

add_compile_options(-fwasm-exceptions -msimd128)
add_link_options(-fwasm-exceptions)

FetchContent_Declare(imgui
  GIT_REPOSITORY https://github.com/ocornut/imgui.git
  GIT_TAG v1.90.1)
FetchContent_Declare(stb
  GIT_REPOSITORY https://github.com/nothings/stb.git
  GIT_TAG 8b5f1f37b5b75829fc72d38e7b5d4bcbf8a26d55)
FetchContent_MakeAvailable(imgui stb)

# Neither has a build of its own.
add_library(imgui STATIC
  ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
  ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stb.cpp)
add_library(imgui::imgui ALIAS imgui)
target_include_directories(imgui SYSTEM PUBLIC ${imgui_SOURCE_DIR} ${stb_SOURCE_DIR})
# WebGL draws from the start of a buffer only, so that large meshes need indices of 32 bit.
target_compile_definitions(imgui PUBLIC "ImDrawIdx=unsigned int" PRIVATE IMGUI_IMPL_OPENGL_ES3)
find_package(Threads)  # Emscripten's answers without flags: there are none
set(TILEWALK_HAS_VIEWER ON)
