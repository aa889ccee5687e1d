// What every call of the library returns: a CUDA error code with a message that names the cause.
#ifndef SCAN_STATUS_HPP
#define SCAN_STATUS_HPP

#include <driver_types.h>

#include <cstdint>

namespace scan {

/// Result of a call. Converts to `cudaError_t`, so an existing CUDA_CHECK macro takes it as it is.
///
/// Size: 24 bytes, trivially copyable. Errors of the caller's arguments are `cudaErrorInvalidValue`
/// (see the README's error table); errors of the CUDA runtime keep their own code.
class [[nodiscard]] status {
 public:
  constexpr status() noexcept = default;
  /// `message` must outlive the status: the library only passes string literals.
  constexpr status(cudaError_t code, const char* message, std::int64_t index = -1) noexcept
      : code_(code), message_(message), index_(index) {}

  constexpr operator cudaError_t() const noexcept { return code_; }
  constexpr bool ok() const noexcept { return code_ == cudaSuccess; }
  /// One line naming the offending argument or the step that failed; never null.
  constexpr const char* message() const noexcept { return message_; }
  /// Which one, where the message is about an entry of an array: `offsets[index]`. Else -1.
  constexpr std::int64_t index() const noexcept { return index_; }

 private:
  cudaError_t code_ = cudaSuccess;
  const char* message_ = "success";
  std::int64_t index_ = -1;
};

}  // namespace scan

#endif
