// What the user asks for. All command lines in one source: compiling CLI11 takes longer than the
// rest.
#ifndef SCAN_BENCH_COMMAND_LINE_HPP
#define SCAN_BENCH_COMMAND_LINE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/cells/cells.hpp"
#include "bench/measure/environment.hpp"

namespace bench {

/// Of both programs.
struct common_settings {
  std::vector<std::int64_t> sizes;  // empty: the default ones
  int num_threads = 1;
  device_choice device = device_choice::automatic;
  std::string json;  // a file to write, "-": stdout, empty: none
};

/// Of scan_bench.
struct settings : common_settings {
  std::size_t scan = 0;  // without a suite: place in `scans`
  bool exclusive = false;
  std::string input;  // a file to scan first; empty: none
  int num_rounds = 9;
  int num_gpus = 0;   // one sum across so many; 0: no such thing
  std::string suite;  // the name of one, which `only` is a part of; empty: none
  random_draw draw;   // of the suite that draws its cells
  cell_filter only;
};

/// Of scan_errors.
struct error_settings : common_settings {
  std::uint64_t seed = 2016;
  bool markdown = false;
};

/// Nothing after `--help`, which has been printed. Throw `usage_error`.
std::optional<settings> parse_command_line(int argc, char** argv);
std::optional<error_settings> parse_error_command_line(int argc, char** argv);

}  // namespace bench

#endif
