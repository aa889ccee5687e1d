// What scan_errors has measured, as tables and as JSON.
#ifndef SCAN_BENCH_ERROR_REPORT_HPP
#define SCAN_BENCH_ERROR_REPORT_HPP

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "bench/error_cases.hpp"

namespace bench {

struct error_run {
  std::string gpu;  // empty: scanned on CPU threads
  std::uint64_t seed;
  std::vector<error_report> reports;
};

void print_error_heading(std::ostream& to);
/// The reports of one size.
void print_errors(std::ostream& to, const std::vector<error_report>& reports);
/// Everything, sorted by types; brackets hold errors relative to the largest prefix so far.
void print_markdown(std::ostream& to, const error_run& run);
void write_error_json(std::ostream& to, const error_run& run);

/// Names the errors beyond their bound on stderr; false if there are none.
bool complain(const error_run& run);

}  // namespace bench

#endif
