#!/usr/bin/env bash
# check_kernels.sh [folder]: fails where a traced kernel touches global memory otherwise than through the functions of
# gpu/tile_moves.cuh, or load_global and store_global of gpu/flash2_mma.cuh, which move and record at once.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

shopt -s nullglob
files=(gpu/*_scalar.cuh gpu/*_naive.cuh gpu/scalar_mat[h].cuh gpu/number[s].cuh)
mma=gpu/flash2_mma.cuh
((${#files[@]})) || [[ -e $mma ]] || { echo "no kernels found"; exit 1; }

awk '
  { code = $0; sub(/\/\/.*/, "", code) }
  # Instructions and intrinsics that reach global memory.
  code ~ /__ldg|__ldc|__stc|__stwt|cp\.async|asm|atomic|memcpy|[^a-z_](fetch|put)\(|reinterpret_cast<(const )?[A-Za-z]+ ?\*>\(p\./ {
    report("touches global memory itself")
  }
  # A tensor of the parameters may only be handed on, to where a Place is made of it.
  {
    rest = code
    while (match(rest, /p\.(q|k|v|o|lse|scores|weights|row_sum|row_max)[^A-Za-z0-9_]/)) {
      before = substr(rest, 1, RSTART - 1)
      after = substr(rest, RSTART + RLENGTH - 1)
      handed_on = (before ~ /_tile\(static_cast<(const )?[A-Za-z]+\*>\($/ && after ~ /^\), /) || (before ~ /row_tile\($/ && after ~ /^, /)
      if (!handed_on) report("uses a tensor directly")
      rest = substr(rest, RSTART + RLENGTH - 1)
    }
  }
  # A Place names global memory; only load_tile and store_tile look at its pointer.
  code ~ /\.start([^A-Za-z0-9_]|$)|(q|k|v|tile|from|to)\([^()]*\)\.at\(/ { report("looks into a Place") }
  function report(why) { print FILENAME ":" FNR ": " why ": " $0; bad = 1 }
  END { exit bad }' "${files[@]}" /dev/null

# mask.cuh reads the block map, which is no tensor, and knows no tensor.
if [[ -e gpu/mask.cuh ]] && grep -nE 'p\.(q|k|v|o|lse|scores|weights|row_sum|row_max)[^A-Za-z0-9_]|asm|__ldc|__stc|atomic' gpu/mask.cuh; then
  echo "gpu/mask.cuh: reaches a tensor"
  exit 1
fi

# flash2_mma: addresses of tensors are only reckoned with and handed on; two functions use them.
[[ -e $mma ]] || exit 0
awk '
  { code = $0; sub(/\/\/.*/, "", code) }
  /__device__.* (load_global|store_global)\(/ { mover = 1; ++movers }
  mover && /^}/ { mover = 0; next }
  mover { next }
  # A 64-bit operand of an instruction is an address there; of o, an array of registers with three subscripts,
  # fewer are a pointer.
  code ~ /"l"\(|[^A-Za-z0-9_.]o\[[^]]*\]([^[]|$)|(^|[ (])\*o[^A-Za-z0-9_]/ { report("touches global memory itself") }
  # A tensor of the parameters may only be handed on.
  {
    names = " " code
    gsub(/static_cast<(const )?T\*>\(p\.[qo]\)( \+|;)|load_(whole|part)\(p\.[kv],|p\.lse \+|if \(p\.lse\)/, " ", names)
    if (names ~ /[^A-Za-z0-9_]p\.(q|k|v|o|lse|scores|weights|row_sum|row_max)[^A-Za-z0-9_]/) report("uses a tensor directly")
  }
  code ~ /__ldg|__ldc|__stc|__stwt|\.global|cp\.async\.(ca|cg|bulk)|atomic|memcpy/ { report("touches global memory itself") }
  # The pointers that lead to tensors there: not to be read or written through, but as a "T* name" declares one.
  {
    rest = " " code
    gsub(/[A-Za-z0-9_>)]\* (__restrict__ )?(from|to|start|lse|o|tensor)([^A-Za-z0-9_]|$)/, " ", rest)
  }
  rest ~ /\*(from|to|start|lse|tensor)([^A-Za-z0-9_]|$)|[^A-Za-z0-9_](from|to|start|lse|tensor)(\[|->)|\*\(?(from|to|start|lse) [+]/ {
    report("reads or writes through an address")
  }
  function report(why) { print FILENAME ":" FNR ": " why ": " $0; bad = 1 }
  END {
    if (movers != 2) { print FILENAME ": " movers + 0 " functions that move, instead of 2"; bad = 1 }
    exit bad
  }' "$mma"
