#!/usr/bin/env bash
# ./test.sh [-- <option of ctest>...]
# Installs what is missing, builds `release` and `dev` (sanitizers, warnings as errors), and runs all tests of both.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/cmake/setup.sh"

if (($#)); then
  [[ $1 == -- ]] || { say "unknown option '$1': options of ctest come after --"; exit 2; }
  shift
fi
ctest_options=("$@")
presets=(release dev)

run_tests() {
  (cd "$root" && ctest --preset "$1" --output-on-failure -j "$(nproc)" "${ctest_options[@]}") | tee "$root/build/$1/ctest.log"
}

# Printed however the script ends. The last lines are ctest's own.
report() {
  print_stages
  local preset
  for preset in "${presets[@]}"; do
    grep -h 'tests passed' "$root/build/$preset/ctest.log" 2>/dev/null || true
  done
}

for preset in "${presets[@]}"; do rm -f "$root/build/$preset/ctest.log"; done
trap report EXIT
stage "packages" install_packages "${build_packages[@]}" "${test_packages[@]}" --optional "${viewer_packages[@]}" "${optional_packages[@]}"
status=0
for preset in "${presets[@]}"; do
  stage "build $preset" build "$preset" all
  stage "test $preset" run_tests "$preset" || status=1
done
exit $status
