// A recorded run: its events, and what the watched tiles (m, l, O, ...) held after each tile of the score
// matrix.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/event.h"
#include "sim/inputs.h"
#include "sim/plan.h"
#include "sim/progress.h"

namespace tilewalk {

struct WatchedTile {
  TileHandle tile = no_tile;
  std::int32_t rows = 0, cols = 0;
  std::vector<float> values;  // row-major
  // `values` holds three numbers a row instead: sum_of_row's. Recorded GPU runs keep large tiles so.
  bool summed = false;
};

// State at the end of tile (row, col) of one CTA.
struct TileRecord {
  std::uint8_t launch;
  std::int32_t cta, row, col;
  std::vector<WatchedTile> tiles;
};

// Names, so that a trace can be read without the program that wrote it.
struct TraceNames {
  std::vector<std::string> levels, tensors, kernels;
  std::vector<std::vector<std::string>> tiles;  // per kernel
};

struct Trace {
  std::vector<std::pair<std::string, std::string>>
      header;  // the run, as flags of the command line without "--"
  TraceNames names;
  std::vector<Event> events;
  std::vector<TileRecord> records;
};

// The header of a run's trace.
std::vector<std::pair<std::string, std::string>> header_of(const Plan& plan);

TraceNames names_of(const Plan& plan);

// Records events and, with inputs, values. Throws RequestError when more than `most_events` would be kept.
Trace record(std::shared_ptr<const Plan> plan, const Inputs* inputs, std::uint64_t most_events = 20'000'000,
             const Progress& progress = {});

// Text: a header of "key value" lines, then one event or record a line. Exact: parse(format(t)) == t, lines
// included.
std::string format_trace_head(const Trace& trace);
std::string format_event(const Event& event, const TraceNames& names);
std::string format_record(const TileRecord& record, const TraceNames& names);
std::string format_trace(const Trace& trace);
Trace parse_trace(std::string_view text, std::string_view name);  // throws RequestError with the line number

}  // namespace tilewalk
