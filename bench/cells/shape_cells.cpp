// Tensors: the shapes that other libraries were measured on, awkward ones, small ones beside the
// plain call, and some that nobody chose.
#include <algorithm>
#include <utility>

#include "bench/cells/cells.hpp"
#include "bench/cells/random_numbers.hpp"
#include "bench/cells/scans.hpp"
#include "bench/report/text.hpp"

namespace bench {
namespace {

constexpr std::int64_t power(int exponent) { return std::int64_t{1} << exponent; }

/// Of every type one, without a shape.
std::vector<cell> kinds_of_cells() {
  std::vector<cell> kinds;
  for (const std::size_t scan : places_of<suite_tensor_sums>()) {
    kinds.push_back({.scan = scan, .rivals = cell_rivals::shapes});
  }
  for (const std::size_t scan : places_of<suite_recurrences>()) {
    kinds.push_back({.scan = scan, .rivals = cell_rivals::shapes, .recurrence = true});
  }
  return kinds;
}

cell with_shape(cell what, const scan::extents& shape) {
  what.shape = shape;
  what.num_items = shape.outer * shape.length * shape.inner;
  return what;
}

/// outer, length, inner
constexpr scan::extents chosen_shapes[] = {
    // what others were measured on
    {65536, 64, 1},
    {65536, 1024, 1},
    {4096, 4096, 1},
    {1024, 65536, 1},
    {64, power(20), 1},
    {8, power(24), 1},
    {1000003, 7, 1},
    {333, 77777, 1},
    {1, 4096, 16384},
    {1, power(20), 64},
    {128, 4096, 128},
    {8, 4096, 2048},
    // rows so short that many are one thread's, 64 MiB of every type
    {power(25), 2, 1},
    {12000017, 3, 1},
    {5000011, 7, 1},
    {power(21) + 1, 17, 1},
    {1100009, 31, 1},
    {power(26), 1, 1},
    // one more than a power of two
    {power(20) + 1, 33, 1},
    {65536, 1025, 1},
    {8193, 4097, 1},
    {513, 65537, 1},
    {33, power(20) + 1, 1},
    {1, 65537, 1024},
    {1, power(20) + 1, 33},
    // sequences that are almost next to each other
    {4096, 4096, 2},
    {4096, 4096, 3},
    {4096, 4096, 4},
    {4096, 4096, 5},
    {4096, 4096, 6},
    {4096, 4096, 7},
    {1, power(24), 3},
    {power(20) + 1, 17, 2},
    {1, power(22) + 1, 16},
    {1, 1000003, 40},
    // columns so short that one is a thread's
    {256, 3, 65536},
    {4096, 16, 256},
    {2048, 33, 256},
    {1, 48, power(20)},
    // few sequences
    {3, power(28), 1},
    {1, power(16), 1},
    {1, power(20), 1},
    {1, power(22), 1},
    {1, power(24) + 1, 1},
    {1, power(26), 1},
    {1, power(28), 1}};

/// Of recurrences besides: as layers of models have them.
constexpr scan::extents model_shapes[] = {
    {64, 256, 1},     {4096, 512, 1},   {262144, 256, 1},    {32, 1024, 1},    {1536, 1024, 1},
    {32, 4096, 1},    {1536, 4096, 1},  {24576, 4096, 1},    {32, 16384, 1},   {1536, 16384, 1},
    {6144, 16384, 1}, {1536, 65536, 1}, {264, power(20), 1}, {1330, 50257, 1}, {2, 128, 1024},
    {64, 512, 256},   {8, 2048, 1536},  {4, 16384, 2048}};

/// Of about as many bytes per side: rows, columns, neighbours.
void add_small(std::vector<cell>& cells, const cell& kind, std::int64_t num_bytes) {
  constexpr scan::extents slabs[] = {{0, 96, 1},   {0, 1000, 1}, {0, 4096, 1},
                                     {0, 7, 1},    {0, 32, 3},   {0, 128, 32},
                                     {0, 16, 256}, {1, 0, 256},  {1, 0, 5}};
  cell one = kind;
  one.num_items = 2;  // whose bytes are whole
  const std::int64_t num_items = 2 * num_bytes / one.bytes_per_side();
  for (scan::extents shape : slabs) {
    std::int64_t& rest = shape.outer == 0 ? shape.outer : shape.length;
    const std::int64_t slab = std::max<std::int64_t>(shape.length, 1) * shape.inner;
    // Up where less would be outside of what there is a goal for.
    rest = num_bytes == 256 * kib ? (num_items + slab - 1) / slab : num_items / slab;
    cells.push_back(with_shape(kind, shape));
  }
}

/// Extents of 1 but for those that are drawn.
scan::extents draw_shape(random_numbers& random, std::int64_t num_items) {
  const std::uint32_t kind = random.below(3);  // rows, columns, tensors
  const std::int64_t first = random.log_uniform(1, num_items + 1);
  const std::int64_t second = random.log_uniform(1, num_items / first + 1);
  const std::int64_t third = num_items / first / second;
  if (kind == 0) return {first, num_items / first, 1};
  if (kind == 1) return {1, num_items / first, first};
  const std::uint32_t order = random.below(3);  // whatever takes the most or the rest may be any
  if (order == 0) return {first, second, third};
  return order == 1 ? scan::extents{second, third, first} : scan::extents{third, first, second};
}

cell draw_shape_cell(random_numbers& random, const random_draw& draw,
                     const std::vector<cell>& kinds) {
  cell what = kinds[random.below(static_cast<std::uint32_t>(kinds.size()))];
  constexpr int most_attempts = 100;  // whole extents fill no range, however narrow
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::int64_t num_bytes = random.log_uniform(draw.from_bytes, draw.to_bytes);
    what.num_items = 2;
    const std::int64_t num_items = 2 * num_bytes / what.bytes_per_side();
    what = with_shape(what, draw_shape(random, std::max<std::int64_t>(1, num_items)));
    if (what.bytes_per_side() >= draw.from_bytes) break;
  }
  const bool off = random.one_in(4), pitched = random.one_in(4);
  const int offsets[] = {static_cast<int>(random.below(16)), static_cast<int>(random.below(16))};
  const std::int64_t gaps[] = {random.below(64), random.below(64)};
  if (off) {
    what.in_offset = offsets[0];
    what.out_offset = offsets[1];
  }
  if (pitched && what.shape.outer > 1) {
    const std::int64_t slab = what.shape.length * what.shape.inner;
    what.shape.in_pitch = slab + std::min(gaps[0], slab);  // no more gaps than elements
    what.shape.out_pitch = slab + std::min(gaps[1], slab);
  }
  return what;
}

}  // namespace

