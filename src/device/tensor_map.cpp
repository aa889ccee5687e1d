#include "scan/device/launch/tensor_map.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "scan/device/launch/device_limits.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

using encode_function = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, which nothing is linked for; null of a driver that has none.
encode_function find_encode() noexcept {
  void* found = nullptr;
  ask_apart(0, [&] {
    cudaDriverEntryPointQueryResult result{};
    const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                              12000, cudaEnableDefault, &result);
    if (code != cudaSuccess || result != cudaDriverEntryPointSuccess) found = nullptr;
    return cudaSuccess;
  });
  return reinterpret_cast<encode_function>(found);
}

}  // namespace

bool describe_lines(const slab_lines& lines, tensor_map& map) noexcept {
  static_assert(sizeof(tensor_map) == sizeof(CUtensorMap));
  static const encode_function encode = find_encode();
  if (encode == nullptr) return false;
  constexpr int word = 4;
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
  std::memcpy(map.opaque, &made, sizeof made);
  return result == CUDA_SUCCESS;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
