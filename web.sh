#!/usr/bin/env bash
# ./web.sh [--port N | --build | --test]
# Installs what is missing, builds tilewalk as a page, and serves it on this machine; or only builds it into
# build/web/page, a folder for any host of static files; or builds and tests it in a browser without a window.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cmake/setup.sh"

mode=serve port=8000
case ${1:-} in
  '') ;;
  --build | --test) mode=${1#--} ;;
  --port)
    port=${2:-}
    [[ $port =~ ^[0-9]{1,5}$ ]] && ((10#$port <= 65535)) || { say "--port '$port': must be a number up to 65535, e.g. --port 8080"; exit 2; }
    ;;
  *) say "unknown option '$1': say ./web.sh, ./web.sh --port 8080, ./web.sh --build or ./web.sh --test"; exit 2 ;;
esac

page=$root/build/web/page sources=$root/build/web-sources
# libstb-dev and others of headers alone; what must be compiled is fetched as source.
web_packages=(cmake ninja-build emscripten dpkg-dev python3 libeigen3-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libstb-dev)
browser_packages=(chromium chromium-driver python3-selenium)

# Lists of source packages, made from the lists that are there, in a folder of ours: the system's stay as they are.
source_lists() {
  local lists=$sources/apt file
  mkdir -p "$lists/parts" "$lists/lists/partial"
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -f $file ]] && sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$lists/parts/$(basename "$file")"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -f $file ]] && sed -nE 's/^deb(-src)? /deb-src /p' "$file" | sort -u >"$lists/parts/$(basename "$file" .list).list"
  done
  apt_source=(apt-get -qq -o "Dir::Etc::SourceList=$lists/none" -o "Dir::Etc::SourceParts=$lists/parts" -o "Dir::State::Lists=$lists/lists"
    -o APT::Sandbox::User=root)
  "${apt_source[@]}" update >/dev/null || say "the lists of sources could not all be updated; going on"
}

# fetch_source <package> <folder>: unpacks the distribution's source package into the folder, once.
fetch_source() {
  [[ -d $sources/$2 ]] && return
  [[ ${apt_source:-} ]] || source_lists
  local work=$sources/$2.part unpacked
  rm -rf "$work" && mkdir -p "$work"
  (cd "$work" && "${apt_source[@]}" source "$1" >/dev/null 2>&1) || return 1
  unpacked=$(find "$work" -mindepth 1 -maxdepth 1 -type d)
  mv "$unpacked" "$sources/$2" && rm -rf "$work"
}

# headers <folder of /usr/include>: in a folder alone, where the compiler for pages sees no other of the system's.
headers() {
  mkdir -p "$sources/headers-$1"
  ln -sfn "/usr/include/$1" "$sources/headers-$1/$1"
  echo "$sources/headers-$1"
}

# What is missing is downloaded from its authors (cmake/dependencies.cmake).
configure_page() {
  local options=() library
  mkdir -p "$sources"
  fetch_source imgui imgui && options+=(-D "FETCHCONTENT_SOURCE_DIR_IMGUI=$sources/imgui")
  fetch_source fmtlib fmt && options+=(-D "FETCHCONTENT_SOURCE_DIR_FMT=$sources/fmt")
  [[ -d /usr/include/eigen3 ]] && options+=(-D FETCHCONTENT_SOURCE_DIR_EIGEN3=/usr/include/eigen3)
  [[ -d /usr/include/stb ]] && options+=(-D FETCHCONTENT_SOURCE_DIR_STB=/usr/include/stb)
  for library in CLI:CLI11 nlohmann:NLOHMANN_JSON toml++:TOMLPLUSPLUS; do
    [[ -d /usr/include/${library%:*} ]] && options+=(-D "FETCHCONTENT_SOURCE_DIR_${library#*:}=$(headers "${library%:*}")")
  done
  (cd "$root" && emcmake cmake --preset web "${options[@]}" >/dev/null) >&2
}

build_page() {
  # Debian's emscripten looks for its JavaScript packages there.
  export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
  configure_page
  (cd "$root" && cmake --build --preset web) >&2
}

if [[ $mode == test ]]; then
  trap print_stages EXIT
  stage "packages" install_packages "${build_packages[@]}" "${test_packages[@]}" "${web_packages[@]}" "${viewer_packages[@]}" "${browser_packages[@]}"
  stage "build the page" build_page
  stage "build the native program" build release tilewalk
  stage "build its benchmark" build release bench
  stage "test the page" "$root/tests/page/run.sh" "$page" "$root/build/release/bin/tilewalk"
  exit
fi

install_packages "${web_packages[@]}"
say "building the page (the first time takes some minutes) …"
build_page
say "the page is in ${page#"$PWD"/}; any host of static files can serve that folder"
[[ $mode == build ]] && exit
exec python3 "$root/viz/page/serve.py" "$page" "$port"
