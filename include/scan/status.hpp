// What every call of the library returns: a CUDA error code with a message that names the cause.
#ifndef SCAN_STATUS_HPP
#define SCAN_STATUS_HPP

#include <driver_types.h>

#include <cstdint>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Result of a call. Converts to `cudaError_t`, so an existing CUDA_CHECK macro takes it as it is.
///
/// Size: 24 bytes, trivially copyable. Errors of the caller's arguments are `cudaErrorInvalidValue`
/// (see the README's error table); errors of the CUDA runtime keep their own code.
class SCAN_SHOWN [[nodiscard]] status {
 public:
  SCAN_HIDDEN constexpr status() noexcept = default;
  /// `message` must outlive the status: the library only passes string literals.
  SCAN_HIDDEN constexpr status(cudaError_t code, const char* message,
                               std::int64_t index = -1) noexcept
      : status(code, message, index, number_of::entry) {}
  /// One that is about a rank, and one that has a code of NCCL's.
  SCAN_HIDDEN static constexpr status of_rank(cudaError_t code, const char* message,
                                              int rank) noexcept {
    return {code, message, rank, number_of::rank};
  }
  SCAN_HIDDEN static constexpr status of_nccl(cudaError_t code, const char* message,
                                              int nccl_code) noexcept {
    return {code, message, nccl_code, number_of::nccl};
  }

  SCAN_HIDDEN constexpr operator cudaError_t() const noexcept { return code_; }
  SCAN_HIDDEN constexpr bool ok() const noexcept { return code_ == cudaSuccess; }
  /// One line naming the offending argument or the step that failed; never null.
  SCAN_HIDDEN constexpr const char* message() const noexcept { return message_; }
  /// Which one, where the message is about an entry of an array: `offsets[index]`. Else -1.
  SCAN_HIDDEN constexpr std::int64_t index() const noexcept { return number_if(number_of::entry); }
  /// Which rank, where an error across GPUs is one rank's. Else -1.
  SCAN_HIDDEN constexpr int rank() const noexcept {
    return static_cast<int>(number_if(number_of::rank));
  }
  /// The `ncclResult_t`, where it is NCCL that failed. Else -1.
  SCAN_HIDDEN constexpr int nccl_code() const noexcept {
    return static_cast<int>(number_if(number_of::nccl));
  }

 private:
  enum class number_of : std::int32_t { entry, rank, nccl };
  SCAN_HIDDEN constexpr status(cudaError_t code, const char* message, std::int64_t number,
                               number_of kind) noexcept
      : code_(code), kind_(kind), message_(message), number_(number) {}
  SCAN_HIDDEN constexpr std::int64_t number_if(number_of kind) const noexcept {
    return kind == kind_ ? number_ : -1;
  }

  cudaError_t code_ = cudaSuccess;
  number_of kind_ = number_of::entry;  // what the number is
  const char* message_ = "success";
  std::int64_t number_ = -1;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
