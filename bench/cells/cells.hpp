// What is measured, cell by cell.
#ifndef SCAN_BENCH_CELLS_CELLS_HPP
#define SCAN_BENCH_CELLS_CELLS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/cells/picks.hpp"
#include "bench/cells/ragged.hpp"
#include "scan/extents.hpp"

namespace bench {

/// What is measured in a cell beside the library and a copy; of a chain calls in a stream, each on
/// the output of the one before, and no copy; of shapes and segments what scans many sequences,
/// or the plain call; of selections CUB's compactions.
enum class cell_rivals { peers, none, ladder, blocks, chain, shapes, segments, selections };

/// Where what follows as many bytes of a slot begins, aligned as slots are.
constexpr std::int64_t aligned_in_slot(std::int64_t num_bytes) {
  return (num_bytes + 255) / 256 * 256;
}

/// Behind outputs of a compaction.
constexpr std::int64_t guard_bytes = 64;

struct cell {
  std::size_t scan;  // place in `scans`
  std::int64_t num_items = 0;
  bool exclusive = false;
  bool in_place = false;
  int in_offset = 0, out_offset = 0;  // elements that pointers are off slots aligned to 256 bytes
  bool warm = false;  // all calls have one input and output, and so what the L2 keeps of them
  bool stream_time = false;  // measures calls launched one by one, too
  bool host_time = false;    // measures the host's share of a call, too
  bool from_file = false;    // scans the file that was given, not elements made up
  cell_rivals rivals = cell_rivals::peers;
  // Of shapes (shape_cells.cpp): num_items is the number of the tensor's elements.
  scan::extents shape{};
  bool recurrence = false;  // of elements of this type, with as many factors: not the sum

  ragged segments{};  // of segments (segment_cells.cpp), which fill num_items

  picks picked{};  // of selections (select_cells.cpp): elements of this type, no sum

  bool is_shaped() const { return rivals == cell_rivals::shapes; }
  bool is_ragged() const { return rivals == cell_rivals::segments; }
  bool is_selection() const { return rivals == cell_rivals::selections; }
  bool is_single_row() const { return shape.outer == 1 && shape.inner == 1; }
  int num_inputs() const { return recurrence ? 2 : 1; }
  /// "65536 x 64", "(128, 4096, 128)", and pitches if there are any.
  std::string shape_name() const;
  scan::tensor_shape resolved_shape() const;
  /// What the goals of shapes are told apart by: "rows, length >= 32", "segments by keys".
  std::string shape_class() const;
  /// The same elements as one sequence, in a dense row.
  cell as_one_sequence() const;
  /// Bytes from the start of a slot of inputs, aligned to 256, to where factors would be off by as
  /// much as the other elements.
  std::int64_t factors_offset() const;
  /// "2^26, Zipf, int32 offsets"
  std::string segments_name() const;
  /// Bytes from the start of a slot of inputs to offsets, keys or flags.
  std::int64_t heads_offset() const;
  /// Bytes from the start of a slot of inputs to flags; of a slot of outputs to what is rejected or
  /// lengths, and to the count. Behind each output are `guard_bytes` that nobody writes.
  std::int64_t flags_offset() const;
  std::int64_t second_output_offset() const;
  std::int64_t count_offset() const;
  std::int64_t selection_bytes() const;  // read and written
  std::string in_type() const;
  std::string out_type() const;
  std::string operator_name() const;
  const char* kind_name() const { return exclusive ? "exclusive" : "inclusive"; }
  /// "u8", or "u8 to i64".
  std::string types_name() const;
  /// "u8 plus inclusive 2^20, in place, offset by 3, warm"
  std::string name() const;
  std::int64_t in_bytes() const;   // of an element
  std::int64_t out_bytes() const;  // of an element
  /// Half of what a call reads and writes: a copy of as many bytes moves as much.
  std::int64_t bytes_per_side() const {
    if (is_selection()) return selection_bytes() / 2;
    const std::int64_t head_bytes = is_ragged() ? segments.head_bytes(num_items) : 0;
    return (num_items * (num_inputs() * in_bytes() + out_bytes()) + head_bytes) / 2;
  }
  /// A pointer is off its alignment to 16 bytes.
  bool misaligned() const;
  /// Bytes that an input, an output or the copy's share of both takes in a pool's slot.
  std::int64_t slot_bytes() const;
  std::int64_t shaped_slot_bytes() const;
  std::int64_t ragged_slot_bytes() const;
  std::int64_t selection_slot_bytes() const;
};

/// Which cells of a suite to measure: those that have all that is given.
struct cell_filter {
  std::string type;  // of inputs or outputs
  std::string op;
  std::optional<bool> exclusive;
  std::vector<std::int64_t> sizes;
  std::int64_t from_bytes = 0, to_bytes = INT64_MAX;  // per side

