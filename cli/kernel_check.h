// A GPU kernel's run held against the model: flow, bytes, m, l and O after each tile, and the output.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_json.h"
#include "cli/table.h"
#include "sim/compare.h"
#include "sim/tensor_bytes.h"

namespace tilewalk {

// What a kernel did, live or as recorded.
struct KernelResult {
  std::string kernel, fault;  // fault: "" or the broken variant that ran
  Trace trace;
  std::vector<float> o, lse;  // lse may be empty
  bool o_summed = false;      // o holds sum_of_row's three numbers of each row instead
  std::string malformed;      // a record that fits no tile, in words
};

// What hardware counters say of one run of the untraced kernel, beside the model's loads.
struct SmBytes {
  std::uint64_t model = 0;
  double measured = 0;
  double error() const { return measured / double(model) - 1; }  // signed
};

struct KernelCheck {
  std::string kernel, fault, problem, tiling;
  std::string source;   // the recording's file, if it is one
  std::string group;    // checks in a row with the same one share a row of the table
  std::string refusal;  // the kernel does not take the problem: why, in words; nothing else is filled in
  std::optional<SmBytes> into_sms;
  std::string malformed;  // a record that fits no tile, in words
  std::vector<TensorBytes> bytes;
  TraceDiff diff;
  double output_error = 0, output_allowed = 0, lse_ratio = 0;
  bool lse_compared = false;
  std::uint64_t wrong_non_finite = 0;
  std::string difference;  // the first, in words: CTA, tile, row, quantity, both values; "" when all agrees
  Json json;

  bool agrees() const { return difference.empty(); }
};

// Adds the counters' verdict to a check: more than 1 % from the model is a difference.
void add_counters(KernelCheck& check, const SmBytes& bytes);

KernelCheck check_kernel(std::shared_ptr<const Plan> plan, const Inputs& inputs, const KernelResult& result);

// One row a group; the worst / allowed of each quantity.
Table check_table(const std::vector<KernelCheck>& checks);

}  // namespace tilewalk
