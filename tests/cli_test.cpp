// The command line as a contract: exit codes, one-line messages, JSON, files.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/algorithm.h"
#include "sim/npy.h"
#include "sim/trace.h"
#include "tests/program.h"

namespace tilewalk {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const Arguments subcommands = {"list",  "run",    "step", "compare", "sweep",
                               "trace", "verify", "gpu",  "lesson",  "view"};

std::string joined(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += argument + " ";
  return text;
}

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

json json_of(const Arguments& arguments, const std::string& input = "") {
  const Result result = run_program(arguments + Arguments{"--json"}, input);
  INFO("tilewalk ", joined(arguments), "\n", result.err);
  REQUIRE(result.code == 0);
  REQUIRE(json::accept(result.out));
  return json::parse(result.out);
}

void check_keys(const json& object, const std::vector<const char*>& keys) {
  for (const char* key : keys) {
    CAPTURE(key);
    CHECK(object.contains(key));
  }
}

// One line on stderr that holds every part, nothing on stdout.
void check_refused(const Result& result, int code, const Arguments& parts) {
  CAPTURE(result.err);
  CHECK(result.code == code);
  CHECK(result.out.empty());
  CHECK(result.err.starts_with("tilewalk: "));
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK(result.err.ends_with('\n'));
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(result.err.find(part) != std::string::npos);
  }
}

// ---- Help, version, lists ----

TEST_CASE("help of every subcommand works and has an example") {
  for (const std::string& command : subcommands) {
    CAPTURE(command);
    const Result result = run_program({command, "--help"});
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    CHECK(result.out.find("Example: tilewalk " + command) != std::string::npos);
  }
  const Result top = run_program({"--help"});
  CHECK(top.code == 0);
  for (const std::string& command : subcommands)
    CHECK(top.out.find("  " + command + " ") != std::string::npos);
}

TEST_CASE("help states the conventions that surprise") {
  for (const char* command : {"run", "step", "compare", "sweep", "trace"}) {
    const Result result = run_program({command, "--help"});
    CHECK(result.out.find("causal is aligned at the bottom right") != std::string::npos);
    CHECK(result.out.find("that sees no key") != std::string::npos);
  }
}

TEST_CASE("the version is one line") {
  const Result result = run_program({"--version"});
  CHECK(result.code == 0);
  CHECK(result.out.starts_with("tilewalk "));
  CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
}

TEST_CASE("every list has named and titled items") {
  const std::map<std::string, std::size_t> least = {{"algorithms", 6}, {"archs", 7},  {"kernels", 0},
                                                    {"lessons", 16},   {"faults", 7}, {"heads", 4}};
  for (const auto& [kind, count] : least) {
    CAPTURE(kind);
    const json list = json_of({"list", kind});
    CHECK(list["schema"] == 1);
    CHECK(list["items"].size() >= count);
    for (const json& item : list["items"]) check_keys(item, {"name", "title"});
    CHECK(run_program({"list", kind}).code == 0);
  }
}

json items_of(const char* kind) { return json_of({"list", kind})["items"]; }

TEST_CASE("what is listed can be named") {
  for (const json& item : items_of("algorithms")) {
    CHECK(json_of({"run", item["name"], "--n", "64", "--count-only"})["algorithm"] == item["name"]);
  }
  for (const json& item : items_of("archs")) {
    CHECK(json_of({"run", "flash2", "--arch", item["name"], "--count-only"})["arch"] == item["name"]);
  }
  for (const json& item : items_of("heads")) {
    CHECK(json_of({"run", "flash2", "--head", item["name"], "--n", "64"})["head"] == item["name"]);
  }
}

// ---- run ----

const std::vector<const char*> keys_of_a_run = {
    "schema",  "algorithm", "problem",   "tiling",        "arch",          "events",
    "flops",   "bytes",     "sram_peak", "sram_capacity", "reg_peak",      "intensity",
    "kernels", "time_s",    "theory",    "max_abs_error", "allowed_error", "origin"};

void check_bytes(const json& bytes) {
  for (const char* direction : {"read", "write"}) {
    std::uint64_t sum = 0;
    for (const auto& [tensor, count] : bytes[direction].items())
      sum += tensor == "total" ? 0 : count.get<std::uint64_t>();
    CHECK(bytes[direction]["total"] == sum);
  }
}

void check_run(const json& run) {
  check_keys(run, keys_of_a_run);
  CHECK(run["schema"] == 1);
  CHECK(run["origin"] == "model");
  check_keys(run["problem"], {"batch", "heads", "kv_heads", "n_q", "n_kv", "d", "dtype", "mask", "scale"});
  check_keys(run["tiling"], {"block_q", "block_kv"});
  check_keys(run["flops"], {"matmul", "useful", "exp", "other"});
  check_keys(run["time_s"], {"memory", "compute", "estimate"});
  check_keys(run["theory"], {"hbm_bytes", "formula"});
  for (const char* tensor : {"Q", "K", "V", "O"}) {
    CHECK(run["bytes"]["hbm"]["read"].contains(tensor));
    CHECK(run["bytes"]["hbm"]["write"].contains(tensor));
  }
  for (const auto& level : run["bytes"]) check_bytes(level);
  std::uint64_t of_kernels = 0;
  for (const json& kernel : run["kernels"]) {
    check_keys(kernel, {"name", "ctas", "bytes", "time_s"});
    of_kernels += kernel["bytes"].get<std::uint64_t>();
  }
  const json& hbm = run["bytes"]["hbm"];
  CHECK(of_kernels == hbm["read"]["total"].get<std::uint64_t>() + hbm["write"]["total"].get<std::uint64_t>());
}

