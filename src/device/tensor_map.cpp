#include "scan/device/move/tensor_map.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "scan/device/launch/device_limits.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

using encode_function = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, found at run time, for libcuda is not linked: asked for until it is
/// found.
cudaError_t find_encode(int device, encode_function& encode) noexcept {
  static device_answers<encode_function> known;
  return known.get(device, encode, [device](encode_function& answer) {
    return ask_apart(device, [&answer] {
      void* found = nullptr;
      cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
      constexpr unsigned since = 12000;  // of CUDA
      const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                                since, cudaEnableDefault, &result);
      if (code != cudaSuccess) return code;
      if (result != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
      answer = reinterpret_cast<encode_function>(found);
      return cudaSuccess;
    });
  });
}

}  // namespace

status describe_lines(const slab_lines& lines, int device, tensor_map& map) noexcept {
  static_assert(sizeof(tensor_map) == sizeof(CUtensorMap));
  encode_function encode = nullptr;
  if (const cudaError_t code = find_encode(device, encode)) {
    return {code, "asking the driver how it describes arrays failed"};
  }
  constexpr int word = 4;
  // (The strides of slabs are often no multiples of those of rows, as cuda.h has them; drivers take
  // any multiple of 16, and an error of theirs is the caller's.)
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(lines.line_bytes / word),
                              static_cast<cuuint64_t>(lines.rows),
                              static_cast<cuuint64_t>(lines.slabs)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(lines.row_bytes),
                                static_cast<cuuint64_t>(lines.slab_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(lines.box_bytes / word),
                            static_cast<cuuint32_t>(lines.box_rows), 1};
  const cuuint32_t steps[] = {1, 1, 1};
  CUtensorMap made;
  const CUresult result =
      encode(&made, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, const_cast<void*>(lines.data), sizes,
             strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  // No other kernel in its place: that would have another order.
  if (result != CUDA_SUCCESS) {
    return {cudaErrorNotSupported, "extents: the driver cannot describe such an array of columns"};
  }
  std::memcpy(map.opaque, &made, sizeof made);
  return {};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
