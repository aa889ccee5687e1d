// Memory that a call without a workspace takes from the caller's allocator.
#ifndef SCAN_MEMORY_RESOURCE_HPP
#define SCAN_MEMORY_RESOURCE_HPP

#include <driver_types.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// What memory from a resource, or of a workspace's caller, starts at a multiple of.
inline constexpr std::size_t memory_alignment = 256;

/// How a `Resource` allocates in a stream's order. The names have changed with CCCL 3.1 and RMM
/// 25.12; no header of theirs is needed to call them.
template <class Resource, class = void>
inline constexpr bool allocates_by_stream = false;  // allocate(stream, bytes, alignment)
template <class Resource>
inline constexpr bool allocates_by_stream<
    Resource,
    std::enable_if_t<std::is_same_v<void*, decltype(std::declval<Resource&>().allocate(
                                               cudaStream_t{}, std::size_t{}, std::size_t{}))>>> =
    true;
template <class Resource, class = void>
inline constexpr bool allocates_async = false;  // allocate_async(bytes, alignment, stream)
template <class Resource>
inline constexpr bool allocates_async<
    Resource,
    std::enable_if_t<std::is_same_v<void*, decltype(std::declval<Resource&>().allocate_async(
                                               std::size_t{}, std::size_t{}, cudaStream_t{}))>>> =
    true;
template <class Resource>
inline constexpr bool is_stream_ordered =
    allocates_by_stream<Resource> || allocates_async<Resource>;

/// Refers to an allocator of device memory in stream order: two functions and what they are given
/// first, or a resource of libcu++ (`cuda::mr`) or RMM, which has to outlive the calls. Owns
/// nothing; 24 bytes, trivially copyable.
///
/// What it allocates is of the current device, starts at a multiple of 256 bytes, may hold anything
/// and may be used by what is enqueued in `stream` from then on. It is given back in the same
/// stream when the kernel has been enqueued, before it has run. The stream of a call without one is
/// `cudaStreamLegacy`, by that name. An allocation that is null, or throws, makes the call fail
/// with `cudaErrorMemoryAllocation`; what `deallocate` throws is nobody's. In a stream that is
/// captured the graph holds the address: the memory has to stay the graph's own until the last
/// replay, which an allocator sees to that knows captures (as CUDA's own does); with others use a
/// workspace.
class SCAN_SHOWN memory_resource {
 public:
  using allocate_function = void*(void* context, std::size_t num_bytes, cudaStream_t stream);
  using deallocate_function = void(void* context, void* memory, std::size_t num_bytes,
                                   cudaStream_t stream);

  /// None: the call allocates by `cudaMallocAsync`.
  SCAN_HIDDEN constexpr memory_resource() noexcept = default;
  SCAN_HIDDEN constexpr memory_resource(allocate_function* allocates,
                                        deallocate_function* deallocates,
                                        void* context = nullptr) noexcept
      : allocate_(allocates), deallocate_(deallocates), context_(context) {}
  template <class Resource, std::enable_if_t<is_stream_ordered<Resource>, int> = 0>
  SCAN_HIDDEN_TEMPLATE memory_resource(Resource& resource) noexcept
      : allocate_(allocate_from<Resource>),
        deallocate_(deallocate_to<Resource>),
        context_(const_cast<void*>(static_cast<const void*>(std::addressof(resource)))) {}
  /// (A temporary, also a `resource_ref`, would be gone when it is asked.)
  template <class Resource, std::enable_if_t<is_stream_ordered<Resource>, int> = 0>
  memory_resource(const Resource&& resource) = delete;

  /// Whether there is one at all, and whether both of its functions are said.
  SCAN_HIDDEN constexpr bool is_given() const noexcept {
    return allocate_ != nullptr || deallocate_ != nullptr;
  }
  SCAN_HIDDEN constexpr bool is_whole() const noexcept {
    return allocate_ != nullptr && deallocate_ != nullptr;
  }
  /// For the launch code; they throw what the caller's throw.
  SCAN_HIDDEN void* allocate(std::size_t num_bytes, cudaStream_t stream) const {
    return allocate_(context_, num_bytes, stream);
  }
  SCAN_HIDDEN void deallocate(void* memory, std::size_t num_bytes, cudaStream_t stream) const {
    deallocate_(context_, memory, num_bytes, stream);
  }

 private:
  template <class Resource>
  SCAN_HIDDEN_TEMPLATE static void* allocate_from(void* context, std::size_t num_bytes,
                                                  cudaStream_t stream) {
    auto& resource = *static_cast<Resource*>(context);
    if constexpr (allocates_by_stream<Resource>) {
      return resource.allocate(stream, num_bytes, memory_alignment);
    } else {
      return resource.allocate_async(num_bytes, memory_alignment, stream);
    }
  }
  template <class Resource>
  SCAN_HIDDEN_TEMPLATE static void deallocate_to(void* context, void* memory, std::size_t num_bytes,
                                                 cudaStream_t stream) {
    auto& resource = *static_cast<Resource*>(context);
    if constexpr (allocates_by_stream<Resource>) {
      resource.deallocate(stream, memory, num_bytes, memory_alignment);
    } else {
      resource.deallocate_async(memory, num_bytes, memory_alignment, stream);
    }
  }

  allocate_function* allocate_ = nullptr;
  deallocate_function* deallocate_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
