// Moves a tile of columns between global and shared memory, 16 bytes at a time.
#ifndef SCAN_DEVICE_MOVE_COLUMN_IO_CUH
#define SCAN_DEVICE_MOVE_COLUMN_IO_CUH

#include <cuda_pipeline_primitives.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "scan/device/move/column_lines.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

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
  /// A granule that has its place in shared memory too, and room there for all of it.
  __device__ static void copy_in_phase(const tile_lines& lines, unsigned char* line,
                                       unsigned char* shared, int offset) {
    const unsigned char* const granule = line + offset;
    if (granule >= lines.begin && granule + 16 <= lines.end) {
      copy_granule(line + offset, shared + offset);
    } else {
      copy_part(lines, line, shared, offset);
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
  /// A granule that has its place in shared memory too.
  __device__ static void copy_in_phase(const tile_lines& lines, unsigned char* line,
                                       unsigned char* shared, int offset) {
    if (offset >= 0 && offset + 16 <= lines.line_bytes) {
      copy_granule(line + offset, shared + offset);
      return;
    }
    constexpr int word = least > 4 ? least : 4;
#pragma unroll
    for (int at = offset; at < offset + 16; at += word) {
      if (at >= 0 && at + word <= lines.line_bytes) {
        copy_unit<word>(line + at, shared + at);
      } else if (least < 4) {
#pragma unroll
        for (int piece = at; piece < at + word; piece += least) {
          if (piece >= 0 && piece < lines.line_bytes) copy_piece(line + piece, shared + piece);
        }
      }
    }
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
  __device__ explicit line_copier(const tile_lines& lines)
      : lines_(lines), thread_(static_cast<int>(threadIdx.x)) {}

  __device__ void copy() const {
    const bool in_granules = lines_.in_granules();
    if (lines_.count == 1 || lines_.line_bytes > (threads - 1) * 16) {
      for (int line = 0; line < lines_.count; ++line) copy_long(line);
    } else if (!in_granules && lines_.has_room && lines_.in_phase()) {
      copy_short((lines_.line_bytes + 30) / 16, [&](auto* global, auto* shared, int unit) {
        const int offset = unit * 16 - granule_offset(global);
        if (offset < lines_.line_bytes) Copy::copy_in_phase(lines_, global, shared, offset);
      });
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
    const int at_once = threads / units, first = thread_ / units;
    const int unit = thread_ - first * units;
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
    const int size = lines_.line_bytes, thread = thread_;
    if (granule_offset(global) != granule_offset(shared)) {
#pragma unroll 2
      for (int at = thread * 16 - granule_offset(global); at < size; at += threads * 16) {
        Copy::copy_part(lines_, global, shared, at);
      }
      return;
    }
    if (lines_.has_room) {
#pragma unroll 4
      for (int at = thread * 16 - granule_offset(global); at < size; at += threads * 16) {
        Copy::copy_in_phase(lines_, global, shared, at);
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
  const int thread_;
};

/// Copies lines of elements. All threads.
template <template <int> class Copy, class Element, int threads>
__device__ void copy_lines(const tile_lines& lines) {
  constexpr int least = alignof(Element) < 16 ? alignof(Element) : 16;
  line_copier<Copy<least>, threads, least>(lines).copy();
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
