// The part of a tile that a warp has of a compaction: its elements come into a slot of shared
// memory, bits say which are kept, these move together in the slot, and leave for where they
// belong.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_TILE_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_TILE_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/compaction_problem.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/device/plan/compaction_plan.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A compaction in tiles of `warps` parts, of up to `rows_` rows of 32 elements, one a lane.
template <class Problem, int warps_, int rows_ = 1024>
struct compaction_cut : Problem {
  static constexpr int warps = warps_;
  /// In the ring, besides these: who marks, and who loads, publishes and looks back.
  static constexpr int mark_warps = compaction_mark_warps(Problem::Marks::of_items);
  SCAN_HOST_DEVICE static constexpr int ring_threads() { return (warps + mark_warps + 3) * 32; }
  using typename Problem::Item;
  using typename Problem::Results;
  using moved = typename Results::moved;
  /// Bytes of an element in slots, of which there is one more for what is rejected.
  static constexpr int moved_bytes =
      static_cast<int>(sizeof(moved)) * (Results::has_rejected ? 2 : 1);
  static constexpr int most_rows = std::min(most_compaction_rows(moved_bytes), rows_);
  /// Rows whose bits a lane has: one of each 32.
  static constexpr int words = (most_rows + warp_size - 1) / warp_size;
  /// (For lengths, of 32 rows, see store_lengths.)
  static constexpr int slot_bytes = std::max(
      most_rows * warp_size * static_cast<int>(sizeof(moved)),
      Results::has_lengths ? std::min(most_rows, warp_size) * warp_size * 2 : 0);
  /// Of a part's flags.
  static constexpr int flag_bytes = most_rows * warp_size;
  static_assert(alignof(moved) <= granule, "scan: elements are aligned to 16 bytes at most");

  int num_rows;  // of a warp's part

  compaction_cut(const Problem& scan, int num_rows) : Problem(scan), num_rows(num_rows) {}

  __host__ __device__ int warp_items() const { return num_rows * warp_size; }
  __host__ __device__ int tile_items() const { return warps * warp_items(); }
  __host__ __device__ std::int64_t num_tiles() const {
    return this->num_items <= 0 ? 0 : (this->num_items - 1) / tile_items() + 1;
  }
  /// Of all flags.
  __device__ std::int64_t num_flag_bytes() const {
    return this->marks.are_bits ? (this->num_items + 31) / 32 * 4 : this->num_items;
  }
  /// The same, knowing how many elements there are; nothing behind those that might be is touched.
  __device__ compaction_cut resolved() const {
    compaction_cut here = *this;
    if (this->num_items_pointer != nullptr) {
      here.num_items = max(std::int64_t{0}, min(*this->num_items_pointer, this->num_items));
    }
    return here;
  }
};

template <class Problem>
using compaction_ring_cut =
    compaction_cut<Problem, compaction_ring_warps(Problem::Marks::of_items)>;

/// `Cut` is a compaction_cut. All lanes of a warp call.
template <class Cut>
class compaction_part {
 public:
  using T = typename Cut::T;
  using Item = typename Cut::Item;
  using moved = typename Cut::moved;
  static constexpr int words = Cut::words;
  /// Its shared memory, whose elements others may bring.
  struct one_slot {
    chunk_slot<Cut::slot_bytes> kept;
    chunk_slot<Cut::Marks::of_items ? granule : Cut::flag_bytes> flags;
  };
  struct two_slots : one_slot {
    chunk_slot<Cut::slot_bytes> rejected;
  };
  using slots = std::conditional_t<Cut::Results::has_rejected, two_slots, one_slot>;
  /// What who marks a part tells who moves it.
  struct note {
    unsigned word[words][warp_size];
    int start[words][warp_size];
    T total;
  };

  __device__ compaction_part(const Cut& scan, slots& memory, std::int64_t first)
      : scan_(scan),
        slots_(memory),
        first_(first),
        num_valid_(static_cast<int>(
            max(std::int64_t{0}, min(scan.num_items - first, std::int64_t{scan.warp_items()})))) {
    if constexpr (Cut::has_items) shift_ = source().shift();
  }

  /// Its elements in memory.
  __device__ auto source() const {
    using part = std::remove_pointer_t<decltype(parts_at(scan_.in))>;
    return chunk<part>{parts_at(scan_.in + first_), num_valid_ * static_cast<int>(sizeof(Item)), 0};
  }

  /// Its flags: a byte an element, or words of bits.
  __device__ chunk<const std::uint8_t> flags_source() const {
    const bool bits = scan_.marks.are_bits;
    return {flags_of(scan_) + (bits ? first_ / 8 : first_),
            bits ? (num_valid_ + warp_size - 1) / warp_size * 4 : num_valid_, 0};
  }
  __device__ static const std::uint8_t* flags_of(const Cut& scan) {
    return static_cast<const std::uint8_t*>(scan.marks.data);
  }

  /// What comes from memory: visit(slot, where it is, begin and end of its array) of each.
  template <class Visit>
  __device__ void visit_slots(Visit visit) const {
    if constexpr (Cut::has_items) {
      visit(slots_.kept, source(), parts_at(scan_.in), parts_at(scan_.in + scan_.num_items));
    }
    if constexpr (!Cut::Marks::of_items) {
      visit(slots_.flags, flags_source(), flags_of(scan_),
            flags_of(scan_) + scan_.num_flag_bytes());
    }
  }
  /// Where elements are compared, the one before them; else nothing.
  using asked = std::conditional_t<Cut::Marks::of_two, Item, no_items>;
  __device__ asked ask_previous() const {
    asked previous;
    if constexpr (Cut::Marks::of_two) {
      if (first_ > 0 && num_valid_ > 0) previous = scan_.in[first_ - 1];
    }
    return previous;
  }
  /// Marks and counts what is kept; all has come.
  __device__ void mark(const asked& previous) {
    if constexpr (Cut::Marks::of_items) {
      ask_items(previous);
    } else {
      take_flags();
    }
    count_rows();
  }
  __device__ void keep(note& to) const {
#pragma unroll
    for (int g = 0; g < words; ++g) {
      to.word[g][lane_index()] = word_[g];
      to.start[g][lane_index()] = start_[g];
    }
    if (lane_index() == 0) to.total = total_;
  }
  __device__ void take(const note& from) {
#pragma unroll
    for (int g = 0; g < words; ++g) {
      word_[g] = from.word[g][lane_index()];
      start_[g] = from.start[g][lane_index()];
    }
    total_ = from.total;
  }

