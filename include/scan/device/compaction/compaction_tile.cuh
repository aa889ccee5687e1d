// A tile of a compaction that a block holds in registers from its one load to its one store: a warp
// has some rows of 32 consecutive elements, one a lane, and what is kept goes where it belongs by
// itself. So little stands between a tile's load and its count, which is what few elements wait
// for.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_TILE_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_TILE_CUH

#include <cstdint>

#include "scan/call/compaction_problem.hpp"
#include "scan/device/compaction/compaction_cut.cuh"
#include "scan/device/fold/block_scan.cuh"
#include "scan/device/fold/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What the warps of a block tell each other of their parts.
template <class tile_fold>
struct fold_of_warps {
  shared_array<tile_fold, warp_size> of_warp;

  /// Of all parts, behind a barrier; `before`: of the warps before this one, if there are any.
  template <class Join>
  __device__ tile_fold total(tile_fold& before, Join join) {
    const int warps = static_cast<int>(blockDim.x) / warp_size;
    const tile_fold up_to = warp_inclusive_scan(of_warp[min(lane_index(), warps - 1)], warps, join);
    const tile_fold earlier = shuffle(up_to, max(warp_index() - 1, 0));
    if (warp_index() > 0) before = earlier;
    return shuffle(up_to, warps - 1);
  }
};

/// `Cut` is a compaction_tiles. All threads of a block call; between them are as many barriers as
/// said.
template <class Cut>
class compaction_tile {
 public:
  using T = typename Cut::T;
  using tile_fold = typename Cut::tile_fold;
  using Item = typename Cut::Item;
  using Results = typename Cut::Results;
  using moved = typename Results::moved;
  static constexpr int most_rows = Cut::most_rows;
  using shared = fold_of_warps<tile_fold>;

  __device__ compaction_tile(const Cut& scan, std::int64_t tile, shared& memory)
      : scan_(scan), memory_(memory) {
    first_ = tile * scan.tile_items() + warp_index() * scan.warp_items();
    num_valid_ = static_cast<int>(
        max(std::int64_t{0}, min(scan.num_items - first_, std::int64_t{scan.warp_items()})));
    if constexpr (Cut::Marks::of_items) {
      load();
      ask_items();
    } else {
      load_flagged();
    }
    count_warp();
  }

  /// Of all its elements; a barrier before it, and another before the next tile is made.
  __device__ tile_fold total() { return memory_.total(before_, scan_.join()); }

  /// Stores the results, after total(); `before_tile`: of all elements before the tile. (Places
  /// within a warp's rows are 32-bit numbers: what there is room for is asked once.)
  __device__ void store(const T& before_tile) const {
    const T before = scan_.join()(before_tile, before_);
    moved* const to = scan_.to.kept + before.count;
    const int room = room_for(before.count);
    int kept = 0;            // of rows before
    std::int64_t begin = 0;  // of the last run before a row, from the warp's first element on
    if constexpr (Results::has_lengths) begin = -before.open;
    visit_rows([&](int r, int k) {
      const unsigned word = row_word(r), earlier = word & lanes_below();
      const int place = kept + __popc(earlier);
      if (is_kept(r)) {
        if (place < room) to[place] = result(r, k);
        if constexpr (Results::has_lengths) {
          // (Of the run that ends here: before the first there is none.)
          const std::int64_t run = before.count + place - 1;
          scan_.write_length(run, earlier != 0 ? lane_index() - highest_bit(earlier) : k - begin);
        }
      } else if constexpr (Results::has_rejected) {
        const std::int64_t first = first_ - before.count;
        if (k < num_valid_ && k - place < room_for(first)) {
          scan_.to.rejected[first + (k - place)] = items_[r];
        }
      }
      if (Results::has_lengths && word != 0) begin = r * warp_size + highest_bit(word);
      kept += __popc(word);
    });
  }

 private:
  __device__ int room_for(std::int64_t place) const {
    return static_cast<int>(scan_.room(place, num_valid_));
  }
  __device__ moved result(int row, int k) const {
    if constexpr (Cut::moves_items) {
      return items_[row];
    } else {
      return static_cast<moved>(first_ + k);
    }
  }
  __device__ bool is_kept(int row) const { return (kept_ >> row & 1) != 0; }
  /// The bits of all lanes' elements.
  __device__ unsigned row_word(int row) const { return __ballot_sync(all_lanes, is_kept(row)); }

  /// visit(row, the lane's element of it) of all rows that there are.
  template <class Visit>
  __device__ void visit_rows(Visit visit) const {
#pragma unroll
    for (int r = 0; r < most_rows; ++r) {
      if (r >= scan_.num_rows) break;
      visit(r, r * warp_size + lane_index());
    }
  }

  __device__ void load() {
    if constexpr (Cut::has_items) {
      visit_rows([&](int r, int k) {
        if (k < num_valid_) items_[r] = scan_.in[first_ + k];
      });
    }
  }
  /// All that is read is asked for before any of it is looked at.
  __device__ void load_flagged() {
    if (scan_.marks.are_bits) {
      const auto* const words = static_cast<const unsigned*>(scan_.marks.data) + first_ / warp_size;
      const unsigned mine = lane_index() * warp_size < num_valid_ ? words[lane_index()] : 0;
      load();
      visit_rows([&](int r, int k) {
        const unsigned word = __shfl_sync(all_lanes, mine, r);
        if (k < num_valid_) kept_ |= (word >> lane_index() & 1) << r;
      });
      return;
    }
    const auto* const flags = static_cast<const std::uint8_t*>(scan_.marks.data) + first_;
    std::uint8_t flag[most_rows];
    visit_rows([&](int r, int k) { flag[r] = k < num_valid_ ? flags[k] : 0; });
    load();
    visit_rows([&](int r, int) { kept_ |= (flag[r] != 0 ? 1u : 0u) << r; });
  }
  __device__ void ask_items() {
    if constexpr (!Cut::Marks::of_two) {
      visit_rows([&](int r, int k) {
        if (k < num_valid_ && scan_.marks.keeps(items_[r])) kept_ |= 1u << r;
      });
    } else {
      // The element before is the neighbour's, or the last one of the row before. (In place its
      // tile may be writing the one before this warp's: if it does, it writes what stands there.)
      Item last = items_[0];
      if (lane_index() == warp_size - 1 && first_ > 0 && num_valid_ > 0)
        last = scan_.in[first_ - 1];
      visit_rows([&](int r, int k) {
        Item before = shuffle_up(items_[r], 1);
        const Item end = shuffle(r > 0 ? items_[max(r - 1, 0)] : last, warp_size - 1);
        if (lane_index() == 0) before = end;
        if (k >= num_valid_) return;
        const bool begins = first_ + k == 0 || scan_.marks.keeps(before, items_[r]);
        kept_ |= (begins ? 1u : 0u) << r;
      });
    }
  }
  __device__ void count_warp() {
    int count = 0, last = 0;
    visit_rows([&](int r, int) {
      const unsigned word = row_word(r);
      count += __popc(word);
      if (Results::has_lengths && word != 0) last = r * warp_size + highest_bit(word);
    });
    if (lane_index() != 0) return;
    if constexpr (Results::has_lengths) {
      memory_.of_warp[warp_index()] = {count, num_valid_ - last};
    } else {
      memory_.of_warp[warp_index()] = {count};
    }
  }

  const Cut& scan_;
  shared& memory_;
  std::int64_t first_;  // of the warp
  int num_valid_;       // of the warp
  unsigned kept_ = 0;   // bit r: the lane's element of row r
  Item items_[most_rows];
  tile_fold before_ = tile_fold::none();  // of the tile's warps before
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
