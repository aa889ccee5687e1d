// Numbers as people read them in a table.
#ifndef SCAN_BENCH_REPORT_TEXT_HPP
#define SCAN_BENCH_REPORT_TEXT_HPP

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

namespace bench {

inline constexpr std::int64_t kib = 1024, mib = 1024 * kib;

/// printf into a string: one line of a table.
template <class... Values>
std::string text(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof(line), format, values...);
  return line;
}

/// "3.5 MiB"
inline std::string bytes_text(std::int64_t num_bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(num_bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
  return text(whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

/// "2^20", "3*2^10+1"; small and other numbers in digits.
inline std::string items_text(std::int64_t num_items) {
  const auto n = static_cast<std::uint64_t>(num_items);
  if (n >= 1024 && std::has_single_bit(n)) return text("2^%d", std::countr_zero(n));
  if (n >= 1024 && n % 3 == 1 && std::has_single_bit(n / 3)) {
    return text("3*2^%d+1", std::countr_zero(n / 3));
  }
  return std::to_string(num_items);
}

/// "2.10 us", "1.330 ms"
inline std::string time_text(double us) {
  return us < 1000 ? text("%.2f us", us) : text("%.3f ms", us / 1000);
}

}  // namespace bench

#endif
