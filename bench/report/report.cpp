#include "bench/report/report.hpp"

#include <algorithm>
#include <ostream>

#include "bench/contenders/contenders.hpp"
#include "bench/measure/environment.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

double faster(double a, double b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

void print_slower(std::ostream& to, const suite_report& run) {
  int num_slower = 0, num_compared = 0;
  for (const cell_result& result : run.cells) {
    const double speedup = result.speedup_over_cub();
    if (speedup > 0) ++num_compared;
    if (speedup == 0 || speedup >= 1) continue;
    if (num_slower++ == 0) to << "Slower than CUB:\n";
    to << text("  %-44s %.3f\n", result.what.name().c_str(), speedup);
  }
  to << text("%d of %d cells are slower than CUB\n", num_slower, num_compared);
}

}  // namespace

bool cell_result::all_verified() const {
  return failure.empty() && std::all_of(measurements.begin(), measurements.end(),
                                        [](const measurement& m) { return m.verified(); });
}

double cell_result::us(const std::string& name) const {
  for (const measurement& m : measurements) {
    if (m.name == name) return m.median_us;
  }
  return 0;
}

double cell_result::scan_us() const { return us(scan_name); }

double cell_result::over_one_sequence() const { return ratio(scan_us(), us(one_sequence_name)); }

double cell_result::copy_us() const {
  return faster(us(host_copy_name), faster(us(copy_kernel_name), us(memcpy_name)));
}

double cell_result::gb_per_second(double us) const {
  return ratio(2e-3 * static_cast<double>(what.bytes_per_side()), us);
}

double cell_result::fastest_us(const std::string& prefix) const {
  double fastest = 0;
  for (const measurement& m : measurements) {
    if (m.name.starts_with(prefix)) fastest = faster(fastest, m.median_us);
  }
  return fastest;
}

double cell_result::cub_us() const { return fastest_us(cub_prefix); }

double cell_result::speedup_over_peers() const {
  return ratio(faster(faster(cub_us(), fastest_us(thrust_prefix)), us(accelerated_name)),
               scan_us());
}

double cell_result::waiting_speedup() const {
  return ratio(fastest_us(thrust_prefix), us(waiting_scan_name));
}

bool suite_report::all_right() const {
  return std::all_of(cells.begin(), cells.end(),
                     [](const cell_result& result) { return result.all_verified(); });
}

void print_wrong(std::ostream& to, const cell_result& result) {
  if (!result.failure.empty()) {
    to << result.what.name() << ": FAILED: " << result.failure << '\n';
  }
  for (const measurement& m : result.measurements) {
    if (m.verified()) continue;
    to << result.what.name() << ": " << m.name << ": WRONG, first at index " << m.first_wrong
       << '\n';
  }
}

void print_heading(std::ostream& to, const suite_report& run, const cell& first) {
  if (run.suite.empty()) {
    to << first.kind_name() << " scan, " << first.operator_name() << ", " << first.in_type() << "; "
       << (run.on_gpu() ? run.gpu : cpu_model()) << "; median of " << run.num_rounds
       << (run.num_rounds == 1 ? " round" : " rounds") << "; GB/s read and written\n"
       << text("%12s %10s  %-32s %12s %9s %8s\n", "n", "per side", "algorithm", "time", "GB/s",
               "of copy");
    return;
  }
  to << "Suite " << run.suite << "; " << run.gpu << "; median of " << run.num_rounds << " rounds;";
  for (const std::string& version : run.cub_versions) to << ' ' << cub_prefix << version;
  to << '\n'
     << text("%8s  %-44s %10s %12s %12s %8s %8s\n", "", "scan", "per side", "time", "copy",
             "of copy", "CUB/scan");
}

void print_cell(std::ostream& to, const cell_result& result, const std::string& position) {
  to << text("%8s  %-44s %10s", position.c_str(), result.what.name().c_str(),
             bytes_text(result.what.bytes_per_side()).c_str());
  if (result.scan_us() > 0) {
    const double copy = result.copy_us(), speedup = result.speedup_over_cub();
    to << text(" %12s", time_text(result.scan_us()).c_str());
    to << (copy > 0 ? text(" %12s %7.1f%%", time_text(copy).c_str(), 100 * result.share_of_copy())
                    : text(" %12s %8s", "-", "-"));
    to << (speedup > 0 ? text(" %8.2f", speedup) : text(" %8s", "-"));
  }
  to << (result.all_verified() ? "" : "  WRONG") << std::endl;
  print_wrong(to, result);
}

void print_contenders(std::ostream& to, const cell_result& result) {
  if (result.what.from_file) to << result.input << ":\n";
  for (const measurement& m : result.measurements) {
    to << text("%12s %10s  %-32s", items_text(result.what.num_items).c_str(),
               bytes_text(result.what.bytes_per_side()).c_str(), m.name.c_str());
    if (m.verified()) {
      to << text(" %12s %9.2f %7.1f%%\n", time_text(m.median_us).c_str(),
                 result.gb_per_second(m.median_us),
                 100 * cell_result::ratio(result.copy_us(), m.median_us));
    } else {
      to << "  WRONG, first at index " << m.first_wrong << '\n';
    }
  }
  if (!result.failure.empty()) print_wrong(to, result);
  to << std::flush;
}

void print_skipped(std::ostream& to, const suite_report& run) {
  for (const cell& what : run.skipped) {
    to << "skipped, does not fit the GPU's memory: " << what.name() << '\n';
  }
}

void print_summary(std::ostream& to, const suite_report& run) {
  to << '\n';
  print_slower(to, run);
  to << text("\n%-60s %-15s %-8s %s\n", "target", "bound", "worst", "in");
  for (const target& goal : targets_of(run)) {
    if (goal.worst_cell.empty()) continue;
    to << text("%-60s %s %-7.4g %-4s %-8.3f %s\n", goal.name.c_str(),
               goal.at_least ? ">=" : "<=", goal.bound, goal.met() ? "met" : "MISS", goal.worst,
               goal.worst_cell.c_str());
  }
  print_skipped(to, run);
  for (const cell_result& result : run.cells) print_wrong(to, result);
  to << std::flush;
}

}  // namespace bench
