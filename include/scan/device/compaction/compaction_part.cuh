// What a warp does with its part once it is marked: what is kept moves together in shared memory,
// and leaves for where it belongs.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_PART_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_PART_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/device/compaction/compaction_marks.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Cut` is a compaction_cut. All lanes of a warp call.
template <class Cut>
class compaction_part : public compaction_marks<Cut> {
  using base = compaction_marks<Cut>;
  using base::first_;
  using base::num_valid_;
  using base::scan_;
  using base::shift_;
  using base::slot;
  using base::slots_;
  using base::start_;
  using base::total_;
  using base::word_;

 public:
  using base::words;
  using typename base::moved;
  using typename base::slots;
  using T = typename Cut::T;
  /// Of the warp alone, from compact() to store(): what is rejected, and where in the part lay what
  /// is kept, if the cut keeps these places.
  struct own_memory {
    chunk_slot<Cut::Results::has_rejected ? Cut::slot_bytes : granule> rejected;
    unsigned short places[Cut::keeps_places ? Cut::num_places : 1];
  };

  __device__ compaction_part(const Cut& scan, slots& memory, std::int64_t first, own_memory& own)
      : base(scan, memory, first), own_(own) {}

  /// Moves together what is kept, and what is not.
  __device__ void compact() const {
#pragma unroll
    for (int g = 0; g < words; ++g) {
      if (!Cut::Results::has_rejected && are_few(g)) {
        compact_few(g);
      } else if constexpr (is_narrow) {
        compact_words(g);
      } else {
        compact_rows(g);
      }
    }
    __syncwarp();
  }

  /// Stores the results; `before`: of all elements before.
  __device__ void store(const T& before) const {
    const int count = total_.count;
    if constexpr (Cut::moves_items) {
      store_from(slots_.kept, shift_, scan_.to.kept, before.count, count);
    } else {
      store_positions(before.count);
    }
    if constexpr (Cut::Results::has_rejected) {
      store_from(own_.rejected, 0, scan_.to.rejected, first_ - before.count, num_valid_ - count);
    }
    if constexpr (Cut::Results::has_lengths) store_lengths(before);
  }

 private:
  static constexpr int rows_at_once = std::clamp(16 / static_cast<int>(sizeof(moved)), 1, 4);

  __device__ bool has_item(int row) const { return row * warp_size + lane_index() < num_valid_; }
  __device__ moved* rejected_slot() const { return reinterpret_cast<moved*>(own_.rejected.bytes); }
  /// Element `k` of the part comes to place `place`.
  __device__ void put(int place, int k, const moved& item) const {
    if constexpr (Cut::moves_items) slot()[place] = item;
    if constexpr (Cut::keeps_places) own_.places[place] = static_cast<unsigned short>(k);
  }

  // ---- moving together, in the slot: what is written lies where it has been read, or before ----

  /// Whether no row of rows [32 g, 32 g + 32) has more than a few: then a lane goes along its own
  /// row, in place of all lanes along all rows.
  static constexpr int few_of_row = std::clamp(32 / static_cast<int>(sizeof(moved)), 2, 8);
  __device__ bool are_few(int g) const {
    return __all_sync(all_lanes, __popc(word_[g]) <= few_of_row);
  }
  __device__ int row_item(int g, unsigned word) const {
    return (g * warp_size + lane_index()) * warp_size + __ffs(static_cast<int>(word)) - 1;
  }
  __device__ void compact_few(int g) const {
    moved items[few_of_row];
    if constexpr (Cut::moves_items) {
      const moved* const at = slot();
      unsigned left = word_[g];
#pragma unroll
      for (int i = 0; i < few_of_row; ++i, left &= left - 1) {
        if (!__any_sync(all_lanes, left != 0)) break;
        if (left != 0) items[i] = at[row_item(g, left)];
      }
      __syncwarp();  // what is written lies where these are, or before
    }
    unsigned left = word_[g];
#pragma unroll
    for (int i = 0; i < few_of_row; ++i, left &= left - 1) {
      if (!__any_sync(all_lanes, left != 0)) break;
      if (left != 0) put(start_[g] + i, row_item(g, left), items[i]);
    }
    __syncwarp();
  }

