#include "viz/kernel_lines.h"

#include <algorithm>

#include "gpu/api.h"
#include "sim/parse.h"
#include "viz/kernel_files.h"

namespace tilewalk::viz {
namespace {

std::string_view file_named(std::string_view name) {
  for (const auto& [path, bytes] : kernel_data::files()) {
    if (path.substr(path.rfind('/') + 1) == name) return bytes;
  }
  return "";
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The part up to the bar, or all; cut off.
std::string_view take_field(std::string_view& rest) {
  const std::size_t bar = rest.find(" | ");
  const std::string_view field = rest.substr(0, bar);
  rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 3);
  return trimmed(field);
}

int line_of(std::string_view source, std::string_view after, std::string_view text) {
  bool inside = false;
  for (int line = 1; !source.empty(); ++line) {
    const std::string_view words = take_line(source);
    if (inside && words.find(text) != std::string_view::npos) return line;
    inside = inside || words.find(after) != std::string_view::npos;
  }
  return 0;
}

std::vector<KernelLine> parse_table() {
  std::vector<KernelLine> table;
  std::string_view rest = file_named("kernel_lines.txt");
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (line.empty() || line.starts_with('#')) continue;
    std::string_view head = take_field(line);
    KernelLine row;
    row.kernel = take_word(head);
    row.launch = take_word(head);
    row.step = take_word(head);
    row.after = take_field(line);
    row.text = take_field(line);
    row.line = line_of(kernel_source(row.kernel), row.after, row.text);
    table.push_back(row);
  }
  return table;
}

// "softmax:m" is the launch softmax where it has a tile m.
bool is_launch(std::string_view words, const Kernel& kernel) {
  const std::size_t colon = words.find(':');
  return words.substr(0, colon) == kernel.row->name &&
         (colon == std::string_view::npos || kernel.find(words.substr(colon + 1)) >= 0);
}

bool has_lines(std::string_view kernel) {
  const auto& rows = kernel_lines();
  return std::any_of(rows.begin(), rows.end(), [&](const KernelLine& row) { return row.kernel == kernel; });
}

}  // namespace

std::string_view kernel_source(std::string_view kernel) { return file_named(std::string(kernel) + ".cuh"); }

std::string step_name(const Event& e, const Plan& plan) {
  const std::string verb = name_of(e.op);
  if (e.op == Op::load || e.op == Op::store) return verb + "." + std::string(plan.tensors[e.tensor].name);
  if (e.operand[0] == no_tile) return verb;
  return verb + "." + std::string(plan.kernels[e.launch].tiles[e.operand[0]].name);
}

const std::vector<KernelLine>& kernel_lines() {
  static const std::vector<KernelLine> table = parse_table();
  return table;
}

std::string_view kernel_with_lines(std::string_view algorithm, std::string_view preferred) {
  std::string_view first;
  for (const gpu::KernelRow& kernel : gpu::kernels()) {
    if (kernel.algorithm != algorithm || !kernel.traceable || !has_lines(kernel.name)) continue;
    if (kernel.name == preferred) return kernel.name;
    if (first.empty()) first = kernel.name;
  }
  return first;
}

int kernel_line(std::string_view kernel, const Event& e, const Plan& plan) {
  const std::string step = step_name(e, plan), verb = name_of(e.op);
  for (const KernelLine& row : kernel_lines()) {
    if (row.kernel == kernel && is_launch(row.launch, plan.kernels[e.launch]) &&
        (row.step == step || row.step == verb))
      return row.line;
  }
  return 0;
}

}  // namespace tilewalk::viz
