#include "scan/device/pending_error.hpp"

#include <system_error>
#include <thread>

#include "src/relaxed_capture.hpp"

namespace scan::device {

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
  } catch (const std::system_error&) {  // no thread to be had
    const relaxed_capture allowed;
    code = ask(context);
  }
  return code;
}

}  // namespace scan::device
