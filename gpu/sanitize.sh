#!/usr/bin/env bash
# sanitize.sh PROGRAM: every kernel, untraced and traced, under the four tools of compute-sanitizer, on odd shapes; then
# the missing barriers, which racecheck must find. Needs a GPU; prints a line a run, and fails if one is not as it must be.
set -uo pipefail
program=$1 bad=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run TOOL KERNEL LABEL FLAG...: in the background, its report to a file.
run() {
  local tool=$1 kernel=$2 label=$3
  shift 3
  {
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" "$@" 2>&1
    echo "status $?"
  } >"$folder/$tool.$kernel.$label" &
  while (($(jobs -rp | wc -l) >= 8)); do wait -n; done
}

odd=(--n 113 --n-kv 203 --d 59 --heads 4 --kv-heads 2 --batch 2 --mask causal)
even=(--n 200 --n-kv 320 --d 128 --dtype bf16 --mask window:70)
for tool in memcheck racecheck initcheck synccheck; do
  for kernel in standard_naive standard_cublas flash1_scalar flash2_scalar flash2_mma; do
    run $tool $kernel odd gpu run $kernel "${odd[@]}"
    run $tool $kernel even gpu run $kernel "${even[@]}"
    [[ $kernel == standard_cublas ]] || run $tool $kernel traced verify --kernel $kernel "${odd[@]}"
  done
done
# Some lines of what the tools are silent about: a missing barrier is seen only as a race.
for kernel in flash1_scalar flash2_scalar flash2_mma; do
  run racecheck $kernel missing_barrier verify --kernel $kernel --n 512 --fault missing_barrier
done
wait

for file in "$folder"/*; do
  status=$(sed -n 's/^status //p' "$file")
  name=$(basename "$file")
  if [[ $name == *.missing_barrier ]]; then
    where=$(grep -oE '[a-z0-9_]+\.cuh?:[0-9]+' "$file" | sort | uniq -c | sort -rn | head -2 | awk '{print $2}' | paste -sd' ')
    if grep -q 'hazard' "$file"; then echo "$name: found, at $where"; else echo "$name: NOT FOUND"; bad=1; fi
  elif [[ $status == 0 ]]; then
    echo "$name: clean"
  else
    echo "$name: status $status"
    grep -m5 -E '=========' "$file"
    bad=1
  fi
done
exit $bad
