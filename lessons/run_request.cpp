#include "lessons/run_request.h"

#include "lessons/numbers.h"
#include "sim/error.h"
#include "sim/fault.h"

namespace tilewalk {
namespace {

[[noreturn]] void refuse_source(const std::string& flag, const std::string& remedy) {
  throw RequestError(flag + ": cannot be used here; " + remedy);
}

// The values that a run has when no flag says otherwise. The toy machine brings its own.
struct Defaults {
  std::int64_t n = 1024, d = 64, block = 0;  // 0: choose
  DType dtype = DType::f16;
};
constexpr Defaults usual, of_toy{8, 4, 2, DType::f32};

constexpr std::int64_t largest_n = std::int64_t{1} << 30, largest_d = 1 << 16, largest_heads = 1 << 20;

bool is_arch_file(const std::string& name) {
  return name.ends_with(".toml") || name.find('/') != std::string::npos;
}

Arch parse_arch_flags(const RunFlags& flags, const RunSources& sources) {
  const std::string name = flags.arch.value_or("a100");
  const bool is_file = is_arch_file(name);
  if (is_file && !sources.arch_file)
    refuse_source("--arch " + typed(name), "name a machine of 'tilewalk list archs'");
  Arch arch = is_file ? sources.arch_file(name) : arch_named(name);
  if (flags.sram) {
    Level& sram = arch.levels[static_cast<std::size_t>(arch.level("sram"))];
    sram.capacity = static_cast<std::uint64_t>(
        parse_whole("--sram", *flags.sram, 1, std::int64_t{1} << 60, "98304 (96 KiB)"));
    arch.sram_in_elements = false;
  }
  return arch;
}

Mask parse_mask_flag(const std::string& spec, const RunSources& sources) {
  constexpr std::string_view file_prefix = "blocks:";
  if (!spec.starts_with(file_prefix)) return parse_mask(spec);
  const std::string path = spec.substr(file_prefix.size());
  if (path.empty()) throw RequestError("--mask blocks: names no file; say e.g. --mask blocks:mask.txt");
  if (!sources.mask_file) refuse_source("--mask " + typed(spec), "choose another mask");
  const std::string text = sources.mask_file(path, "--mask " + spec);
  try {
    return Mask::blocks(spec, std::make_shared<const BlockMap>(parse_block_map(text, path)));
  } catch (const RequestError& error) {
    throw RequestError("--mask: " + std::string(error.what()));
  }
}

DType parse_dtype(const std::string& name) {
  static constexpr std::string_view known[] = {"f16", "bf16", "f32"};
  if (const auto type = dtype_named(name)) return *type;
  throw RequestError("--dtype: " + unknown_name("dtype", name, known));
}

Order parse_order(const std::string& name) {
  static constexpr std::string_view known[] = {"ascending", "descending"};
  if (name == known[0]) return Order::ascending;
  if (name == known[1]) return Order::descending;
  throw RequestError("--order: " + unknown_name("order", name, known));
}

constexpr std::string_view kernel_prefix = "kernel:";

TilingMode parse_tiling(const std::string& name) {
  static constexpr std::string_view known[] = {"fit", "paper", "kernel:NAME"};
  if (name == known[0] || name.starts_with(kernel_prefix)) return TilingMode::fit;
  if (name == known[1]) return TilingMode::paper;
  throw RequestError("--tiling: " + unknown_name("tiling", name, known));
}

TilingRequest parse_tiling_flags(const RunFlags& flags, const Defaults& defaults) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  TilingRequest request;
  if (flags.tiling) request.mode = parse_tiling(*flags.tiling);
  if (!flags.tiling) request.block_q = request.block_kv = defaults.block;
  if (flags.block_q) request.block_q = parse_whole("--block-q", *flags.block_q, 1, most, "64");
  if (flags.block_kv) request.block_kv = parse_whole("--block-kv", *flags.block_kv, 1, most, "64");
  if (flags.order) request.order = parse_order(*flags.order);
  return request;
}

// --tiling kernel:NAME: the block sizes that the GPU kernel has for the problem, where no flag says others.
void take_kernel_tiling(const RunFlags& flags, const RunSources& sources, Request& request) {
  if (!flags.tiling || !flags.tiling->starts_with(kernel_prefix)) return;
  if (!sources.kernel_tiling)
    refuse_source("--tiling " + typed(*flags.tiling), "say --block-q and --block-kv");
  sources.kernel_tiling(flags.tiling->substr(kernel_prefix.size()), request);
}

// Sizes of a problem whose inputs are made from a seed.
void take_sizes(const RunFlags& flags, const Defaults& defaults, Request& request) {
  const auto size = [](const char* name, const Flag& flag, std::int64_t otherwise, std::int64_t least,
                       std::int64_t most, const char* example) {
    return flag ? parse_whole(name, *flag, least, most, example) : otherwise;
  };
  Problem& p = request.problem;
  p.n_q = size("--n", flags.n, defaults.n, 0, largest_n, "1024");
  p.n_kv = size("--n-kv", flags.n_kv, p.n_q, 0, largest_n, "1024");
  p.d = size("--d", flags.d, defaults.d, 1, largest_d, "64");
  p.heads = size("--heads", flags.heads, 1, 1, largest_heads, "8");
  p.kv_heads = size("--kv-heads", flags.kv_heads, p.heads, 1, largest_heads, "2");
  p.batch = size("--batch", flags.batch, 1, 1, largest_heads, "4");
  p.dtype = defaults.dtype;
  p.scale = default_scale(p.d);
  request.seed = flags.seed ? parse_seed("--seed", *flags.seed) : 0;
  request.inputs = "random, seed " + std::to_string(request.seed);
}

void take_inputs(const RunFlags& flags, const Defaults& defaults, const RunSources& sources,
                 Request& request) {
  if (flags.head) return take_head(flags, request);
  if (!flags.q && !flags.k && !flags.v) return take_sizes(flags, defaults, request);
  if (!sources.input_files) refuse_source("--q, --k, --v", "use --head or --seed");
  sources.input_files(flags, request);
  request.problem.scale = default_scale(request.problem.d);
}

}  // namespace

Request resolve(const RunFlags& flags, const RunSources& sources) {
  Request request;
  request.arch = parse_arch_flags(flags, sources);
  if (is_arch_file(flags.arch.value_or(""))) request.arch_file = *flags.arch;
  if (flags.q) request.files = {*flags.q, flags.k.value_or(""), flags.v.value_or("")};
  const Defaults& defaults = flags.arch.value_or("") == "toy" ? of_toy : usual;
  request.tiling = parse_tiling_flags(flags, defaults);
  take_inputs(flags, defaults, sources, request);
  Problem& p = request.problem;
  if (flags.dtype) p.dtype = parse_dtype(*flags.dtype);
  if (flags.mask) p.mask = parse_mask_flag(*flags.mask, sources);
  if (flags.scale) p.scale = parse_scale(*flags.scale, p.d);
  if (flags.fault) request.fault = &fault_named(*flags.fault);
  request.count_only = flags.count_only;
  validate(p);
  take_kernel_tiling(flags, sources, request);
  return request;
}

RunConfig config_for(const Request& request, const Algorithm& algorithm) {
  const Tiling tiling = choose_tiling(request.tiling, algorithm, request.problem, request.arch);
  return {&algorithm, request.problem, tiling, request.arch, request.fault};
}

std::shared_ptr<const Plan> plan_for(const Request& request, const Algorithm& algorithm) {
  return make_plan(config_for(request, algorithm));
}

}  // namespace tilewalk
