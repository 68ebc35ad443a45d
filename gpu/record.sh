#!/usr/bin/env bash
# record.sh PROGRAM FOLDER: makes the recorded runs anew. Needs a GPU; PROGRAM is a built tilewalk.
set -euo pipefail
program=$1 folder=$2
mkdir -p "$folder/faults"

# record FILE KERNEL FLAG...: a sound run must agree (exit 0), a broken one must not (exit 1).
record() {
  local file=$1 kernel=$2 expected=0 status=0
  shift 2
  [[ " $* " == *" --fault "* ]] && expected=1
  "$program" verify --kernel "$kernel" "$@" --record "$folder/$file.run" >"$folder/log" || status=$?
  ((status == expected)) || { cat "$folder/log"; echo "$file: exit code $status instead of $expected"; exit 1; }
  rm "$folder/log"
}

for kernel in standard_naive flash1_scalar flash2_scalar flash2_mma; do
  record "$kernel-f16-n128" "$kernel" --n 128 --dtype f16
  record "$kernel-bf16-n128-causal" "$kernel" --n 128 --dtype bf16 --mask causal
  record "$kernel-f16-ragged-causal" "$kernel" --n 113 --n-kv 203 --dtype f16 --mask causal
  record "$kernel-bf16-ragged-gqa" "$kernel" --n 50 --n-kv 70 --d 59 --heads 4 --kv-heads 2 --dtype bf16
  record "$kernel-f16-head" "$kernel" --n 320 --head "$("$program" list heads --json | grep -m1 -oP '"name": "\K[^"]+')"
done

# Small, ragged, several blocks each way: every fault shows.
small=(--n 40 --dtype f16 --block-q 16 --block-kv 16)
for fault in no_rescale per_tile_softmax skip_tail_mask stale_tile double_load; do
  record "faults/flash2_scalar-$fault" flash2_scalar "${small[@]}" --fault $fault
  record "faults/flash2_mma-$fault" flash2_mma --n 140 --d 16 --dtype f16 --fault $fault
done
record "faults/flash2_scalar-causal_off_by_one" flash2_scalar "${small[@]}" --mask causal --fault causal_off_by_one
record "faults/flash2_mma-causal_off_by_one" flash2_mma --n 140 --d 16 --dtype f16 --mask causal --fault causal_off_by_one
for fault in no_rescale per_tile_softmax skip_tail_mask; do
  record "faults/flash1_scalar-$fault" flash1_scalar "${small[@]}" --fault $fault
done
for fault in stale_tile double_load; do
  record "faults/standard_naive-$fault" standard_naive "${small[@]}" --fault $fault
done
