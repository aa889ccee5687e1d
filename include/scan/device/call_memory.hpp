// Device memory for the length of one call: tile states, or a baseline's scratch; of the caller's
// workspace, or the call's own.
#ifndef SCAN_DEVICE_CALL_MEMORY_HPP
#define SCAN_DEVICE_CALL_MEMORY_HPP

#include <driver_types.h>

#include <cstddef>
#include <mutex>

#include "scan/memory_resource.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `stream`, or where that is null the legacy default stream by its name: null itself is another
/// stream in code that is compiled with `--default-stream per-thread`, which the kernels of a
/// user's types may be and libscan.a is not.
inline cudaStream_t named_stream(cudaStream_t stream) noexcept {
  return stream == nullptr ? cudaStreamLegacy : stream;
}

/// What memory is wanted for: states are zeroed or properly left, scratch holds anything.
enum class memory_use { states, scratch };

/// Where a call's memory comes from: `space`, or without one `resource`, or without one CUDA.
struct memory_source {
  workspace* space = nullptr;
  cudaStream_t stream = nullptr;
  memory_resource resource{};

  explicit memory_source(cudaStream_t given) noexcept : stream(given) {}
  template <class T>
  memory_source(const options<T>& opts) noexcept
      : space(opts.workspace), stream(opts.stream), resource(opts.memory_resource) {}
};

/// Holds `num_bytes` bytes of states or of scratch for as long as a call enqueues: a lock on a
/// workspace, or an allocation in the stream's order, whose release is enqueued at the end of the
/// scope. Aligned to 256 bytes.
class call_memory {
 public:
  call_memory(const memory_source& from, std::size_t num_bytes,
              memory_use use = memory_use::states) noexcept;
  ~call_memory();
  call_memory(const call_memory&) = delete;
  call_memory& operator=(const call_memory&) = delete;

  /// Success, or why there is no memory to use.
  status error() const noexcept { return error_; }
  void* data() const noexcept { return data_; }
  /// All there is at `data()`, which may be more than was asked for.
  std::size_t num_bytes() const noexcept { return num_bytes_; }

 private:
  status borrow(workspace& space) noexcept;
  status allocate() noexcept;
  status take() noexcept;
  void give_back() noexcept;

  std::size_t num_bytes_;
  cudaStream_t stream_;
  memory_resource resource_;
  memory_use use_;
  void* data_ = nullptr;
  bool owned_ = false;
  std::unique_lock<std::mutex> lock_;
  status error_;
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