  /// Elements of which a lane has several in a word: a step takes `lane_items` of each lane.
  static constexpr bool is_narrow = Cut::moves_items && sizeof(moved) <= 2;
  static constexpr int lane_items = is_narrow ? 4 / static_cast<int>(sizeof(moved)) : 1;
  static constexpr int steps_at_once = 4;
  __device__ void compact_words(int g) const {
    moved* const at = slot();
    const int offset = lane_index() * lane_items % warp_size;  // of its bits in their word
#pragma unroll 1
    for (int r = 0; r < warp_size; r += steps_at_once * lane_items) {
      const int first = (g * warp_size + r) * warp_size;
      if (first >= num_valid_) break;
      unsigned items[steps_at_once];
#pragma unroll
      for (int i = 0; i < steps_at_once; ++i) {
        const int k = first + (i * warp_size + lane_index()) * lane_items;
        if (k < num_valid_) items[i] = word_at(at + k);
      }
      __syncwarp();
#pragma unroll
      for (int i = 0; i < steps_at_once; ++i) {
        const int row = r + i * lane_items + lane_index() * lane_items / warp_size;
        const unsigned word = __shfl_sync(all_lanes, word_[g], row);
        const int start = __shfl_sync(all_lanes, start_[g], row);
        int place = start + __popc(word & ((1u << offset) - 1));
#pragma unroll
        for (int v = 0; v < lane_items; ++v) {
          const int k = first + (i * warp_size + lane_index()) * lane_items + v;
          const unsigned bits = items[i] >> v * 8 * static_cast<int>(sizeof(moved));
          moved item;
          memcpy(&item, &bits, sizeof(item));
          if ((word >> (offset + v) & 1) != 0) {
            put(place++, k, item);
          } else if constexpr (Cut::Results::has_rejected) {
            if (k < num_valid_) rejected_slot()[k - place] = item;
          }
        }
      }
    }
  }
  /// The word of elements from `at` on, which need not begin one. (What lies behind it is the
  /// slot's.)
  __device__ static unsigned word_at(const moved* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto* const from = reinterpret_cast<const unsigned*>(address / 4 * 4);
    return __funnelshift_r(from[0], from[1], static_cast<unsigned>(address % 4 * 8));
  }

  __device__ void compact_rows(int g) const {
#pragma unroll 1
    for (int r = 0; r < warp_size; r += rows_at_once) {
      const int row = g * warp_size + r;
      if (row * warp_size >= num_valid_) break;
      moved items[rows_at_once];
      if constexpr (Cut::moves_items) {
        const moved* const at = slot();
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {  // (or what nobody keeps)
          if (row + i < Cut::most_rows) items[i] = at[(row + i) * warp_size + lane_index()];
        }
        __syncwarp();  // what is written lies where these rows are, or before
      }
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        if (row + i >= Cut::most_rows) break;
        const unsigned word = __shfl_sync(all_lanes, word_[g], r + i);
        const int place = __shfl_sync(all_lanes, start_[g], r + i) + __popc(word & lanes_below());
        const int k = (row + i) * warp_size + lane_index();
        if ((word >> lane_index() & 1) != 0) {
          put(place, k, items[i]);
        } else if constexpr (Cut::Results::has_rejected) {
          if (has_item(row + i)) rejected_slot()[k - place] = items[i];
        }
      }
    }
  }

  // ---- results ----

  template <class Slot>
  __device__ void store_from(const Slot& from, int offset, moved* to, std::int64_t place,
                             int wanted) const {
    const int count = static_cast<int>(scan_.room(place, wanted));
    using part = std::remove_pointer_t<decltype(parts_at(to))>;
    if (count == 0) return;
    from.store_by_lanes(
        chunk<part>{parts_at(to + place), count * static_cast<int>(sizeof(moved)), offset});
  }
  __device__ void store_positions(std::int64_t place) const {
    const auto count = static_cast<int>(scan_.room(place, total_.count));
    moved* const to = scan_.to.kept + place;
    for (int i = lane_index(); i < count; i += warp_size) {
      to[i] = static_cast<moved>(first_ + own_.places[i]);
    }
    __syncwarp();  // the next part's places come here
  }
  /// Who begins a run knows how long the one before was.
  __device__ void store_lengths(const T& before) const {
    const int count = total_.count;
    const unsigned short* const begins = own_.places;
    if (lane_index() == 0 && count > 0) {
      scan_.write_length(before.count - 1, before.open + begins[0]);
    }
    const auto room = static_cast<int>(scan_.room(before.count, max(count - 1, 0)));
    auto* const to = scan_.to.lengths + before.count;
    for (int k = lane_index(); k < room; k += warp_size) to[k] = begins[k + 1] - begins[k];
    __syncwarp();  // the next part's places come here
  }

  own_memory& own_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
