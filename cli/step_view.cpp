#include "cli/step_view.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/shown_tiles.h"
#include "cli/table.h"
#include "sim/describe.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

std::string_view line_of(std::string_view source, int number) {
  std::string_view line;
  for (int n = 0; n < number && !source.empty(); ++n) line = take_line(source);
  return line;
}

int line_count(std::string_view source) {
  int lines = 0;
  for (; !source.empty(); ++lines) take_line(source);
  return lines;
}

// The line that the event came from, with three lines around it.
std::string source_text(const Event& event, const Plan& plan, bool terminal) {
  const std::string_view source = schedule_source(plan.algorithm().file);
  if (source.empty() || event.line == 0) return "";
  constexpr int around = 3;
  std::string text = fmt::format("{}\n", plan.algorithm().file);
  for (int n = std::max(1, event.line - around); n <= std::min(event.line + around, line_count(source));
       ++n) {
    const bool here = n == event.line;
    std::string line = fmt::format("{} {:>4} | {}", here ? '>' : ' ', n, line_of(source, n));
    line.erase(line.find_last_not_of(' ') + 1);
    text += styled(line, here ? Style::bold : Style::plain, terminal) + "\n";
  }
  return text + "\n";
}

// "96 B (Q 32, K 64)".
std::string moved_text(const Counts& counts, std::size_t level, bool write, const Plan& plan) {
  std::string parts;
  for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
    const std::uint64_t bytes = counts.bytes[level][write][t];
    if (bytes > 0)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", plan.tensors[t].name, grouped(bytes));
  }
  const std::string total = grouped(counts.total(static_cast<int>(level), write)) + " B";
  return parts.empty() ? total : total + " (" + parts + ")";
}

std::string bytes_text(const MachineState& state, const Plan& plan) {
  const Counts counts = state.total();
  std::string text;
  for (std::size_t level = 0; level < plan.config.arch.levels.size(); ++level) {
    const Level& place = plan.config.arch.levels[level];
    text += fmt::format("{:<5} read {}, written {}\n", place.name, moved_text(counts, level, false, plan),
                        moved_text(counts, level, true, plan));
    if (place.scope == Scope::device) continue;
    const std::string of = place.capacity == 0 ? "" : " of " + grouped(place.capacity);
    text += fmt::format("      in use {}{} B\n", grouped(state.used[level]), of);
  }
  return text;
}

// Where the position lies: of the event just done, or of the first.
std::string place_text(Timeline& timeline) {
  if (timeline.size() == 0) return "an empty run";
  const std::uint64_t position = timeline.position();
  return describe_place(timeline.event(position == 0 ? 0 : position - 1), timeline.plan());
}

Json event_json(Timeline& timeline, std::uint64_t n) {
  if (n >= timeline.size()) return Json();
  const Event event = timeline.event(n);
  const Plan& plan = timeline.plan();
  return {{"text", describe(event, plan)},
          {"op", name_of(event.op)},
          {"kernel", plan.kernels[event.launch].row->name},
          {"cta", event.cta},
          {"row", event.row},
          {"col", event.col},
          {"line", event.line},
          {"source", std::string(line_of(schedule_source(plan.algorithm().file), event.line))}};
}

// JSON has no infinities: they become "inf", "-inf" and "nan".
Json number_json(float value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json values_json(const ShownMatrix& matrix) {
  Json rows = Json::array();
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    Json row = Json::array();
    for (std::int64_t c = 0; c < matrix.cols; ++c) {
      const auto at = static_cast<std::size_t>(r * matrix.cols + c);
      row.push_back(matrix.written[at] ? number_json(matrix.values[at]) : Json());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json matrix_json(const ShownMatrix& matrix) {
  return {{"level", matrix.place.empty() ? Json() : Json(matrix.place)},
          {"status", matrix.status.empty() ? Json() : Json(matrix.status)},
          {"about", matrix.about.empty() ? Json() : Json(matrix.about)},
          {"rows", matrix.rows},
          {"cols", matrix.cols},
          {"first_row", matrix.first_row},
          {"first_col", matrix.first_col},
          {"values", matrix.status.empty() ? values_json(matrix) : Json()}};
}

Json used_json(const MachineState& state, const Plan& plan) {
  Json json = Json::object();
  for (std::size_t level = 0; level < plan.config.arch.levels.size(); ++level) {
    if (plan.config.arch.levels[level].scope != Scope::device)
      json[plan.config.arch.levels[level].name] = state.used[level];
  }
  return json;
}

// Tiles with values stand apart; the others take a line each.
std::string shown_text(Timeline& timeline, const std::vector<std::string>& shown) {
  std::string text;
  bool apart = true;
  for (const std::string& name : shown) {
    const ShownMatrix matrix = find_shown(name, timeline);
    if (apart || matrix.status.empty()) text += "\n";
    apart = matrix.status.empty();
    text += matrix_text(matrix);
  }
  return text;
}

}  // namespace

std::string frame_text(Timeline& timeline, const std::vector<std::string>& shown, bool terminal) {
  const Plan& plan = timeline.plan();
  const std::uint64_t position = timeline.position(), size = timeline.size();
  std::string text = styled(fmt::format("position {} of {}: {}", position, size, place_text(timeline)),
                            Style::bold, terminal) +
                     "\n";
  text += "done  " + (position == 0 ? "nothing yet" : describe(timeline.event(position - 1), plan)) + "\n";
  text += "next  " + (position == size ? "the end" : describe(timeline.event(position), plan)) + "\n\n";
  if (size > 0) text += source_text(timeline.event(position == 0 ? 0 : position - 1), plan, terminal);
  text += bytes_text(timeline.state(), plan);
  return text + shown_text(timeline, shown);
}

Json frame_json(Timeline& timeline, const std::vector<std::string>& shown) {
  const Plan& plan = timeline.plan();
  const std::uint64_t position = timeline.position();
  const Counts counts = timeline.state().total();
  Json tiles = Json::object();
  for (const std::string& name : shown) tiles[name] = matrix_json(find_shown(name, timeline));
  return {
      {"schema", 1},
      {"algorithm", plan.algorithm().name},
      {"problem", problem_json(plan.problem())},
      {"tiling", tiling_json(plan.config.tiling)},
      {"arch", plan.config.arch.name},
      {"position", position},
      {"size", timeline.size()},
      {"done", position == 0 ? Json() : event_json(timeline, position - 1)},
      {"next", event_json(timeline, position)},
      {"file", plan.algorithm().file},
      {"bytes", bytes_json(counts, plan)},
      {"flops", {{"matmul", counts.flops.matmul}, {"exp", counts.flops.exp}, {"other", counts.flops.other}}},
      {"in_use", used_json(timeline.state(), plan)},
      {"tiles", std::move(tiles)},
      {"origin", "model"}};
}

}  // namespace tilewalk
