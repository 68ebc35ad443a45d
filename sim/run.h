// From a configuration to results: the one door for programs that want numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cost.h"
#include "sim/inputs.h"
#include "sim/plan.h"
#include "sim/progress.h"
#include "sim/reference.h"

namespace tilewalk {

// A roofline's time of one kernel: the longer of moving its HBM bytes and of keeping its busiest unit busy.
// Units work at the share of the machine that the grid can fill.
struct KernelTime {
  double memory = 0, compute = 0;  // seconds
  double estimate() const { return memory > compute ? memory : compute; }
};
KernelTime kernel_time(const Counts& counts, const Kernel& kernel, const Plan& plan);

struct Run {
  std::shared_ptr<const Plan> plan;
  std::vector<Counts> kernels;  // of the whole problem: all batches and heads
  Counts total;
  std::vector<float> o;              // value mode: instances x n_q x d, as stored in HBM
  std::optional<OutputCheck> check;  // value mode

  std::uint64_t bytes(std::string_view level, bool write) const;  // 0 when the machine has no such level
  std::uint64_t bytes(std::string_view level) const { return bytes(level, false) + bytes(level, true); }
  KernelTime time() const;  // sums over the kernels; estimate() of each kernel summed is `time_estimate`
  double time_estimate() const;
  double intensity() const;            // FLOPs of all kinds per HBM byte
  std::uint64_t useful_flops() const;  // the convention: 4 n_q n_kv d a head, half of it if causal
  std::uint64_t peak(std::string_view level) const;
  // HBM bytes that the tensors take, all alive at once; and if each input were read and each output written
  // once.
  std::uint64_t hbm_footprint() const, compulsory_bytes() const;
};

// Counts without values: one head is walked, and multiplied.
Run count(std::shared_ptr<const Plan> plan, const Progress& progress = {});

// Runs every head with values. Checks the output against the reference unless `checked` is false.
Run execute(std::shared_ptr<const Plan> plan, const Inputs& inputs, const Progress& progress = {},
            bool checked = true);

// Bytes of memory that `execute` needs.
std::uint64_t memory_needed(const Plan& plan);

// "", or why a run with values that needs so many bytes does not fit `limit` (0: no limit), with the remedy.
std::string memory_shortage(const Plan& plan, std::uint64_t needed, std::uint64_t limit);

}  // namespace tilewalk
