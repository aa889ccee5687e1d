// The part of a tile that a warp has: where it is, and the bits that say which of its elements are
// kept, with how many there are before each row.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_MARKS_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_MARKS_CUH

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/call/compaction_problem.hpp"
#include "scan/device/compaction/compaction_cut.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Cut` is a compaction_cut. All lanes of a warp call.
template <class Cut>
class compaction_marks {
 public:
  using tile_fold = typename Cut::tile_fold;
  using Item = typename Cut::Item;
  using moved = typename Cut::moved;
  static constexpr int words = Cut::words;
  /// Whether elements are short, and compared by their bits.
  static constexpr bool compares_bits = sizeof(Item) <= 2 && std::is_unsigned_v<Item> &&
                                        std::is_same_v<typename Cut::Marks, run_marks<equal_keys>>;
  /// Its shared memory, whose elements others may bring.
  struct slots {
    chunk_slot<Cut::slot_bytes> kept;
    chunk_slot<Cut::Marks::of_items ? granule : Cut::flag_bytes> flags;
  };
  /// What who marks a part tells who moves it.
  struct note {
    unsigned word[words][warp_size];
    int start[words][warp_size];
    tile_fold total;
  };

  __device__ compaction_marks(const Cut& scan, slots& memory, std::int64_t first)
      : scan_(scan),
        slots_(memory),
        first_(first),
        num_valid_(static_cast<int>(
            max(std::int64_t{0}, min(scan.num_items - first, std::int64_t{scan.warp_items()})))) {
    if constexpr (Cut::has_items && !compares_bits) shift_ = source().shift();
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
    if constexpr (compares_bits) {
      compare_rows();
    } else if constexpr (Cut::Marks::of_items) {
      ask_items();
    } else {
      take_flags();
    }
    if constexpr (Cut::Marks::of_two) {
      if (lane_index() == 0 && num_valid_ > 0) {
        word_[0] |= first_ == 0 || scan_.marks.keeps(previous, slot()[0]) ? 1 : 0;
      }
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
  __device__ tile_fold fold() const { return total_; }

 protected:
  __device__ moved* slot() const { return reinterpret_cast<moved*>(slots_.kept.bytes + shift_); }

  const Cut& scan_;
  slots& slots_;
  std::int64_t first_;
  int num_valid_;
  int shift_ = 0;
  unsigned word_[words];  // lane r has the bits of row r, of each 32 rows
  int start_[words];
  tile_fold total_;

 private:
  static constexpr int rows_asked = std::clamp(16 / static_cast<int>(sizeof(Item)), 1, 4);

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
  /// Which of a word's bytes, or halves, are not 0: the highest bits say so, then come together in
  /// the product's.
  template <int part_bits>
  __device__ static unsigned set_parts(unsigned word) {
    constexpr unsigned highest = part_bits == 8 ? 0x80808080 : 0x80008000;
    const unsigned set = (((word & ~highest) + ~highest) | word) & highest;
    if constexpr (part_bits == 16) return (set >> 15 | set >> 30) & 3;
    return (set >> 7) * 0x10204080u >> 28;
  }
  /// Of 32 bytes which are not 0.
  __device__ static unsigned set_flags(const unsigned char* bytes) {
    unsigned result = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const uint4 some = reinterpret_cast<const uint4*>(bytes)[k];
      const unsigned four[4] = {some.x, some.y, some.z, some.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        result |= set_parts<8>(four[i]) << (16 * k + 4 * i);
      }
    }
    return result;
  }

  /// All loads of some rows before the first answer.
  __device__ void ask_items() {
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
  }

  /// Each lane along a row, several elements at once: of two that are equal no bit differs.
  __device__ void compare_rows() {
    slots_.kept.align(source().shift());
    constexpr int item_bits = 8 * static_cast<int>(sizeof(Item)), in_word = 32 / item_bits;
#pragma unroll
    for (int g = 0; g < words; ++g) {
      const int row = g * warp_size + lane_index(), left = num_valid_ - row * warp_size;
      word_[g] = 0;
      if (left <= 0) continue;
      const auto* const at =
          reinterpret_cast<const unsigned*>(slots_.kept.bytes) + row * (warp_size / in_word);
      unsigned before = row > 0 ? at[-1] : at[0] << (32 - item_bits);  // (whose last is looked at)
#pragma unroll
      for (int k = 0; k < warp_size / in_word; k += 4) {
        const uint4 some = *reinterpret_cast<const uint4*>(at + k);
        const unsigned four[4] = {some.x, some.y, some.z, some.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const unsigned differs = four[i] ^ __funnelshift_l(before, four[i], item_bits);
          word_[g] |= set_parts<item_bits>(differs) << ((k + i) * in_word);
          before = four[i];
        }
      }
      if (left < warp_size) word_[g] &= (1u << left) - 1;
    }
  }

  /// How many are kept before each row, and in all.
  __device__ void count_rows() {
    int count = 0;
    int open = num_valid_;
#pragma unroll
    for (int g = 0; g < words; ++g) {
      const int mine = __popc(word_[g]);
      const int up_to = warp_inclusive_scan(mine, warp_size, [](int a, int b) { return a + b; });
      start_[g] = count + up_to - mine;
      count += __shfl_sync(all_lanes, up_to, warp_size - 1);
      if constexpr (Cut::Results::has_lengths) {
        const unsigned rows = __ballot_sync(all_lanes, word_[g] != 0);
        if (rows != 0) {
          const int row = highest_bit(rows);
          const unsigned word = __shfl_sync(all_lanes, word_[g], row);
          open = num_valid_ - ((g * warp_size + row) * warp_size + highest_bit(word));
        }
      }
    }
    if constexpr (Cut::Results::has_lengths) {
      total_ = {count, open};
    } else {
      total_ = {count};
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
