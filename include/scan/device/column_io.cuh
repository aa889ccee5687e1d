// Moves a tile of columns between global and shared memory, 16 bytes at a time.
#ifndef SCAN_DEVICE_COLUMN_IO_CUH
#define SCAN_DEVICE_COLUMN_IO_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/device/column_problem.cuh"

namespace scan::device {

/// What `bytes` bytes travel as, in one instruction.
template <int bytes>
using unit_word = std::conditional_t<
    bytes == 16, uint4,
    std::conditional_t<
        bytes == 8, uint2,
        std::conditional_t<bytes == 4, unsigned,
                           std::conditional_t<bytes == 2, unsigned short, unsigned char>>>>;

template <int bytes>
__device__ void copy_unit(unsigned char* to, const unsigned char* from) {
  *reinterpret_cast<unit_word<bytes>*>(to) = *reinterpret_cast<const unit_word<bytes>*>(from);
}

/// A tile's part of one array, in bytes: lines of `line_bytes` consecutive ones, `slab_lines` to a
/// slab. Both pointers are to the first line.
struct tile_lines {
  const unsigned char *begin, *end;  // of the array
  unsigned char *global, *shared;
  int count, line_bytes, slab_lines;
  bool one_slab, one_line_slabs;  // in these, lines are rows; are slabs
  std::int64_t slab_pitch, row_pitch;
  int slab_stride, row_stride;  // in shared memory
  small_divisor per_row;

  __device__ void place(int line, unsigned char*& at_global, unsigned char*& at_shared) const {
    int slab = 0;
    if (!one_slab) slab = one_line_slabs ? line : per_row.quotient(line);
    const int row = line - slab * slab_lines;
    at_global = global + row * row_pitch;
    at_shared = shared + row * row_stride;
    if (one_slab) return;
    at_global += slab * slab_pitch;
    at_shared += slab * slab_stride;
  }
  /// Whether all lines begin and end at multiples of 16 bytes on both sides.
  __device__ bool in_granules() const {
    auto bits = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(global)) |
                static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(shared)) |
                static_cast<unsigned>(line_bytes);
    if (!one_slab) bits |= static_cast<unsigned>(slab_pitch) | static_cast<unsigned>(slab_stride);
    if (!one_line_slabs)
      bits |= static_cast<unsigned>(row_pitch) | static_cast<unsigned>(row_stride);
    return bits % 16 == 0;
  }
};

/// Copies to shared memory, which the threads that call then wait for. `least`: all elements lie at
/// multiples of it.
template <int least>
struct load_lines {
  static constexpr int pieces = 16 / least;

  __device__ static void copy_granule(unsigned char* global, unsigned char* shared) {
    __pipeline_memcpy_async(shared, global, 16);
  }
  __device__ static void copy_piece(unsigned char* global, unsigned char* shared) {
    if constexpr (least >= 4) {
      __pipeline_memcpy_async(shared, global, least);
    } else {
      copy_unit<least>(shared, global);
    }
  }
  /// The granule of global memory that begins `offset` bytes after a line.
  __device__ static void copy_part(const tile_lines& lines, unsigned char* line,
                                   unsigned char* shared, int offset) {
    unit_word<least> piece[pieces];
    const unsigned char* const granule = line + offset;
    if (granule >= lines.begin && granule + 16 <= lines.end) {
      const uint4 read = *reinterpret_cast<const uint4*>(granule);
      memcpy(piece, &read, 16);
    } else {
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        const int at = offset + i * least;
        piece[i] = {};
        if (at >= 0 && at < lines.line_bytes) {
          piece[i] = *reinterpret_cast<const unit_word<least>*>(line + at);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const int at = offset + i * least;
      if (at >= 0 && at < lines.line_bytes) {
        *reinterpret_cast<unit_word<least>*>(shared + at) = piece[i];
      }
    }
  }
};

/// Copies to global memory.
template <int least>
struct store_lines {
  static constexpr int pieces = 16 / least;

  __device__ static void copy_granule(unsigned char* global, unsigned char* shared) {
    copy_unit<16>(global, shared);
  }
  __device__ static void copy_piece(unsigned char* global, unsigned char* shared) {
    copy_unit<least>(global, shared);
  }
  __device__ static void copy_part(const tile_lines& lines, unsigned char* line,
                                   unsigned char* shared, int offset) {
    if (offset >= 0 && offset + 16 <= lines.line_bytes) {
      unit_word<least> piece[pieces];
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        piece[i] = *reinterpret_cast<const unit_word<least>*>(shared + offset + i * least);
      }
      uint4 written;
      memcpy(&written, piece, 16);
      *reinterpret_cast<uint4*>(line + offset) = written;
      return;
    }
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const int at = offset + i * least;
      if (at >= 0 && at < lines.line_bytes) copy_piece(line + at, shared + at);
    }
  }
};

