// What `scan_bench --gpus` says of each size: a line of a table, a row of JSON. A rank that is
// alone is measured beside the plain call, which it makes; several beside the all-gather by itself.
#ifndef SCAN_BENCH_GPUS_ROWS_HPP
#define SCAN_BENCH_GPUS_ROWS_HPP

#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "bench/gpus/rank.hpp"
#include "bench/measure/environment.hpp"

namespace bench {

/// Slices of one size, on one rank.
struct gpus_row {
  std::int64_t n;
  bool to_the_bit;
  double across_us = 0, plain_us = 0, gather_us = 0, copy_us = 0;
  /// Of a single rank: in a stream, and by how much it takes longer than the plain call.
  double across_in_stream_us = 0, plain_in_stream_us = 0, over_plain = 0, over_plain_in_stream = 0;

  /// Of the time that 3n bytes take at a copy's speed, which moves 2n.
  double share() const { return 1.5 * copy_us / across_us; }
};

inline void write_heading(std::ostream& table, bool alone) {
  table << (alone ? "       items          bytes   one rank us    plain us   ratio     copy us"
                    "   in a stream: one rank    plain   ratio\n"
                  : "       items   bytes a rank   across us  of 3n    plain us   gather us"
                    "     copy us\n");
}
inline void write_line(std::ostream& table, bool alone, const gpus_row& of) {
  char line[200];
  const auto items = static_cast<long long>(of.n);
  if (alone) {
    std::snprintf(line, sizeof(line),
                  "%12lld %14lld %13.2f %11.2f %7.3f %11.2f %23.2f %8.2f %7.3f\n", items, 4 * items,
                  of.across_us, of.plain_us, of.over_plain, of.copy_us, of.across_in_stream_us,
                  of.plain_in_stream_us, of.over_plain_in_stream);
  } else {
    std::snprintf(line, sizeof(line), "%12lld %14lld %11.2f %7.3f %11.2f %11.2f %11.2f %s\n", items,
                  4 * items, of.across_us, of.share(), of.plain_us, of.gather_us, of.copy_us,
                  of.to_the_bit ? "bits" : "sums");
  }
  table << line << std::flush;
}

inline void write_rows(std::ostream& to, int num_gpus, const std::vector<gpus_row>& rows) {
  int nccl = 0;
  check(ncclGetVersion(&nccl));
  to << "{\"gpus\": " << num_gpus << ", \"gpu\": " << std::quoted(find_gpu(device_choice::gpu).name)
     << ", \"nccl\": " << nccl;
  for (const auto& [name, value] : here_and_now()) {
    to << ", " << std::quoted(name) << ": ";
    if (const auto* text = std::get_if<std::string>(&value)) {
      to << std::quoted(*text);
    } else {
      to << std::get<int>(value);
    }
  }
  to << ", \"type\": \"f32\", \"operator\": \"plus\", \"rows\": [";
  const char* separator = "\n";
  for (const gpus_row& of : rows) {
    to << separator << "  {\"n\": " << of.n << ", \"across_us\": " << of.across_us
       << ", \"plain_us\": " << of.plain_us << ", \"copy_us\": " << of.copy_us;
    if (num_gpus == 1) {
      to << ", \"over_plain\": " << of.over_plain
         << ", \"across_in_stream_us\": " << of.across_in_stream_us
         << ", \"plain_in_stream_us\": " << of.plain_in_stream_us
         << ", \"over_plain_in_stream\": " << of.over_plain_in_stream << "}";
    } else {
      to << ", \"share_of_3n\": " << of.share() << ", \"gather_us\": " << of.gather_us
         << ", \"bits\": " << (of.to_the_bit ? "true" : "false") << "}";
    }
    separator = ",\n";
  }
  to << "\n]}\n";
}

}  // namespace bench

#endif
