#include "bench/error_report.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <ostream>

#include "bench/build_info.hpp"
#include "bench/commit.hpp"
#include "bench/report.hpp"

namespace bench {
namespace {

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof(line), format, values...);
  return line;
}

std::string error_text(double error) { return text("%.1e", error); }

std::string items_text(std::int64_t num_items) {
  const auto n = static_cast<std::uint64_t>(num_items);
  if (n >= 1024 && std::has_single_bit(n)) return text("2^%d", std::countr_zero(n));
  return std::to_string(num_items);
}

/// Where signs differ the two measures do.
bool has_two_measures(const error_report& report) {
  return report.what.input == input_kind::alternating;
}

void print_row(std::ostream& to, const error_report& report, const char* input,
               double largest_errors::*measure, const std::string& bound) {
  to << text("%-14s %-20s %6s %9s %9s %9s %9s", report.what.types_name(), input,
             items_text(report.what.num_items).c_str(), error_text(report.scan.*measure).c_str(),
             error_text(report.serial.*measure).c_str(),
             report.has_in_type ? error_text(report.in_type.*measure).c_str() : "-",
             error_text(report.tree.*measure).c_str())
     << bound << '\n';
}

std::string markdown_cell(const error_report& report, const largest_errors& errors) {
  std::string cell = " | " + error_text(errors.to_magnitudes);
  if (has_two_measures(report)) cell += " (" + error_text(errors.to_peak) + ")";
  return cell;
}

/// JSON has no infinity.
nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json errors_json(const largest_errors& errors) {
  return {{"to_sum_of_magnitudes", number(errors.to_magnitudes)},
          {"to_largest_prefix", number(errors.to_peak)}};
}

nlohmann::json report_json(const error_report& report) {
  nlohmann::json row = {
      {"types", report.what.types_name()},    {"input", report.what.input_name()},
      {"n", report.what.num_items},           {"scan", errors_json(report.scan)},
      {"serial", errors_json(report.serial)}, {"serial_in_type", nullptr},
      {"tree", errors_json(report.tree)},     {"longest_chain", report.chain},
      {"bound", number(report.bound)},        {"output_unit_roundoff", report.output_roundoff},
      {"within_bound", report.within_bound()}};
  if (report.has_in_type) row["serial_in_type"] = errors_json(report.in_type);
  return row;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char line[32];
  std::strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return line;
}

}  // namespace

void print_error_heading(std::ostream& to) {
  to << "Largest |output - exact| / sum |x| over all prefixes; \"to peak\": / max |exact| so far\n"
     << text("%-14s %-20s %6s %9s %9s %9s %9s %6s %9s %9s\n", "types", "input", "n", "scan",
             "serial", "in type", "tree", "d", "bound", "u of out");
}

void print_errors(std::ostream& to, const std::vector<error_report>& reports) {
  for (const error_report& report : reports) {
    const std::string bound =
        text(" %6lld %9s %9s%s", static_cast<long long>(report.chain),
             error_text(report.bound).c_str(), error_text(report.output_roundoff).c_str(),
             report.within_bound() ? "" : "  BEYOND THE BOUND");
    print_row(to, report, report.what.input_name(), &largest_errors::to_magnitudes, bound);
    if (has_two_measures(report)) {
      print_row(to, report, "alternating, to peak", &largest_errors::to_peak, "");
    }
  }
  to << std::flush;
}

void print_markdown(std::ostream& to, const error_run& run) {
  std::vector<error_report> sorted = run.reports;
  std::stable_sort(sorted.begin(), sorted.end(), [](const error_report& a, const error_report& b) {
    return a.what.types != b.what.types ? a.what.types < b.what.types : a.what.input < b.what.input;
  });
  to << "| types | input | n | scan | serial, float | serial, in the type | tree, float | d | "
        "bound |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const error_report& report : sorted) {
    to << "| " << report.what.types_name() << " | " << report.what.input_name() << " | "
       << items_text(report.what.num_items) << markdown_cell(report, report.scan)
       << markdown_cell(report, report.serial)
       << (report.has_in_type ? markdown_cell(report, report.in_type) : " | ")
       << markdown_cell(report, report.tree) << " | " << report.chain << " | "
       << error_text(report.bound) << " |\n";
  }
}

void write_error_json(std::ostream& to, const error_run& run) {
  const std::string commit = BENCH_GIT_COMMIT;
  nlohmann::json json = {{"date", utc_now()},
                         {"operator", "plus"},
                         {"kind", "inclusive"},
                         {"device", run.gpu.empty() ? "cpu" : "gpu"},
                         {"gpu", nullptr},
                         {"cpu", cpu_model()},
                         {"library_version", BENCH_LIBRARY_VERSION},
                         {"git_commit", nullptr},
                         {"seed", run.seed},
                         {"reference", "exact: 128-bit integers"},
                         {"rows", nlohmann::json::array()}};
  if (!run.gpu.empty()) json["gpu"] = run.gpu;
  if (!commit.empty()) json["git_commit"] = commit;
  for (const error_report& report : run.reports) json["rows"].push_back(report_json(report));
  to << json.dump(2) << '\n';
}

bool complain(const error_run& run) {
  bool beyond = false;
  for (const error_report& report : run.reports) {
    if (report.within_bound()) continue;
    beyond = true;
    std::fprintf(
        stderr, "scan_errors: %s, %s, n = %lld: an error of %.3e is beyond the bound %.3e\n",
        report.what.types_name(), report.what.input_name(),
        static_cast<long long>(report.what.num_items), report.scan.to_magnitudes, report.bound);
  }
  return beyond;
}

}  // namespace bench
