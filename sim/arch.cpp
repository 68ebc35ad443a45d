#include "sim/arch.h"

#include <algorithm>
#include <cmath>

#include "sim/error.h"

namespace tilewalk {
namespace {

constexpr std::uint64_t kib = 1024, mb = 1'000'000;

// What differs between the GPUs. Datasheets of the SXM parts (T4: PCIe); `sram` is the most shared memory
// that one block may use, and registers are 256 KiB an SM on all of them.
struct Gpu {
  const char *name, *title;
  int sms;
  std::uint64_t sram_kib, l2_mb, hbm_gb;
  double hbm_gbs, clock_ghz, matmul16_tflops, fp32_tflops;
  int sram_bytes_per_clock;  // per SM
};

Arch from(const Gpu& gpu) {
  Arch arch{gpu.name,
            gpu.title,
            "datasheet; 16 exp per clock and SM",
            gpu.sms,
            gpu.clock_ghz * 1e9,
            gpu.matmul16_tflops * 1e12,
            gpu.fp32_tflops * 1e12,
            16,
            {},
            {},
            false};
  arch.levels = {{"hbm", Scope::device, gpu.hbm_gb * 1000 * mb},
                 {"l2", Scope::device, gpu.l2_mb * mb},
                 {"sram", Scope::cta, gpu.sram_kib * kib},
                 {"reg", Scope::cta, 256 * kib}};
  const double sram = gpu.sram_bytes_per_clock * arch.clock * gpu.sms;
  arch.links = {{"hbm", "l2", gpu.hbm_gbs * 1e9, 0},
                {"l2", "sram", 0, 0},
                {"l2", "reg", 0, 0},
                {"sram", "reg", sram, 0}};
  return arch;
}

// A machine to watch by eye: two blocks of two rows fill it.
Arch toy() {
  Arch arch{"toy", "a machine small enough to watch", "made up for tilewalk", 1, 1e9, 4e9, 4e9, 1, {}, {},
            false};
  arch.levels = {{"hbm", Scope::device, 1 * mb}, {"sram", Scope::cta, 256}, {"reg", Scope::cta, 256}};
  arch.links = {{"hbm", "sram", 1e9, 0}, {"hbm", "reg", 1e9, 0}, {"sram", "reg", 16e9, 0}};
  return arch;
}

// The lecture's machine: M is about 10^6 elements of SRAM; bandwidths and sizes from the paper's Fig. 1
// (A100).
Arch lecture() {
  Arch arch = from(
      {"lecture", "the lecture's machine: M = 10^6 elements", 108, 163, 40, 40, 1500, 1.41, 312, 19.5, 128});
  arch.source = "lecture (M = 10^6 elements); FlashAttention, Fig. 1 (bandwidths); A100 datasheet (rates)";
  arch.levels[2].capacity = 1'000'000;
  arch.levels[3].capacity = 0;
  arch.links[3].bandwidth = 19e12;
  arch.sram_in_elements = true;
  return arch;
}

const std::vector<Arch>& table() {
  static const std::vector<Arch> rows = {
      toy(),
      lecture(),
      from({"v100", "NVIDIA V100 SXM2 16 GB", 80, 96, 6, 16, 900, 1.53, 125, 15.7, 128}),
      from({"t4", "NVIDIA T4", 40, 64, 4, 16, 320, 1.59, 65, 8.1, 64}),
      from({"a100", "NVIDIA A100 SXM 40 GB", 108, 163, 40, 40, 1555, 1.41, 312, 19.5, 128}),
      from({"a100-80", "NVIDIA A100 SXM 80 GB", 108, 163, 40, 80, 2039, 1.41, 312, 19.5, 128}),
      from({"h100", "NVIDIA H100 SXM 80 GB", 132, 227, 50, 80, 3350, 1.83, 989, 67, 128}),
      from({"h200", "NVIDIA H200 SXM 141 GB", 132, 227, 60, 141, 4800, 1.83, 989, 67, 128}),
  };
  return rows;
}

[[noreturn]] void refuse(const Arch& arch, const std::string& why) {
  throw RequestError("--arch " + arch.name + ": " + why);
}

void check_link(const Arch& arch, const Link& link) {
  arch.level(link.from);
  arch.level(link.to);
  const auto check = [&](const char* what, double value) {
    if (!(value >= 0) || !std::isfinite(value)) {
      refuse(arch, "link " + link.from + "-" + link.to + ": " + what + " must be a number of at least 0");
    }
  };
  check("bandwidth", link.bandwidth);
  check("latency", link.latency);
}

}  // namespace

int Arch::level(std::string_view wanted) const {
  for (std::size_t n = 0; n < levels.size(); ++n) {
    if (levels[n].name == wanted) return static_cast<int>(n);
  }
  throw RequestError("--arch " + name + ": has no level '" + std::string(wanted) +
                     "'; every machine needs hbm, sram and reg");
}

// For every level, the one that the shortest path from `from` reaches it by; -1 where none does.
std::vector<int> Arch::paths_from(int from) const {
  std::vector<int> came_from(levels.size(), -1), queue{from};
  came_from[static_cast<std::size_t>(from)] = from;
  for (std::size_t n = 0; n < queue.size(); ++n) {
    for (const Link& link : links) {
      const int a = level(link.from), b = level(link.to);
      const int next = queue[n] == a ? b : queue[n] == b ? a : -1;
      if (next < 0 || came_from[static_cast<std::size_t>(next)] >= 0) continue;
      came_from[static_cast<std::size_t>(next)] = queue[n];
      queue.push_back(next);
    }
  }
  return came_from;
}

std::vector<int> Arch::between(int from, int to) const {
  const std::vector<int> came_from = paths_from(from);
  std::vector<int> path;
  if (came_from[static_cast<std::size_t>(to)] < 0) return path;
  for (int at = came_from[static_cast<std::size_t>(to)]; at != from;
       at = came_from[static_cast<std::size_t>(at)]) {
    path.push_back(at);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

double Arch::bandwidth(std::string_view a, std::string_view b) const {
  for (const Link& link : links) {
    if ((link.from == a && link.to == b) || (link.from == b && link.to == a)) return link.bandwidth;
  }
  return 0;
}

Arch Arch::in_bytes(DType type) const {
  Arch arch = *this;
  if (sram_in_elements) arch.levels[static_cast<std::size_t>(level("sram"))].capacity *= size_of(type);
  arch.sram_in_elements = false;
  return arch;
}

std::span<const Arch> archs() { return table(); }

std::vector<std::string_view> arch_names() {
  std::vector<std::string_view> names;
  for (const Arch& arch : table()) names.push_back(arch.name);
  return names;
}

const Arch& arch_named(std::string_view name) {
  for (const Arch& arch : table()) {
    if (arch.name == name) return arch;
  }
  throw RequestError("--arch: " + unknown_name("arch", name, arch_names()) + "; or a file ending in .toml");
}

void validate(const Arch& arch) {
  if (arch.levels.size() > max_levels) {
    refuse(arch, "has " + std::to_string(arch.levels.size()) + " levels; at most " +
                     std::to_string(max_levels) + " are supported");
  }
  for (const std::string_view needed : {"hbm", "sram", "reg"}) arch.level(needed);
  for (std::size_t n = 0; n < arch.levels.size(); ++n) {
    const Level& level = arch.levels[n];
    if (arch.level(level.name) != static_cast<int>(n))
      refuse(arch, "has two levels '" + level.name + "'; name each once");
    if (level.capacity > (std::uint64_t{1} << 60))
      refuse(arch, "level '" + level.name + "': capacity is too large");
  }
  for (const Link& link : arch.links) check_link(arch, link);
  const std::vector<int> paths = arch.paths_from(arch.level("hbm"));
  for (std::size_t n = 0; n < arch.levels.size(); ++n) {
    if (paths[n] < 0) refuse(arch, "no links lead from hbm to level '" + arch.levels[n].name + "'; add one");
  }
  const std::pair<const char*, double> rates[] = {{"clock", arch.clock},
                                                  {"matmul16", arch.matmul16},
                                                  {"fp32", arch.fp32},
                                                  {"exp_per_clock", arch.exp_per_clock}};
  for (const auto& [what, rate] : rates) {
    if (!(rate > 0) || !std::isfinite(rate)) refuse(arch, std::string(what) + " must be a number above 0");
  }
  if (arch.sms < 1) refuse(arch, "sms must be at least 1");
}

}  // namespace tilewalk
