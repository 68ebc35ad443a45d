# Sourced by demo.sh, test.sh, web.sh and .ci/run: the packages tilewalk needs, how to build it, and a table of stage times.
# Progress goes to stderr, so that what a script prints on stdout can be piped.

build_packages=(cmake ninja-build g++ libeigen3-dev libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev)
test_packages=(doctest-dev librapidcheck-dev)
# Of the viewer; and a display for its tests that needs no screen.
viewer_packages=(libimgui-dev libstb-dev libglfw3-dev libgl-dev libgl1-mesa-dri)
optional_packages=(ccache clang-format xvfb xdotool)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf 'tilewalk: %s\n' "$*" >&2; }

# not_installed <package>...: those that are missing, one a line. dpkg answers from its own files, without apt.
not_installed() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null) == *' ok installed' ]] || echo "$package"
  done
}

apt_install() {
  command -v apt-get >/dev/null || return 1
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  if ((EUID != 0)); then
    command -v sudo >/dev/null || return 1
    apt=(sudo "${apt[@]}")
  fi
  say "installing $*"
  "${apt[@]}" update >/dev/null || say "the package lists could not all be updated; going on"
  "${apt[@]}" install -y --no-install-recommends "$@" >/dev/null
}

# install_packages [--optional] <package>...: only what is missing. What follows --optional may stay so.
install_packages() {
  local required=() wanted=() missing=() package optional=
  for package in "$@"; do
    if [[ $package == --optional ]]; then optional=yes; continue; fi
    wanted+=("$package")
    [[ $optional ]] || required+=("$package")
  done
  mapfile -t missing < <(not_installed "${wanted[@]}")
  ((${#missing[@]})) || return 0
  if apt_install "${missing[@]}"; then return 0; fi

  mapfile -t missing < <(not_installed "${required[@]}")
  ((${#missing[@]})) || return 0
  say "these packages are missing, and could not be installed. On Debian or Ubuntu, this installs them:"
  echo "sudo apt-get install ${missing[*]}" >&2
  return 1
}

# build <preset> <target> [option of cmake]...
build() {
  local preset=$1 target=$2
  shift 2
  (cd "$root" && cmake --preset "$preset" "$@" >/dev/null && cmake --build --preset "$preset" --target "$target") >&2
}

stages=()
# stage <name> <command>...: runs the command and notes how long it took.
stage() {
  local name=$1 begin=$SECONDS status=0
  shift
  say "$name …"
  "$@" || status=$?
  ((status == 0)) || name+="  FAILED"
  stages+=("$(printf '%7d s  %s' $((SECONDS - begin)) "$name")")
  return $status
}
print_stages() { printf '%s\n' "${stages[@]}"; }
