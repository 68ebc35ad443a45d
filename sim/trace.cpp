#include "sim/trace.h"

#include <algorithm>

#include "sim/charconv.h"
#include "sim/describe.h"
#include "sim/emitter.h"
#include "sim/error.h"
#include "sim/fault.h"
#include "sim/machine.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

constexpr std::string_view first_line = "tilewalk-trace 1";
constexpr std::string_view sum_suffix = "/sum";  // of the name of a tile whose rows are summed

// Copies the watched tiles of the current CTA.
TileRecord record_of(const MachineState& state, const Event& last, const Plan& plan) {
  TileRecord record{last.launch, last.cta, last.row, last.col, {}};
  const auto& rows = plan.kernels[last.launch].tiles;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const TileState& tile = state.tiles[n];
    if (!rows[n].watched || !tile.written) continue;
    WatchedTile watched{static_cast<TileHandle>(n), tile.rows, tile.cols, {}};
    for (std::int32_t r = 0; r < tile.rows; ++r) {
      const float* row = tile.values->values.row(r).data();
      watched.values.insert(watched.values.end(), row, row + tile.cols);
    }
    record.tiles.push_back(std::move(watched));
  }
  return record;
}

// Runs the plan and records as it goes.
class Recorder {
 public:
  Recorder(std::shared_ptr<const Plan> plan, const Inputs* inputs, std::uint64_t most)
      : plan_(*plan), machine_(std::move(plan), inputs), most_(most) {}

  void take(const Event& e) {
    if (trace_.events.size() == most_) {
      throw RequestError("--n " + std::to_string(plan_.problem().n_q) + ": the trace would hold more than " +
                         std::to_string(most_) + " events; choose a smaller --n or larger blocks");
    }
    if (!trace_.events.empty() && begins_step_of_tile(trace_.events.back(), e)) end_tile();
    machine_.execute(e);
    trace_.events.push_back(e);
  }
  void end_tile() {
    const Event& last = trace_.events.back();
    if (!machine_.has_values() || last.row < 0 || last.col < 0) return;
    trace_.records.push_back(record_of(machine_.state(), last, plan_));
  }
  Trace& trace() { return trace_; }

 private:
  static bool begins_step_of_tile(const Event& a, const Event& b) {
    return a.launch != b.launch || a.cta != b.cta || a.row != b.row || a.col != b.col;
  }

  const Plan& plan_;
  Machine machine_;
  std::uint64_t most_;
  Trace trace_;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text;
}

// Reads one line of a trace, word by word.
class LineReader {
 public:
  LineReader(std::string_view line, std::string_view name, std::size_t number)
      : rest_(line), name_(name), number_(number) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw RequestError(std::string(name_) + ", line " + std::to_string(number_) + ": " + why);
  }
  std::string_view word() {
    const auto word = take_word(rest_);
    if (word.empty()) refuse("ends too early");
    return word;
  }
  std::string_view rest() const { return rest_; }
  bool done() { return rest_.find_first_not_of(" \t") == std::string_view::npos; }
  void end() {
    if (!done()) refuse("has too many words");
  }
  template <class Number>
  Number number(Number least, Number most) {
    const auto text = word();
    const auto value = parse_number<Number>(text);
    if (!value || *value < least || *value > most) refuse("'" + shown(text) + "' is not a number in range");
    return *value;
  }
  float real() {
    const auto text = word();
    const auto value = parse_number<float>(text);
    if (!value) refuse("'" + shown(text) + "' is not a number");
    return *value;
  }
  std::uint8_t index(const std::vector<std::string>& names, std::string_view what) {
    return index_of(word(), names, what);
  }
  std::uint8_t index_of(std::string_view text, const std::vector<std::string>& names, std::string_view what) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) refuse("no " + std::string(what) + " '" + shown(text) + "' in the header");
    return static_cast<std::uint8_t>(found - names.begin());
  }
  std::vector<std::string> words() {
    std::vector<std::string> list;
    while (!done()) list.emplace_back(word());
    if (list.size() > 200) refuse("has too many names");
    return list;
  }

 private:
  std::string_view rest_, name_;
  std::size_t number_;
};

Op parse_op(LineReader& line) {
  const auto text = line.word();
  for (int n = 0; n < op_count; ++n) {
    if (text == name_of(static_cast<Op>(n))) return static_cast<Op>(n);
  }
  line.refuse("no operation '" + shown(text) + "'");
}

