// What the suites measure, cell by cell.
#ifndef SCAN_BENCH_SUITE_CELLS_HPP
#define SCAN_BENCH_SUITE_CELLS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What is measured in a cell beside the library and a copy.
enum class cell_rivals { cub, ladder, blocks };

struct cell {
  std::size_t scan;  // place in `suite_scans`
  std::int64_t num_items;
  bool exclusive = false;
  bool in_place = false;
  bool offset = false;     // both pointers one element off their 16-byte alignment
  bool host_time = false;  // measures the host's share of a call, too
  cell_rivals rivals = cell_rivals::cub;

  std::string in_type() const;
  std::string out_type() const;
  std::string operator_name() const;
  const char* kind_name() const { return exclusive ? "exclusive" : "inclusive"; }
  /// "u8", or "u8 to i64".
  std::string types_name() const;
  std::int64_t in_bytes() const;   // of an element
  std::int64_t out_bytes() const;  // of an element
  /// Half of what a call reads and writes: a copy of as many bytes moves as much.
  std::int64_t bytes_per_side() const { return num_items * (in_bytes() + out_bytes()) / 2; }
  /// Bytes that an input, an output or the copy's share of both takes in a pool's slot.
  std::int64_t slot_bytes() const;
};

/// Which cells of a suite to measure: those that have all that is given.
struct cell_filter {
  std::string type;  // of inputs or outputs
  std::string op;
  std::optional<bool> exclusive;
  std::vector<std::int64_t> sizes;

  bool takes(const cell& c) const;
};

/// All cells of the suite "speed", "quick", "ladder" or "blocks".
std::vector<cell> suite_cells(const std::string& suite);

}  // namespace bench

#endif