TEST_CASE("run --json keeps its contract for every algorithm") {
  for (const std::string_view name : algorithm_names()) {
    CAPTURE(name);
    const Arguments run = {"run", std::string(name), "--n",   "100", "--n-kv", "70", "--d",
                           "20",  "--mask",          "causal"};
    const json computed = json_of(run), counted = json_of(run + Arguments{"--count-only"});
    check_run(computed);
    check_run(counted);
    CHECK(computed["max_abs_error"] <= computed["allowed_error"]);
    CHECK(counted["max_abs_error"].is_null());
    CHECK(counted["allowed_error"].is_null());
    CHECK(computed["bytes"] == counted["bytes"]);
    CHECK(computed["flops"] == counted["flops"]);
    for (const char* level : {"hbm", "l2", "sram", "reg"}) CHECK(counted["bytes"].contains(level));
  }
}

TEST_CASE("the bytes of the paper's Fig. 2 and of FlashAttention-2") {
  const double u = 64.0 * 16 * 1024 * 64 * 2;
  const json fig2 = json_of({"run", "flash1_fig2", "--batch", "64", "--heads", "16", "--block-q", "64",
                             "--block-kv", "128", "--count-only", "--arch", "h200"});
  CHECK(fig2["theory"]["hbm_bytes"] == (3 * 8 + 1) * u);
  const json flash2 = json_of({"run", "flash2", "--batch", "64", "--heads", "16", "--block-q", "128",
                               "--block-kv", "64", "--count-only"});
  const json& hbm = flash2["bytes"]["hbm"];
  CHECK(hbm["read"]["total"] == (1 + 2 * 8) * u);
  CHECK(hbm["write"]["O"] == u);
  CHECK(hbm["write"]["L"] == 64 * 16 * 1024 * 4);
}

TEST_CASE("defaults: a100 and f16, the toy machine brings its own") {
  const json usual = json_of({"run", "flash2", "--count-only"}),
             toy = json_of({"run", "flash2", "--arch", "toy"});
  CHECK(usual["problem"]["n_q"] == 1024);
  CHECK(usual["problem"]["dtype"] == "f16");
  CHECK(usual["arch"] == "a100");
  CHECK(toy["problem"]["n_q"] == 8);
  CHECK(toy["problem"]["d"] == 4);
  CHECK(toy["problem"]["dtype"] == "f32");
  CHECK(toy["tiling"]["block_q"] == 2);
  CHECK(toy["tiling"]["block_kv"] == 2);
}

TEST_CASE("a head is the same run as its .npy files") {
  const TemporaryFolder folder;
  const std::string files = TILEWALK_SOURCE "/lessons/data/heads/sharp/";
  const auto by_head =
      run_program({"run", "flash1", "--head", "sharp", "--out", (folder / "a.npy").string()});
  const auto by_files =
      run_program({"run", "flash1", "--q", files + "q.npy", "--k", files + "k.npy", "--v", files + "v.npy",
                   "--mask", "causal", "--scale", "1/8", "--out", (folder / "b.npy").string()});
  CHECK(by_head.code == 0);
  CHECK(by_files.code == 0);
  const std::string bytes = read_file(folder / "a.npy");
  CHECK(bytes == read_file(folder / "b.npy"));
  const NpyArray o = parse_npy(bytes, "a.npy");
  CHECK(o.shape == std::vector<std::int64_t>{512, 64});
  CHECK(o.type == NpyType::f16);
}

TEST_CASE("a smaller n takes a head's first rows") {
  const json run = json_of({"run", "flash2", "--head", "broad", "--n", "100", "--n-kv", "300"});
  CHECK(run["problem"]["n_q"] == 100);
  CHECK(run["problem"]["n_kv"] == 300);
  CHECK(run["problem"]["mask"] == "causal");
  CHECK(run["problem"]["scale"] == 0.125);
  CHECK(run["max_abs_error"] <= run["allowed_error"]);
}

// Random .npy files of given shapes.
void write_npy(const fs::path& path, const std::vector<std::int64_t>& shape, NpyType type) {
  std::int64_t size = 1;
  for (const std::int64_t axis : shape) size *= axis;
  std::vector<float> values;
  for (std::int64_t n = 0; n < size; ++n)
    values.push_back(random_element(1, shape.size(), static_cast<std::uint64_t>(n)));
  write_file(path, format_npy(shape, values, type));
}

TEST_CASE(".npy axes set the sizes, and the widest type the dtype") {
  const TemporaryFolder folder;
  const Arguments inputs = {"--q", (folder / "q.npy").string(), "--k", (folder / "k.npy").string(),
                            "--v", (folder / "v.npy").string()};
  write_npy(folder / "q.npy", {2, 6, 30, 8}, NpyType::f16);
  write_npy(folder / "k.npy", {2, 3, 50, 8}, NpyType::f16);
  write_npy(folder / "v.npy", {2, 3, 50, 8}, NpyType::f64);
  const json wide = json_of(Arguments{"run", "flash2"} + inputs)["problem"];
  CHECK(wide["batch"] == 2);
  CHECK(wide["heads"] == 6);
  CHECK(wide["kv_heads"] == 3);
  CHECK(wide["n_q"] == 30);
  CHECK(wide["n_kv"] == 50);
  CHECK(wide["d"] == 8);
  CHECK(wide["dtype"] == "f32");
  write_npy(folder / "v.npy", {2, 3, 50, 8}, NpyType::f16);
  CHECK(json_of(Arguments{"run", "flash2"} + inputs)["problem"]["dtype"] == "f16");
  CHECK(json_of(Arguments{"run", "flash2", "--dtype", "bf16"} + inputs)["problem"]["dtype"] == "bf16");
  check_refused(run_program(Arguments{"run", "flash2", "--n-kv", "49"} + inputs), 2,
                {"--n-kv 49", "--k ", "50"});
  check_refused(run_program(Arguments{"run", "flash2", "--heads", "3"} + inputs), 2,
                {"--heads 3", "--q ", "6"});
  write_npy(folder / "v.npy", {2, 3, 51, 8}, NpyType::f16);
  check_refused(run_program(Arguments{"run", "flash2"} + inputs), 2, {"--v ", "--k ", "same shape"});
}