void parse_operands(LineReader& line, const std::vector<std::string>& tiles, Event& e) {
  std::string_view list = line.word();
  if (list == "-") return;
  for (int n = 0; !list.empty(); ++n) {
    if (n == 6) line.refuse("has more than six tiles");
    const auto name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    if (name == "-") continue;
    const auto found = std::find(tiles.begin(), tiles.end(), name);
    if (found == tiles.end()) line.refuse("no tile '" + shown(name) + "' in the header");
    e.operand[n] = static_cast<TileHandle>(found - tiles.begin());
  }
}

constexpr std::int32_t most_int = INT32_MAX;

std::uint8_t parse_launch(LineReader& line, const TraceNames& names) {
  const auto launch = line.number<int>(0, 254);
  if (static_cast<std::size_t>(launch) >= names.tiles.size())
    line.refuse("no kernel " + std::to_string(launch) + " in the header");
  return static_cast<std::uint8_t>(launch);
}

Event parse_event(LineReader& line, const TraceNames& names) {
  Event e;
  e.launch = parse_launch(line, names);
  e.cta = line.number<std::int32_t>(0, most_int);
  e.agent = static_cast<std::uint8_t>(line.number<int>(0, 255));
  e.token = static_cast<std::uint8_t>(line.number<int>(0, 255));
  e.row = line.number<std::int32_t>(-1, most_int);
  e.col = line.number<std::int32_t>(-1, most_int);
  e.op = parse_op(line);
  parse_operands(line, names.tiles[e.launch], e);
  if (e.op == Op::load || e.op == Op::store) {
    e.tensor = line.index(names.tensors, "tensor");
  } else if (line.word() != "-") {
    line.refuse("only load and store name a tensor");
  }
  e.from = line.index(names.levels, "level");
  e.to = line.index(names.levels, "level");
  for (std::int32_t* extent : {&e.rows, &e.cols, &e.depth}) *extent = line.number<std::int32_t>(0, most_int);
  e.flags = static_cast<std::uint8_t>(line.number<int>(0, 255));
  e.line = static_cast<std::uint16_t>(line.number<int>(0, 65535));
  line.end();
  return e;
}

TileRecord parse_record(LineReader& line, const TraceNames& names) {
  TileRecord record{parse_launch(line, names), 0, 0, 0, {}};
  record.cta = line.number<std::int32_t>(0, most_int);
  record.row = line.number<std::int32_t>(0, most_int);
  record.col = line.number<std::int32_t>(0, most_int);
  while (!line.done()) {
    std::string_view name = line.word();
    WatchedTile tile;
    tile.summed = name.ends_with(sum_suffix);
    if (tile.summed) name.remove_suffix(sum_suffix.size());
    tile.tile = line.index_of(name, names.tiles[record.launch], "tile");
    tile.rows = line.number<std::int32_t>(0, most_int);
    tile.cols = line.number<std::int32_t>(0, most_int);
    const std::int64_t elements = std::int64_t{tile.rows} * tile.cols;
    // Every value takes two characters at least: no more than the line can hold is ever allocated.
    if (elements > static_cast<std::int64_t>(line.rest().size() / 2))
      line.refuse("holds fewer values than it says");
    tile.values.reserve(static_cast<std::size_t>(elements));
    for (std::int64_t n = 0; n < elements; ++n) tile.values.push_back(line.real());
    record.tiles.push_back(std::move(tile));
  }
  return record;
}

