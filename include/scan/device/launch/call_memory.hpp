// Device memory for the length of one call: tile states, or a baseline's scratch; of the caller's
// workspace, or the call's own.
#ifndef SCAN_DEVICE_LAUNCH_CALL_MEMORY_HPP
#define SCAN_DEVICE_LAUNCH_CALL_MEMORY_HPP

#include <driver_types.h>

#include <cstddef>
#include <initializer_list>
#include <mutex>

#include "scan/call/segment_heads.hpp"
#include "scan/call/validate.hpp"
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

// ---- What is asked about a call's memory before it is enqueued: that the workspace has none of
// the call's data, and, where the environment says SCAN_CHECK=1, whether the device can reach it
// all.

/// What messages call an array.
enum class argument {
  input,
  factors,
  output,
  init_pointer,
  total,
  offsets,
  keys,
  flags,
  states,
  grad_a,
  grad_total,
  grad_init,
  count,        // how many are kept
  known_count,  // how many elements there are
  begins,
  ends,
  out_begins
};

inline argument argument_of(const segment_heads& heads) noexcept {
  if (has_offsets(heads)) return argument::offsets;
  return are_flags(heads.kind) ? argument::flags : argument::keys;
}
template <class Keys, class Equal>
argument argument_of(const keyed_heads<Keys, Equal>&) noexcept {
  return argument::keys;
}

/// An array that the call reads or writes; a null one is none.
struct call_array {
  argument which;
  memory_range bytes;
};

/// Success, or why the call cannot have its workspace: what the constructor failed with, or that
/// there are data in its memory, which the call writes to at any time.
///
/// In the checked mode also why it cannot have its arrays: memory that the device cannot reach, or
/// too little of it. Then it waits for what is in the stream, to know whose a later failure is.
status check_call(const memory_source& from, std::initializer_list<call_array> arrays) noexcept;

/// Whether the environment says SCAN_CHECK=1; looked up once.
bool in_checked_mode() noexcept;
/// Whether `stream` can be waited for, which one that is being captured cannot.
bool can_wait_for(cudaStream_t stream) noexcept;
/// `launched`, or what became of it once it has run, where that can be waited for.
status wait_for_call(const status& launched, cudaStream_t stream) noexcept;

/// What a call returns that has been launched.
inline status finish_call(const status& launched, cudaStream_t stream) noexcept {
  return in_checked_mode() ? wait_for_call(launched, stream) : launched;
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