TEST_CASE("a fault is caught: exit 1, one line on stderr, JSON all the same") {
  for (const char* fault : {"no_rescale", "per_tile_softmax", "stale_max", "stale_tile"}) {
    CAPTURE(fault);
    const Result result = run_program({"run", "flash2", "--head", "induction", "--block-q", "64",
                                       "--block-kv", "64", "--fault", fault, "--json"});
    CHECK(result.code == 1);
    CHECK(result.err.find(fault) != std::string::npos);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    const json run = json::parse(result.out);
    check_run(run);
    CHECK(run["max_abs_error"] >= 4 * run["allowed_error"].get<double>());
  }
  const json sound = json_of({"run", "flash2", "--head", "induction", "--block-kv", "64"});
  const json twice =
      json_of({"run", "flash2", "--head", "induction", "--block-kv", "64", "--fault", "double_load"});
  CHECK(twice["bytes"]["hbm"]["read"]["K"] > sound["bytes"]["hbm"]["read"]["K"]);
}

TEST_CASE("the example machine file runs") {
  const json run =
      json_of({"run", "flash2", "--arch", TILEWALK_SOURCE "/cli/example_arch.toml", "--count-only"});
  CHECK(run["arch"] == "example");
  CHECK(run["sram_capacity"] == 99 * 1024);
}

TEST_CASE("a machine file is refused at the line") {
  const TemporaryFolder folder;
  const std::string sound = read_file(TILEWALK_SOURCE "/cli/example_arch.toml");
  const std::vector<Arguments> table = {{"sms = 48", "sms = \"48\"", "line 6", "whole number"},
                                        {"clock_ghz", "clock_gz", "clock_ghz is missing", "clock_gz"},
                                        {"99 KiB", "99 kib", "line 28", "capacity"},
                                        {"exp_per_clock = 16", "exp = 16", "line 10", "unknown key 'exp'"},
                                        {"scope = \"cta\"", "scope = \"block\"", "line 27", "scope"},
                                        {"from = \"l2\"", "from = \"l3\"", "names no level", "[[levels]]"},
                                        {"sms = 48", "sms = 48 49", "line 6", "TOML"},
                                        {"\"reg\"", "\"regs\"", "no level 'reg'", "needs"},
                                        {"clock_ghz = 1.5", "clock_ghz = nan", "line 7", "finite"}};
  for (const Arguments& row : table) {
    CAPTURE(row[1]);
    std::string text = sound;
    for (auto at = text.find(row[0]); at != std::string::npos; at = text.find(row[0], at + row[1].size()))
      text.replace(at, row[0].size(), row[1]);
    write_file(folder / "my.toml", text);
    check_refused(run_program({"run", "flash2", "--arch", "my.toml"}, "", folder.path()), 2,
                  {"--arch", row[2], row[3]});
  }
}

// ---- compare, sweep ----

TEST_CASE("compare shows a real head by default, and nests runs") {
  const json compared = json_of({"compare"});
  REQUIRE(compared["runs"].size() == 3);
  for (const json& run : compared["runs"]) {
    check_run(run);
    CHECK(run["head"] == "induction");
    CHECK(run["max_abs_error"] <= run["allowed_error"]);
  }
  CHECK(compared["ratio_hbm"]["standard"] == 1.0);
  CHECK(compared["ratio_hbm"]["flash1"] < 1.0);
  CHECK(compared["ratio_hbm"]["flash2"] < 1.0);
  CHECK(json_of({"compare", "--n", "1024", "--count-only"})["runs"][0]["head"].is_null());
  const Result table = run_program({"compare"});
  CHECK(table.code == 0);
  for (const char* text : {"standard", "flash1", "flash2", "loop order:", "model", "theory"})
    CHECK(table.out.find(text) != std::string::npos);
}

TEST_CASE("compare settles the loop order by counting") {
  const auto verdict = [](const char* block_q, const char* block_kv) {
    const json compared =
        json_of({"compare", "--algorithms", "flash1,flash2", "--n", "512", "--d", "64", "--mask", "none",
                 "--count-only", "--block-q", block_q, "--block-kv", block_kv});
    return compared["loop_order"].get<std::string>();
  };
  CHECK(verdict("64", "64").starts_with("loop order: Q outer moves less"));
  CHECK(verdict("1", "64").starts_with("loop order: K/V outer moves less"));
}

TEST_CASE("compare goes on where one algorithm does not fit, and refuses where none does") {
  const Arguments blocks = {"compare",    "--algorithms", "flash1,flash2", "--block-q", "64",
                            "--block-kv", "512"};
  const json compared = json_of(blocks);
  CHECK(compared["runs"].size() + compared["refused"].size() == 2);
  REQUIRE(compared["refused"].size() == 1);
  CHECK(compared["refused"][0]["why"].get<std::string>().find("would fit") != std::string::npos);
  check_refused(run_program({"compare", "--sram", "64"}), 2, {"sram", "64 B"});
}

