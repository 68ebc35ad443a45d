#!/usr/bin/env bash
# A check that cannot fail proves nothing: plants one offence for each, and demands that it is found.
set -euo pipefail
checks=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder"/{sim,gpu,cli,tests}
cp "$checks/../.clang-format" "$folder"

# expect <status> <check> <file> <content>
expect() {
  local status=0
  printf '%b' "$4" >"$folder/$3"
  "$checks/check_$2.sh" "$folder" >/dev/null 2>&1 || status=$?
  rm "$folder/$3"
  if ((status != $1 && status != 77)); then
    echo "check_$2.sh: $4 in $3 gives $status, not $1"
    exit 1
  fi
}

expect 0 format sim/a.h 'int f();\n'
expect 1 format sim/a.h 'int  f( );\n'
expect 0 includes sim/a.h '#include "sim/b.h"\n#include <vector>\n#include <Eigen/Dense>\n'
expect 1 includes sim/a.h '#include "cli/b.h"\n'
expect 1 includes sim/a.h '  # include <fmt/format.h>\n'
expect 1 includes sim/a.h '#include "b.h"\n'
expect 0 includes gpu/a.cu '#include "sim/event.h"\n'
expect 1 includes gpu/a.cu '#include "sim/machine.h"\n'
expect 1 includes gpu/a.cu '#include "sim/eventXh"\n'
expect 0 includes cli/a.cpp '#include "gpu/api.h"\n'
expect 1 includes cli/a.cpp '#include "gpu/tracer.h"\n'
expect 0 kernels gpu/a_scalar.cuh 'load_tile(tracer, tile.o, head.query_tile(static_cast<const float*>(p.o), area));\n'
expect 1 kernels gpu/a_scalar.cuh 'const float x = __ldg(address);\n'
expect 1 kernels gpu/a_scalar.cuh 'const float x = to_float(static_cast<const T*>(p.q)[0]);\n'
expect 1 kernels gpu/a_scalar.cuh 'const float x = *head.q(area).at(0, 0);\n'
movers='__device__ void load_global() {\n  __ldcg(from);\n}\n__device__ void store_global() {\n  *to = value;\n}\n'
expect 0 kernels gpu/flash2_mma.cuh "${movers}const T* from = static_cast<const T*>(p.q) + row;\nload_whole_tile(tracer, shared, from + 8);\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers}float x = __ldcg(from + 1);\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers}float x = from[1];\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers}*to = x;\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers}lse[row] = x;\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers}*o = T();\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers} o[0] = T();\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers}static_cast<T*>(p.o)[3] = T();\n"
expect 1 kernels gpu/flash2_mma.cuh "${movers}asm(\"st.u16 [%%0], 0;\" :: \"l\"(o));\n"
expect 0 kernels gpu/flash2_mma.cuh "${movers}o[i][n][e] *= alpha[i][e / 2];\n"
expect 1 kernels gpu/flash2_mma.cuh 'void f() {}\n'
expect 1 kernels gpu/mask.cuh 'p.lse[0] = 1;\n'
expect 0 paths sim/a.h '// https://example.org/home/page, $root/tmp/x\n'
expect 1 paths sim/a.h '// see /ho''me/me/notes\n'
expect 0 tests tests/a.cpp 'TEST_CASE("one, and another: both") { f(); g(); }\n'
expect 1 tests tests/a.cpp 'TEST_CASE("one; another") {}\n'
