// The two passes of a CPU thread over one tile, in lanes: block by block, through a buffer where
// elements are converted or outputs do not lie where vectors can be stored.
#ifndef SCAN_HOST_LANE_TILES_HPP
#define SCAN_HOST_LANE_TILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/host/blocks.hpp"
#include "scan/host/tile_place.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

#ifdef SCAN_HAS_LANES

/// `num_items` items of the input as operands: in place where they are that, else in `buffer`.
template <class Problem, class From, class T = typename Problem::T>
const T* operands(const Problem& scan, From from, std::int64_t num_items, T* buffer) {
  using function = decltype(scan.in.function);
  if constexpr (std::is_same_v<From, const T*> && std::is_same_v<function, as_is>) {
    return from;
  } else {
    for (std::int64_t i = 0; i < num_items; ++i) buffer[i] = take_item(scan, from, i);
    return buffer;
  }
}

/// Copies to any address, the part between multiples of 16 bytes past the caches.
inline void store_past_caches(const void* from, void* to, std::size_t num_bytes) {
  using bytes = lanes<std::uint8_t>;
  const auto* source = static_cast<const std::uint8_t*>(from);
  auto* target = static_cast<std::uint8_t*>(to);
  const std::size_t head = std::min(-reinterpret_cast<std::uintptr_t>(to) % 16, num_bytes);
  std::memcpy(target, source, head);
  std::size_t i = head;
  for (; i + 16 <= num_bytes; i += 16) bytes::load(source + i).template store<true>(target + i);
  std::memcpy(target + i, source + i, num_bytes - i);
}

/// Where a scan can store its vectors as they come: inclusive results that are outputs as they are.
template <bool past_caches, class Problem, class To, class T = typename Problem::T>
T* direct_target(const Problem& scan, To to) {
  using function = decltype(scan.out.function);
  if constexpr (std::is_same_v<To, T*> && std::is_same_v<function, as_is>) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(to) % 16 == 0;
    if (!scan.exclusive && (aligned || !past_caches)) return to;
  }
  return nullptr;
}

/// Results on their way out, from a buffer.
template <bool past_caches, class Problem, class To, class T = typename Problem::T>
void deliver(const Problem& scan, const T* results, To to, std::int64_t num_items) {
  using out_type = typename Problem::out_type;
  if constexpr (past_caches && std::is_same_v<To, out_type*> && sizeof(out_type) <= sizeof(T)) {
    out_type converted[block_items<T>];
    for (std::int64_t i = 0; i < num_items; ++i) converted[i] = scan.give(results[i]);
    store_past_caches(converted, to, static_cast<std::size_t>(num_items) * sizeof(out_type));
  } else {
    for (std::int64_t i = 0; i < num_items; ++i) give_item(scan, to, i, results[i]);
  }
}

template <class Problem>
struct lane_tiles {
  using T = typename Problem::T;
  using op_type = typename Problem::op_type;
  static constexpr int most_blocks = 32;
  /// 128 KiB of operands: two tiles stay in an L2 of 512 KiB. Or 32 KiB.
  static constexpr std::int64_t tile_items(std::int64_t num_items) {
    return (in_small_tiles(num_items, sizeof(T)) ? 8 : most_blocks) * block_items<T>;
  }

  struct aggregates {
    T block[most_blocks];  // folds of blocks (floats: integers need but the fold of all)
    T all;
    prefix<T> fold(op_type) const { return {all, true}; }
  };

  template <class Place>
  static aggregates reduce(const Problem& scan, const Place& tile) {
    T buffer[block_items<T>];
    aggregates folds;
    folds.all = lane_identity<op_type, T>::value;
    T* block = folds.block;
    for (std::int64_t i = 0; i < tile.num_items; i += block_items<T>) {
      const std::int64_t length = std::min<std::int64_t>(block_items<T>, tile.num_items - i);
      const T* x = operands(scan, tile.from + i, length, buffer);
      *block = fold_block(x, length, scan.op);
      folds.all = scan.op(folds.all, *block++);
    }
    return folds;
  }

  template <class Place>
  static prefix<T> scan(const Problem& scan, const Place& tile, const prefix<T>& before,
                        const aggregates& folds) {
    return scan_after(scan, tile, before, &folds).last;
  }

  template <class Place>
  static scanned_tile<T> scan_on(const Problem& scan, const Place& tile, const prefix<T>& before) {
    return scan_after(scan, tile, before, nullptr);
  }
  /// The same of a tile that no other follows.
  template <class Place>
  static prefix<T> scan_last(const Problem& scan, const Place& tile, const prefix<T>& before) {
    if (tile.num_items > block_items<T>) return scan_on(scan, tile, before).last;
    T buffer[block_items<T>];
    const T* x = operands(scan, tile.from, tile.num_items, buffer);
    const T identity = lane_identity<op_type, T>::value;
    block_carry<T> carry{lanes<T>::filled(before.exists ? before.value : identity), identity};
    if (tile.past_caches) {
      scan_to<true>(scan, x, tile.to, tile.num_items, carry);
    } else {
      scan_to<false>(scan, x, tile.to, tile.num_items, carry);
    }
    return {carry.last, true};
  }

 private:
  template <class Place>
  static scanned_tile<T> scan_after(const Problem& scan, const Place& tile, const prefix<T>& before,
                                    const aggregates* folds) {
    return tile.past_caches ? scan_blocks<true>(scan, tile, before, folds)
                            : scan_blocks<false>(scan, tile, before, folds);
  }

  /// `folds`: of the tile, or null.
  template <bool past_caches, class Place>
  static scanned_tile<T> scan_blocks(const Problem& scan, const Place& tile,
                                     const prefix<T>& before, const aggregates* folds) {
    constexpr T identity = lane_identity<op_type, T>::value;
    T buffer[block_items<T>];
    const T start = before.exists ? before.value : identity;
    T running = start, folded = identity, last = identity;
    for (std::int64_t i = 0; i < tile.num_items; i += block_items<T>) {
      const std::int64_t length = std::min<std::int64_t>(block_items<T>, tile.num_items - i);
      tile.fetch_ahead(i, length);
      const T* x = operands(scan, tile.from + i, length, buffer);
      T block_fold = identity;  // before the block is overwritten; integers have it as they end
      if constexpr (!std::is_integral_v<T>) {
        block_fold =
            folds != nullptr ? folds->block[i / block_items<T>] : fold_block(x, length, scan.op);
      }
      block_carry<T> carry{lanes<T>::filled(running), identity};
      scan_to<past_caches>(scan, x, tile.to + i, length, carry);
      last = carry.last;
      running = std::is_integral_v<T> ? last : scan.op(running, block_fold);
      folded = scan.op(folded, block_fold);
    }
    return {{last, true}, {std::is_integral_v<T> ? last : scan.op(start, folded), true}};
  }

  template <bool past_caches, class To>
  static void scan_to(const Problem& scan, const T* x, To to, std::int64_t num_items,
                      block_carry<T>& carry) {
    if (T* const y = direct_target<past_caches>(scan, to); y != nullptr) {
      return scan_block<past_caches>(x, y, num_items, scan.op, carry);
    }
    T results[block_items<T> + 1];
    results[0] = carry.run[0];
    scan_block<false>(x, results + 1, num_items, scan.op, carry);
    deliver<past_caches>(scan, scan.exclusive ? results : results + 1, to, num_items);
  }
};

#endif

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
