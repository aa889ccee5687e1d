// Scans of tensors on CPU threads: rows, short and long, and which way a shape goes.
#ifndef SCAN_HOST_TENSOR_TENSOR_SCAN_HPP
#define SCAN_HOST_TENSOR_TENSOR_SCAN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scan/call/tensor_problem.hpp"
#include "scan/host/blocks.hpp"
#include "scan/host/sequence_scan.hpp"
#include "scan/host/tensor/strips.hpp"
#include "scan/host/tile_place.hpp"
#include "scan/host/workers.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

// ---- Sums of rows of a few floats: as blocks.hpp says of a block of one group, for several rows
// side by side, since a row does not fill the vectors of a group.

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

// ---- Rows (inner = 1): each has the bits of the scan of one sequence of its length, as
// host_scan.hpp says. Threads take several rows at a time.

/// One row on one thread. `uncached`: what is read and written is not expected in the caches.
template <class Row>
void scan_row(const Row& row, bool uncached) {
  using tiles = typename tile_scan_for<Row>::type;
  const std::int64_t n = row.num_items;
  if (n > tiles::tile_items(n)) {
    job<Row> work{row, tiles::tile_items(n), uncached};
    while (work.advance()) {
    }
    return;
  }
  const prefix<typename Row::T> start = row.start();
  const auto from = in_walk_order<Row::reversed>(row.in.data, n);
  const auto to = in_walk_order<Row::reversed>(row.out.data, n);
  const bool in_place = static_cast<const void*>(row.in.data) == row.out.data;
  // (Past the caches go whole lines alone.)
  const bool past_caches = uncached && !in_place && n >= 4096 / std::int64_t{sizeof(*to)};
  const auto last = tiles::scan_last(
      row, tile_place<decltype(from), decltype(to)>{from, to, n, past_caches, 0}, start);
  row.write_start(start);
  row.write_end(last);
}

/// Rows of integers so short that one chain of operations beats vector code.
template <class Tensor, class T = typename Tensor::T>
void scan_rows_in_one_chain(const Tensor& scan, std::int64_t first, std::int64_t last) {
  for (std::int64_t o = first; o < last; ++o) {
    const auto row = scan.sequence(o, 0);
    const auto from = in_walk_order<Tensor::reversed>(row.in.data, row.num_items);
    const auto to = in_walk_order<Tensor::reversed>(row.out.data, row.num_items);
    const prefix<T> start = row.start();
    row.write_start(start);
    row.write_end(row.exclusive ? scan_serial<true>(row, from, to, row.num_items, start)
                                : scan_serial<false>(row, from, to, row.num_items, start));
  }
}

/// Rows [first, last) on one thread.
template <class Tensor>
void scan_rows_of_part(const Tensor& scan, std::int64_t first, std::int64_t last, bool uncached) {
  using T = typename Tensor::T;
  using op_type = typename Tensor::op_type;
  if constexpr (one_chain<op_type, T>) {
    if (scan.num_items <= 32) return scan_rows_in_one_chain(scan, first, last);
  }
#ifdef SCAN_HAS_LANES
  if constexpr (in_lanes<op_type, T> && !std::is_integral_v<T>) {
    if (scan.num_items <= short_items<T>) return scan_short_rows(scan, first, last);
  }
#endif
  for (std::int64_t o = first; o < last; ++o) scan_row(scan.sequence(o, 0), uncached);
}

/// Bytes that are read and written for an element.
template <class Tensor>
inline constexpr std::int64_t moved_bytes = sizeof(typename Tensor::in_type) +
                                            sizeof(typename Tensor::out_type);

/// Scans of a tensor's rows.
template <class Tensor>
void scan_rows(const Tensor& scan, int threads) {
  using out_type = typename Tensor::out_type;
  const std::int64_t outer = scan.shape.outer, row_bytes = scan.num_items * moved_bytes<Tensor>;
  const std::int64_t rows = std::clamp<std::int64_t>(part_bytes / row_bytes, 1, outer);
  const std::int64_t num_parts = (outer - 1) / rows + 1;
  const bool uncached = outer * scan.num_items >= cached_bytes / std::int64_t{sizeof(out_type)};
  run_parts(num_parts, worker_count(threads, num_parts, outer * row_bytes, true),
            [&](std::int64_t part) {
              scan_rows_of_part(scan, part * rows, std::min((part + 1) * rows, outer), uncached);
            });
}

// ---- Scans of tensors on CPU threads: which way the sequences of a shape go. Included by
// <scan/host/host_scan.hpp>.

/// Whether rows are so long, and so few, that threads had better share each than take one each.
template <class Input, class Output>
bool shares_rows(const tensor_shape& shape, int threads) noexcept {
  constexpr std::int64_t tile_bytes = std::int64_t{128} << 10;
  using types = scan_types<Input, Output>;
  if (shape.inner != 1 || shape.length == 0) return false;
  const std::int64_t bytes = shape.length * std::int64_t{sizeof(typename types::accumulated)};
  const int num_workers = worker_count(threads, bytes / tile_bytes, bytes);
  return num_workers > 1 && shape.outer < 2 * num_workers;
}

/// Row after row, each as the one sequence that it is: libscan.a's scan of it, where it has one.
template <class Input, class Output, class Op, class Options>
status scan_row_after_row(bool exclusive, Input in, Output out, const tensor_shape& shape, Op op,
                          Options opts) {
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    if (const status done = scan_shape(on_host{}, exclusive, in, out, shape.length, op, opts);
        !done.ok()) {
      return done;
    }
    in.data += shape.in_pitch;
    out.data += shape.out_pitch;
    if (opts.init_pointer != nullptr) ++opts.init_pointer;
    if (opts.total != nullptr) ++opts.total;
  }
  return {};
}

template <class Tensor>
void scan_sequences(const Tensor& scan, int threads) {
  if (scan.num_items == 0) {
    write_ends(scan);
  } else if (scan.shape.inner == 1) {
    scan_rows(scan, threads);
  } else {
    scan_strips(scan, threads);
  }
}

/// A scan of a tensor in host memory: `inclusive` and `exclusive` of tensors.hpp.
template <class Input, class Output, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out, const extents& given,
                  Op op, const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  tensor_shape shape;
  if (const status checked = validate_tensor<Op>(exclusive, in, out, given, opts, shape);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(shape, opts)) return {};
  if (shape.num_sequences() == 1 || shares_rows<Input, Output>(shape, opts.threads)) {
    return scan_row_after_row(exclusive, in, out, shape, op, opts);
  }
  if (opts.reverse) {
    scan_sequences(describe_tensor<true>(exclusive, in, out, shape, op, opts), opts.threads);
  } else {
    scan_sequences(describe_tensor<false>(exclusive, in, out, shape, op, opts), opts.threads);
  }
  return {};
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
