// A device that is current for a while.
#ifndef SCAN_SRC_NCCL_ON_DEVICE_HPP
#define SCAN_SRC_NCCL_ON_DEVICE_HPP

#include <cuda_runtime_api.h>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Makes `device` current for a scope; `code()` says whether it is.
class on_device {
 public:
  explicit on_device(int device) noexcept : code_(cudaGetDevice(&before_)) {
    if (code_ != cudaSuccess || before_ == device) return;
    code_ = cudaSetDevice(device);
    changed_ = code_ == cudaSuccess;
  }
  ~on_device() {
    if (changed_) static_cast<void>(cudaSetDevice(before_));
  }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
  cudaError_t code() const noexcept { return code_; }

 private:
  int before_ = -1;
  cudaError_t code_;
  bool changed_ = false;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
