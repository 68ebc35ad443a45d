#include "cli/recorded.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text_file.h"
#include "lessons/recording.h"
#include "lessons/run_words.h"
#include "sim/describe.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

constexpr std::size_t most_bytes = 64 << 20;
constexpr std::int64_t small_n = 128;
constexpr std::size_t full_tiles = 8;  // of a larger run

WatchedTile summed(const WatchedTile& tile) {
  WatchedTile result{tile.tile, tile.rows, 3, {}, true};
  for (std::int32_t r = 0; r < tile.rows; ++r) {
    const auto at = static_cast<std::size_t>(r) * static_cast<std::size_t>(tile.cols);
    for (const double x : sum_of_row({tile.values.data() + at, static_cast<std::size_t>(tile.cols)}, r))
      result.values.push_back(static_cast<float>(x));
  }
  return result;
}

// The records with large tiles summed up.
std::vector<TileRecord> shortened(const Plan& plan, const std::vector<TileRecord>& records) {
  std::vector<TileRecord> result = records;
  const Problem& p = plan.problem();
  std::vector<std::size_t> seen(plan.kernels.size());
  for (TileRecord& record : result) {
    const bool first = record.cta == 0 && seen[record.launch]++ < full_tiles;
    for (WatchedTile& tile : record.tiles) {
      const bool is_o = plan.kernels[record.launch].tiles[tile.tile].name == "o";
      const bool small = is_o && p.n_q <= small_n && p.n_kv <= small_n;
      if (tile.cols > 3 && !small && !(is_o && first)) tile = summed(tile);
    }
  }
  return result;
}

std::string output_lines(const Plan& plan, const KernelResult& result) {
  std::string text;
  const auto d = static_cast<std::size_t>(plan.problem().d);
  for (std::size_t row = 0; row * d < result.o.size(); ++row) {
    const auto sums = sum_of_row({result.o.data() + row * d, d}, static_cast<std::int64_t>(row));
    text += "# o";
    for (const double x : sums) text += fmt::format(" {}", static_cast<float>(x));
    text += "\n";
  }
  for (const float x : result.lse) text += fmt::format("# L {}\n", x);
  return text;
}

}  // namespace

std::string format_recorded(const Plan& plan, const KernelResult& result, const RecordingFacts& facts) {
  Trace trace = result.trace;
  trace.header.clear();
  trace.header.emplace_back("kernel-name", result.kernel);
  trace.header.emplace_back("kernel-fault", result.fault.empty() ? "none" : result.fault);
  for (const auto& fact : facts) trace.header.push_back(fact);
  for (const auto& entry : header_of(plan)) trace.header.push_back(entry);
  trace.records = shortened(plan, trace.records);
  std::string text = format_trace(trace) + output_lines(plan, result);
  return text + fmt::format("{}{:016x}\n", checksum_word, source_hash(text));
}

std::string Recorded::fact(std::string_view name) const {
  for (const auto& [key, value] : facts) {
    if (key == name) return value;
  }
  return "";
}

Recorded read_recorded(const std::filesystem::path& path) {
  Recording recording =
      parse_recording(read_text_file(path.string(), "--recorded", most_bytes), path.string());
  Recorded recorded;
  recorded.facts = recording.trace.header;
  recorded.result.trace = std::move(recording.trace);
  recorded.result.o = std::move(recording.o);
  recorded.result.lse = std::move(recording.lse);
  recorded.result.o_summed = true;
  recorded.result.kernel = recorded.fact("kernel-name");
  recorded.result.fault = recorded.fact("kernel-fault");
  if (recorded.result.fault == "none") recorded.result.fault.clear();
  recorded.flags = flags_of(recorded.facts);
  return recorded;
}

std::vector<std::filesystem::path> recordings_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".run") paths.push_back(entry.path());
  }
  if (error)
    throw RequestError("--recorded " + folder + ": " + error.message() + "; name a folder of recorded runs");
  if (paths.empty()) throw RequestError("--recorded " + folder + ": holds no recorded runs (*.run)");
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace tilewalk
