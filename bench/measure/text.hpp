// Numbers as people read them in a table.
#ifndef SCAN_BENCH_MEASURE_TEXT_HPP
#define SCAN_BENCH_MEASURE_TEXT_HPP

#include <cstdint>
#include <cstdio>
#include <string>

namespace bench {

/// printf into a string: one line of a table.
template <class... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof(line), format, values...);
  return line;
}

/// "3.5 MiB"
std::string bytes_text(std::int64_t num_bytes);
/// "2^20", "3*2^10+1"; small and other numbers in digits.
std::string items_text(std::int64_t num_items);
/// "2.10 us", "1.330 ms"
std::string time_text(double us);

}  // namespace bench

#endif
