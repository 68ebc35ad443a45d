#!/usr/bin/env bash
# check_includes.sh [folder]: fails where a file includes what its folder may not know.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# What each folder may include. A name of ours starts at the repository root; `<` stands for any library.
declare -A allowed=(
  [sim]='"sim/|<Eigen/|<[a-z0-9_]+>'  # the standard library and Eigen
  [gpu]='"gpu/|"sim/(dtype|error|event|mask|problem|trace)\.h"|<'
  [lessons]='"lessons/|"sim/|<'
  [viz]='"viz/|"lessons/|"sim/|"gpu/api\.h"|<'
  [cli]='"cli/|"lessons/|"sim/|"gpu/api\.h"|"viz/viewer\.h"|<'
)

shopt -s globstar nullglob
status=0
for folder in "${!allowed[@]}"; do
  files=("$folder"/**/*.{h,cpp,cu,cuh})
  ((${#files[@]})) || continue
  awk -v folder="$folder" -v allowed="^(${allowed[$folder]//\\/\\\\})" '
    /^[ \t]*#[ \t]*include/ {
      included = $0
      sub(/^[ \t]*#[ \t]*include[ \t]*/, "", included)
      if (included !~ allowed) { print FILENAME ":" FNR ": " folder "/ may not include " included; bad = 1 }
    }
    END { exit bad }' "${files[@]}" || status=1
done
exit $status