TEST_CASE("sweep: table, CSV, SVG and JSON of the same numbers") {
  const TemporaryFolder folder;
  const Arguments sweep = {"sweep", "--over", "n=256:1024:*2", "--algorithms", "standard,flash2"};
  const Result result =
      run_program(sweep + Arguments{"--csv", "f.csv", "--svg", "f.svg", "--json"}, "", folder.path());
  REQUIRE(result.code == 0);
  const json swept = json::parse(result.out);
  CHECK(swept["over"] == "n");
  CHECK(swept["values"] == json({256, 512, 1024}));
  REQUIRE(swept["runs"].size() == 6);
  for (const json& run : swept["runs"]) check_run(run);
  const std::string csv = read_file(folder / "f.csv"), svg = read_file(folder / "f.svg");
  CHECK(csv.starts_with("variable,value,algorithm,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);
  CHECK(csv.find("\nn,512,flash2,") != std::string::npos);
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(svg.find("flash2") != std::string::npos);
  CHECK(folder.entries() == 2);
  CHECK(run_program(sweep).out.find("1 024") != std::string::npos);
}

TEST_CASE("sweep goes over every variable, and keeps points that do not fit") {
  for (const char* over : {"n=64,100", "n_kv=0:64:+32", "d=16:64:*2", "block_q=1:16:*4", "block_kv=16,32",
                           "sram=20000:80000:*2", "heads=1:4:*2", "batch=1,2"}) {
    CAPTURE(over);
    const json swept = json_of({"sweep", "--over", over, "--algorithms", "flash2"});
    CHECK(swept["runs"].size() == swept["values"].size());
  }
  const json swept = json_of(
      {"sweep", "--over", "block_kv=64:4096:*8", "--n", "4096", "--block-q", "64", "--algorithms", "flash1"});
  CHECK(swept["runs"].size() == 1);
  CHECK(swept["refused"].size() == 2);
}

// ---- trace ----

TEST_CASE("text traces round-trip, with and without values") {
  const TemporaryFolder folder;
  for (const std::string_view name : algorithm_names()) {
    CAPTURE(name);
    for (const Arguments& more : {Arguments{}, Arguments{"--count-only"}}) {
      const Result result = run_program(
          Arguments{"trace", std::string(name), "--arch", "toy", "--n", "5", "--out", "f.trace", "--json"} +
              more,
          "", folder.path());
      REQUIRE(result.code == 0);
      const std::string text = read_file(folder / "f.trace");
      const Trace trace = parse_trace(text, "f.trace");
      CHECK(format_trace(trace) == text);
      const json about = json::parse(result.out);
      CHECK(about["events"] == trace.events.size());
      CHECK(about["records"] == trace.records.size());
      CHECK(trace.records.empty() == !more.empty());
    }
  }
}

// Slices of one track lie one after another, or one in another.
void check_slices(const json& events) {
  std::map<int, std::vector<double>> open;  // per track: ends of the slices around
  for (const json& event : events) {
    if (event["ph"] != "X") continue;
    const double start = event["ts"], end = start + event["dur"].get<double>();
    auto& ends = open[event["tid"]];
    constexpr double slack = 1e-5;  // of the decimals written
    while (!ends.empty() && start >= ends.back() - slack) ends.pop_back();
    CHECK(event["dur"] >= 0);
    if (!ends.empty()) CHECK(end <= ends.back() + slack);
    ends.push_back(end);
  }
}

TEST_CASE("traces for Perfetto are modelled time, and say so") {
  const TemporaryFolder folder;
  const Result result = run_program(
      {"trace", "standard", "--n", "200", "--heads", "3", "--perfetto", "f.json"}, "", folder.path());
  REQUIRE(result.code == 0);
  const json trace = json::parse(read_file(folder / "f.json"));
  CHECK(trace["otherData"]["time"].get<std::string>().starts_with("modelled, not measured"));
  CHECK(trace["traceEvents"].size() > 100);
  std::set<std::string> kernels;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "kernel") kernels.insert(event["name"].get<std::string>());
  }
  CHECK(kernels == std::set<std::string>{"scores", "softmax", "output"});
  check_slices(trace["traceEvents"]);
}

TEST_CASE("traces that no viewer could open are refused") {
  check_refused(run_program({"trace", "flash2", "--n", "16384", "--block-q", "64", "--block-kv", "32",
                             "--out", "f.trace"}),
                2, {"--out", "16384", "GB", "--count-only"});
  check_refused(run_program({"trace", "flash2", "--n", "65536", "--perfetto", "f.json"}), 2,
                {"--perfetto", "65536", "smaller --n"});
  check_refused(run_program({"trace", "flash1", "--n", "65536", "--block-q", "16", "--block-kv", "16",
                             "--out", "f.trace"}),
                2, {"--out", "65536", "smaller --n"});
}

// ---- step ----

std::string last_frame(const std::string& out) { return out.substr(out.rfind("position ")); }

std::string frame_after(const Arguments& step, const std::string& commands) {
  const Result result = run_program(step, commands);
  INFO(joined(step), commands, result.err);
  REQUIRE(result.code == 0);
  return last_frame(result.out);
}

TEST_CASE("stepping forward or back shows what seeking shows") {
  for (const std::string_view name : algorithm_names()) {
    CAPTURE(name);
    const Arguments step = {"step",   std::string(name), "--arch", "toy",
                            "--mask", "causal",          "--show", "q,s,o,hbm:O,hbm:K"};
    const std::string size = std::to_string(json_of(step)["size"].get<std::uint64_t>());
    for (const std::string position : {"0", "1", "37", "60"}) {
      CAPTURE(position);
      const std::string sought = frame_after(step, "seek " + position + "\n");
      CHECK(sought == frame_after(step, "next " + position + "\n"));
      CHECK(sought == frame_after(step, "at end\nseek " + position + "\nnext 7\nback 7\n"));
      CHECK(sought == frame_after(step, "seek " + position +
                                            "\ntile\nkernel\nat end\ntile-back 2\nat event " + position));
    }
    CHECK(frame_after(step, "at end\n").starts_with("position " + size + " of " + size));
    CHECK(frame_after(step, "kernel 9\nloop-back 1000000\n").starts_with("position 0 of "));
  }
}

