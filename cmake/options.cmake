# How our own code is compiled. Every target of ours links tilewalk_options PRIVATE; dependencies never see it.
add_library(tilewalk_options INTERFACE)

target_compile_options(tilewalk_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Wold-style-cast;-Wimplicit-fallthrough;-Wswitch>
  # A compiler that fuses a*b+c rounds once instead of twice; without this, values would differ between machines.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)

# GCC 12 sees overlapping copies in std::string's operator+ where there are none (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tilewalk_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

if(TILEWALK_WERROR)
  target_compile_options(tilewalk_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

if(TILEWALK_SANITIZE)
  target_compile_options(tilewalk_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(tilewalk_options INTERFACE -fsanitize=address,undefined)
endif()

# tilewalk_precompile(<target> <header>...): headers that most of its files read. It saves Emscripten's compiler two fifths
# of its time; others gain less, and ccache serves them better without.
function(tilewalk_precompile target)
  if(EMSCRIPTEN)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <functional> <map> <memory> <optional> <span> <string> <string_view> <variant> <vector> ${ARGN})
  endif()
endfunction()
