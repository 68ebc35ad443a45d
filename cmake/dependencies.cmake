# Each dependency is the system's package where there is one, without any network; else the pinned release is downloaded.
include(FetchContent)

# Some of these releases ask for a CMake so old that CMake 4 refuses them, unless told this.
set(CMAKE_POLICY_VERSION_MINIMUM 3.5)

# sim. Eigen's own build is left out (the folder named has no CMakeLists.txt): its headers are enough.
FetchContent_Declare(Eigen3
  URL https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
  URL_HASH SHA256=8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72
  SOURCE_SUBDIR debug
  FIND_PACKAGE_ARGS 3.4)

# cli
FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
  URL_HASH SHA256=1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811
  SYSTEM
  FIND_PACKAGE_ARGS 9)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  URL_HASH SHA256=f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a
  SYSTEM
  FIND_PACKAGE_ARGS 2.1)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  SYSTEM
  FIND_PACKAGE_ARGS 3.11)
FetchContent_Declare(tomlplusplus
  URL https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.4.0.tar.gz
  URL_HASH SHA256=8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155
  SYSTEM
  FIND_PACKAGE_ARGS 3)

FetchContent_MakeAvailable(Eigen3 fmt CLI11 nlohmann_json tomlplusplus)

# A folder of headers alone, such as a package's, is enough for these (FETCHCONTENT_SOURCE_DIR_…, see web.sh).
foreach(library Eigen3::Eigen CLI11::CLI11 nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
  if(NOT TARGET ${library})
    string(REGEX REPLACE "::.*" "" name ${library})
    string(TOLOWER ${name} name)
    add_library(${library} INTERFACE IMPORTED)
    target_include_directories(${library} INTERFACE ${${name}_SOURCE_DIR})
  endif()
endforeach()

if(TILEWALK_TESTS)
  FetchContent_Declare(doctest
    URL https://github.com/doctest/doctest/archive/refs/tags/v2.4.11.tar.gz
    URL_HASH SHA256=632ed2c05a7f53fa961381497bf8069093f0d6628c5f26286161fbd32a560186
    SYSTEM
    FIND_PACKAGE_ARGS 2.4.9)
  FetchContent_Declare(rapidcheck  # has no releases
    URL https://github.com/emil-e/rapidcheck/archive/ff6af6fc683159deb51c543b065eba14dfcf329b.tar.gz
    URL_HASH SHA256=f978132be070d6e0ae0be097c6cd5b65edeedf19f78c57158b2c43ffa412323d
    SYSTEM
    FIND_PACKAGE_ARGS)
  FetchContent_MakeAvailable(doctest rapidcheck)
  list(APPEND CMAKE_MODULE_PATH ${doctest_DIR} ${doctest_SOURCE_DIR}/scripts/cmake)  # packaged or downloaded
  include(doctest)  # doctest_discover_tests
endif()
