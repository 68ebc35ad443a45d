// tilewalk list: what there is to name on the command line.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/run_json.h"
#include "cli/table.h"
#include "gpu/api.h"
#include "lessons/heads.h"
#include "lessons/lessons.h"
#include "sim/error.h"
#include "sim/fault.h"

namespace tilewalk {
namespace {

// The items of one kind. Keys beside name and title go into JSON only.
struct List {
  Json items = Json::array();
  std::string note;
};

List list_algorithms() {
  List list;
  for (const Algorithm* algorithm : algorithms()) {
    list.items.push_back(
        {{"name", algorithm->name},
         {"title", algorithm->title},
         {"paper", algorithm->paper},
         {"file", algorithm->file},
         {"softmax", algorithm->softmax},
         {"faults", std::vector<std::string>(algorithm->faults.begin(), algorithm->faults.end())},
         {"remark", algorithm->remark}});
  }
  return list;
}

Json levels_json(const Arch& arch) {
  Json json = Json::object();
  for (const Level& level : arch.levels) json[level.name] = level.capacity;
  return json;
}

List list_archs() {
  List list;
  for (const Arch& arch : archs()) {
    list.items.push_back({{"name", arch.name},
                          {"title", arch.title},
                          {"source", arch.source},
                          {"sms", arch.sms},
                          {"clock_hz", arch.clock},
                          {"matmul16_flops", arch.matmul16},
                          {"fp32_flops", arch.fp32},
                          {"exp_per_clock", arch.exp_per_clock},
                          {"sram_in_elements", arch.sram_in_elements},
                          {"capacity", levels_json(arch)}});
  }
  list.note = "or a file of your own: --arch FILE.toml";
  return list;
}

List list_kernels() {
  List list;
  for (const gpu::KernelRow& row : gpu::kernels()) {
    list.items.push_back({{"name", row.name},
                          {"title", row.title},
                          {"algorithm", row.algorithm},
                          {"faults", std::vector<std::string_view>(row.faults.begin(), row.faults.end())}});
  }
  return list;
}

List list_lessons() {
  List list;
  for (const Lesson& lesson : lessons()) {
    list.items.push_back({{"name", lesson.id},
                          {"title", lesson.title.in(Language::en)},
                          {"title_zh", lesson.title.in(Language::zh)},
                          {"number", lesson.number}});
  }
  return list;
}

List list_faults() {
  List list;
  for (const Fault& fault : faults()) {
    std::vector<std::string_view> having;
    for (const Algorithm* algorithm : algorithms()) {
      const auto& names = algorithm->faults;
      if (std::find(names.begin(), names.end(), fault.name) != names.end()) having.push_back(algorithm->name);
    }
    list.items.push_back(
        {{"name", fault.name}, {"title", fault.title}, {"needs", fault.needs}, {"algorithms", having}});
  }
  return list;
}

List list_heads() {
  List list;
  for (const Head& head : heads()) {
    list.items.push_back({{"name", head.name},
                          {"title", head.title},
                          {"n", head.n},
                          {"d", head.d},
                          {"mask", head.mask},
                          {"scale", head.scale}});
  }
  return list;
}

struct Kind {
  std::string_view name;
  List (*make)();
  std::string_view more;  // the key of a third column
};
constexpr Kind kinds[] = {{"algorithms", list_algorithms, "paper"}, {"archs", list_archs, "source"},
                          {"kernels", list_kernels, "algorithm"},   {"lessons", list_lessons, "title_zh"},
                          {"faults", list_faults, "needs"},         {"heads", list_heads, "mask"}};

const Kind& kind_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw RequestError("list: " + unknown_name("kind", name, names));
}

std::string table_of(const List& list, const Kind& kind) {
  if (list.items.empty()) return list.note + "\n";
  std::vector<Column> columns{{"name"}, {"title"}};
  if (!kind.more.empty()) columns.push_back({std::string(kind.more)});
  Table table(columns);
  for (const Json& item : list.items) {
    std::vector<std::string> cells{item["name"], item["title"]};
    if (!kind.more.empty()) cells.push_back(item[std::string(kind.more)]);
    table.add_row(cells);
  }
  return table.text(output_is_terminal()) + (list.note.empty() ? "" : list.note + "\n");
}

struct Flags {
  Flag kind;
  bool json = false;
};

int list_command(const Flags& flags) {
  const Kind& kind = kind_named(
      required(flags.kind, "list: the kind",
               "say e.g. 'tilewalk list algorithms' (also archs, kernels, lessons, faults, heads)"));
  const List list = kind.make();
  Json json = {{"schema", 1}, {"items", list.items}};
  if (!list.note.empty()) json["note"] = list.note;
  print(flags.json ? json_text(json) : table_of(list, kind));
  return exit_done;
}

}  // namespace

Action add_list(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "What", {"KIND", "", "algorithms, archs, kernels, lessons, faults or heads"}, flags->kind);
  add_json_flag(app, flags->json);
  set_footer(app, "Example: tilewalk list algorithms");
  return [flags] { return list_command(*flags); };
}

}  // namespace tilewalk
