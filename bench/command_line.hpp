// What the user asks for.
#ifndef SCAN_BENCH_COMMAND_LINE_HPP
#define SCAN_BENCH_COMMAND_LINE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/problem.hpp"
#include "bench/suite_cells.hpp"

namespace bench {

enum class device_choice { automatic, cpu, gpu };

struct settings {
  problem what;
  std::string input;                // a file to scan first; empty: none
  std::vector<std::int64_t> sizes;  // empty: the default ones
  int num_threads = 1;
  int num_rounds = 9;
  device_choice device = device_choice::automatic;
  std::string json;   // a file to write, "-": stdout, empty: none
  std::string suite;  // the name of one, which `only` is a part of; empty: none
  cell_filter only;
};

/// "1000", "2^20", "64K", "16M", "1G" (powers of 1024). Throws `usage_error`.
std::int64_t parse_size(const std::string& text);

/// Nothing after `--help`, which has been printed. Throws `usage_error`.
std::optional<settings> parse_command_line(int argc, char** argv);

}  // namespace bench

#endif
