#!/usr/bin/env bash
# check_ptx.sh [folder]: fails where something of the tracer is left in the untraced build of a kernel. Its PTX entry
# must have two parameters (problem, and tiling or schedule), and neither atomics nor a third one; the traced entry must have both.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

nvcc=${CUDACXX:-$(command -v nvcc || true)}
[[ -n $nvcc ]] || { echo "skipped: there is no nvcc"; exit 77; }
ptx=$(mktemp)
trap 'rm -f "$ptx"' EXIT

for source in gpu/*_scalar.cu gpu/*_naive.cu gpu/flash2_mma.cu; do
  "$nvcc" -std=c++17 -I. -arch=compute_80 --ptx -o "$ptx" "$source"
  awk -v source="$source" '
    /\.entry/ { name = $0; sub(/.*\.entry /, "", name); sub(/\(.*/, "", name); traced = name ~ /traced_/; params = atomics = 0 }
    /^[ \t]*\.param/ && name != "" { ++params }
    /^[ \t]*(@%p[0-9]+ )?(atom|red)\./ { ++atomics }
    /^}/ && name != "" {
      ++entries[traced]
      if (!traced && (params != 2 || atomics > 0)) { print source ": " name ": " params " parameters, " atomics " atomics"; bad = 1 }
      if (traced && (params != 3 || atomics == 0)) { print source ": " name ": does not trace"; bad = 1 }
      name = ""
    }
    END {
      print source ": " entries[0] + 0 " untraced and " entries[1] + 0 " traced entries"
      exit bad || !entries[0] || !entries[1]
    }' "$ptx"
done
