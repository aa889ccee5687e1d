// Memory for the tile states of one call, or for the scratch of one by a baseline: the caller's
// workspace, or memory of the call's own.
#ifndef SCAN_DEVICE_STATES_MEMORY_HPP
#define SCAN_DEVICE_STATES_MEMORY_HPP

#include <driver_types.h>

#include <cstddef>
#include <mutex>

#include "scan/status.hpp"
#include "scan/workspace.hpp"

namespace scan::device {

inline constexpr int most_devices = 64;

/// Multiprocessors of `device`, at least 1; no CUDA call after the process's first.
int sm_count(int device) noexcept;
/// What a ring of tiles that is worth having needs at least, in bytes a block. (9.0 and 10.x have
/// 227 KiB; 12.x with 99 KiB holds two tiles, too few to load one while others wait.)
inline constexpr std::size_t least_ring_bytes = 200 * 1024;
/// Shared memory that a block of `device` can have, in bytes, where it is of capability 9.0 or
/// newer and enough for a ring; else 0. No CUDA call after the process's first.
std::size_t ring_bytes_of_block(int device) noexcept;

/// What memory is wanted for: states are zeroed or properly left, scratch holds anything.
enum class memory_use { states, scratch };

/// Holds `num_bytes` bytes of states or scratch for as long as a call enqueues: a lock on `space`,
/// or without one an allocation in `stream`'s order, whose release is enqueued at the end of the
/// scope. Aligned to 256 bytes.
class states_memory {
 public:
  states_memory(workspace* space, std::size_t num_bytes, cudaStream_t stream,
                memory_use use = memory_use::states) noexcept;
  ~states_memory();
  states_memory(const states_memory&) = delete;
  states_memory& operator=(const states_memory&) = delete;

  /// Success, or why there is no memory to use.
  status error() const noexcept { return error_; }
  void* data() const noexcept { return data_; }
  /// All there is at `data()`, which may be more than was asked for.
  std::size_t num_bytes() const noexcept { return num_bytes_; }
  /// The current device.
  int device() const noexcept { return device_; }

 private:
  status borrow(workspace& space) noexcept;
  status allocate() noexcept;

  std::size_t num_bytes_;
  cudaStream_t stream_;
  memory_use use_;
  void* data_ = nullptr;
  bool owned_ = false;
  int device_ = -1;
  std::unique_lock<std::mutex> lock_;
  status error_;
};

}  // namespace scan::device

#endif
