// The lines of consecutive bytes that a tile of columns is in an array.
#ifndef SCAN_DEVICE_MOVE_COLUMN_LINES_CUH
#define SCAN_DEVICE_MOVE_COLUMN_LINES_CUH

#include <cstdint>

#include "scan/device/tensor/column_cut.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A tile's part of one array, in bytes: lines of `line_bytes` consecutive ones, `slab_lines` to a
/// slab. Both pointers are to the first line.
struct tile_lines {
  const unsigned char *begin, *end;  // of the array
  unsigned char *global, *shared;
  int count, line_bytes, slab_lines;
  bool one_slab, one_line_slabs;  // in these, lines are rows; are slabs
  bool has_room;                  // see column_cut
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
  /// Whether all lines have the same place in granules on both sides.
  __device__ bool in_phase() const {
    auto bits = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(global)) -
                static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(shared));
    if (!one_slab) {
      bits |= static_cast<unsigned>(slab_pitch) - static_cast<unsigned>(slab_stride);
    }
    if (!one_line_slabs) {
      bits |= static_cast<unsigned>(row_pitch) - static_cast<unsigned>(row_stride);
    }
    return bits % 16 == 0;
  }
};

/// The part of the tile `at` of the array `data`, whose slabs are `pitch` apart; `shared`: the
/// tile's first element, which lies there by `strides`.
template <class Problem, class Element>
__device__ tile_lines lines_of(const Problem& scan, const column_place& at, const Element* data,
                               std::int64_t pitch, void* shared, const column_strides& strides) {
  constexpr int size = sizeof(Element);
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
                   scan.has_room,
                   pitch * size,
                   inner * size,
                   strides.slab * size,
                   strides.row * size,
                   scan.per_row};
  if (at.whole_rows && pitch == slab_items && slab_items == strides.slab) {
    lines.line_bytes *= at.slabs;  // they are one line
    lines.one_slab = true;
    lines.count = 1;
  }
  return lines;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
