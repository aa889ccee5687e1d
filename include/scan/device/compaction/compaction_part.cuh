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
  using base::below;
  using base::first_;
  using base::highest;
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
  using typename base::T;

  __device__ compaction_part(const Cut& scan, slots& memory, std::int64_t first)
      : base(scan, memory, first) {}

  /// Moves together what is kept, and what is not.
  __device__ void compact() {
    if constexpr (is_narrow) {
      compact_words();
    } else {
      compact_rows();
    }
  }

  /// Stores the results; `before`: of all elements before.
  __device__ void store(const T& before) const {
    const int count = static_cast<int>(total_.count);
    store_from(slots_.kept, scan_.to.kept, before.count, count);
    if constexpr (Cut::Results::has_rejected) {
      store_from(slots_.rejected, scan_.to.rejected, first_ - before.count, num_valid_ - count);
    }
    if constexpr (Cut::Results::has_lengths) store_lengths(before);
  }

 private:
  static constexpr int rows_at_once = std::clamp(16 / static_cast<int>(sizeof(moved)), 1, 4);

  __device__ bool has_item(int row) const { return row * warp_size + lane_index() < num_valid_; }
  __device__ moved* rejected_slot() const {
    return reinterpret_cast<moved*>(slots_.rejected.bytes);
  }
  /// What is moved of the lane's element of a row.
  __device__ moved value(const moved* at, int row) const {
    const int i = row * warp_size + lane_index();
    if constexpr (Cut::moves_items) {
      return at[i];
    } else {
      return static_cast<moved>(first_ + i);
    }
  }

  // ---- moving together, in the slot: what is written lies where it has been read, or before ----

  /// Elements of which a lane has several in a word: a step takes `lane_items` of each lane.
  static constexpr bool is_narrow = Cut::moves_items && sizeof(moved) <= 2;
  static constexpr int lane_items = is_narrow ? 4 / static_cast<int>(sizeof(moved)) : 1;
  static constexpr int steps_at_once = 4;
  __device__ void compact_words() {
    moved* const at = slot();
    const int offset = lane_index() * lane_items % warp_size;  // of its bits in their word
#pragma unroll
    for (int g = 0; g < words; ++g) {
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
              at[place++] = item;
            } else if constexpr (Cut::Results::has_rejected) {
              if (k < num_valid_) rejected_slot()[k - place] = item;
            }
          }
        }
      }
    }
    __syncwarp();
  }
  /// The word of elements from `at` on, which need not begin one. (What lies behind it is the
  /// slot's.)
  __device__ static unsigned word_at(const moved* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto* const from = reinterpret_cast<const unsigned*>(address / 4 * 4);
    return __funnelshift_r(from[0], from[1], static_cast<unsigned>(address % 4 * 8));
  }

  __device__ void compact_rows() {
    moved* const at = slot();
#pragma unroll
    for (int g = 0; g < words; ++g) {
#pragma unroll 1
      for (int r = 0; r < warp_size; r += rows_at_once) {
        const int row = g * warp_size + r;
        if (row * warp_size >= num_valid_) break;
        moved items[rows_at_once];
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {
          if (row + i < Cut::most_rows) items[i] = value(at, row + i);  // (or what nobody keeps)
        }
        __syncwarp();  // what is written lies where these rows are, or before
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {
          if (row + i >= Cut::most_rows) break;
          const unsigned word = __shfl_sync(all_lanes, word_[g], r + i);
          const int place = __shfl_sync(all_lanes, start_[g], r + i) + __popc(word & below());
          if ((word >> lane_index() & 1) != 0) {
            at[place] = items[i];
          } else if constexpr (Cut::Results::has_rejected) {
            if (!has_item(row + i)) continue;
            rejected_slot()[(row + i) * warp_size + lane_index() - place] = items[i];
          }
        }
      }
    }
    __syncwarp();
  }

  // ---- results ----

  template <class Slot>
  __device__ void store_from(const Slot& from, moved* to, std::int64_t place, int wanted) const {
    const int count = static_cast<int>(scan_.room(place, wanted));
    const int offset = &from == static_cast<const Slot*>(&slots_.kept) ? shift_ : 0;
    using part = std::remove_pointer_t<decltype(parts_at(to))>;
    if (count == 0) return;
    from.store_by_lanes(
        chunk<part>{parts_at(to + place), count * static_cast<int>(sizeof(moved)), offset});
  }
  /// Who begins a run knows how long the one before was. Where runs begin is moved together as the
  /// elements were, of 32 rows at once, in the slot that these have left.
  __device__ void store_lengths(const T& before) const {
    auto* const begins = reinterpret_cast<unsigned short*>(slots_.kept.bytes);
    std::int64_t last = before.last;
#pragma unroll
    for (int g = 0; g < words; ++g) {
      const int start = __shfl_sync(all_lanes, start_[g], 0);
      __syncwarp();  // nobody reads what was there
#pragma unroll 4
      for (int r = 0; r < warp_size; ++r) {
        if ((g * warp_size + r) * warp_size >= num_valid_) break;
        const unsigned word = __shfl_sync(all_lanes, word_[g], r);
        if (word == 0) continue;
        const int place = __shfl_sync(all_lanes, start_[g], r) - start + __popc(word & below());
        if ((word >> lane_index() & 1) != 0) {
          begins[place] = static_cast<unsigned short>(r * warp_size + lane_index());
        }
      }
      __syncwarp();
      const std::int64_t first = first_ + g * warp_size * warp_size, run = before.count + start - 1;
      const int up_to = __shfl_sync(all_lanes, start_[g] + __popc(word_[g]), warp_size - 1) - start;
      for (int k = lane_index(); k < up_to; k += warp_size) {
        if (run + k < 0 || run + k >= scan_.capacity) continue;
        scan_.write_length(run + k, k == 0 ? first + begins[0] - last : begins[k] - begins[k - 1]);
      }
      if (up_to > 0) last = first + begins[up_to - 1];
    }
    __syncwarp();  // who comes next writes to the slot
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
