// The pieces below the subcommands: files written whole or not at all, tables, charts.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>

#include "cli/chart.h"
#include "cli/output_file.h"
#include "cli/table.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

namespace fs = std::filesystem;

// ---- Output files ----

// A folder of its own for a test, removed afterwards.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tilewalk-out-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

  // How many files lie in it: more than expected means a temporary was left behind.
  std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(path_), {}); }

 private:
  fs::path path_;
};

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// The message with which writing is refused; "" if it is not.
std::string refusal(const fs::path& path, const std::string& bytes = "new") {
  try {
    write_file_atomically(path, bytes, "--out");
  } catch (const RequestError& error) {
    return error.what();
  }
  return "";
}

void check_refusal(const fs::path& path, const std::string& fault, const std::string& remedy) {
  const std::string message = refusal(path);
  CAPTURE(message);
  CHECK(message.starts_with("--out " + path.string() + ": "));
  CHECK(message.find(fault) != std::string::npos);
  REQUIRE(message.find("; ") != std::string::npos);
  CHECK(message.substr(message.find("; ")).find(remedy) != std::string::npos);
}

TEST_CASE("output file: written whole, new or over an old one") {
  const Folder folder;
  const std::string bytes = std::string("a\0b\r\n", 5) + std::string(1 << 20, 'x');
  write_file_atomically(folder / "o.npy", bytes, "--out");
  CHECK(content(folder / "o.npy") == bytes);
  write_file_atomically(folder / "o.npy", "", "--out");
  CHECK(content(folder / "o.npy").empty());
  CHECK(folder.count() == 1);
}

TEST_CASE("output file: the old content stays until commit, and without one") {
  const Folder folder;
  put(folder / "o", "old");
  {
    OutputFile file(folder / "o", "--out");
    file.write("new");
    CHECK(content(folder / "o") == "old");
  }
  CHECK(content(folder / "o") == "old");
  CHECK(folder.count() == 1);
  {
    OutputFile file(folder / "o", "--out");
    for (const char* part : {"one", "", "two"}) file.write(part);
    file.commit();
    CHECK(content(folder / "o") == "onetwo");
  }
  CHECK(content(folder / "o") == "onetwo");
  CHECK(folder.count() == 1);
}

TEST_CASE("output file: an exception, such as Ctrl-C raises, leaves nothing behind") {
  const Folder folder;
  const auto interrupted = [&] {
    OutputFile file(folder / "o", "--out");
    file.write(std::string(1 << 20, 'x'));
    throw std::runtime_error("interrupted");
  };
  CHECK_THROWS_AS(interrupted(), std::runtime_error);
  CHECK(folder.count() == 0);
}

TEST_CASE("output file: a relative name goes to the current folder, a name may be as long as names can be") {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const std::string longest(255, 'n'), too_long(256, 'n');
  CHECK(refusal("plain") == "");
  CHECK(refusal("./" + longest) == "");
  check_refusal(too_long, "too long", "choose a shorter name");
  fs::current_path(before);
  CHECK(content(folder / "plain") == "new");
  CHECK(content(folder / longest) == "new");
  CHECK(folder.count() == 2);
}