TEST_CASE("step shows the event, its source line and the tiles") {
  const std::string frame = frame_after({"step", "flash2", "--arch", "toy", "--at", "load K 2"}, "");
  for (const char* part : {"done  load K 2", "next  load V 2", "flash2.cpp", "> ", "e.load(k, K[j])",
                           "hbm   read", "m in reg", "O in reg"}) {
    CAPTURE(part);
    CHECK(frame.find(part) != std::string::npos);
  }
  const std::string begin = frame_after({"step", "flash2", "--arch", "toy", "--at", "alloc s"}, "");
  CHECK(begin.find("S in reg: stale") != std::string::npos);
  CHECK(begin.find("m in reg: not allocated") != std::string::npos);
  const Arguments at_scores = {"step", "flash2", "--arch", "toy", "--show", "S", "--at"};
  CHECK(frame_after(at_scores + Arguments{"gemm s 1 2"}, "")
            .find("S in reg, 2 x 2, of tile (1, 2), holds S\n") != std::string::npos);
  CHECK(frame_after(at_scores + Arguments{"online_softmax s 1 2"}, "").find("holds exp(S - m)") !=
        std::string::npos);
}

TEST_CASE("step --json and --npy give the last position") {
  const TemporaryFolder folder;
  const Result result = run_program({"step", "flash1", "--arch", "toy", "--at", "store O 1", "--show",
                                     "m,O,hbm:O", "--npy", "tiles", "--json"},
                                    "next 2\n# a note\nback\n", folder.path());
  REQUIRE(result.code == 0);
  const json frame = json::parse(result.out);
  check_keys(frame, {"schema", "algorithm", "problem", "tiling", "arch", "position", "size", "done", "next",
                     "bytes", "flops", "in_use", "tiles"});
  CHECK(frame["done"]["line"] > 0);
  CHECK(frame["tiles"]["O"]["rows"] == 2);
  const NpyArray o = parse_npy(read_file(folder / "tiles/O.npy"), "O.npy");
  CHECK(o.shape == std::vector<std::int64_t>{2, 4});
  CHECK(o.values[0] == frame["tiles"]["O"]["values"][0][0].get<float>());
  CHECK(parse_npy(read_file(folder / "tiles/m.npy"), "m.npy").shape == std::vector<std::int64_t>{2});
  CHECK(parse_npy(read_file(folder / "tiles/hbm_O.npy"), "hbm_O.npy").shape ==
        std::vector<std::int64_t>{8, 4});
}

TEST_CASE("a wrong piped command is refused with its line") {
  const std::vector<Arguments> table = {
      {"nxt", "did you mean 'next'"}, {"next x", "whole number"},
      {"seek 100000", "seek 100000"}, {"at load Z 1", "unknown tensor or tile 'Z'"},
      {"show zz", "unknown tile"},    {"npy", "folder"}};
  for (const Arguments& row : table) {
    CAPTURE(row[0]);
    const Result result =
        run_program({"step", "flash2", "--arch", "toy", "--json"}, "next 2\n" + row[0] + "\n");
    check_refused(result, 2, {"line 2", row[1]});
  }
}

TEST_CASE("keys step in a terminal, which is restored") {
  const TerminalResult quit =
      run_in_terminal({"step", "flash2", "--arch", "toy"}, {{"? shows", "n"},
                                                            {"position 1 of", "\x1b[C"},
                                                            {"position 2 of", "t"},
                                                            {"position 13 of", "p"},
                                                            {"position 12 of", "q"}});
  CHECK(quit.code == 0);
  CHECK(quit.restored);
  CHECK(quit.screen.find("position 12 of") != std::string::npos);
  const TerminalResult interrupted =
      run_in_terminal({"step", "flash2", "--arch", "toy"},
                      {{"? shows", "g"}, {"go to:", "load K 2\n"}, {"position 26 of", "\x03"}});
  CHECK(interrupted.code == 130);
  CHECK(interrupted.restored);
  CHECK(interrupted.screen.find("position 26 of") != std::string::npos);
}

// ---- Refusals ----

struct Refusal {
  Arguments arguments;
  Arguments parts;  // of the message
  int code = 2;
};

