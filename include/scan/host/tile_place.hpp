// Where a tile lies, and what its scan leaves.
#ifndef SCAN_HOST_TILE_PLACE_HPP
#define SCAN_HOST_TILE_PLACE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>

#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Whether a scan of `num_items` items of `item_bytes` bytes has tiles of a quarter of the size. Of
/// large ones every thread would have a few only, and wait for the slowest; of small ones all look
/// at too many aggregates, where there is much to scan.
constexpr bool in_small_tiles(std::int64_t num_items, std::size_t item_bytes) {
  constexpr std::int64_t most_bytes = std::int64_t{8} << 20;
  return num_items <= most_bytes / static_cast<std::int64_t>(item_bytes);
}

/// What stands for a pointer (iterators.hpp), walked from behind its last element to its first.
template <class Cursor>
struct backward {
  Cursor end;
  backward operator+(std::int64_t i) const { return {end - i}; }
  decltype(auto) operator*() const { return end[-1]; }
  decltype(auto) operator[](std::int64_t i) const { return end[-1 - i]; }
};

/// `num_items` elements in the order of the scan.
template <bool reversed, class Cursor>
auto in_walk_order(const Cursor& data, std::int64_t num_items) {
  if constexpr (reversed) {
    return backward<Cursor>{data + num_items};
  } else {
    return data;
  }
}
template <bool reversed, class U>
auto in_walk_order(U* data, std::int64_t num_items) {
  if constexpr (reversed) {
    return std::reverse_iterator<U*>(data + num_items);
  } else {
    return data;
  }
}

/// Iterators over elements in the order of the scan.
template <class From, class To>
struct tile_place {
  From from;
  To to;
  std::int64_t num_items;
  bool past_caches;        // outputs are not to stay in the caches
  std::int64_t distance;   // to the tile whose input this thread reads next, in items; 0: none
  std::int64_t begin = 0;  // number of its first item

  /// Asks for the part of the next tile that corresponds to items `first` .. `first + count` of
  /// this one: it arrives while this one is computed with.
  void fetch_ahead(std::int64_t first, std::int64_t count) const {
    if constexpr (std::is_lvalue_reference_v<decltype(from[0])>) {  // not through iterators
      if (distance == 0) return;
      constexpr std::int64_t line_items = std::max<std::int64_t>(1, 64 / sizeof(*from));
      for (std::int64_t i = first; i < first + count; i += line_items) {
        __builtin_prefetch(std::addressof(from[distance + i]), 0, 2);
      }
    }
  }
};

/// Whether elements are moved as bytes. In place, inputs and outputs of one size and two types
/// share their addresses: compilers assume that accesses by such types do not meet, and may
/// exchange them.
template <class Problem>
inline constexpr bool moved_as_bytes =
    !std::is_same_v<typename Problem::in_type, typename Problem::out_type> &&
    sizeof(typename Problem::in_type) == sizeof(typename Problem::out_type);

/// Item i of the input as an operand.
template <class Problem, class From>
typename Problem::T take_item(const Problem& scan, const From& from, std::int64_t i) {
  if constexpr (moved_as_bytes<Problem> && std::is_lvalue_reference_v<decltype(from[i])>) {
    typename Problem::in_type element;
    std::memcpy(static_cast<void*>(std::addressof(element)), std::addressof(from[i]),
                sizeof(element));
    return scan.take(element);
  } else {
    return scan.take(from[i]);
  }
}

/// Makes `result` item i of the output.
template <class Problem, class To>
void give_item(const Problem& scan, const To& to, std::int64_t i,
               const typename Problem::T& result) {
  typename Problem::out_type element = scan.give(result);
  if constexpr (moved_as_bytes<Problem> && std::is_lvalue_reference_v<decltype(to[i])>) {
    std::memcpy(static_cast<void*>(std::addressof(to[i])), std::addressof(element),
                sizeof(element));
  } else {
    to[i] = element;
  }
}

/// Whether a scan writes more than an output an item.
template <class Problem>
bool has_ends(const Problem& scan) {
  return scan.total != nullptr || scan.end_output != nullptr || scan.start_output != nullptr;
}

/// A tile scanned after a prefix P.
template <class T>
struct scanned_tile {
  prefix<T> last;  // as an inclusive scan writes it last
  prefix<T> next;  // P op the fold of the tile: what precedes the next tile
};

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