std::vector<cell> random_shape_cells(const random_draw& draw) {
  random_numbers random(draw.seed);
  const std::vector<cell> kinds = kinds_of_cells();
  std::vector<cell> cells;
  for (int i = 0; i < draw.num_cells; ++i) cells.push_back(draw_shape_cell(random, draw, kinds));
  return cells;
}

std::vector<cell> shape_cells(const random_draw& draw) {
  std::vector<cell> cells;
  for (const cell& kind : kinds_of_cells()) {
    for (const scan::extents& shape : chosen_shapes) cells.push_back(with_shape(kind, shape));
    if (kind.recurrence) {
      for (const scan::extents& shape : model_shapes) cells.push_back(with_shape(kind, shape));
    }
    for (const std::int64_t num_bytes : {256 * kib, mib, 4 * mib, 16 * mib}) {
      add_small(cells, kind, num_bytes);
    }
  }
  const std::vector<cell> drawn = random_shape_cells(draw);
  cells.insert(cells.end(), drawn.begin(), drawn.end());
  return cells;
}

std::string cell::shape_name() const {
  const std::string of[] = {items_text(shape.outer), items_text(shape.length),
                            items_text(shape.inner)};
  std::string name =
      shape.inner == 1 ? of[0] + " x " + of[1] : "(" + of[0] + ", " + of[1] + ", " + of[2] + ")";
  if (shape.in_pitch > 0 || shape.out_pitch > 0) {
    name += ", pitches " + std::to_string(shape.in_pitch) + " " + std::to_string(shape.out_pitch);
  }
  return name;
}

scan::tensor_shape cell::resolved_shape() const {
  const std::int64_t slab = shape.length * shape.inner;
  return {shape.outer, shape.length, shape.inner, shape.in_pitch > 0 ? shape.in_pitch : slab,
          shape.out_pitch > 0 ? shape.out_pitch : slab};
}

std::string cell::shape_class() const {
  if (is_ragged() && recurrence) return "recurrences by segments";
  if (is_ragged()) return std::string("segments by ") + segments.class_name();
  if (is_selection()) return picked.class_name();
  if (shape.length == 1) return "length 1";
  if (recurrence) return shape.inner == 1 ? "recurrences, rows" : "recurrences, inner >= 2";
  if (is_single_row()) return "a single row";
  if (shape.inner > 1) {
    return shape.inner * in_bytes() >= 64 ? "columns, inner >= 64 bytes" : "inner 2.. below";
  }
  return shape.length >= 32 ? "rows, length >= 32" : "rows, length 2..31";
}

cell cell::as_one_sequence() const {
  cell row = *this;
  row.shape = {1, num_items, 1};
  row.in_offset = row.out_offset = 0;
  return row;
}

std::int64_t cell::factors_offset() const {
  if (is_ragged()) return aligned_in_slot(heads_offset() + segments.head_bytes(num_items));
  const scan::tensor_shape of = resolved_shape();
  return aligned_in_slot((of.span(of.in_pitch) + in_offset) * in_bytes());
}

std::int64_t cell::shaped_slot_bytes() const {
  const scan::tensor_shape of = resolved_shape();
  return std::max(num_inputs() * factors_offset(),
                  (of.span(of.out_pitch) + out_offset) * out_bytes());
}

}  // namespace bench