  /// Of all its elements.
  __device__ T fold() const { return total_; }

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

  static constexpr int rows_asked = std::clamp(16 / static_cast<int>(sizeof(Item)), 1, 4);

  __device__ static unsigned below() { return (1u << lane_index()) - 1; }
  __device__ bool has_item(int row) const { return row * warp_size + lane_index() < num_valid_; }
  __device__ moved* slot() const { return reinterpret_cast<moved*>(slots_.kept.bytes + shift_); }
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
  /// The word of elements from `at` on, which need not begin one. (What lies behind it is the slot's.)
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

  // ---- bits: lane r has those of row r, of each 32 ----

  __device__ void take_flags() {
    const auto from = flags_source();
    slots_.flags.align(from.shift());
    const unsigned char* const flags = slots_.flags.bytes;
#pragma unroll
    for (int g = 0; g < words; ++g) {
      const int row = g * warp_size + lane_index(), left = num_valid_ - row * warp_size;
      word_[g] = 0;
      if (left <= 0) continue;
      word_[g] = scan_.marks.are_bits ? reinterpret_cast<const unsigned*>(flags)[row]
                                      : set_flags(flags + row * warp_size);
      if (left < warp_size) word_[g] &= (1u << left) - 1;
    }
  }
  /// Of 32 bytes which are not 0. Of each four: the highest bits say so, then come together in the
  /// product's.
  __device__ static unsigned set_flags(const unsigned char* bytes) {
    unsigned result = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const uint4 some = reinterpret_cast<const uint4*>(bytes)[k];
      const unsigned four[4] = {some.x, some.y, some.z, some.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        constexpr unsigned highest = 0x80808080;
        const unsigned set = (((four[i] & ~highest) + ~highest) | four[i]) & highest;
        result |= ((set >> 7) * 0x10204080u >> 28) << (16 * k + 4 * i);
      }
    }
    return result;
  }

  /// All loads of some rows before the first answer.
  __device__ void ask_items(const asked& previous) {
    const Item* const at = slot();
#pragma unroll
    for (int g = 0; g < words; ++g) {
      word_[g] = 0;
#pragma unroll 1
      for (int r = 0; r < warp_size; r += rows_asked) {
        const int row = g * warp_size + r;
        if (row * warp_size >= num_valid_) break;
        Item items[rows_asked], before[rows_asked];
#pragma unroll
        for (int i = 0; i < rows_asked; ++i) {
          const int k = (row + i) * warp_size + lane_index();
          if (k < num_valid_) items[i] = at[k];
          if (Cut::Marks::of_two && k > 0 && k < num_valid_) before[i] = at[k - 1];
        }
#pragma unroll
        for (int i = 0; i < rows_asked; ++i) {
          const int k = (row + i) * warp_size + lane_index();
          bool kept = false;
          if constexpr (Cut::Marks::of_two) {
            if (k > 0 && k < num_valid_) kept = scan_.marks.keeps(before[i], items[i]);
          } else {
            if (k < num_valid_) kept = scan_.marks.keeps(items[i]);
          }
          const unsigned word = __ballot_sync(all_lanes, kept);
          if (lane_index() == r + i) word_[g] = word;
        }
      }
    }
    if constexpr (Cut::Marks::of_two) {
      if (lane_index() == 0 && num_valid_ > 0) {
        word_[0] |= first_ == 0 || scan_.marks.keeps(previous, at[0]) ? 1 : 0;
      }
    }
  }

  /// How many are kept before each row, and in all.
  __device__ void count_rows() {
    int count = 0;
    std::int64_t last = -1;
#pragma unroll
    for (int g = 0; g < words; ++g) {
      const int mine = __popc(word_[g]);
      const int up_to = warp_inclusive_scan(mine, warp_size, [](int a, int b) { return a + b; });
      start_[g] = count + up_to - mine;
      count += __shfl_sync(all_lanes, up_to, warp_size - 1);
      if constexpr (Cut::Results::has_lengths) {
        const unsigned rows = __ballot_sync(all_lanes, word_[g] != 0);
        if (rows != 0) {
          const int row = highest(rows);
          const unsigned word = __shfl_sync(all_lanes, word_[g], row);
          last = first_ + (g * warp_size + row) * warp_size + highest(word);
        }
      }
    }
    if constexpr (Cut::Results::has_lengths) {
      total_ = {count, last};
    } else {
      total_ = {count};
    }
  }
  __device__ static int highest(unsigned word) { return 31 - __clz(static_cast<int>(word)); }

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
        scan_.write_length(run + k,
                           k == 0 ? first + begins[0] - last : begins[k] - begins[k - 1]);
      }
      if (up_to > 0) last = first + begins[up_to - 1];
    }
  }

  const Cut& scan_;
  slots& slots_;
  std::int64_t first_;
  int num_valid_;
  int shift_ = 0;
  unsigned word_[words];
  int start_[words];
  T total_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
