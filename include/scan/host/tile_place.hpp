// Where a tile lies, and what its scan leaves.
#ifndef SCAN_HOST_TILE_PLACE_HPP
#define SCAN_HOST_TILE_PLACE_HPP

#include <algorithm>
#include <cstdint>
#include <memory>

#include "scan/protocol/prefix.hpp"

namespace scan::host_path {

/// Iterators over elements in the order of the scan.
template <class From, class To>
struct tile_place {
  From from;
  To to;
  std::int64_t num_items;
  bool past_caches;       // outputs are not to stay in the caches
  std::int64_t distance;  // to the tile whose input this thread reads next, in items; 0: none

  /// Asks for the part of the next tile that corresponds to items `first` .. `first + count` of
  /// this one: it arrives while this one is computed with.
  void fetch_ahead(std::int64_t first, std::int64_t count) const {
    if (distance == 0) return;
    constexpr std::int64_t line_items = std::max<std::int64_t>(1, 64 / sizeof(*from));
    for (std::int64_t i = first; i < first + count; i += line_items) {
      __builtin_prefetch(std::addressof(from[distance + i]), 0, 2);
    }
  }
};

/// A tile scanned after a prefix P.
template <class T>
struct scanned_tile {
  prefix<T> last;  // as an inclusive scan writes it last
  prefix<T> next;  // P op the fold of the tile: what precedes the next tile
};

}  // namespace scan::host_path

#endif
