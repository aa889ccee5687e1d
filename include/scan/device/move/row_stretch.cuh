// Moves a stretch of short rows between global memory and a warp's part of shared memory, where
// they are as far off granules of 16 bytes as they are in global memory.
#ifndef SCAN_DEVICE_MOVE_ROW_STRETCH_CUH
#define SCAN_DEVICE_MOVE_ROW_STRETCH_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/prefetch.cuh"
#include "scan/device/move/small_divisor.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// How the rows of an array lie, in bytes.
struct stretch_layout {
  std::int64_t pitch;
  int bytes;   // that are read or written of each row
  int stride;  // from row to row in shared memory
  bool has_gaps;
  int row_granules;
  small_divisor by_granules;

  stretch_layout(std::int64_t pitch_, std::int64_t bytes_, std::int64_t outer)
      : pitch(pitch_),
        bytes(static_cast<int>(bytes_)),
        stride(bytes),
        has_gaps(outer > 1 && pitch != bytes),
        row_granules((bytes + 2 * granule - 2) / granule),
        by_granules(row_granules) {
    // No two rows have a granule in common, and all are as far off theirs as they were. (Strides of
    // an odd number of granules bring lanes' rows to more banks.)
    if (!has_gaps) return;
    stride += 30 + static_cast<int>((pitch - bytes - 30) % granule + granule) % granule;
    if (stride % (2 * granule) == 0) stride += granule;
  }
  /// Of shared memory that so many rows take, with what is read beyond the last.
  int room(int rows) const { return (rows * stride / granule + 3) * granule; }
};

/// A warp's `num_rows` rows of an array, the first at `first`; their room is at `shared`.
template <class T>
class row_stretch {
  using byte = unsigned char;
  static constexpr int smallest = alignof(T) < granule ? static_cast<int>(alignof(T)) : granule;

