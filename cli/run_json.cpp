#include "cli/run_json.h"

#include "sim/fault.h"

namespace tilewalk {
namespace {

Json directed_bytes(const Counts& counts, int level, bool write, const Plan& plan) {
  const bool all = level == plan.config.arch.level("hbm");
  Json json = Json::object();
  for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
    const std::uint64_t bytes = counts.bytes[static_cast<std::size_t>(level)][write][t];
    if (bytes != 0 || (all && plan.tensors[t].level == level))
      json[std::string(plan.tensors[t].name)] = bytes;
  }
  json["total"] = counts.total(level, write);
  return json;
}

Json kernels_json(const Run& run) {
  const Plan& plan = *run.plan;
  Json json = Json::array();
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const KernelTime time = kernel_time(run.kernels[k], plan.kernels[k], plan);
    json.push_back({{"name", plan.kernels[k].row->name},
                    {"ctas", plan.kernels[k].ctas},
                    {"bytes", run.kernels[k].total(plan.config.arch.level("hbm"))},
                    {"time_s", time.estimate()}});
  }
  return json;
}

Json theory_json(const Plan& plan) {
  const Theory theory = plan.algorithm().theory(plan.problem(), plan.config.tiling);
  if (!theory.known) return {{"hbm_bytes", nullptr}, {"formula", nullptr}};
  return {{"hbm_bytes", static_cast<std::uint64_t>(theory.hbm_bytes)}, {"formula", theory.formula}};
}

// null: not limited.
Json capacity_json(const Arch& arch, std::string_view level) {
  const std::uint64_t capacity = arch.levels[static_cast<std::size_t>(arch.level(level))].capacity;
  return capacity == 0 ? Json() : Json(capacity);
}

void add_check(Json& json, const Run& run) {
  json["max_abs_error"] = run.check ? Json(run.check->max_abs_error) : Json();
  json["allowed_error"] = run.check ? Json(run.check->allowed_error) : Json();
  json["wrong_non_finite"] = run.check ? Json(run.check->wrong_non_finite) : Json();
  json["agrees"] = run.check ? Json(run.check->agrees()) : Json();
}

}  // namespace

Json problem_json(const Problem& p) {
  return {{"batch", p.batch}, {"heads", p.heads}, {"kv_heads", p.kv_heads},    {"n_q", p.n_q},
          {"n_kv", p.n_kv},   {"d", p.d},         {"dtype", name_of(p.dtype)}, {"mask", p.mask.spec()},
          {"scale", p.scale}};
}

Json tiling_json(const Tiling& tiling) {
  return {{"block_q", tiling.block_q},
          {"block_kv", tiling.block_kv},
          {"order", tiling.order == Order::ascending ? "ascending" : "descending"}};
}

Json bytes_json(const Counts& counts, const Plan& plan) {
  Json json = Json::object();
  const auto& levels = plan.config.arch.levels;
  for (int level = 0; level < static_cast<int>(levels.size()); ++level) {
    json[levels[static_cast<std::size_t>(level)].name] = {
        {"read", directed_bytes(counts, level, false, plan)},
        {"write", directed_bytes(counts, level, true, plan)}};
  }
  return json;
}

Json run_json(const Run& run, const Request& request) {
  const Plan& plan = *run.plan;
  const Arch& arch = plan.config.arch;
  const KernelTime time = run.time();
  Json json = {
      {"schema", 1},
      {"algorithm", plan.algorithm().name},
      {"problem", problem_json(plan.problem())},
      {"inputs", request.count_only ? Json() : Json(request.inputs)},
      {"head", request.head.empty() ? Json() : Json(request.head)},
      {"fault", plan.config.fault ? Json(plan.config.fault->name) : Json()},
      {"tiling", tiling_json(plan.config.tiling)},
      {"arch", arch.name},
      {"events", run.total.events},
      {"flops",
       {{"matmul", run.total.flops.matmul},
        {"useful", run.useful_flops()},
        {"exp", run.total.flops.exp},
        {"other", run.total.flops.other}}},
      {"bytes", bytes_json(run.total, plan)},
      {"sram_peak", run.peak("sram")},
      {"sram_capacity", capacity_json(arch, "sram")},
      {"reg_peak", run.peak("reg")},
      {"reg_capacity", capacity_json(arch, "reg")},
      {"intensity", run.intensity()},
      {"hbm_footprint", run.hbm_footprint()},
      {"compulsory_bytes", run.compulsory_bytes()},
      {"kernels", kernels_json(run)},
      {"time_s", {{"memory", time.memory}, {"compute", time.compute}, {"estimate", run.time_estimate()}}},
      {"theory", theory_json(plan)}};
  add_check(json, run);
  json["origin"] = "model";
  return json;
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewalk
