#include "bench/report.hpp"

#include <algorithm>
#include <fstream>
#include <ostream>

#include "bench/text.hpp"

namespace bench {

bool run_report::all_verified() const {
  return std::all_of(sizes.begin(), sizes.end(), [](const size_report& size) {
    return std::all_of(size.measurements.begin(), size.measurements.end(),
                       [](const measurement& m) { return m.verified(); });
  });
}

double share_of_copy(const size_report& size, const measurement& m) {
  for (const measurement& other : size.measurements) {
    if (other.name == "copy" && m.median_us > 0) return other.median_us / m.median_us;
  }
  return 0;
}

double gb_per_second(const size_report& size, const measurement& m) {
  return m.median_us > 0 ? 2e-3 * static_cast<double>(size.num_bytes) / m.median_us : 0;
}

void print_heading(std::ostream& to, const run_report& run) {
  to << run.what.kind_name() << " scan, " << run.what.operator_name() << ", "
     << run.what.type_name() << "; " << (run.on_gpu() ? run.gpu : cpu_model()) << "; median of "
     << run.num_rounds << (run.num_rounds == 1 ? " round" : " rounds")
     << "; GB/s read and written\n"
     << text("%12s %10s  %-32s %12s %9s %8s\n", "n", "per side", "algorithm", "time", "GB/s",
             "of copy");
}

void print_size(std::ostream& to, const size_report& size) {
  if (size.input != "synthetic") to << size.input << ":\n";
  for (const measurement& m : size.measurements) {
    to << text("%12s %10s  %-32s", items_text(size.num_items).c_str(),
               bytes_text(size.num_bytes).c_str(), m.name.c_str());
    if (m.verified()) {
      to << text(" %12s %9.2f %7.1f%%\n", time_text(m.median_us).c_str(), gb_per_second(size, m),
                 100 * share_of_copy(size, m));
    } else {
      to << "  WRONG, first at index " << m.first_wrong << '\n';
    }
  }
  to << std::flush;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace bench