const std::vector<Refusal> refusals = {
    // numbers
    {{"run", "flash2", "--n", "-5"}, {"--n -5", "whole number from 0", "e.g. 1024"}},
    {{"run", "flash2", "--n=-5"}, {"--n -5"}},
    {{"run", "flash2", "--n", "9223372036854775808"}, {"--n 9223372036854775808"}},
    {{"run", "flash2", "--n", "99999999999"}, {"--n 99999999999", "1073741824"}},
    {{"run", "flash2", "--n", "12x"}, {"--n 12x"}},
    {{"run", "flash2", "--n", "1e3"}, {"--n 1e3"}},
    {{"run", "flash2", "--n", "+7"}, {"--n +7"}},
    {{"run", "flash2", "--n", " 7"}, {"--n  7"}},
    {{"run", "flash2", "--n", ""}, {"--n ''"}},
    {{"run", "flash2", "--n", "5\n6"}, {"--n 5?6"}},
    {{"run", "flash2", "--n"}, {"--n: needs exactly one value"}},
    {{"run", "flash2", "--n", "--d", "4"}, {"--n: its value is missing", "--d"}},
    {{"run", "flash2", "--n", "4", "--n", "5"}, {"--n", "once"}},
    {{"run", "flash2", "--n-kv", "-1"}, {"--n-kv -1"}},
    {{"run", "flash2", "--d", "0"}, {"--d 0", "from 1"}},
    {{"run", "flash2", "--d", "70000"}, {"--d 70000"}},
    {{"run", "flash2", "--batch", "0"}, {"--batch 0"}},
    {{"run", "flash2", "--heads", "0"}, {"--heads 0"}},
    {{"run", "flash2", "--heads", "6", "--kv-heads", "4"}, {"--kv-heads 4", "--heads 6", "divide"}},
    {{"run", "flash2", "--block-q", "0"}, {"--block-q 0", "e.g. 64"}},
    {{"run", "flash2", "--block-kv", "0"}, {"--block-kv 0", "e.g. 64"}},
    {{"run", "flash2", "--sram", "0"}, {"--sram 0"}},
    {{"run", "flash2", "--seed", "-1"}, {"--seed -1"}},
    {{"run", "flash2", "--scale", "abc"}, {"--scale abc", "1/sqrt(d)"}},
    {{"run", "flash2", "--scale", "1/0"}, {"--scale 1/0"}},
    {{"run", "flash2", "--scale", "nan"}, {"--scale nan"}},
    {{"run", "flash2", "--scale", "1e60"}, {"--scale 1e60"}},
    {{"run", "standard", "--n", "1073741824", "--count-only"}, {"--n 1073741824", "64 bits"}},
    {{"run", "standard", "--n", "4000000"}, {"--n 4000000", "GB", "--count-only"}},
    // sizes that do not fit
    {{"run", "flash2", "--block-q", "1024", "--block-kv", "1024"},
     {"--block-q 1024", "sram", "166912", "would fit"}},
    {{"run", "flash1", "--tiling", "paper"}, {"--block-q", "sram", "would fit"}},
    {{"run", "flash2", "--arch", "toy", "--d", "64"}, {"sram", "256"}},
    // names
    {{}, {"command is missing"}},
    {{"rnu"}, {"unknown command 'rnu'", "'run'"}},
    {{"--frobnicate"}, {"unknown flag '--frobnicate'"}},
    {{"run"}, {"algorithm is missing", "flash2"}},
    {{"run", "flsh2"}, {"unknown algorithm 'flsh2'", "'flash2'"}},
    {{"run", "flash2", "flash1"}, {"'flash1'"}},
    {{"run", "flash2", "--block-kw", "4"}, {"--block-kw", "--block-kv"}},
    {{"run", "flash2", "-n", "4"}, {"'-n'", "--n"}},
    {{"run", "flash2", "--dtype", "f61"}, {"'f61'", "'f16'"}},
    {{"run", "flash2", "--mask", "casual"}, {"'casual'", "'causal'"}},
    {{"run", "flash2", "--mask", "window:0"}, {"--mask window:0"}},
    {{"run", "flash2", "--mask", "window:5x"}, {"--mask window:5x"}},
    {{"run", "flash2", "--arch", "a10"}, {"'a10'", "'a100'"}},
    {{"run", "flash2", "--arch", "nowhere.toml"}, {"--arch nowhere.toml", "No such file"}},
    {{"run", "flash2", "--tiling", "fitt"}, {"'fitt'", "'fit'"}},
    {{"run", "flash2", "--order", "ascendin"}, {"'ascendin'", "'ascending'"}},
    {{"run", "flash2", "--head", "indution"}, {"'indution'", "'induction'"}},
    {{"run", "flash2", "--fault", "norescale"}, {"'norescale'", "'no_rescale'"}},
    {{"run", "standard", "--fault", "no_rescale"}, {"no_rescale", "standard"}},
    {{"run", "flash2", "--n", "64", "--fault", "no_rescale"}, {"--fault no_rescale", "needs"}},
    {{"list"}, {"kind is missing"}},
    {{"list", "algoritms"}, {"'algoritms'", "'algorithms'"}},
    {{"compare", "--algorithms", "standard,flash3"}, {"--algorithms", "'flash3'"}},
    {{"compare", "--algorithms", "flash1,flash1"}, {"--algorithms", "twice"}},
    // combinations
    {{"run", "flash2", "--head", "induction", "--n", "513"}, {"--n 513", "512"}},
    {{"run", "flash2", "--head", "induction", "--d", "32"}, {"--d 32", "--head induction", "64"}},
    {{"run", "flash2", "--head", "induction", "--heads", "2"}, {"--heads 2", "--head induction"}},
    {{"run", "flash2", "--head", "induction", "--seed", "2"}, {"--seed 2", "--head induction"}},
    {{"run", "flash2", "--head", "induction", "--q", "q.npy"}, {"--head induction", "--q"}},
    {{"run", "flash2", "--q", "q.npy"}, {"--q q.npy", "--k and --v"}},
    {{"run", "flash2", "--count-only", "--out", "o.npy"}, {"--out o.npy", "--count-only"}},
    // sweep, trace, step
    {{"sweep"}, {"--over is missing"}},
    {{"sweep", "--over", "n"}, {"--over n", "n=512:65536:*2"}},
    {{"sweep", "--over", "m=1,2"}, {"'m'", "Known: n,"}},
    {{"sweep", "--over", "n=8:4:*2"}, {"--over n=8:4:*2"}},
    {{"sweep", "--over", "n=1:4:*1"}, {"--over n=1:4:*1"}},
    {{"sweep", "--over", "n=1:4:-1"}, {"--over n=1:4:-1"}},
    {{"sweep", "--over", "n=1:4"}, {"--over n=1:4", "step"}},
    {{"sweep", "--over", "n=1,,2"}, {"--over n=1,,2"}},
    {{"sweep", "--over", "n=0:1000000:+1"}, {"more than 1000"}},
    {{"sweep", "--over", "n=64", "--n", "64"}, {"--n 64", "--over"}},
    {{"sweep", "--over", "d=1,2", "--mask", "x"}, {"'x'"}},
    {{"trace", "flash2"}, {"--out", "--perfetto"}},
    {{"step", "flash2", "--at", "lod K 2"}, {"--at 'lod K 2'", "'load'"}},
    {{"step", "flash2", "--show", "m,zz"}, {"--show", "'zz'"}},
    // files that cannot be written
    {{"run", "flash2", "--n", "64", "--out", "no/such/folder/o.npy"},
     {"--out no/such/folder/o.npy", "does not exist"}},
    {{"run", "flash2", "--n", "64", "--out", "/dev/full"}, {"--out /dev/full", "No space left"}},
    {{"run", "flash2", "--n", "64", "--out", "."}, {"--out .", "folder"}},
    {{"sweep", "--over", "n=64", "--csv", "/dev/full"}, {"--csv /dev/full"}},
    {{"sweep", "--over", "n=64", "--svg", "no/f.svg"}, {"--svg no/f.svg"}},
    {{"trace", "flash2", "--arch", "toy", "--out", "/dev/full"}, {"--out /dev/full"}},
    {{"trace", "flash2", "--arch", "toy", "--perfetto", "/dev/full"}, {"--perfetto /dev/full"}},
    // not on this machine, not built
    {{"run", "flash2", "--tiling", "kernel:flash2_mna"}, {"--tiling kernel:", "flash2_mna", "flash2_mma"}},
    {{"run", "flash2", "--tiling", "kernel:flash2_mma", "--d", "300"}, {"--d 300", "flash2_mma", "256"}},
    {{"gpu", "run", "flash2_mma", "--block-q", "64"}, {"--block-q", "flash2_mma", "128 x 128", "leave"}},
    {{"gpu", "run", "flash2_mma", "--dtype", "f32"}, {"--dtype f32", "flash2_mma", "flash2_scalar"}},
    {{"verify", "--kernel", "standard_cublas"}, {"--kernel standard_cublas", "traced", "gpu run"}},
    {{"view", "--lesson", "flsh"}, {"'flsh'", "'flash'"}},
    {{"view", "--lesson", "7", "--step", "outr"}, {"--step", "'outr'", "'outer'"}},
    {{"view", "--step", "2"}, {"--step 2", "--lesson"}},
    {{"view", "flash1", "--recorded", "flash2_scalar-f16-head"}, {"--recorded", "leave out ALGORITHM"}},
    {{"view", "--recorded", "flash2_scalar-f16-head", "--n", "128"}, {"--recorded", "leave out --n"}},
    {{"view", "--recorded", "flash2_scalar-f16-head", "--at", "tile 9 9", "--screenshot", "a.png"},
     {"tile 9 9"}},
    {{"view", "--row", "9999", "--screenshot", "a.png"}, {"--row 9999", "512"}},
    {{"view", "--lesson", "7", "--n", "64"}, {"--lesson 7", "leave out --n"}},
    {{"view", "--lesson", "7", "--recorded", "flash2_scalar-f16-head"},
     {"--lesson 7", "leave out --recorded"}},
    {{"view", "--values", "w"}, {"--values", "'w'", "scores"}},
    {{"view", "--step-size", "big"}, {"--step-size", "'big'", "inner_loop"}},
    {{"view", "--speed", "0"}, {"--speed 0", "0.25 to 128"}},
    {{"view", "--field", "0"}, {"--field 0"}},
    {{"view", "--screenshot", "a.gif"}, {"--screenshot a.gif", ".svg"}},
    {{"view", "--size", "10"}, {"--size 10", "1920x1080"}},
    {{"view", "--scale", "9"}, {"--scale 9", "1.5"}},
    {{"view", "--score-scale", "x"}, {"--score-scale"}},
    {{"view", "--lang", "fr"}, {"--lang", "'fr'", "zh"}},
    {{"view", "--frames", "0:3"}, {"--frames", "--out"}},
    {{"view", "--frames", "4:3", "--out", "f"}, {"--frames 4:3"}},
    {{"view", "--algorithms", "all"}, {"--algorithms all", "three"}},
    {{"run", "flash2", "--q", "same.npy", "--k", "same.npy", "--v", "same.npy", "--out", "same.npy"},
     {"same.npy"}},
    {{"sweep", "--over", "n=64,128", "--svg", "same", "--csv", "same"},
     {"--csv same", "--svg", "name another"}},
    {{"trace", "flash2", "--arch", "toy", "--out", "same", "--perfetto", "same"},
     {"--out same", "--perfetto"}},
    {{"verify", "--kernel", "flash9"}, {"--kernel: unknown kernel", "flash2_scalar"}, 2},
    {{"lesson"}, {"the action is missing"}},
    {{"lesson", "shw"}, {"'shw'", "'show'"}},
    {{"lesson", "show"}, {"lesson show ID"}},
    {{"lesson", "show", "online-sofmax"}, {"'online-sofmax'", "'online-softmax'"}},
    {{"lesson", "show", "1", "--lang", "fr"}, {"--lang", "'fr'", "en, zh"}},
    {{"lesson", "show", "no.lesson"}, {"no.lesson", "cannot be read"}},
    {{"lesson", "check", "no.lesson"}, {"no.lesson", "cannot be read"}},
    {{"lesson", "check", "."}, {"is a folder"}},
    {{"lesson", "export", "1"}, {"--out is missing"}},
    {{"lesson", "grade", "1"}, {"lesson grade ID ANSWERS"}},
    {{"lesson", "grade", "1", "none.txt"}, {"none.txt", "cannot be read"}},
};

