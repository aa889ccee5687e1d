// Device memory of the tests, and checks that run on the device.
#ifndef SCAN_TESTS_DEVICE_MEMORY_HPP
#define SCAN_TESTS_DEVICE_MEMORY_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "scan/call/prebuilt.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "scan/options.hpp"
#include "scan/workspace.hpp"

namespace tests {

inline void cuda_check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

inline bool gpu_present() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

/// Whether the device has what the ring kernel needs.
inline bool gpu_has_ring() {
  int major = 0, shared_bytes = 0;
  return gpu_present() &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
         cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) ==
             cudaSuccess &&
         major >= 9 && shared_bytes >= 200 * 1024;
}

/// What launch plans know of the current device; nothing where there is none.
inline scan::device::device_limits limits_here() {
  scan::device::device_limits limits;
  return gpu_present() && scan::device::current_limits(limits).ok() ? limits
                                                                    : scan::device::device_limits{};
}

inline constexpr bool with_baselines = SCAN_PREBUILT_BASELINES;
/// Whether libscan.a holds the baselines for these scans.
template <class In, class Out, class Op, class Shared = scan::shared_kernel<In, Out, Op>>
inline constexpr bool is_prebuilt_baseline =
    scan::is_baseline_held<typename Shared::in, typename Shared::out, typename Shared::op>;
/// The baseline for which a workspace is made that serves them all.
inline scan::algorithm hungriest(std::int64_t n, int element_bytes) {
  const auto required = [&](scan::algorithm which) {
    return scan::workspace::required_bytes(n, element_bytes, which);
  };
  return required(scan::algorithm::blelloch) > required(scan::algorithm::scan_then_fan)
             ? scan::algorithm::blelloch
             : scan::algorithm::scan_then_fan;
}

/// The baselines, in turn; `automatic` in a build without them.
inline scan::algorithm baseline_of_turn(std::uint64_t turn) {
  constexpr auto first = static_cast<std::uint64_t>(scan::algorithm::bit_layers);
  constexpr auto last = static_cast<std::uint64_t>(scan::algorithm::reduce_then_scan_two_pass);
  if (!with_baselines) return scan::algorithm::automatic;
  return static_cast<scan::algorithm>(first + turn % (last - first + 1));
}

/// All kernels of the library that the device has, and `automatic`.
inline const std::vector<scan::algorithm>& algorithms_here() {
  static const std::vector<scan::algorithm> all = [] {
    std::vector<scan::algorithm> some{scan::algorithm::automatic, scan::algorithm::wave,
                                      scan::algorithm::look_back};
    if (gpu_has_ring()) some.push_back(scan::algorithm::ring);
    return some;
  }();
  return all;
}
/// One of them, in turn.
inline scan::algorithm algorithm_of_turn(std::uint64_t turn) {
  return algorithms_here()[turn % algorithms_here().size()];
}

/// Elements for which a workspace has room for the tensors of these tests, many times as many.
inline constexpr std::int64_t roomy_items = std::int64_t{1} << 30;

/// Bytes of device memory.
class device_memory {
 public:
  explicit device_memory(std::size_t num_bytes) { cuda_check(cudaMalloc(&data_, num_bytes)); }
  ~device_memory() { static_cast<void>(cudaFree(data_)); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  template <class T>
  T* as(std::size_t byte_offset = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + byte_offset);
  }

 private:
  void* data_ = nullptr;
};

/// A stream that the legacy default stream does not wait for.
class stream {
 public:
  stream() { cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { cuda_check(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Fills `n` elements with a hash of their index and `seed`.
template <class T>
void fill_random(T* data, std::int64_t n, std::uint64_t seed, cudaStream_t stream);

/// Adds to `*num_wrong` the elements of out[0, n) that are not the sum of in[0, n) up to there:
/// out[i] = out[i-1] + in[i] for all i proves the whole scan. Exclusive: out[i] = out[i-1] +
/// in[i-1].
template <class T>
void count_wrong_sums(const T* in, const T* out, std::int64_t n, bool exclusive,
                      unsigned long long* num_wrong, cudaStream_t stream);

}  // namespace tests

#endif