__device__ inline int granule_offset(const void* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) % 16);
}

/// Copies lines, by whole granules where these lie in place on both sides. `Copy` is load_lines or
/// store_lines; all threads call.
template <class Copy, int threads, int least>
class line_copier {
 public:
  __device__ explicit line_copier(const tile_lines& lines) : lines_(lines) {}

  __device__ void copy() const {
    const bool in_granules = lines_.in_granules();
    if (lines_.count == 1 || lines_.line_bytes > (threads - 1) * 16) {
      for (int line = 0; line < lines_.count; ++line) copy_long(line);
    } else if (in_granules) {
      copy_short(lines_.line_bytes / 16, [](auto* global, auto* shared, int unit) {
        Copy::copy_granule(global + unit * 16, shared + unit * 16);
      });
    } else if (least >= 4 && lines_.line_bytes <= threads * least) {
      copy_short(lines_.line_bytes / least, [](auto* global, auto* shared, int unit) {
        Copy::copy_piece(global + unit * least, shared + unit * least);
      });
    } else {
      copy_short((lines_.line_bytes + 30) / 16, [&](auto* global, auto* shared, int unit) {
        const int offset = unit * 16 - granule_offset(global);
        if (offset < lines_.line_bytes) Copy::copy_part(lines_, global, shared, offset);
      });
    }
  }

 private:
  /// Each thread the same of `units` units of one line after another.
  template <class Step>
  __device__ void copy_short(int units, Step step) const {
    const int at_once = threads / units, first = static_cast<int>(threadIdx.x) / units;
    const int unit = static_cast<int>(threadIdx.x) - first * units;
    if (first >= at_once) return;
#pragma unroll 4
    for (int line = first; line < lines_.count; line += at_once) {
      unsigned char *global, *shared;
      lines_.place(line, global, shared);
      step(global, shared, unit);
    }
  }

  /// All threads one line.
  __device__ void copy_long(int line) const {
    unsigned char *global, *shared;
    lines_.place(line, global, shared);
    const int size = lines_.line_bytes, thread = static_cast<int>(threadIdx.x);
    if (granule_offset(global) != granule_offset(shared)) {
#pragma unroll 2
      for (int at = thread * 16 - granule_offset(global); at < size; at += threads * 16) {
        Copy::copy_part(lines_, global, shared, at);
      }
      return;
    }
    const int head = min(-granule_offset(global) & 15, size), tail = head + (size - head) / 16 * 16;
#pragma unroll 4
    for (int at = head + thread * 16; at < tail; at += threads * 16) {
      Copy::copy_granule(global + at, shared + at);
    }
    if (const int at = thread * least; at < head) Copy::copy_piece(global + at, shared + at);
    if (const int at = tail + thread * least; at < size) {
      Copy::copy_piece(global + at, shared + at);
    }
  }

  const tile_lines& lines_;
};

/// Copies the part of the tile `at` of the array `data`, whose slabs are `pitch` apart;
/// `shared`: the tile's first element. All threads.
template <template <int> class Copy, class Problem, class Element>
__device__ void copy_tile(const Problem& scan, const column_place& at, const Element* data,
                          std::int64_t pitch, void* shared) {
  constexpr int size = sizeof(Element), least = alignof(Element) < 16 ? alignof(Element) : 16;
  const std::int64_t inner = scan.shape.inner, slab_items = scan.shape.length * inner;
  const auto bytes_at = [](const Element* element) {
    return const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(element));
  };
  tile_lines lines{bytes_at(data),
                   bytes_at(data + ((scan.shape.outer - 1) * pitch + slab_items)),
                   bytes_at(data + (at.slab * pitch + at.first_row * inner + at.column)),
                   static_cast<unsigned char*>(shared),
                   at.slabs * (at.whole_rows ? 1 : at.rows),
                   (at.whole_rows ? at.rows * at.width : at.width) * size,
                   at.whole_rows ? 1 : at.rows,
                   at.slabs == 1,
                   at.whole_rows,
                   pitch * size,
                   inner * size,
                   scan.cut.slab_stride * size,
                   scan.cut.width * size,
                   scan.per_row};
  if (at.whole_rows && pitch == slab_items && slab_items == scan.cut.slab_stride) {
    lines.line_bytes *= at.slabs;  // they are one line
    lines.one_slab = true;
    lines.count = 1;
  }
  line_copier<Copy<least>, Problem::threads, least>(lines).copy();
}

}  // namespace scan::device

#endif
