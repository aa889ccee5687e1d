// What every call of the library returns: a CUDA error code with a message that names the cause.
#ifndef SCAN_STATUS_HPP
#define SCAN_STATUS_HPP

#include <driver_types.h>

namespace scan {

/// Result of a call. Converts to `cudaError_t`, so an existing CUDA_CHECK macro takes it as it is.
///
/// Size: 16 bytes, trivially copyable. Errors of the caller's arguments are `cudaErrorInvalidValue`
/// (see the README's error table); errors of the CUDA runtime keep their own code.
class [[nodiscard]] status {
 public:
  constexpr status() noexcept = default;
  /// `message` must outlive the status: the library only passes string literals.
  constexpr status(cudaError_t code, const char* message) noexcept
      : code_(code), message_(message) {}

  constexpr operator cudaError_t() const noexcept { return code_; }
  constexpr bool ok() const noexcept { return code_ == cudaSuccess; }
  /// One line naming the offending argument or the step that failed; never null.
  constexpr const char* message() const noexcept { return message_; }

 private:
  cudaError_t code_ = cudaSuccess;
  const char* message_ = "success";
};

}  // namespace scan

#endif
