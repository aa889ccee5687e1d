#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "bench/errors/errors.hpp"
#include "bench/measure/environment.hpp"
#include "bench/report/output.hpp"
#include "bench/report/report.hpp"

namespace bench {
namespace {

using nlohmann::json;

json known(double value) { return value > 0 ? json(value) : json(nullptr); }
json known(int value) { return value > 0 ? json(value) : json(nullptr); }
json known(const std::string& value) { return value.empty() ? json(nullptr) : json(value); }

json describe(const facts& all) {
  json described;
  for (const auto& [name, value] : all) {
    std::visit([&, name = name](const auto& fact) { described[name] = known(fact); }, value);
  }
  return described;
}

// ---- without a suite ----

/// Of a suite's cell, and part of a row without one.
json times(const measurement& m) {
  json times{{"verified", m.verified()}};
  if (!m.verified()) times["first_wrong"] = m.first_wrong;
  times.update(
      {{"median_us", known(m.median_us)}, {"q1_us", known(m.q1_us)}, {"q3_us", known(m.q3_us)}});
  return times;
}

json row(const cell_result& result, const measurement& m) {
  json row = times(m);
  row.update({{"input", result.input},
              {"n", result.what.num_items},
              {"bytes", result.what.bytes_per_side()},
              {"algorithm", m.name},
              {"gb_per_s", known(result.gb_per_second(m.median_us))},
              {"share_of_copy", known(cell_result::ratio(result.copy_us(), m.median_us))}});
  return row;
}

void add_rows(json& to, const suite_report& run) {
  if (!run.cells.empty()) {  // they are all of one scan
    const cell& first = run.cells.front().what;
    to.update({{"type", first.in_type()},
               {"operator", first.operator_name()},
               {"kind", first.kind_name()}});
  }
  to["device"] = run.on_gpu() ? "gpu" : "cpu";
  to["threads"] = run.num_threads;
  to["rows"] = json::array();
  for (const cell_result& result : run.cells) {
    for (const measurement& m : result.measurements) to["rows"].push_back(row(result, m));
    if (!result.failure.empty()) {
      to["rows"].push_back({{"n", result.what.num_items}, {"failure", result.failure}});
    }
  }
}

// ---- of a suite ----

/// Of a tensor, with which torch_shapes.py makes the same.
json shape_of(const cell& what) {
  const scan::tensor_shape of = what.resolved_shape();
  return {{"outer", of.outer},       {"length", of.length},       {"inner", of.inner},
          {"in_pitch", of.in_pitch}, {"out_pitch", of.out_pitch}, {"class", what.shape_class()}};
}

/// Of segments; torch_shapes.py draws others of the kind.
json segments_of(const cell& what) {
  const ragged& of = what.segments;
  return {{"class", what.shape_class()},
          {"heads", of.heads_name()},
          {"head_bytes", of.head_bytes(what.num_items)},
          {"lengths", of.lengths_name()},
          {"segments", of.num_segments}};
}

/// Of a compaction; torch_select.py draws others of the kind.
json selection_of(const cell& what) {
  const picks& of = what.picked;
  return {{"class", what.shape_class()},
          {"flags", of.flags_name()},
          {"percent", of.percent},
          {"neighbours", std::int64_t{1} << of.log_run},
          {"kept", of.num_kept}};
}

json describe(const cell& what) {
  json described = {{"name", what.name()},
                    {"in", what.in_type()},
                    {"out", what.out_type()},
                    {"operator", what.operator_name()},
                    {"kind", what.kind_name()},
                    {"in_place", what.in_place},
                    {"offset", what.in_offset > 0 || what.out_offset > 0},
                    {"in_offset", what.in_offset},
                    {"out_offset", what.out_offset},
                    {"misaligned", what.misaligned()},
                    {"warm", what.warm},
                    {"n", what.num_items},
                    {"bytes_per_side", what.bytes_per_side()}};
  if (what.is_shaped()) described.update(shape_of(what));
  if (what.is_ragged()) described.update(segments_of(what));
  if (what.is_selection()) described.update(selection_of(what));
  return described;
}

json describe(const cell_result& result) {
  json cell = describe(result.what);
  cell["share_of_copy"] = known(result.share_of_copy());
  cell["speedup_over_cub"] = known(result.speedup_over_cub());
  if (!result.what.is_selection()) cell["over_one_sequence"] = known(result.over_one_sequence());
  cell["contenders"] = json::object();
  for (const measurement& m : result.measurements) cell["contenders"][m.name] = times(m);
  if (!result.failure.empty()) cell["failure"] = result.failure;
  return cell;
}

json describe(const target& goal) {
  return {{"name", goal.name},
          {goal.at_least ? "at_least" : "at_most", goal.bound},
          {"worst", goal.worst},
          {"in", goal.worst_cell},
          {"met", goal.met()}};
}

void add_cells(json& to, const suite_report& run) {
  to.update(describe(clocks_now()));
  to["suite"] = run.suite;
  to["cub_versions"] = run.cub_versions;
  for (const char* list : {"targets", "cells", "skipped"}) to[list] = json::array();
  if (is_drawn(run.suite)) {
    to.update({{"seed", run.draw.seed},
               {"cells_drawn", run.draw.num_cells},
               {"drawn_bytes", {run.draw.from_bytes, run.draw.to_bytes}}});
  }
  if (run.suite != random_suite) {
    const bool of_shapes = program_of(run.suite) == shapes_program;
    for (const target& goal : of_shapes ? shape_targets_of(run) : targets_of(run)) {
      if (!goal.worst_cell.empty()) to["targets"].push_back(describe(goal));
    }
  }
  for (const cell_result& result : run.cells) to["cells"].push_back(describe(result));
  for (const cell& what : run.skipped) to["skipped"].push_back(describe(what));
}

// ---- of scan_errors ----

/// JSON has no infinity.
json finite(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json describe(const largest_errors& errors) {
  return {{"to_sum_of_magnitudes", finite(errors.to_magnitudes)},
          {"to_largest_prefix", finite(errors.to_peak)}};
}

json describe(const error_report& report) {
  json row = {
      {"types", report.what.types_name()},    {"input", report.what.input_name()},
      {"n", report.what.num_items},           {"scan", describe(report.scan)},
      {"serial", describe(report.serial)},    {"serial_in_type", nullptr},
      {"tree", describe(report.tree)},        {"longest_chain", report.chain},
      {"bound", finite(report.bound)},        {"output_unit_roundoff", report.output_roundoff},
      {"within_bound", report.within_bound()}};
  if (report.has_in_type) row["serial_in_type"] = describe(report.in_type);
  return row;
}

}  // namespace

void write_json(std::ostream& to, const suite_report& run) {
  json results = describe(here_and_now());
  results["gpu"] = known(run.gpu);
  results["rounds"] = run.num_rounds;
  if (run.suite.empty()) {
    add_rows(results, run);
  } else {
    add_cells(results, run);
  }
  to << results.dump(run.suite.empty() ? 2 : 1) << '\n';
}

void write_json(std::ostream& to, const error_run& run) {
  json results = describe(here_and_now());
  results.update({{"operator", "plus"},
                  {"kind", "inclusive"},
                  {"device", run.gpu.empty() ? "cpu" : "gpu"},
                  {"gpu", known(run.gpu)},
                  {"seed", run.seed},
                  {"reference", "exact: 128-bit integers"},
                  {"rows", json::array()}});
  for (const error_report& report : run.reports) results["rows"].push_back(describe(report));
  to << results.dump(2) << '\n';
}

}  // namespace bench
