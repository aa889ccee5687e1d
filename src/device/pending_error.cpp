#include <exception>
#include <thread>

#include "scan/device/launch/device_limits.hpp"
#include "src/device/relaxed_capture.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

cudaError_t ask_apart(int device, cudaError_t (*ask)(void*), void* context) noexcept {
  if (cudaPeekAtLastError() == cudaSuccess) {
    const pending_error none_after;
    const relaxed_capture allowed;
    return ask(context);
  }
  cudaError_t code = cudaSuccess;
  try {
    std::thread([&] {
      const relaxed_capture allowed;
      code = cudaSetDevice(device);
      if (code == cudaSuccess) code = ask(context);
    }).join();
  } catch (const std::exception&) {  // no thread to be had, or no memory for one
    const relaxed_capture allowed;
    code = ask(context);
  }
  return code;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
