// What is measured, cell by cell.
#ifndef SCAN_BENCH_SUITES_CELLS_HPP
#define SCAN_BENCH_SUITES_CELLS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What is measured in a cell beside the library and a copy.
enum class cell_rivals { peers, ladder, blocks };

struct cell {
  std::size_t scan;  // place in `scans`
  std::int64_t num_items = 0;
  bool exclusive = false;
  bool in_place = false;
  int offset = 0;            // elements that both pointers are off their 16-byte alignment
  bool stream_time = false;  // measures calls launched one by one, too
  bool host_time = false;    // measures the host's share of a call, too
  bool from_file = false;    // scans the file that was given, not elements made up
  cell_rivals rivals = cell_rivals::peers;

  std::string in_type() const;
  std::string out_type() const;
  std::string operator_name() const;
  const char* kind_name() const { return exclusive ? "exclusive" : "inclusive"; }
  /// "u8", or "u8 to i64".
  std::string types_name() const;
  /// "u8 plus inclusive 2^20, in place"
  std::string name() const;
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

/// A table of cells that is measured on a GPU. One that draws its cells at random is one more row
/// in `suites`.
struct suite {
  const char* name;
  const char* help;
  std::vector<cell> (*cells)();
};
const std::vector<suite>& suites();
/// All cells of the suite of this name.
std::vector<cell> suite_cells(const std::string& name);

/// The words for element types and operators; those of `plain_scans` come first.
std::vector<std::string> type_words();
std::vector<std::string> operator_words();
/// Place in `scans` of one of `plain_scans`; nothing if it is not one.
std::optional<std::size_t> plain_scan(const std::string& type, const std::string& op);

}  // namespace bench

#endif
