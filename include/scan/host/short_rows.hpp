// Sums of rows of a few floats: as blocks.hpp says of a block of one group, for several rows side
// by side, since a row does not fill the vectors of a group.
#ifndef SCAN_HOST_SHORT_ROWS_HPP
#define SCAN_HOST_SHORT_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/host/blocks.hpp"
#include "scan/host/tile_place.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

#ifdef SCAN_HAS_LANES

/// Rows of up to this many items are short. (Of whole groups blocks.hpp makes more.)
template <class T>
inline constexpr int short_items = group_items<T> - 1;

/// The same item of several rows.
template <class T, int num_rows>
struct row_items {
  T row[std::size_t{num_rows}];
};
template <class T, int num_rows, class Op>
row_items<T, num_rows> apply(Op op, const row_items<T, num_rows>& earlier,
                             const row_items<T, num_rows>& later) {
  row_items<T, num_rows> result;
  for (int r = 0; r < num_rows; ++r) result.row[r] = op(earlier.row[r], later.row[r]);
  return result;
}

/// q(0, j, l) for the `num_items` items x of each row.
template <class Items, class T, class Op>
void scan_short(Items* x, int num_items, Op op) {
  constexpr int count = lanes<T>::count;
  for (int first = 0; first < num_items; first += count) {
    const int end = std::min(first + count, num_items);
    for (int distance = 1; distance < count; distance *= 2) {
      for (int i = end - 1; i >= first + distance; --i) x[i] = apply(op, x[i - distance], x[i]);
    }
  }
  static_assert(group_vectors == 4);
  const auto join_vectors = [&](int last, int begin, int end) {
    for (int i = begin; i < std::min(end, num_items); ++i) x[i] = apply(op, x[last], x[i]);
  };
  join_vectors(count - 1, count, 2 * count);          // w(0) into vector 1
  join_vectors(3 * count - 1, 3 * count, 4 * count);  // w(2) into vector 3
  join_vectors(2 * count - 1, 2 * count, 4 * count);  // w(0) + w(1) into both
}

/// Rows from `first` on. (A row's elements are apart in x, so that loops over rows are vector
/// code.)
template <int num_rows, class Tensor, class T = typename Tensor::T>
void scan_rows_abreast(const Tensor& scan, std::int64_t first) {
  using items = row_items<T, num_rows>;
  const auto n = static_cast<int>(scan.num_items);
  const auto in_pitch = scan.shape.in_pitch, out_pitch = scan.shape.out_pitch;
  const auto at = [n](int i) { return Tensor::reversed ? n - 1 - i : i; };
  items x[std::size_t{short_items<T>}], start = {};
  bool preceded = scan.init.exists;
  for (int r = 0; r < num_rows; ++r) {
    start.row[r] = preceded ? scan.init.value : scan.first_output;
  }
  if (scan.init_pointer != nullptr) {
    preceded = true;
    for (int r = 0; r < num_rows; ++r) start.row[r] = scan.as_operand(scan.init_pointer[first + r]);
  }
  const auto* const from = scan.in.data + first * in_pitch;
  for (int i = 0; i < n; ++i) {
    for (int r = 0; r < num_rows; ++r) x[i].row[r] = take_item(scan, from, r * in_pitch + at(i));
  }
  scan_short<items, T>(x, n, scan.op);
  for (int i = 0; i < n && preceded; ++i) x[i] = apply(scan.op, start, x[i]);
  auto* const to = scan.out.data + first * out_pitch;
  for (int i = 0; i < n; ++i) {
    const items& result = !scan.exclusive ? x[i] : i > 0 ? x[i - 1] : start;
    for (int r = 0; r < num_rows; ++r) give_item(scan, to, r * out_pitch + at(i), result.row[r]);
  }
  if (!has_ends(scan)) return;
  for (int r = 0; r < num_rows; ++r) {
    const auto row = scan.sequence(first + r, 0);
    row.write_start(prefix<T>{start.row[r], preceded});
    row.write_end({x[n - 1].row[r], true});
  }
}

/// Rows [first, last) of a tensor of short rows.
template <class Tensor>
void scan_short_rows(const Tensor& scan, std::int64_t first, std::int64_t last) {
  constexpr int abreast = 16;
  for (; first + abreast <= last; first += abreast) scan_rows_abreast<abreast>(scan, first);
  for (; first < last; ++first) scan_rows_abreast<1>(scan, first);
}

#endif

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