TEST_CASE("bad requests: the exit code, and one line that names flag, value and remedy") {
  const TemporaryFolder folder;
  for (const Refusal& row : refusals) {
    INFO("tilewalk ", joined(row.arguments));
    check_refused(run_program(row.arguments, "", folder.path()), row.code, row.parts);
  }
  CHECK(folder.entries() == 0);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST_CASE("bad .npy files are refused in one line") {
  const TemporaryFolder folder;
  write_npy(folder / "good.npy", {4, 8}, NpyType::f32);
  const std::string good = read_file(folder / "good.npy");
  const std::vector<std::pair<std::string, Arguments>> table = {
      {"", {"empty"}},
      {"not numpy at all", {"not a .npy file", "np.save"}},
      {good.substr(0, 140), {"cut short"}},
      {good.substr(0, 20), {"--q q.npy"}},
      {replaced(good, "(4, 8)", "(9, 8)"), {"(9, 8)", "cut short"}},
      {replaced(good, "<f4", ">f4"), {"big-endian"}},
      {replaced(good, "'<f4'", "'|O' "), {"Python objects"}},
      {replaced(good, "False", "True "), {"Fortran"}},
  };
  for (const auto& [bytes, parts] : table) {
    CAPTURE(parts[0]);
    write_file(folder / "q.npy", bytes);
    check_refused(run_program({"run", "flash2", "--q", "q.npy", "--k", "good.npy", "--v", "good.npy"}, "",
                              folder.path()),
                  2, parts + Arguments{"--q q.npy"});
  }
  write_npy(folder / "q.npy", {4}, NpyType::f32);
  check_refused(
      run_program({"run", "flash2", "--q", "q.npy", "--k", "good.npy", "--v", "good.npy"}, "", folder.path()),
      2, {"--q q.npy", "(n, d)"});
}

TEST_CASE("bad block masks are refused with their line") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const Arguments& parts) {
    write_file(folder / "m.txt", text);
    check_refused(run_program({"run", "flash2", "--n", "128", "--mask", "blocks:m.txt"}, "", folder.path()),
                  2, parts + Arguments{"--mask", "m.txt"});
  };
  refused("64 64\n11\n1\n", {"line 3", "same number"});
  refused("64\n11\n11\n", {"line 1", "block_cols"});
  refused("64 64\n12\n11\n", {"line 2", "0 and 1"});
  refused("64 64\n", {"no rows"});
  refused("64 64\n111\n111\n111\n", {"3 x 3", "2 x 2"});
  check_refused(run_program({"run", "flash2", "--mask", "blocks:none.txt"}), 2,
                {"--mask blocks:none.txt", "No such file"});
  check_refused(run_program({"run", "flash2", "--mask", "blocks:/dev/zero"}), 2,
                {"--mask blocks:/dev/zero", "larger than"});
  write_file(folder / "m.txt", "64 64\n10\n11\n");
  CHECK(run_program({"run", "flash2", "--n", "128", "--mask", "blocks:m.txt"}, "", folder.path()).code == 0);
}

