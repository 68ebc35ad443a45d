// Recorded GPU runs against the simulator, on any machine: sound ones agree, broken ones and changed ones are
// found at the right tile.
#include <doctest/doctest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/describe.h"
#include "tests/program.h"

namespace tilewalk {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path recorded = fs::path(TILEWALK_SOURCE) / "gpu" / "recorded";

struct Verdict {
  int code;
  json run;  // of the first recording
  std::string err;
};

Verdict verify(const fs::path& folder) {
  const Result result = run_program({"verify", "--recorded", folder.string(), "--json"});
  Verdict verdict{result.code, {}, result.err};
  if (json::accept(result.out)) verdict.run = json::parse(result.out)["runs"][0];
  return verdict;
}

// The first recording of `name` alone in a folder, with its text changed.
template <class Change>
Verdict verify_changed(const std::string& name, Change change) {
  TemporaryFolder folder;
  std::string text = read_file(recorded / name);
  change(text);
  write_file(folder / "changed.run", text);
  return verify(folder.path());
}

void renew_checksum(std::string& text) {
  text.resize(text.rfind("# checksum "));
  char sum[17];
  std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(source_hash(text)));
  text += "# checksum " + std::string(sum) + "\n";
}

TEST_CASE("recorded runs agree with the simulator") {
  const Result result = run_program({"verify", "--recorded", recorded.string(), "--json"});
  INFO(result.err);
  CHECK(result.code == 0);
  const json all = json::parse(result.out);
  CHECK(all["agrees"] == true);
  CHECK(all["runs"].size() == 20);  // 4 kernels
  for (const json& run : all["runs"]) {
    INFO(run.dump());
    CHECK(run["bytes"].size() >= 4);
  }
}

struct Expected {
  const char *kernel, *fault,
      *quantity;  // quantity: of the first value that differs; "" when only the flow does
  int row, col;   // the tile
  bool flow;
};

// Query block 0 of the scalar rungs walks key blocks 0, 1 and 2 (of 16, 16 and 8 keys), that of flash2_mma
// blocks 0 and 1 (of 128 and 12).
constexpr Expected faults[] = {
    {"flash1_scalar", "no_rescale", "o", 0, 1, false},
    {"flash1_scalar", "per_tile_softmax", "l", 0, 0, false},
    {"flash1_scalar", "skip_tail_mask", "l", 0, 2, false},
    {"flash2_scalar", "no_rescale", "o", 0, 1, false},
    {"flash2_scalar", "per_tile_softmax", "l", 0, 0, false},
    {"flash2_scalar", "skip_tail_mask", "l", 0, 2, false},
    {"flash2_scalar", "causal_off_by_one", "l", 0, 0, false},
    {"flash2_scalar", "stale_tile", "m", 0, 1, true},
    {"flash2_scalar", "double_load", "", 0, 1, true},
    {"flash2_mma", "no_rescale", "o", 0, 1, false},
    {"flash2_mma", "per_tile_softmax", "l", 0, 0, false},
    {"flash2_mma", "skip_tail_mask", "l", 0, 1, false},
    {"flash2_mma", "causal_off_by_one", "l", 0, 0, false},
    {"flash2_mma", "stale_tile", "m", 0, 1, true},
    {"flash2_mma", "double_load", "", 0, 1, true},
    {"standard_naive", "stale_tile", "s", 0, 1, true},
    {"standard_naive", "double_load", "", 0, 1, true},
};

TEST_CASE("recorded broken kernels are found at the right tile") {
  for (const Expected& expected : faults) {
    TemporaryFolder folder;
    const std::string name = std::string(expected.kernel) + "-" + expected.fault + ".run";
    fs::copy_file(recorded / "faults" / name, folder / name);
    const Verdict verdict = verify(folder.path());
    INFO(name, ": ", verdict.err, verdict.run.dump());
    CHECK(verdict.code == 1);
    CHECK(verdict.run["flow"].is_null() != expected.flow);
    const json& at = expected.quantity[0] ? verdict.run["value"] : verdict.run["flow"];
    REQUIRE(!at.is_null());
    CHECK(at["cta"] == 0);
    CHECK(at["row"] == expected.row);
    CHECK(at["col"] == expected.col);
    if (!expected.quantity[0]) continue;
    const std::string quantity = at["quantity"];
    CHECK((quantity == expected.quantity || quantity == "m" || quantity == "o"));
    CHECK((at["times_allowed"].is_null() || at["times_allowed"] >= 4));  // null: infinitely far
  }
}

