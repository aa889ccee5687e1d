// Descriptions of arrays that a single instruction copies boxes of to shared memory, on devices of
// capability 9.0 and newer.
#ifndef SCAN_DEVICE_MOVE_TENSOR_MAP_HPP
#define SCAN_DEVICE_MOVE_TENSOR_MAP_HPP

#include <cstdint>

#include "scan/abi.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// The driver's CUtensorMap; as a part of a kernel's parameters.
struct alignas(64) tensor_map {
  unsigned char opaque[128];
};

/// `slabs` slabs, `slab_bytes` apart, of `rows` lines of `line_bytes` bytes, `row_bytes` apart;
/// boxes are `box_rows` lines of `box_bytes` bytes, of which zeros come for what is outside. `data`
/// and all bytes are multiples of 16; a box has no more than 256 rows.
struct slab_lines {
  const void* data;
  std::int64_t line_bytes, row_bytes, rows, slab_bytes, slabs;
  int box_bytes, box_rows;
};
/// Has the driver describe them, for the current device, which is `device`.
status describe_lines(const slab_lines& lines, int device, tensor_map& map) noexcept;

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