TEST_CASE("output file: permissions of the old file are kept") {
  const Folder folder;
  put(folder / "secret", "old");
  fs::permissions(folder / "secret", fs::perms::owner_read | fs::perms::owner_write);
  CHECK(refusal(folder / "secret") == "");
  CHECK(fs::status(folder / "secret").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("output file: links are followed, not replaced") {
  const Folder folder;
  put(folder / "real", "old");
  fs::create_symlink("real", folder / "relative");
  fs::create_symlink(folder / "relative", folder / "chain");
  fs::create_symlink("later", folder / "dangling");
  for (const char* name : {"chain", "dangling"}) {
    CHECK(refusal(folder / name, name) == "");
    CHECK(fs::is_symlink(folder / name));
  }
  CHECK(content(folder / "real") == "chain");
  CHECK(content(folder / "later") == "dangling");
  fs::create_symlink("loop", folder / "loop");
  check_refusal(folder / "loop", "Too many levels of symbolic links", "write elsewhere");
}

TEST_CASE("output file: refusals name flag, path, fault and remedy, and leave nothing behind") {
  const Folder folder;
  put(folder / "plain", "old");
  check_refusal(folder / "no" / "o", "no does not exist", "create it first");
  check_refusal(folder / "plain" / "o", "plain is not a folder", "write elsewhere");
  check_refusal(folder.path(), "it is a folder", "name a file in it");
  check_refusal(folder.path().string() + "/", "it is a folder", "name a file in it");
  check_refusal(folder.path().string() + "/missing/", "it is a folder", "name a file in it");
  check_refusal(folder / "..", "it is a folder", "name a file in it");
  check_refusal("", "the file name is empty", "name a file");
  CHECK(content(folder / "plain") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("output file: what may not be written is refused" * doctest::skip(geteuid() == 0)) {
  const Folder folder;
  put(folder / "read-only", "old");
  fs::permissions(folder / "read-only", fs::perms::owner_read);
  check_refusal(folder / "read-only", "Permission denied", "that you may change");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  check_refusal(folder / "new", "Permission denied", "that you may change");
  fs::permissions(folder.path(), fs::perms::owner_all);
  CHECK(content(folder / "read-only") == "old");
}

TEST_CASE("output file: devices and pipes are written directly") {
  CHECK(refusal("/dev/null") == "");
  CHECK(fs::is_character_file("/dev/null"));
  check_refusal("/dev/full", "No space left on device", "free some space");
  CHECK(fs::is_character_file("/dev/full"));
  CHECK(refusal("/dev/full", std::string(1 << 20, 'x')).find("No space left") != std::string::npos);

  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string pipe_name = "/dev/fd/" + std::to_string(ends[1]);
  CHECK(refusal(pipe_name) == "");
  char received[4] = {};
  CHECK(read(ends[0], received, 3) == 3);
  CHECK(std::string(received) == "new");
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("output file: standard output that goes to a file keeps what is there") {
  const Folder folder;
  put(folder / "log", "before ");
  std::FILE* log = std::fopen((folder / "log").c_str(), "ab");
  REQUIRE(log != nullptr);
  CHECK(refusal("/dev/fd/" + std::to_string(fileno(log))) == "");
  std::fputs(" after", log);
  std::fclose(log);
  CHECK(content(folder / "log") == "before new after");
}

// A limit on the size of files stands in for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST_CASE("output file: a disk that fills up half-way leaves the old file and no temporary") {
  const Folder folder;
  put(folder / "o", "old");
  for (const std::size_t size :
       {std::size_t{2000}, std::size_t{1} << 20}) {  // fails in commit(), fails in write()
    const FileSizeLimit limit(1000);
    const std::string message = refusal(folder / "o", std::string(size, 'x'));
    CHECK(message.find("File too large") != std::string::npos);
  }
  CHECK(content(folder / "o") == "old");
  CHECK(folder.count() == 1);
}

// ---- Tables ----

TEST_CASE("table: columns line up, numbers to the right") {
  Table table({{"algorithm"}, {"HBM bytes", Align::right}, {"note"}});
  table.add_row({"standard", grouped(1048576), ""});
  table.add_row({"flash2", grouped(4096), "fused"});
  table.add_row({"x"}, Style::dim);
  CHECK(table.text(false) ==
        "algorithm  HBM bytes  note\n"
        "---------  ---------  -----\n"
        "standard   1 048 576\n"
        "flash2         4 096  fused\n"
        "x\n");
  CHECK_THROWS_AS(table.add_row({"1", "2", "3", "4"}), std::invalid_argument);
}

TEST_CASE("table: double-width and combining characters line up too") {
  Table table({{"name"}, {"n", Align::right}});
  table.add_row({"注意力", "1"});
  table.add_row({"ℓ, α", "22"});
  table.add_row({"e\u0301", "333"});
  CHECK(table.text(false) ==
        "name      n\n"
        "------  ---\n"
        "注意力    1\n"
        "ℓ, α     22\n"
        "e\u0301       333\n");
}

TEST_CASE("table: escape sequences only for a terminal") {
  Table table({{"a"}});
  table.add_row({"b"}, Style::dim);
  CHECK(table.text(true) == "\x1b[1ma\x1b[0m\n\x1b[2m-\x1b[0m\n\x1b[2mb\x1b[0m\n");
  CHECK(table.text(false).find('\x1b') == std::string::npos);
  CHECK(styled("x", Style::bold, true) == "\x1b[1mx\x1b[0m");
  CHECK(styled("x", Style::plain, true) == "x");
}

TEST_CASE("table: display width") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("K·Vᵀ m′ −∞") == 10);
  CHECK(display_width("中文") == 4);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("，。") == 4);
  CHECK(display_width("😀") == 2);
  CHECK(display_width("\u200b\ufeff") == 0);
  CHECK(display_width("\xff\xfe") == 2);          // not UTF-8
  CHECK(display_width("\xe4\xb8") == 2);          // cut off
  CHECK(display_width("\xc0\xaf") == 2);          // overlong
  CHECK(display_width("\xed\xa0\x80") == 3);      // a surrogate
  CHECK(display_width("\xf4\x90\x80\x80") == 4);  // beyond U+10FFFF
  CHECK(display_width("\xe4\xb8\xad") == 2);
}

TEST_CASE("table: code points are taken one by one") {
  std::string_view text = "aℓ中😀\xff";
  for (const char32_t wanted : {U'a', U'ℓ', U'中', U'😀', U'\ufffd'}) CHECK(take_code_point(text) == wanted);
  CHECK(text.empty());
}

TEST_CASE("table: numbers") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1 000");
  CHECK(grouped(1048576) == "1 048 576");
  CHECK(grouped(std::numeric_limits<std::uint64_t>::max()) == "18 446 744 073 709 551 615");
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(512) == "512 B");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1000) == "1.00 kB");
  CHECK(human_bytes(9'994) == "9.99 kB");
  CHECK(human_bytes(9'996) == "10.0 kB");
  CHECK(human_bytes(99'960) == "100 kB");
  CHECK(human_bytes(999'499) == "999 kB");
  CHECK(human_bytes(999'500) == "1.00 MB");
  CHECK(human_bytes(8'589'934'592) == "8.59 GB");
  CHECK(human_bytes(std::numeric_limits<std::uint64_t>::max()) == "18.4 EB");
}

// ---- Charts ----

// The first fault of an XML text, or "": elements nest, attributes are quoted, & begins a known entity.
std::string xml_fault(std::string_view xml) {
  std::vector<std::string_view> open;
  while (!xml.empty()) {
    const std::size_t bracket = std::min(xml.find('<'), xml.size());
    for (std::string_view text = xml.substr(0, bracket); text.find('&') != std::string_view::npos;) {
      text.remove_prefix(text.find('&'));
      const std::string_view entity = text.substr(0, text.find(';') + 1);
      const auto known = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
      if (std::find(known.begin(), known.end(), entity) == known.end()) return "entity " + std::string(text);
      text.remove_prefix(entity.size());
    }
    xml.remove_prefix(bracket);
    if (xml.empty()) break;
    std::size_t end = 1;
    for (char quote = 0; end < xml.size() && (quote || xml[end] != '>'); ++end) {
      if (xml[end] == '<') return "'<' inside a tag";
      if (quote ? xml[end] == quote : xml[end] == '"') quote = quote ? '\0' : xml[end];
    }
    if (end == xml.size()) return "an unfinished tag";
    const std::string_view tag = xml.substr(1, end - 1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected " + std::string(tag);
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    xml.remove_prefix(end + 1);
  }
  return open.empty() ? "" : "unclosed " + std::string(open.back());
}

int occurrences(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The number after `attribute="` in every element that contains `needle`.
std::vector<double> numbers(const std::string& svg, const std::string& needle, const std::string& attribute) {
  std::vector<double> found;
  std::istringstream lines(svg);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(attribute + "=\"");
    if (line.find(needle) == std::string::npos || at == std::string::npos) continue;
    found.push_back(std::stod(line.substr(at + attribute.size() + 2)));
  }
  return found;
}

ChartText chart_text() {
  return {"Traffic", "model: counted by the simulator", "sequence length N (tokens)", "HBM bytes",
          "A chart."};
}

Series power_law(const std::string& name, double factor, double power) {
  Series series{name, {}, {}};
  for (double x = 512; x <= 65536; x *= 2) {
    series.x.push_back(x);
    series.y.push_back(factor * std::pow(x, power));
  }
  return series;
}

std::string checked_chart(const ChartText& text, const std::vector<Series>& series) {
  const std::string svg = svg_chart(text, series);
  CHECK(xml_fault(svg) == "");
  for (const char* bad : {"nan", "inf", "-0.0\""}) CHECK(svg.find(bad) == std::string::npos);
  for (const double x : numbers(svg, "<text", "x")) CHECK((x >= 32 && x <= 928));
  for (const double y : numbers(svg, "<text", "y")) CHECK((y >= 32 && y <= 592));
  return svg;
}

TEST_CASE("chart: the checker finds faults") {
  CHECK(xml_fault("<a b=\"1\"><c/>&amp;</a>") == "");
  for (const char* bad : {"<a>", "<a></b>", "</a>", "<a b=\"<\"/>", "a & b", "<a", "<a b=\"1>"})
    CHECK(xml_fault(bad) != "");
}

TEST_CASE("chart: titles, units, axis labels, names") {
  const std::string svg =
      checked_chart(chart_text(), {power_law("standard", 8, 2), power_law("flash2", 512, 1)});
  for (const char* part :
       {">Traffic</text>", ">model: counted by the simulator</text>", ">sequence length N (tokens)</text>",
        ">HBM bytes</text>", ">1 MB</text>", ">10 GB</text>", ">512</text>", ">65 536</text>",
        ">standard</text>", ">flash2</text>", "<title id=\"chart-title\">Traffic</title>",
        "viewBox=\"0 0 960 600\"",
        "A chart. standard: 2.097 MB at 512, then standard: 34.36 GB at 65 536."}) {
    CAPTURE(part);
    CHECK(svg.find(part) != std::string::npos);
  }
  CHECK(occurrences(svg, "<circle") == 8 + 1);  // a mark a point and one in the label
  CHECK(svg == svg_chart(chart_text(), {power_law("standard", 8, 2), power_law("flash2", 512, 1)}));
}

TEST_CASE("chart: text is escaped, what XML does not allow is replaced") {
  ChartText text = chart_text();
  text.title = "<script> & \"quotes\" 'n \x01 \xff 中文";
  const std::string svg = checked_chart(text, {power_law("a<b & c", 1, 1)});
  CHECK(svg.find("&lt;script&gt; &amp; &quot;quotes&quot; &#39;n \ufffd \ufffd 中文") != std::string::npos);
  CHECK(svg.find(">a&lt;b &amp; c</text>") != std::string::npos);
}

TEST_CASE("chart: gaps break the line, points that cannot be drawn are left out") {
  const double nan = std::nan(""), infinity = HUGE_VAL;
  const Series gaps{"gaps", {1, 2, 4, 8, 16, 32, 64, 128}, {10, 20, nan, 40, 50, 0, -1, infinity}};
  const std::string svg = checked_chart(chart_text(), {gaps});
  CHECK(occurrences(svg, "<circle") == 4 + 1);
  CHECK(occurrences(svg, "stroke-width=\"2.25\"") == 2 + 1);  // two pieces and the label's sample
}

TEST_CASE("chart: single points, equal values, nothing at all") {
  CHECK(occurrences(checked_chart(chart_text(), {{"one", {1024}, {5e6}}}), "<circle") == 2);
  CHECK(checked_chart(chart_text(), {{"flat", {100, 200, 300}, {7e6, 7e6, 7e6}}}).find(">7 MB<") !=
        std::string::npos);
  CHECK(checked_chart(chart_text(), {}).find("nothing to show") != std::string::npos);
  const std::string svg = checked_chart(chart_text(), {{"never", {1}, {0}}, {"empty", {}, {}}});
  CHECK(svg.find("nothing to show") != std::string::npos);
  CHECK(svg.find("never (no data)") != std::string::npos);
}

TEST_CASE("chart: every axis has at least two labels, however long it is") {
  for (const double ratio : {1.0, 1.01, 1.5, 3.0, 8.0, 40.0, 1e3, 1e9, 1e40, 1e300}) {
    for (const double start : {1.0, 7e-6, 3e5}) {
      CAPTURE(ratio);
      CAPTURE(start);
      const std::string svg = checked_chart(chart_text(), {{"s", {3, 3.5}, {start, start * ratio}}});
      CHECK(occurrences(svg, "text-anchor=\"end\"") >= 2);
      CHECK(occurrences(svg, "text-anchor=\"end\"") <= 20);
      CHECK(occurrences(svg, "font-size=\"13\" fill=\"#57606a\" text-anchor=\"middle\"") >= 2);
    }
  }
}

TEST_CASE("chart: numbers at the ends of what a double holds") {
  checked_chart(chart_text(), {{"s", {5e-324, 1.7e308}, {1.7e308, 5e-324}}});
  checked_chart(chart_text(), {{"s", {5e-324}, {5e-324}}});
  checked_chart(chart_text(), {{"s", {1.7e308}, {1.7e308}}});
  checked_chart(chart_text(), {{"s", {1, 0x1p1023}, {1, 2}}});
}

TEST_CASE("chart: units") {
  ChartText text = chart_text();
  text.x_unit = "B";
  text.y_unit = "s";
  std::string svg = checked_chart(text, {{"s", {1024, 65536}, {2e-6, 3e-3}}});
  for (const char* label : {">1 KiB<", ">64 KiB<", ">10 µs<", ">1 ms<"})
    CHECK(svg.find(label) != std::string::npos);
  svg = checked_chart(text, {{"s", {1000, 70000}, {2, 300}}});
  for (const char* label : {">10 kB<", ">100 s<"}) CHECK(svg.find(label) != std::string::npos);
  text.y_unit = "";
  svg = checked_chart(text, {{"s", {1, 2}, {1024, 65536}}});
  CHECK(svg.find(">65 536<") != std::string::npos);
}

TEST_CASE("chart: labels at the right neither overlap nor leave the plot, and stand in the lines' order") {
  std::vector<Series> series;
  for (int i = 0; i < 8; ++i) series.push_back(power_law("line " + std::to_string(i), 8 + 0.01 * i, 2));
  const std::string svg = checked_chart(chart_text(), series);
  std::vector<double> heights = numbers(svg, "fill=\"#1f2328\">line ", "y");
  REQUIRE(heights.size() == 8);
  for (std::size_t i = 1; i < heights.size(); ++i) CHECK(heights[i] - heights[i - 1] >= 23.9);
  CHECK(svg.find(">line 7</text>") < svg.find(">line 0</text>"));
  CHECK(heights.back() <= 528 + 5);
}

TEST_CASE("chart: series keep apart by colour, mark and dash") {
  std::vector<Series> series;
  for (int i = 0; i < 8; ++i) series.push_back(power_law("line " + std::to_string(i), std::pow(3, i), 1));
  std::string svg = checked_chart(chart_text(), series);
  for (const char* colour :
       {"#0072b2", "#d55e00", "#650bb3", "#00a35a", "#522e09", "#8f8a91", "#29023d", "#5c5549"}) {
    CHECK(occurrences(svg, "stroke=\"" + std::string(colour) + "\" stroke-width=\"2.25\"") == 2);
  }
  CHECK(svg.find("stroke-dasharray") == std::string::npos);
  Series theory = power_law("theory", 1, 1);
  theory.dashed = true;
  theory.colour_of = 0;
  series = {power_law("model", 1, 1), theory, power_law("next", 2, 1)};
  svg = checked_chart(chart_text(), series);
  CHECK(occurrences(svg, "stroke-dasharray") == 2);
  CHECK(occurrences(svg, "fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.8\"") == 8 + 1);  // hollow marks
  CHECK(occurrences(svg, "stroke=\"#d55e00\" stroke-width=\"2.25\"") == 2);
}

TEST_CASE("chart: a line that another covers is drawn broader below it") {
  const std::string svg = checked_chart(chart_text(), {power_law("first", 8, 2), power_law("second", 8, 2)});
  CHECK(occurrences(svg, "stroke-width=\"6.25\"") == 1);
  CHECK(svg.find("stroke-width=\"6.25\"") < svg.find("stroke=\"#d55e00\" stroke-width=\"2.25\""));
}

TEST_CASE("chart: many points have few marks, long words are cut") {
  Series many{"a name so long that it cannot possibly stand beside the chart", {}, {}};
  for (int i = 1; i <= 1000; ++i) {
    many.x.push_back(i * 64);
    many.y.push_back(i * 1e6);
  }
  ChartText text = chart_text();
  text.title = std::string(200, 'W') + " and many more words that have to go to another line";
  const std::string svg = checked_chart(text, {many});
  CHECK(occurrences(svg, "<circle") < 50);
  CHECK(svg.find("…</text>") != std::string::npos);
}

TEST_CASE("chart: arguments that do not fit together are a defect of the caller") {
  CHECK_THROWS_AS(svg_chart(chart_text(), {{"s", {1, 2}, {1}}}), std::invalid_argument);
  CHECK_THROWS_AS(svg_chart(chart_text(), {{"s", {1}, {1}, false, 0}}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewalk
