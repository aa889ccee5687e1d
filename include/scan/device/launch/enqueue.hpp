// A launch as a value. The functions that choose a kernel write down what its launch takes, in
// storage that their caller has, and return; enqueue() carries it out. So however a kernel is
// chosen, nobody who chose stands between the call and CUDA, and what a launch needs besides (code
// that may overlap, shared memory, states) is seen to in one place.
#ifndef SCAN_DEVICE_LAUNCH_ENQUEUE_HPP
#define SCAN_DEVICE_LAUNCH_ENQUEUE_HPP

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What CUDA has said of a kernel, on one device after another.
struct kernel_answers {
  struct code {
    bool is_for_90;
    int static_shared_bytes;
  };
  device_answers<code> of_code;
  device_answers<int> allowed;
};

/// How a kernel is launched.
struct grid {
  std::int64_t num_blocks;
  int num_threads;
  std::size_t shared_bytes = 0;       // dynamic ones of a block
  std::size_t most_shared_bytes = 0;  // what the kernel is allowed: see kernel_record
  int cluster_blocks = 0;             // that follow each other are a cluster; 0: none are
};

/// A kernel, and what is known of it: asked until there is an answer and not again.
class kernel_record {
 public:
  kernel_record() = default;
  /// `answers`: null of a kernel that is launched and not asked about.
  kernel_record(const void* kernel, kernel_answers* answers) noexcept
      : kernel_(kernel), answers_(answers) {}

  const void* kernel() const noexcept { return kernel_; }
  bool has_answers() const noexcept { return answers_ != nullptr; }
  /// Whether its code on the current device was compiled for capability 9.0 or newer, and so has
  /// clusters and dependent launch. (Compiled for older ones, what needs these is empty.) Where
  /// that cannot be told, no: without them it gives the same bits.
  bool is_for_90(const device_limits& limits) const noexcept;
  /// Allows blocks `num_bytes` bytes of dynamic shared memory, the same each time, where CUDA does
  /// not grant them unasked.
  cudaError_t allow(const device_limits& limits, std::size_t num_bytes) const noexcept;
  /// Allows it clusters of more blocks than every device takes: of how many, as `blocks` has them,
  /// there is room at once where the stream's kernels run, which may be a part of the device.
  int allow_wide_clusters(const device_limits& limits, const grid& blocks) const noexcept;
  /// Allows a ring of tiles all that a block can have besides its static shared memory: that many
  /// bytes, or 0 where the code has no ring.
  cudaError_t allow_ring(const device_limits& limits, std::size_t& num_bytes) const noexcept;
  /// Allows anew what a launch of `blocks` wants, which the kernel may have lost: whether it wants
  /// any, and that was possible.
  bool allow_again(const device_limits& limits, const grid& blocks) const noexcept;
  /// Has CUDA load it on the current device. Loading it with its first launch may wait for what the
  /// device is doing: for an all-gather, which waits for other ranks. (If this fails the launch
  /// loads it.)
  void load(const device_limits& limits) const noexcept;

 private:
  cudaError_t ask(const device_limits& limits, kernel_answers::code& answer) const noexcept;

  const void* kernel_ = nullptr;
  kernel_answers* answers_ = nullptr;
};

template <auto kernel>
kernel_record record_of() noexcept {
  static kernel_answers answers;  // (of zeros: there is nothing to initialise)
  return {reinterpret_cast<const void*>(kernel), &answers};
}

/// A kernel with what its launch takes; `launch_of` has the storage.
class launch {
 public:
  launch(const launch&) = delete;
  launch& operator=(const launch&) = delete;
  /// Bytes of states that it needs; 0: none.
  std::size_t states_bytes() const noexcept { return states_bytes_; }

 protected:
  launch() = default;
  ~launch() { end(); }
  void begin(const kernel_record& kernel, const grid& blocks) noexcept {
    end();
    kernel_ = kernel;
    blocks_ = blocks;
    states_bytes_ = states_.num_bytes = 0;
    states_.data = nullptr;
    num_arguments_ = 0;
  }
  /// `destroy`: null where there is nothing to do.
  void add(void* argument, void (*destroy)(void*) = nullptr) noexcept {
    destroy_[num_arguments_] = destroy;
    arguments_[num_arguments_++] = argument;
  }
  void add_states(std::size_t num_bytes) noexcept {
    states_bytes_ = num_bytes;
    add(&states_.data);
    add(&states_.num_bytes);
  }
  static constexpr int most_arguments = 8;