// ---- Endings ----

TEST_CASE("standard output that cannot be written is exit 2, not silence") {
  const TemporaryFolder folder;
  for (const Arguments& arguments : {Arguments{"list", "archs"},
                                     {"run", "flash2", "--n", "64", "--json"},
                                     {"compare", "--n", "64"},
                                     {"sweep", "--over", "n=64"},
                                     {"step", "flash2", "--arch", "toy"},
                                     {"run", "--help"}}) {
    INFO(joined(arguments));
    CHECK(run_program_into(arguments, "/dev/full", folder / "err", folder.path(), 0) == 2);
    const std::string message = read_file(folder / "err");
    CHECK(message.starts_with("tilewalk: standard output: cannot be written"));
    CHECK(std::count(message.begin(), message.end(), '\n') == 1);
  }
}

TEST_CASE("Ctrl-C ends with 130 and leaves no file") {
  const std::vector<Arguments> table = {
      {"run", "flash2", "--n", "40000", "--out", "o.npy"},
      {"compare", "--n", "40000", "--algorithms", "flash2"},
      {"trace", "flash2", "--n", "4096", "--block-q", "8", "--block-kv", "8", "--out", "f.trace"},
      {"sweep", "--over", "n=1048576:8388608:*2", "--mask", "window:77777", "--csv", "f.csv"}};
  for (const Arguments& arguments : table) {
    INFO(joined(arguments));
    const TemporaryFolder folder, outside;
    CHECK(run_program_into(arguments, outside / "out", outside / "err", folder.path(), 700) == 130);
    CHECK(folder.entries() == 0);
    CHECK(read_file(outside / "out").empty());
    CHECK(read_file(outside / "err").find("tilewalk: interrupted\n") != std::string::npos);
  }
}

TEST_CASE("an output file is replaced only by a whole one") {
  const TemporaryFolder folder;
  write_file(folder / "o.npy", "as it was");
  CHECK(run_program({"run", "flash2", "--n", "64", "--arch", "toy", "--d", "64", "--out", "o.npy"}, "",
                    folder.path())
            .code == 2);
  CHECK(read_file(folder / "o.npy") == "as it was");
  CHECK(run_program({"run", "flash2", "--n", "64", "--out", "o.npy"}, "", folder.path()).code == 0);
  CHECK(parse_npy(read_file(folder / "o.npy"), "o.npy").shape == std::vector<std::int64_t>{64, 64});
}

}  // namespace
}  // namespace tilewalk
