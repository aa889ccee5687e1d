// What the user asks for. All command lines in one source: compiling CLI11 takes longer than the
// rest.
#ifndef SCAN_BENCH_COMMAND_LINE_HPP
#define SCAN_BENCH_COMMAND_LINE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/suites/cells.hpp"

namespace bench {

enum class device_choice { automatic, cpu, gpu };

/// Of scan_bench.
struct settings {
  std::size_t scan = 0;  // without a suite: place in `scans`
  bool exclusive = false;
  std::string input;                // a file to scan first; empty: none
  std::vector<std::int64_t> sizes;  // empty: the default ones
  int num_threads = 1;
  int num_rounds = 9;
  device_choice device = device_choice::automatic;
  std::string json;   // a file to write, "-": stdout, empty: none
  std::string suite;  // the name of one, which `only` is a part of; empty: none
  cell_filter only;
};

/// Of scan_errors.
struct error_settings {
  std::vector<std::int64_t> sizes;
  device_choice device = device_choice::automatic;
  std::uint64_t seed = 2016;
  int num_threads = 1;
  bool markdown = false;
  std::string json;  // a file to write, "-": stdout, empty: none
};

/// Nothing after `--help`, which has been printed. Throw `usage_error`.
std::optional<settings> parse_command_line(int argc, char** argv);
std::optional<error_settings> parse_error_command_line(int argc, char** argv);

}  // namespace bench

#endif
