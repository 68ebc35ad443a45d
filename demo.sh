#!/usr/bin/env bash
# ./demo.sh [option of `tilewalk compare`]...
# Installs what is missing, builds tilewalk, and shows standard attention beside fused attention.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cmake/setup.sh"

install_packages "${build_packages[@]}" --optional "${viewer_packages[@]}"
say "building (the first time takes a minute or two) …"
# The demo needs no tests, but leaves them switched on where they can be built.
tests=ON
[[ -z $(not_installed "${test_packages[@]}") ]] || tests=OFF
build release tilewalk -D TILEWALK_TESTS=$tests

tilewalk=$root/build/release/bin/tilewalk
"$tilewalk" compare "$@"

# The viewer is for somebody who watches. It exits with 3 where it is not built in.
if [[ -t 1 && -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
  output=$("$tilewalk" view 2>&1) || (($? == 3)) || { echo "$output" >&2; exit 1; }
fi