 private:
  friend status enqueue(launch& what, const memory_source& from,
                        const device_limits& limits) noexcept;

  void end() noexcept {
    for (int i = 0; i < num_arguments_; ++i) {
      if (destroy_[i] != nullptr) destroy_[i](arguments_[i]);
    }
  }

  kernel_record kernel_;
  grid blocks_{};
  std::size_t states_bytes_ = 0;
  struct {
    void* data;
    std::size_t num_bytes;
  } states_{};  // as the kernel is given them
  int num_arguments_ = 0;
  void* arguments_[most_arguments];
  void (*destroy_[most_arguments])(void*);
};

/// A launch of a kernel whose arguments have `bytes` bytes at most.
template <std::size_t bytes, std::size_t alignment = 16>
class launch_of : public launch {
 public:
  /// Of a kernel that waits as dependent_launch.cuh says, and so may start before what precedes it
  /// has ended.
  template <auto kernel, class... Given>
  void set(const grid& blocks, const Given&... given) {
    begin(record_of<kernel>(), blocks);
    put(kernel, given...);
  }
  /// Of one that takes tile states as well, after its first argument: of `states_bytes` bytes, or
  /// where these are 0 null.
  template <auto kernel, class First, class... Rest>
  void set_with_states(const grid& blocks, std::size_t states_bytes, const First& first,
                       const Rest&... rest) {
    begin(record_of<kernel>(), blocks);
    put_with_states(kernel, states_bytes, first, rest...);
  }
  /// Of any other one.
  template <class... Parameters, class... Given>
  void set_waiting(void (*kernel)(Parameters...), const grid& blocks, const Given&... given) {
    begin({reinterpret_cast<const void*>(kernel), nullptr}, blocks);
    put(kernel, given...);
  }

 private:
  template <class... Parameters, class... Given>
  void put(void (*)(Parameters...), const Given&... given) {
    static_assert(sizeof...(Given) <= most_arguments);
    static_assert((padded<Parameters>() + ... + 0) <= bytes);
    unsigned char* next = storage_;
    (put_one<Parameters>(next, given), ...);
  }
  template <class First, class... Parameters, class... Rest>
  void put_with_states(void (*)(First, void*, std::size_t, Parameters...), std::size_t states_bytes,
                       const First& first, const Rest&... rest) {
    static_assert(sizeof...(Rest) + 3 <= most_arguments);
    static_assert((padded<First>() + ... + padded<Parameters>()) <= bytes);
    unsigned char* next = storage_;
    put_one<First>(next, first);
    add_states(states_bytes);
    (put_one<Parameters>(next, rest), ...);
  }
  template <class Parameter>
  static constexpr std::size_t padded() {
    static_assert(alignof(Parameter) <= alignment);
    return (sizeof(Parameter) + alignment - 1) / alignment * alignment;
  }
  template <class Parameter>
  void put_one(unsigned char*& next, const Parameter& given) {
    void* const put = ::new (static_cast<void*>(next)) Parameter(given);
    if constexpr (std::is_trivially_destructible_v<Parameter>) {
      add(put);
    } else {  // a user's operator may be more than bytes
      add(put, [](void* it) { static_cast<Parameter*>(it)->~Parameter(); });
    }
    next += padded<Parameter>();
  }

  alignas(alignment) unsigned char storage_[bytes];
};

/// A launch of a kernel that scans a problem, however it cuts it, with a few numbers besides, or
/// what describes its arrays (see tensor_map).
inline constexpr std::size_t most_cut_bytes = 2560;
template <class Problem>
using launch_for = launch_of<(sizeof(Problem) + 63) / 64 * 64 + most_cut_bytes,
                             std::max<std::size_t>(alignof(Problem), 64)>;

/// Launches: with states of `from` where there are to be some, which are there until the kernel has
/// been enqueued. `limits`: of the current device.
status enqueue(launch& what, const memory_source& from, const device_limits& limits) noexcept;

/// Launches a kernel that knows nothing of dependent_launch.cuh: it starts when what precedes it in
/// the stream has ended.
template <class... Parameters, class... Given>
status enqueue_waiting(void (*kernel)(Parameters...), const grid& blocks, cudaStream_t stream,
                       const Given&... given) {
  constexpr std::size_t alignment = std::max({std::size_t{16}, alignof(Parameters)...});
  launch_of<(((sizeof(Parameters) + alignment - 1) / alignment * alignment) + ...), alignment> to;
  to.set_waiting(kernel, blocks, given...);
  return enqueue(to, memory_source(stream), {});
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
