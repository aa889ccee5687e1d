#include <nlohmann/json.hpp>
#include <ostream>

#include "bench/environment.hpp"
#include "bench/suite_report.hpp"

namespace bench {
namespace {

nlohmann::json positive_or_null(double value) {
  if (value > 0) return value;
  return nullptr;
}

nlohmann::json times(const measurement& m) {
  if (!m.verified()) return {{"verified", false}, {"first_wrong", m.first_wrong}};
  return {{"verified", true}, {"median_us", m.median_us}, {"q1_us", m.q1_us}, {"q3_us", m.q3_us}};
}

nlohmann::json describe(const cell& what) {
  return {{"in", what.in_type()},
          {"out", what.out_type()},
          {"operator", what.operator_name()},
          {"kind", what.kind_name()},
          {"in_place", what.in_place},
          {"offset", what.offset},
          {"n", what.num_items},
          {"bytes_per_side", what.bytes_per_side()}};
}

nlohmann::json describe(const cell_result& result) {
  nlohmann::json json = describe(result.what);
  json["share_of_copy"] = positive_or_null(result.share_of_copy());
  json["speedup_over_cub"] = positive_or_null(result.speedup_over_cub());
  json["contenders"] = nlohmann::json::object();
  for (const measurement& m : result.measurements) json["contenders"][m.name] = times(m);
  if (!result.failure.empty()) json["failure"] = result.failure;
  return json;
}

nlohmann::json describe(const target& goal) {
  return {{"name", goal.name},
          {goal.at_least ? "at_least" : "at_most", goal.bound},
          {"worst", goal.worst},
          {"in", goal.worst_cell},
          {"met", goal.met()}};
}

}  // namespace

void write_suite_json(std::ostream& to, const suite_report& run) {
  nlohmann::json json = environment();
  json.update(gpu_environment());
  json["suite"] = run.suite;
  json["gpu"] = run.gpu;
  json["rounds"] = run.num_rounds;
  json["cub_versions"] = run.cub_versions;
  json["targets"] = nlohmann::json::array();
  for (const target& goal : targets_of(run)) {
    if (!goal.worst_cell.empty()) json["targets"].push_back(describe(goal));
  }
  json["cells"] = nlohmann::json::array();
  for (const cell_result& result : run.cells) json["cells"].push_back(describe(result));
  json["skipped"] = nlohmann::json::array();
  for (const cell& what : run.skipped) json["skipped"].push_back(describe(what));
  to << json.dump(1) << '\n';
}

}  // namespace bench
