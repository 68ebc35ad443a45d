#include "sim/arch.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "sim/error.h"

namespace tilewalk {
namespace {

// The message with which `act` refuses; "" if it does not.
template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const RequestError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::uint64_t capacity(const Arch& arch, std::string_view level) {
  return arch.levels[static_cast<std::size_t>(arch.level(level))].capacity;
}

// The table of REFERENCE.md, section 4, in its units.
struct Preset {
  const char* name;
  int sms;
  std::uint64_t sram_kib, reg_kib, l2_mb;
  double hbm_gbs, clock_ghz, tensor_tflops, fp32_tflops;
};
constexpr Preset presets[] = {
    {"v100", 80, 96, 256, 6, 900, 1.53, 125, 15.7},     {"t4", 40, 64, 256, 4, 320, 1.59, 65, 8.1},
    {"a100", 108, 163, 256, 40, 1555, 1.41, 312, 19.5}, {"a100-80", 108, 163, 256, 40, 2039, 1.41, 312, 19.5},
    {"h100", 132, 227, 256, 50, 3350, 1.83, 989, 67},   {"h200", 132, 227, 256, 60, 4800, 1.83, 989, 67},
};

TEST_CASE("arch: the presets have the numbers of the reference") {
  for (const Preset& preset : presets) {
    CAPTURE(preset.name);
    const Arch& arch = arch_named(preset.name);
    CHECK(arch.sms == preset.sms);
    CHECK(capacity(arch, "sram") == preset.sram_kib * 1024);
    CHECK(capacity(arch, "reg") == preset.reg_kib * 1024);
    CHECK(capacity(arch, "l2") == preset.l2_mb * 1'000'000);
    CHECK(arch.bandwidth("hbm", "l2") == doctest::Approx(preset.hbm_gbs * 1e9).epsilon(1e-12));
    CHECK(arch.clock == doctest::Approx(preset.clock_ghz * 1e9).epsilon(1e-12));
    CHECK(arch.matmul16 == doctest::Approx(preset.tensor_tflops * 1e12).epsilon(1e-12));
    CHECK(arch.fp32 == doctest::Approx(preset.fp32_tflops * 1e12).epsilon(1e-12));
    CHECK(arch.exp_per_clock == 16);
    CHECK_FALSE(arch.sram_in_elements);
  }
  // 128 bytes of shared memory per SM and clock
  CHECK(arch_named("h100").bandwidth("sram", "reg") == doctest::Approx(128 * 1.83e9 * 132));
  CHECK(arch_named("h200").bandwidth("sram", "reg") == doctest::Approx(128 * 1.83e9 * 132));
}

TEST_CASE("arch: the table's rates are so many FLOP per SM and clock") {
  for (const auto& [name, flops] :
       {std::pair{"v100", 1024}, {"t4", 1024}, {"a100", 2048}, {"a100-80", 2048}, {"h100", 4096}}) {
    CAPTURE(name);
    const Arch& arch = arch_named(name);
    CHECK(arch.matmul16 / arch.clock / arch.sms == doctest::Approx(flops).epsilon(0.005));
  }
}

TEST_CASE("arch: every row is valid, has its own name, and knows where its numbers come from") {
  std::set<std::string_view> names;
  for (const Arch& arch : archs()) {
    CAPTURE(arch.name);
    CHECK(refusal([&] { validate(arch); }) == "");
    CHECK(&arch_named(arch.name) == &arch);
    CHECK(names.insert(arch.name).second);
    CHECK_FALSE(arch.title.empty());
    CHECK_FALSE(arch.source.empty());
  }
  const std::vector<std::string_view> listed = arch_names();
  CHECK(listed.size() == archs().size());
  CHECK(std::set<std::string_view>(listed.begin(), listed.end()) == names);
  CHECK(names.contains("toy"));
}

TEST_CASE("arch: toy has a few hundred bytes a block") {
  const Arch& toy = arch_named("toy");
  CHECK(capacity(toy, "sram") >= 200);
  CHECK(capacity(toy, "sram") < 1000);
  CHECK(toy.sms == 1);
}

TEST_CASE("arch: the lecture's machine holds 10^6 elements of every dtype") {
  const Arch& lecture = arch_named("lecture");
  for (const DType type : {DType::f16, DType::bf16, DType::f32}) {
    const Arch sized = lecture.in_bytes(type);
    CHECK(capacity(sized, "sram") == 1'000'000 * size_of(type));
    CHECK(capacity(sized.in_bytes(type), "sram") == 1'000'000 * size_of(type));  // once is enough
    CHECK(capacity(sized, "l2") == capacity(lecture, "l2"));
    for (const Preset& preset : presets)
      CHECK(capacity(arch_named(preset.name).in_bytes(type), "sram") == preset.sram_kib * 1024);
  }
  // Bandwidths of the paper's Fig. 1
  CHECK(lecture.bandwidth("hbm", "l2") == doctest::Approx(1.5e12));
  CHECK(lecture.bandwidth("sram", "reg") == doctest::Approx(19e12));
}

TEST_CASE("arch: matrix units take 16 bit, the rest is FP32") {
  const Arch& arch = arch_named("a100");
  CHECK(arch.matmul_rate(DType::f16) == arch.matmul16);
  CHECK(arch.matmul_rate(DType::bf16) == arch.matmul16);
  CHECK(arch.matmul_rate(DType::f32) == arch.fp32);
}

TEST_CASE("arch: an unknown name is answered with the nearest") {
  struct Row {
    std::string name, guess;
  };
  for (const Row& row : {Row{"a1000", "a100"},
                         {"A100", "a100"},
                         {"h20", "h200"},
                         {"a100-8", "a100-80"},
                         {"toys", "toy"},
                         {"lectur", "lecture"}}) {
    const std::string message = refusal([&] { arch_named(row.name); });
    CAPTURE(message);
    CHECK(message.starts_with("--arch: unknown arch '" + row.name + "'; did you mean '" + row.guess + "'?"));
    for (const Arch& arch : archs()) CHECK(contains(message, arch.name));
    CHECK(contains(message, ".toml"));
  }
  for (const char* name : {"", "supercomputer"}) {
    const std::string message = refusal([&] { arch_named(name); });
    CAPTURE(message);
    CHECK_FALSE(contains(message, "did you mean"));
    CHECK(contains(message, "Known: toy"));
  }
  CHECK(refusal([] { arch_named("a1\n00"); }).find('\n') == std::string::npos);  // one line
  CHECK(refusal([] { arch_named(std::string(5000, 'a')); }).size() < 300);
}

// ---- Levels and links ----

// Levels of these names; each link "a-b" has bandwidth 1.
Arch machine(const std::vector<std::string>& levels,
             const std::vector<std::pair<std::string, std::string>>& links) {
  Arch arch;
  arch.name = "mine";
  arch.clock = arch.matmul16 = arch.fp32 = 1e9;
  for (const std::string& name : levels) arch.levels.push_back({name, Scope::cta, 0});
  for (const auto& [from, to] : links) arch.links.push_back({from, to, 1, 0});
  return arch;
}

std::string path(const Arch& arch, std::string_view from, std::string_view to) {
  std::string names;
  for (const int level : arch.between(arch.level(from), arch.level(to)))
    names += arch.levels[static_cast<std::size_t>(level)].name + " ";
  return names;
}

TEST_CASE("arch: levels are found by name") {
  const Arch arch = machine({"hbm", "sram", "reg"}, {});
  CHECK(arch.level("hbm") == 0);
  CHECK(arch.level("reg") == 2);
  for (const char* unknown : {"l2", "", "HBM", "sra"}) {
    const std::string message = refusal([&] { arch.level(unknown); });
    CHECK(message.starts_with("--arch mine: has no level '" + std::string(unknown) + "'"));
    CHECK(contains(message, "hbm, sram and reg"));
  }
}

TEST_CASE("arch: the levels passed on the way, in order of travel") {
  const Arch& a100 = arch_named("a100");
  CHECK(path(a100, "hbm", "sram") == "l2 ");
  CHECK(path(a100, "sram", "hbm") == "l2 ");
  CHECK(path(a100, "hbm", "reg") == "l2 ");
  CHECK(path(a100, "sram", "reg") == "");
  CHECK(path(a100, "hbm", "l2") == "");
  CHECK(path(a100, "reg", "reg") == "");
  CHECK(path(arch_named("toy"), "hbm", "reg") == "");

  const Arch chain = machine({"hbm", "l3", "l2", "sram", "reg"},
                             {{"hbm", "l3"}, {"l2", "l3"}, {"l2", "sram"}, {"reg", "sram"}});
  CHECK(path(chain, "hbm", "reg") == "l3 l2 sram ");
  CHECK(path(chain, "reg", "hbm") == "sram l2 l3 ");
  CHECK(path(chain, "l3", "sram") == "l2 ");

  // Two ways: the one over fewer links, wherever it stands in the table.
  const Arch two = machine({"hbm", "a", "b", "c", "sram", "reg"},
                           {{"hbm", "a"}, {"a", "b"}, {"b", "sram"}, {"hbm", "c"}, {"sram", "c"}});
  CHECK(path(two, "hbm", "sram") == "c ");
  CHECK(path(two, "sram", "hbm") == "c ");
  CHECK(path(two, "hbm", "reg") == "");  // no way
}

TEST_CASE("arch: bytes flow both ways over a link") {
  const Arch& a100 = arch_named("a100");
  CHECK(a100.bandwidth("l2", "hbm") == a100.bandwidth("hbm", "l2"));
  CHECK(a100.bandwidth("hbm", "sram") == 0);  // not neighbours
  CHECK(a100.bandwidth("hbm", "nowhere") == 0);
}

// ---- What is refused ----

struct Edit {
  std::string name;
  std::function<void(Arch&)> change;
  std::string fault;
};

std::vector<Edit> edits() {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  std::vector<Edit> rows = {
      {"no hbm", [](Arch& a) { a.levels[0].name = "dram"; }, "has no level 'hbm'"},
      {"no sram", [](Arch& a) { a.levels[2].name = "smem"; }, "has no level 'sram'"},
      {"no reg", [](Arch& a) { a.levels.pop_back(); }, "has no level 'reg'"},
      {"nothing", [](Arch& a) { a.levels.clear(); }, "has no level 'hbm'"},
      {"link from nowhere", [](Arch& a) { a.links[0].from = "l3"; }, "has no level 'l3'"},
      {"link to nowhere", [](Arch& a) { a.links[1].to = "l3"; }, "has no level 'l3'"},
      {"seven levels",
       [](Arch& a) {
         for (int n = 0; n < 3; ++n) a.levels.push_back({"x" + std::to_string(n)});
       },
       "7 levels; at most 6"},
      {"no links", [](Arch& a) { a.links.clear(); }, "no links lead from hbm to level 'l2'"},
      {"no way to reg", [](Arch& a) { a.links.resize(2); }, "no links lead from hbm to level 'reg'"},
      {"a level twice",
       [](Arch& a) {
         a.levels.push_back({"sram", Scope::cta, 100});
       },
       "sram"},
      {"capacity", [](Arch& a) { a.levels[2].capacity = UINT64_MAX; }, "'sram': capacity is too large"},
      {"no SM", [](Arch& a) { a.sms = 0; }, "sms"},
      {"SMs below 0", [](Arch& a) { a.sms = -1; }, "sms"},
  };
  for (const double bad : {0.0, -1.0, nan, infinity, -infinity}) {
    const std::string value = " " + std::to_string(bad);
    rows.push_back({"clock" + value, [bad](Arch& a) { a.clock = bad; }, "clock"});
    rows.push_back({"matmul16" + value, [bad](Arch& a) { a.matmul16 = bad; }, "matmul16"});
    rows.push_back({"fp32" + value, [bad](Arch& a) { a.fp32 = bad; }, "fp32"});
    rows.push_back({"exp_per_clock" + value, [bad](Arch& a) { a.exp_per_clock = bad; }, "exp_per_clock"});
    if (bad == 0) continue;  // a link's zero says: not modelled
    rows.push_back(
        {"bandwidth" + value, [bad](Arch& a) { a.links[0].bandwidth = bad; }, "hbm-l2: bandwidth"});
    rows.push_back({"latency" + value, [bad](Arch& a) { a.links[0].latency = bad; }, "hbm-l2: latency"});
  }
  return rows;
}

TEST_CASE("arch: a machine that makes no sense is refused with its name and the fault") {
  for (const Edit& edit : edits()) {
    Arch arch = arch_named("a100");
    arch.name = "mine";
    edit.change(arch);
    const std::string message = refusal([&] { validate(arch); });
    CAPTURE(edit.name);
    CAPTURE(message);
    CHECK(message.starts_with("--arch mine: "));
    CHECK(contains(message, edit.fault));
  }
}

TEST_CASE("arch: zero means not modelled or not limited where the model can do without") {
  Arch arch = arch_named("a100");
  for (Link& link : arch.links) link.bandwidth = link.latency = 0;
  for (Level& level : arch.levels) level.capacity = 0;
  for (const char* more : {"x", "y"}) {  // six levels
    arch.levels.push_back({more});
    arch.links.push_back({"hbm", more, 0, 0});
  }
  CHECK(refusal([&] { validate(arch); }) == "");
}

}  // namespace
}  // namespace tilewalk
