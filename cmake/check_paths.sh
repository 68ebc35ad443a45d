#!/usr/bin/env bash
# check_paths.sh [folder]: fails where a text file names a path that exists on somebody's machine only.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# What git tracks or would track; in an unpacked archive, all but build results.
list_files() {
  git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
    find . -type f -not -path './.git/*' -not -path './build/*' -print0
}

offences=$(list_files | xargs -0 grep -HInE '(^|[^[:alnum:]_.~-])/(home|root|work|tmp|Users)/[[:alnum:]_.]' -- || true)
[[ -z $offences ]] || { echo "$offences"; exit 1; }
