#include "src/device/reachable_memory.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

/// The driver's function, found at run time, for libcuda is not linked; null where there is none.
auto pointer_attribute() noexcept {
  using function = decltype(&cuPointerGetAttribute);
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned since = 11040;  // of CUDA: when the newest attribute came that is asked for
  if (cudaGetDriverEntryPointByVersion("cuPointerGetAttribute", &found, since, cudaEnableDefault,
                                       &result) != cudaSuccess ||
      result != cudaDriverEntryPointSuccess) {
    found = nullptr;
  }
  return reinterpret_cast<function>(found);
}

/// (CUDA asks for pointers, and checks are about numbers.)
const void* pointer_to(std::uintptr_t address) noexcept {
  const void* pointer = nullptr;
  std::memcpy(&pointer, &address, sizeof(pointer));
  return pointer;
}

template <class Value>
bool ask(CUpointer_attribute which, std::uintptr_t address, Value& answer) noexcept {
  static const auto function = pointer_attribute();
  return function != nullptr && function(&answer, which, CUdeviceptr{address}) == CUDA_SUCCESS;
}

/// Whether the allocation, or the reserved addresses, that `bytes` begin in end before them.
bool ends_early(const memory_range& bytes) noexcept {
  CUdeviceptr first = 0;
  std::size_t size = 0;
  return ask(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, bytes.begin, first) &&
         ask(CU_POINTER_ATTRIBUTE_RANGE_SIZE, bytes.begin, size) && size > 0 &&
         bytes.end > first + size;
}

/// What the current device may do with memory. (Of another device's it is what that one may.)
unsigned access_to(std::uintptr_t address) noexcept {
  unsigned access = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
  static_cast<void>(ask(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, address, access));
  return access;
}

}  // namespace

reach reach_of(const memory_range& bytes, int device, bool is_graphs) noexcept {
  cudaPointerAttributes about = {};
  const void* const pointer = pointer_to(bytes.begin);
  if (cudaPointerGetAttributes(&about, pointer) != cudaSuccess) return reach::all;
  if (about.type == cudaMemoryTypeUnregistered) {
    int pageable = 0;  // (where kernels read the host's memory as it is)
    static_cast<void>(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, device));
    return pageable != 0 || is_graphs ? reach::all : reach::none;
  }
  const bool is_others = about.type == cudaMemoryTypeDevice && about.device != device;
  const unsigned access = access_to(bytes.begin);
  // (Null until peers have been enabled, or the pool has been opened to the device.)
  if (is_others &&
      (access == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE || about.devicePointer == nullptr)) {
    return reach::of_another_device;
  }
  // Of pinned memory a kernel may have to know another address.
  if (!is_others && about.devicePointer != pointer) return reach::none;
  if (ends_early(bytes)) return reach::a_part;
  return access == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ ? reach::only_read : reach::all;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
