#include "scan/device/launch/enqueue.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

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
    if (blocks.cluster_blocks > 0) {
      cudaLaunchAttribute& cluster = attributes[numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {static_cast<unsigned>(blocks.cluster_blocks), 1, 1};
    }
  }
  launch_config(const launch_config&) = delete;

  cudaLaunchAttribute attributes[2];  // numAttrs of them are written, and read
};

}  // namespace

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

bool kernel_record::allow_again(const device_limits& limits, const grid& blocks) const noexcept {
  const bool is_wide = blocks.cluster_blocks > most_cluster_blocks;
  if (blocks.most_shared_bytes == 0 && !is_wide) return false;
  answers_->allowed.forget(limits.device);
  return allow(limits, blocks.most_shared_bytes) == cudaSuccess &&
         (!is_wide || allow_wide_clusters(limits, blocks) > 0);
}

int kernel_record::allow_wide_clusters(const device_limits& limits,
                                       const grid& blocks) const noexcept {
  if (!is_for_90(limits)) return 0;
  int at_once = 0;
  const auto ask_for_room = [&] {
    const launch_config config(blocks, limits.stream, false);
    return cudaOccupancyMaxActiveClusters(&at_once, kernel_, &config);
  };
  // (Each time, which takes 0.3 us: another context's stream may have the address of one before,
  // and a kernel that has been allowed them may have lost that.)
  cudaError_t code = ask_apart(limits.device, ask_for_room);
  if (code != cudaSuccess || at_once == 0) {
    code = ask_apart(limits.device, [&] {
      const cudaError_t allowed =
          cudaFuncSetAttribute(kernel_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      return allowed == cudaSuccess ? ask_for_room() : allowed;
    });
  }
  return code == cudaSuccess ? at_once : 0;
}

void kernel_record::load(const device_limits& limits) const noexcept {
  kernel_answers::code found{};
  static_cast<void>(ask(limits, found));
}

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
  if ((code == cudaErrorInvalidValue || code == cudaErrorInvalidClusterSize) &&
      what.kernel_.allow_again(limits, what.blocks_)) {
    code = cudaLaunchKernelExC(&config, kernel, what.arguments_);
  }
  return code == cudaSuccess ? status{} : status{code, "launching the scan kernel failed"};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
