// Rows (inner = 1): each has the bits of the scan of one sequence of its length, as host_scan.hpp
// says. Threads take several rows at a time.
#ifndef SCAN_HOST_ROWS_HPP
#define SCAN_HOST_ROWS_HPP

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/host/host_scan.hpp"
#include "scan/host/parts.hpp"
#include "scan/host/short_rows.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// One row on one thread. `uncached`: what is read and written is not expected in the caches.
template <class Row>
void scan_row(const Row& row, bool uncached) {
  using tiles = typename tile_scan_for<Row>::type;
  const std::int64_t n = row.num_items;
  if (n > tiles::tile_items(n)) {
    job<Row> work{row, tiles::tile_items(n), uncached};
    while (scan_next(work)) {
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

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
