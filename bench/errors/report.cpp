#include <algorithm>
#include <cstdio>
#include <ostream>

#include "bench/errors/errors.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

std::string error_text(double error) { return text("%.1e", error); }

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
