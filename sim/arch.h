// A machine as the model sees it: memory levels, the links between them, and rates. Every machine is a row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/dtype.h"

namespace tilewalk {

constexpr std::size_t max_levels = 6;

enum class Scope : std::uint8_t { cta, sm, device };  // who shares one instance of a level

struct Level {
  std::string name;  // "hbm", "l2", "sram", "reg": also the key in JSON
  Scope scope = Scope::device;
  std::uint64_t capacity = 0;  // bytes of one instance that a CTA may use; 0: not limited in the model
};

struct Link {
  std::string from, to;  // levels; bytes flow both ways
  double bandwidth = 0;  // bytes/s of the whole device; 0: not modelled
  double latency = 0;    // seconds; 0: not modelled
};

struct Arch {
  std::string name, title, source;  // source: where the numbers come from
  int sms = 1;
  double clock = 1e9;             // Hz
  double matmul16 = 0, fp32 = 0;  // FLOP/s of 16-bit matrix units; of FP32 units
  double exp_per_clock = 16;      // per SM
  std::vector<Level> levels;
  std::vector<Link> links;
  bool sram_in_elements = false;  // the "sram" capacity counts elements of the problem's dtype, as papers do

  int level(std::string_view name) const;  // its index; throws RequestError when there is none
  // Levels strictly between two on the shortest path over the links, in order of travel.
  std::vector<int> between(int from, int to) const;
  std::vector<int> paths_from(int from) const;
  double bandwidth(std::string_view a, std::string_view b) const;  // 0 when there is no such link
  double matmul_rate(DType type) const { return type == DType::f32 ? fp32 : matmul16; }
  // The machine with capacities in bytes for elements of this type.
  Arch in_bytes(DType type) const;
};

std::span<const Arch> archs();
const Arch& arch_named(std::string_view name);  // throws RequestError with the nearest name
std::vector<std::string_view> arch_names();
void validate(const Arch& arch);

}  // namespace tilewalk
