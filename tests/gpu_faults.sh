#!/usr/bin/env bash
# gpu_faults.sh PROGRAM: every broken kernel must be found out on the GPU. Exit code 77: there is no GPU.
set -euo pipefail
program=$1
"$program" gpu info >/dev/null 2>&1 || exit 77
bad=0

# finds KERNEL FAULT FLAG...: verify must exit with 1.
finds() {
  local status=0 kernel=$1 fault=$2
  shift 2
  "$program" verify --kernel "$kernel" --n 200 --dtype f16 "$@" --fault "$fault" >/dev/null || status=$?
  ((status == 1)) || { echo "$kernel $fault: verify ended with $status instead of 1"; bad=1; }
}

for kernel in flash1_scalar flash2_scalar flash2_mma; do
  for fault in no_rescale per_tile_softmax skip_tail_mask; do finds $kernel $fault; done
done
for kernel in standard_naive flash1_scalar flash2_scalar flash2_mma; do
  for fault in stale_tile double_load; do finds $kernel $fault; done
  finds $kernel causal_off_by_one --mask causal
done
exit $bad
