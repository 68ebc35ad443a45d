# tilewalk_embed(<target> <namespace> <name> FILES <file>...)
#
# Compiles the files' bytes into <target> as a table. With `tilewalk_embed(lib tilewalk::heads head_files FILES …)` in
# lessons/CMakeLists.txt, code reads it so:
#
#     #include "lessons/head_files.h"
#     for (const auto& [path, bytes] : tilewalk::heads::files()) …
#
# Paths are relative to the repository root and sorted. The bytes are written to the source when the build runs, and
# again when a file changes. A CMake script does that, not a program of ours, so that cross compiling (Emscripten) needs
# no compiler for the host. String literals compile some twenty times as fast as lists of numbers.
#
# In a page the files are not compiled in: they are its data file (tilewalk_data_folder), and the table reads them.
set(TILEWALK_EMBED_DIR ${CMAKE_CURRENT_LIST_DIR})
set(tilewalk_data_folder ${PROJECT_BINARY_DIR}/data)

function(tilewalk_embed target namespace name)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" FILES)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  set(include_dir ${PROJECT_BINARY_DIR}/generated)
  set(header ${include_dir}/${folder}/${name}.h)
  set(source ${include_dir}/${folder}/${name}.cpp)

  set(files "")
  foreach(file IN LISTS arg_FILES)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    list(APPEND files ${file})
  endforeach()
  list(SORT files)

  # The header depends on no file's content. Written now, it is there before any other target compiles.
  configure_file(${TILEWALK_EMBED_DIR}/embed.h.in ${header} @ONLY)
  set(loaded "")
  if(EMSCRIPTEN)
    set(loaded -D LOADED=ON)
    foreach(file IN LISTS files)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
      cmake_path(GET path PARENT_PATH parent)
      file(MAKE_DIRECTORY ${tilewalk_data_folder}/${parent})
      file(CREATE_LINK ${file} ${tilewalk_data_folder}/${path} SYMBOLIC)
      set_property(GLOBAL APPEND PROPERTY tilewalk_data_files ${file})
    endforeach()
  endif()

  # The list of files is an input too: the source must change when a file comes or goes.
  list(JOIN files "\n" lines)
  file(CONFIGURE OUTPUT ${source}.list CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D NAMESPACE=${namespace} -D HEADER=${folder}/${name}.h -D ROOT=${PROJECT_SOURCE_DIR}
            -D LIST=${source}.list -D OUTPUT=${source} ${loaded} -P ${TILEWALK_EMBED_DIR}/embed_script.cmake
    DEPENDS ${files} ${source}.list ${TILEWALK_EMBED_DIR}/embed_script.cmake
    COMMENT "Embedding ${folder}/${name}"
    VERBATIM)
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)  # clang minds 64 KiB
  target_sources(${target} PRIVATE ${source})
  target_include_directories(${target} PUBLIC ${include_dir})
endfunction()
