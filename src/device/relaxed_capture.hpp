// Calls that a stream capture forbids.
#ifndef SCAN_SRC_RELAXED_CAPTURE_HPP
#define SCAN_SRC_RELAXED_CAPTURE_HPP

#include <cuda_runtime_api.h>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// For a scope: captures under way do not forbid this thread's calls. A capture in the global mode,
/// which is the default, forbids allocations and their like to all threads, because it would miss
/// them; the library's own are no business of another thread's capture, and those in the stream
/// that is captured are captured with it.
class relaxed_capture {
 public:
  relaxed_capture() noexcept { exchange(); }
  ~relaxed_capture() { exchange(); }
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;

 private:
  void exchange() noexcept { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