// A line of the header: "levels ...", "tensors ...", "kernel NAME tiles ...", or "key value".
void parse_head_line(LineReader& line, Trace& trace) {
  const auto key = line.word();
  if (key == "levels") {
    trace.names.levels = line.words();
  } else if (key == "tensors") {
    trace.names.tensors = line.words();
  } else if (key == "kernel") {
    trace.names.kernels.emplace_back(line.word());
    trace.names.tiles.push_back(line.words());
  } else {
    trace.header.emplace_back(key, line.word());
    line.end();
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> header_of(const Plan& plan) {
  const auto& [algorithm, p, tiling, arch, fault] = plan.config;
  return {{"algorithm", std::string(algorithm->name)},
          {"n", number_text(p.n_q)},
          {"n-kv", number_text(p.n_kv)},
          {"d", number_text(p.d)},
          {"batch", number_text(p.batch)},
          {"heads", number_text(p.heads)},
          {"kv-heads", number_text(p.kv_heads)},
          {"dtype", std::string(name_of(p.dtype))},
          {"mask", p.mask.spec()},
          {"scale", number_text(p.scale)},
          {"block-q", number_text(tiling.block_q)},
          {"block-kv", number_text(tiling.block_kv)},
          {"order", tiling.order == Order::ascending ? "ascending" : "descending"},
          {"arch", arch.name},
          {"fault", fault ? std::string(fault->name) : "none"},
          {"source", std::string(algorithm->file)},
          {"source-hash", number_text(source_hash(schedule_source(algorithm->file)))}};
}

TraceNames names_of(const Plan& plan) {
  TraceNames names;
  for (const Level& level : plan.config.arch.levels) names.levels.push_back(level.name);
  for (const Tensor& tensor : plan.tensors) names.tensors.emplace_back(tensor.name);
  for (const Kernel& kernel : plan.kernels) {
    names.kernels.emplace_back(kernel.row->name);
    names.tiles.emplace_back();
    for (const Tile& tile : kernel.tiles) names.tiles.back().emplace_back(tile.name);
  }
  return names;
}

Trace record(std::shared_ptr<const Plan> plan, const Inputs* inputs, std::uint64_t most_events,
             const Progress& progress) {
  Recorder recorder(plan, inputs, most_events);
  auto take = [&](const Event& e) { recorder.take(e); };
  for (std::size_t k = 0; k < plan->kernels.size(); ++k) {
    const std::int64_t ctas = plan->kernels[k].ctas;
    for (std::int64_t cta = 0; cta < ctas; ++cta) {
      if (progress) progress((double(k) + double(cta) / double(ctas)) / double(plan->kernels.size()));
      run_cta(*plan, k, cta, Sink(take));
    }
  }
  recorder.trace().header = header_of(*plan);
  recorder.trace().names = names_of(*plan);
  return std::move(recorder.trace());
}

std::string format_trace_head(const Trace& trace) {
  std::string text = std::string(first_line) + "\n";
  for (const auto& [key, value] : trace.header) text += key + " " + value + "\n";
  text += "levels" + joined(trace.names.levels) + "\n";
  text += "tensors" + joined(trace.names.tensors) + "\n";
  for (std::size_t k = 0; k < trace.names.kernels.size(); ++k) {
    text += "kernel " + trace.names.kernels[k] + joined(trace.names.tiles[k]) + "\n";
  }
  return text +
         "# event: launch cta agent token row col op tiles tensor from to rows cols depth flags line\n"
         "# after: launch cta row col {tile rows cols values}\n";
}

std::string format_event(const Event& e, const TraceNames& names) {
  const auto number = [](std::int64_t n) { return " " + number_text(n); };
  std::string tiles;
  int last = 5;
  while (last >= 0 && e.operand[last] == no_tile) --last;
  for (int n = 0; n <= last; ++n) {
    tiles += (n ? "," : "") + (e.operand[n] == no_tile ? "-" : names.tiles[e.launch][e.operand[n]]);
  }
  const bool moves = e.op == Op::load || e.op == Op::store;
  return "event" + number(e.launch) + number(e.cta) + number(e.agent) + number(e.token) + number(e.row) +
         number(e.col) + " " + name_of(e.op) + " " + (tiles.empty() ? "-" : tiles) + " " +
         (moves ? names.tensors[e.tensor] : "-") + " " + names.levels[e.from] + " " + names.levels[e.to] +
         number(e.rows) + number(e.cols) + number(e.depth) + number(e.flags) + number(e.line) + "\n";
}

std::string format_record(const TileRecord& record, const TraceNames& names) {
  std::string text = "after " + number_text(int{record.launch}) + " " + number_text(record.cta) + " " +
                     number_text(record.row) + " " + number_text(record.col);
  for (const WatchedTile& tile : record.tiles) {
    text += " " + names.tiles[record.launch][tile.tile] + std::string(tile.summed ? sum_suffix : "");
    text += " " + number_text(tile.rows) + " " + number_text(tile.cols);
    for (const float value : tile.values) text += " " + number_text(value);
  }
  return text + "\n";
}

std::string format_trace(const Trace& trace) {
  std::string text = format_trace_head(trace);
  for (const Event& e : trace.events) text += format_event(e, trace.names);
  for (const TileRecord& record : trace.records) text += format_record(record, trace.names);
  return text;
}

Trace parse_trace(std::string_view text, std::string_view name) {
  Trace trace;
  if (take_line(text) != first_line) {
    throw RequestError(std::string(name) + ", line 1: is not a trace of tilewalk (expected \"" +
                       std::string(first_line) + "\")");
  }
  for (std::size_t number = 2; !text.empty(); ++number) {
    const auto content = take_line(text);
    LineReader line(content, name, number);
    if (line.done() || content[0] == '#') continue;
    if (content.starts_with("event ")) {
      line.word();
      trace.events.push_back(parse_event(line, trace.names));
    } else if (content.starts_with("after ")) {
      line.word();
      trace.records.push_back(parse_record(line, trace.names));
    } else {
      parse_head_line(line, trace);
    }
  }
  return trace;
}

}  // namespace tilewalk