 public:
  __device__ row_stretch(const stretch_layout& layout, const T* first, int num_rows, byte* shared)
      : layout_(layout),
        off_(static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % granule)),
        global_(const_cast<byte*>(reinterpret_cast<const byte*>(first)) - off_),
        num_rows_(num_rows),
        shared_(shared) {}

  /// The first element in memory of a row.
  __device__ T* row(int i) const {
    return reinterpret_cast<T*>(shared_ + off_ + i * layout_.stride);
  }

  /// Starts loading, for one __pipeline_commit. `at_end`: it may be where the array is that begins
  /// at `begin` and ends at `end`.
  __device__ void load(bool at_end, const T* begin, const T* end) const {
    const auto load_granule = [&](byte* to, const byte* from, int first_byte, int last_byte) {
      if (!at_end || (from >= reinterpret_cast<const byte*>(begin) &&
                      from + granule <= reinterpret_cast<const byte*>(end))) {
        __pipeline_memcpy_async(to, from, granule);
      } else {
        copy_parts(to, from, first_byte, last_byte);
      }
    };
    if (layout_.has_gaps) return each_granule(load_granule);
    const int past = off_ + num_rows_ * layout_.bytes, last = (past - 1) / granule * granule;
    each_inner(at_end ? granule : 0, at_end ? last : past,
               [&](int at) { __pipeline_memcpy_async(shared_ + at, global_ + at, granule); });
    if (!at_end) return;
    const int at = lane_index() == 0 ? 0 : last;
    if (lane_index() == 0 || (lane_index() == 1 && last > 0)) {
      load_granule(shared_ + at, global_ + at, off_ - at, past - at);
    }
  }
  /// Asks for the sectors that will be stored in parts, at the ends of rows between gaps: where
  /// they have come to the L2 it puts parts together, else memory does, for some 15 times as long.
  __device__ void prefetch_ends() const {
    if (!layout_.has_gaps) return;
#pragma unroll 1
    for (int i = lane_index(); i < 2 * num_rows_; i += warp_size) {
      prefetch_line(global_ + off_ + (i >> 1) * layout_.pitch +
                    (i % 2 == 0 ? 0 : layout_.bytes - 1));
    }
  }
  /// (Of granules that are not all of these rows others have the rest.)
  __device__ void store() const {
    if (layout_.has_gaps) {
      return each_granule([&](const byte* from, byte* to, int first_byte, int last_byte) {
        if (first_byte <= 0 && last_byte >= granule) {
          *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
        } else if constexpr (smallest < 4) {
          copy_edge(to, from, max(first_byte, 0), min(last_byte, granule));
        } else {
          copy_parts(to, from, first_byte, last_byte);  // (which are three)
        }
      });
    }
    const int past = off_ + num_rows_ * layout_.bytes, last = past / granule * granule;
    const int skipped = off_ > 0 ? granule : 0;
    each_inner(skipped, last, [&](int at) {
      *reinterpret_cast<uint4*>(global_ + at) = *reinterpret_cast<const uint4*>(shared_ + at);
    });
    if (lane_index() == 0) copy_parts(global_, shared_, off_, min(past, skipped));
    if (lane_index() == 1 && last >= skipped) {
      copy_parts(global_ + last, shared_ + last, 0, past - last);
    }
  }

 private:
  /// Calls `move` for the granules from byte `begin` to `end`.
  template <class Move>
  __device__ static void each_inner(int begin, int end, Move move) {
#pragma unroll 4
    for (int at = begin + lane_index() * granule; at < end; at += warp_size * granule) move(at);
  }
  /// Where there are gaps: calls `move(shared, global, from, to)` for every granule, which has the
  /// bytes `from` to `to` of a row.
  template <class Move>
  __device__ void each_granule(Move move) const {
#pragma unroll 1
    for (int i = lane_index(); i < num_rows_ * layout_.row_granules; i += warp_size) {
      const int row = layout_.by_granules.quotient(i);
      const int at = (i - row * layout_.row_granules) * granule;
      const int begin = off_ + row * layout_.stride, off = begin % granule;
      if (at >= off + layout_.bytes) continue;
      move(shared_ + (begin - off + at), global_ + (off_ - off + at + row * layout_.pitch),
           off - at, off - at + layout_.bytes);
    }
  }
  /// Bytes `begin` to `end` of a granule, item after item.
  __device__ static void copy_parts(byte* to, const byte* from, int begin, int end) {
    begin = max(begin, 0);
#pragma unroll 1
    while (begin < min(end, granule)) copy_part<smallest>(to, from, begin, true);
  }
  /// Not all of a granule, by parts as large as their places allow, first growing ones and then
  /// smaller ones: of each sector of memory that is stored in parts these take their time.
  __device__ static void copy_edge(byte* to, const byte* from, int at, int end) {
    copy_part<1>(to, from, at, (at & 1) != 0 && at + 1 <= end);
    copy_part<2>(to, from, at, (at & 2) != 0 && at + 2 <= end);
    copy_part<4>(to, from, at, (at & 4) != 0 && at + 4 <= end);
    copy_part<8>(to, from, at, at + 8 <= end);
    copy_part<4>(to, from, at, at + 4 <= end);
    copy_part<2>(to, from, at, at + 2 <= end);
    copy_part<1>(to, from, at, at + 1 <= end);
  }
  /// Bytes from `at` on, which then is behind them, if they are there.
  template <int size>
  __device__ static void copy_part(byte* to, const byte* from, int& at, bool are_there) {
    if constexpr (size >= smallest) {
      struct alignas(size) part {
        byte bytes[size];
      };
      if (!are_there) return;
      *reinterpret_cast<part*>(to + at) = *reinterpret_cast<const part*>(from + at);
      at += size;
    }
  }

  const stretch_layout& layout_;
  int off_;       // of the first row
  byte* global_;  // the granule that it begins in
  int num_rows_;
  byte* shared_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
