#!/usr/bin/env bash
# pictures.sh <tilewalk>: makes the pictures of the viewer that README shows, by the program itself.
set -euo pipefail
tilewalk=$(realpath "$1")
cd "$(dirname "$0")"

"$tilewalk" view --at 'tile 9 5' --show counters,merge --size 1600x900 --screenshot viewer-flash2.png
"$tilewalk" view --lesson 7 --step inner --size 1600x900 --theme light --screenshot viewer-lesson.png
"$tilewalk" view --algorithms standard,flash1,flash2 --at 'event 700' --theme light --show counters --size 1600x900 \
  --screenshot viewer-compare.png
"$tilewalk" view --fault no_rescale --at 'tile 4 2' --lang zh --show source --size 1600x900 --screenshot viewer-fault-zh.png
"$tilewalk" view --recorded flash2_scalar-f16-head --at end --theme contrast --size 1600x900 --screenshot viewer-gpu.png
