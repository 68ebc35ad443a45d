#!/usr/bin/env bash
# run.sh <folder of the page> <native tilewalk> [test]...: drives the page in a browser without a window, and holds the
# program in it against the native one.
set -euo pipefail
export TILEWALK_PAGE TILEWALK_PROGRAM
TILEWALK_PAGE=$(realpath "$1") TILEWALK_PROGRAM=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")"
shift 2
(($#)) || set -- test_page test_numbers
exec /usr/bin/python3 -u -m unittest -v "$@"
