#include "scan/device/launch/enqueue.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

cudaError_t kernel_record::ask(const device_limits& limits,
                               kernel_answers::code& answer) const noexcept {
  return answers_->of_code.get(limits.device, answer, [&](kernel_answers::code& found) {
    return ask_apart(limits.device, [&] {
      cudaFuncAttributes attributes = {};
      const cudaError_t asked = cudaFuncGetAttributes(&attributes, kernel_);
      found = {attributes.ptxVersion >= 90, static_cast<int>(attributes.sharedSizeBytes)};
      return asked;
    });
  });
}

bool kernel_record::is_for_90(const device_limits& limits) const noexcept {
  kernel_answers::code found{};
  return limits.has_clusters && ask(limits, found) == cudaSuccess && found.is_for_90;
}

cudaError_t kernel_record::allow(const device_limits& limits,
                                 std::size_t num_bytes) const noexcept {
  constexpr std::size_t always_allowed = 28 * 1024;  // of 48 KiB, some of which are static
  if (num_bytes <= always_allowed) return cudaSuccess;
  int done = 0;
  return answers_->allowed.get(limits.device, done, [&](int&) {
    return ask_apart(limits.device, [&] {
      return cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(num_bytes));
    });
  });
}

cudaError_t kernel_record::allow_ring(const device_limits& limits,
                                      std::size_t& num_bytes) const noexcept {
  kernel_answers::code found{};
  num_bytes = 0;
  if (const cudaError_t asked = ask(limits, found)) return asked;
  if (!found.is_for_90 || limits.ring_bytes_of_block == 0) return cudaSuccess;
  num_bytes = limits.ring_bytes_of_block - static_cast<std::size_t>(found.static_shared_bytes);
  return allow(limits, num_bytes);
}

bool kernel_record::allow_again(const device_limits& limits, std::size_t num_bytes) const noexcept {
  answers_->allowed.forget(limits.device);
  return allow(limits, num_bytes) == cudaSuccess;
}

void kernel_record::load(const device_limits& limits) const noexcept {
  kernel_answers::code found{};
  static_cast<void>(ask(limits, found));
}

namespace {

/// CUDA's own words for how a kernel is launched.
struct launch_config : cudaLaunchConfig_t {
  launch_config(const grid& blocks, cudaStream_t in, bool overlaps) noexcept
      : cudaLaunchConfig_t{} {
    gridDim = static_cast<unsigned>(blocks.num_blocks);
    blockDim = static_cast<unsigned>(blocks.num_threads);
    dynamicSmemBytes = blocks.shared_bytes;
    stream = named_stream(in);
    attrs = attributes;
    if (overlaps) {
      cudaLaunchAttribute& overlap = attributes[numAttrs++];
      overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      overlap.val.programmaticStreamSerializationAllowed = 1;
    }
    if (blocks.is_cluster) {
      cudaLaunchAttribute& cluster = attributes[numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {gridDim.x, 1, 1};
    }
  }
  launch_config(const launch_config&) = delete;

  cudaLaunchAttribute attributes[2];  // numAttrs of them are written, and read
};

}  // namespace

// CUDA is called from here and from no function of ours in between: who debugs a call sees five
// frames of the library at most (tests/calls/frames_test.cu).
status enqueue(launch& what, const memory_source& from, const device_limits& limits) noexcept {
  // (Of no bytes there is nothing to lock or to allocate.)
  const bool has_states = what.states_bytes_ > 0;
  const call_memory states(has_states ? from : memory_source(from.stream), what.states_bytes_);
  if (!states.error().ok()) return states.error();
  if (has_states) what.states_ = {states.data(), states.num_bytes()};
  const void* const kernel = what.kernel_.kernel();
  const bool overlaps = what.kernel_.has_answers() && what.kernel_.is_for_90(limits);
  const launch_config config(what.blocks_, from.stream, overlaps);
  cudaError_t code = cudaLaunchKernelExC(&config, kernel, what.arguments_);
  // An invalid value may mean that the kernel has lost what it has been allowed: the device has
  // been reset, or another context is current.
  if (code == cudaErrorInvalidValue && what.blocks_.most_shared_bytes > 0 &&
      what.kernel_.allow_again(limits, what.blocks_.most_shared_bytes)) {
    code = cudaLaunchKernelExC(&config, kernel, what.arguments_);
  }
  return code == cudaSuccess ? status{} : status{code, "launching the scan kernel failed"};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