  bool takes(const cell& c) const;
};

/// What the suites "random" and "select" draw, and "shapes" and "segments" beside their own cells.
struct random_draw {
  std::uint64_t seed = 1;
  int num_cells = 200;
  std::int64_t from_bytes = 256, to_bytes = std::int64_t{4} << 30;  // per side, of input and output
};

/// A table of cells that is measured on a GPU; `cells` of most leave the draw alone.
struct suite {
  const char* name;
  const char* help;
  std::vector<cell> (*cells)(const random_draw& draw);
  const char* program = "scan_bench";  // that measures it
};
const std::vector<suite>& suites();
/// All cells of the suite of this name.
std::vector<cell> suite_cells(const std::string& name, const random_draw& draw = {});

/// The same ones everywhere for the same draw: inclusive sums and maxima of eight types in equal
/// parts; the bytes per side log-uniform, whatever number of elements that makes; a quarter with
/// an input and an output off by 0 to 15 elements each, by itself; an eighth in place; half warm.
std::vector<cell> random_cells(const random_draw& draw);
inline const std::string random_suite = "random";

/// Sums along the middle axis of tensors, and recurrences: shapes that others were measured on,
/// awkward ones, small ones, and `draw.num_cells` drawn at random.
std::vector<cell> shape_cells(const random_draw& draw);
/// Rows, columns and tensors in equal parts, outer, length and inner log-uniform in what the bytes
/// leave; a quarter off by 0 to 15 elements, as random cells are; a quarter with a pitch.
std::vector<cell> random_shape_cells(const random_draw& draw);
inline const std::string shapes_suite = "shapes";

/// Sums of segments: chosen distributions of lengths, large and small, by offsets, keys and flags,
/// and `draw.num_cells` drawn at random: elements, segments, weights and their neighbours; a
/// quarter with pointers off by 0 to 15 elements. They are a part of the suite "shapes".
std::vector<cell> segment_cells(const random_draw& draw);
std::vector<cell> random_segment_cells(const random_draw& draw);
inline const std::string segments_suite = "segments";

/// Compactions, all drawn at random: elements of 1, 4 and 8 bytes, the calls in equal parts but
/// select twice, by bytes and bits, a sixth each of what is kept, half of them in runs; a quarter
/// with pointers off by 0 to 15 elements.
std::vector<cell> select_cells(const random_draw& draw);
inline const std::string select_suite = "select";

/// What measures these three: it takes minutes to compile, so that scan_bench only runs it.
inline const std::string shapes_program = "scan_bench_shapes";
/// The program of a suite, or of none.
std::string program_of(const std::string& suite);
/// Whether the user says how many cells are drawn, and from where.
inline bool is_drawn(const std::string& suite) {
  return suite == random_suite || suite == shapes_suite || suite == segments_suite ||
         suite == select_suite;
}
/// What a suite draws unless the user says otherwise.
random_draw usual_draw(const std::string& suite);

/// The words for element types and operators; those of `plain_scans` come first.
std::vector<std::string> type_words();
std::vector<std::string> operator_words();
/// Place in `scans` of one of `plain_scans`; nothing if it is not one.
std::optional<std::size_t> plain_scan(const std::string& type, const std::string& op);

}  // namespace bench

#endif