TEST_CASE("a changed byte of a recording is found by its checksum") {
  const Verdict verdict = verify_changed("flash2_scalar-f16-n128.run", [](std::string& text) {
    char& c = text[text.size() / 2];
    c = c == '1' ? '2' : '1';
  });
  CHECK(verdict.code == 2);
  CHECK(verdict.err.find("checksum") != std::string::npos);
}

TEST_CASE("a changed value with its checksum made right again is found at its tile") {
  const Verdict verdict = verify_changed("flash2_scalar-f16-n128.run", [](std::string& text) {
    // The first m after tile (1, 1) of CTA 1: "after 0 1 1 1 m 64 1 VALUE ...".
    const std::string place = "after 0 1 1 1 m 64 1 ";
    const auto at = text.find(place);
    REQUIRE(at != std::string::npos);
    text.replace(at + place.size(), text.find(' ', at + place.size()) - at - place.size(), "9.5");
    renew_checksum(text);
  });
  REQUIRE(verdict.code == 1);
  CHECK(verdict.run["flow"].is_null());
  CHECK(verdict.run["value"]["cta"] == 1);
  CHECK(verdict.run["value"]["row"] == 1);
  CHECK(verdict.run["value"]["col"] == 1);
  CHECK(verdict.run["value"]["quantity"] == "m");
  CHECK(verdict.run["value"]["measured"] == 9.5);
}

// Lines that begin with `start`.
std::vector<std::size_t> lines_with(const std::string& text, const std::string& start) {
  std::vector<std::size_t> places;
  for (auto at = text.find("\n" + start); at != std::string::npos; at = text.find("\n" + start, at + 1))
    places.push_back(at + 1);
  return places;
}

void erase_line(std::string& text, std::size_t at) { text.erase(at, text.find('\n', at) + 1 - at); }

struct Mutation {
  const char *name, *words;  // words: in the difference, or in the message
  int code;
  void (*change)(std::string&);
};

constexpr Mutation mutations[] = {
    {"no L", "L has 0 rows instead of 128", 1,
     [](std::string& text) {
       while (!lines_with(text, "# L ").empty()) erase_line(text, lines_with(text, "# L ")[0]);
     }},
    {"one row of L less", "L has 127 rows", 1,
     [](std::string& text) { erase_line(text, lines_with(text, "# L ")[5]); }},
    {"one row of L more", "L has 129 rows", 1,
     [](std::string& text) { text.insert(lines_with(text, "# L ")[0], "# L 1\n"); }},
    {"a row of O less", "output", 2,
     [](std::string& text) { erase_line(text, lines_with(text, "# o ")[5]); }},
    {"nothing kept after a tile", "0 tiles kept instead of 3", 1,
     [](std::string& text) {
       const auto at = lines_with(text, "after ")[0];
       text.replace(at, text.find('\n', at) - at, "after 0 0 0 0");
     }},
    {"l kept as q", "another tile kept instead of m", 1,
     [](std::string& text) { text.replace(text.find(" m 64 1 "), 8, " q 64 1 "); }},
    {"a tile kept twice", "1 tiles more", 1,
     [](std::string& text) {
       const auto at = lines_with(text, "after ")[0];
       text.insert(at, text.substr(at, text.find('\n', at) + 1 - at));
     }},
    {"another algorithm", "its algorithm is 'flash1'", 2,
     [](std::string& text) { text.replace(text.find("algorithm flash2"), 16, "algorithm flash1"); }},
    {"a size beyond what is held", "384 numbers of output", 2,
     [](std::string& text) { text.replace(text.find("\nn 128\n"), 7, "\nn 100000\n"); }},
};

TEST_CASE("a recording that holds less or more than it should does not agree") {
  for (const Mutation& mutation : mutations) {
    const Verdict verdict = verify_changed("flash2_scalar-f16-n128.run", [&](std::string& text) {
      mutation.change(text);
      renew_checksum(text);
    });
    INFO(mutation.name, ": ", verdict.err, verdict.run.dump());
    CHECK(verdict.code == mutation.code);
    const std::string said = verdict.code == 1 ? verdict.run["difference"].get<std::string>() : verdict.err;
    CHECK(said.find(mutation.words) != std::string::npos);
  }
}

TEST_CASE("a load left out of a recording is found at its tile") {
  const Verdict verdict = verify_changed("flash2_scalar-f16-n128.run", [](std::string& text) {
    const auto at = text.find("event 0 1 0 0 1 1 load k K");
    REQUIRE(at != std::string::npos);
    text.erase(at, text.find('\n', at) + 1 - at);
    renew_checksum(text);
  });
  REQUIRE(verdict.code == 1);
  CHECK(verdict.run["flow"]["cta"] == 1);
  CHECK(verdict.run["flow"]["col"] == 1);
}

}  // namespace
}  // namespace tilewalk
