#include "cli/options.h"

#include "cli/arch_file.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/input_files.h"
#include "cli/memory.h"
#include "cli/table.h"
#include "cli/text_file.h"
#include "gpu/api.h"
#include "sim/error.h"
#include "sim/run.h"

namespace tilewalk {
namespace {

std::string read_mask_file(const std::string& path, const std::string& shown) {
  constexpr std::size_t most = 128 << 20;
  return read_text_file(path, shown, most);
}

void take_kernel_tiling(const std::string& name, Request& request) {
  const gpu::KernelRow& kernel = gpu::kernel_named(name, "--tiling kernel");
  TilingRequest& t = request.tiling;
  const Tiling tiling = gpu::kernel_tiling(kernel, request.problem, {t.block_q, t.block_kv, t.order});
  t.block_q = tiling.block_q;
  t.block_kv = tiling.block_kv;
}

// Half an hour or so.
void note_long_work(const Problem& p) {
  constexpr double many_flops = 1e13;
  const double flops = 4.0 * double(p.instances()) * double(p.n_q) * double(p.n_kv) * double(p.d);
  if (flops < many_flops) return;
  note("computing values of n " + std::to_string(p.n_q) +
       " takes long; --count-only counts without them, Ctrl-C stops");
}

}  // namespace

Request resolve(const RunFlags& flags) {
  return resolve(flags, {read_arch_file, read_mask_file, read_input_files, take_kernel_tiling});
}

Inputs inputs_for(const Request& request, const Plan& plan, std::uint64_t more_memory) {
  const std::string shortage = memory_shortage(plan, memory_needed(plan) + more_memory, available_memory());
  if (!shortage.empty()) throw RequestError(shortage);
  note_long_work(request.problem);
  return make_inputs(request);
}

void note_footprint(std::uint64_t bytes, const Arch& arch) {
  const std::uint64_t capacity = arch.levels[static_cast<std::size_t>(arch.level("hbm"))].capacity;
  if (capacity == 0 || bytes <= capacity) return;
  note("the tensors take " + human_bytes(bytes) + " of HBM, more than the " + human_bytes(capacity) + " of " +
       arch.name + "; the counts hold all the same");
}

}  // namespace tilewalk
