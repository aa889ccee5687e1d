// Device memory that is kept between calls, so that a scan is one kernel launch: for tile states,
// and for the baselines' scratch.
#ifndef SCAN_WORKSPACE_HPP
#define SCAN_WORKSPACE_HPP

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "scan/extents.hpp"
#include "scan/memory_resource.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Holds the tile states of one scan at a time; reusable for any type, operator and n up to its
/// size, and never re-initialised between calls.
///
/// One call in flight at a time: calls in one stream are fine, calls in two streams need an event
/// between them (which the library cannot check). Two host threads inside a call with the same
/// workspace at the same moment are told so. Replaying a captured graph counts as a call.
///
/// It has to outlive all calls that were given it, until they are through on the device, and all
/// graphs that captured one: a graph holds the address of this memory, and a replay after the
/// destructor has freed it writes to memory that may be somebody else's.
class SCAN_SHOWN workspace {
 public:
  /// Room for scans of up to `max_items` elements, on the current device, where none of an input
  /// element, an output element and an init has more than `max_element_bytes` bytes (an init is an
  /// output element, or what a function on the way out is given). Sums of runs want the most, of 4
  /// and 8 bytes segments, keys and flags where there is no ring: of many elements it takes 1/160
  /// of an input's memory for 2 and 4 bytes, 1/80 for 1, 8 and 16, and up to 1/65 for others.
  /// Allocates (`cudaMalloc`), so construct it outside of a stream capture. Never throws: a failure
  /// is kept for `error()`, and every scan given this workspace returns it, also one that would
  /// need none.
  ///
  /// Tensors and recurrences are not spoken of: theirs is made for extents, below. (A call for
  /// which this one is too small says so.)
  ///
  /// With a baseline as `which` it holds that algorithm's scratch memory besides (which is up to
  /// one more copy of the elements), and so serves this baseline and the library's own kernels.
  SCAN_HIDDEN explicit workspace(std::int64_t max_items, int max_element_bytes = 8,
                                 algorithm which = algorithm::automatic) noexcept;
  /// The same for tensors and recurrences: of these extents or of a smaller `outer`, whatever the
  /// pitches. (It is enough for single sequences of that length too.)
  SCAN_HIDDEN explicit workspace(const extents& most, int max_element_bytes = 8) noexcept;
  /// In memory of the caller's, on the current device, that starts at a multiple of 256 bytes: of a
  /// caching allocator, say, `num_bytes` as `held_bytes` tells or more. All of it is zeroed, once,
  /// in the order of `stream`: other streams have to wait for that. It is the workspace's as long
  /// as there is one and calls are under way, and is not freed; baselines have no scratch in it.
  ///
  /// In a stream that is being captured the zeroing is captured, too: then this workspace is for
  /// calls of the same graph, after it, and no others.
  SCAN_HIDDEN workspace(void* memory, std::size_t num_bytes, stream_ref stream) noexcept;
  SCAN_HIDDEN ~workspace();
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  /// Success, or why the constructor could not allocate, or not use what it was given.
  SCAN_HIDDEN status error() const noexcept { return error_; }
  /// Bytes of device memory held, or used of the caller's.
  SCAN_HIDDEN std::size_t num_bytes() const noexcept { return num_bytes_; }
  /// The device whose memory this is.
  SCAN_HIDDEN int device() const noexcept { return device_; }

  /// Bytes that a scan of `num_items` elements by `which` needs, `element_bytes` the widest of
  /// input, output and init; never shrinks as `num_items` grows. 0 when the scan fits one tile by
  /// `automatic`. Of a baseline: enough for all types and functions of these widths, of which some
  /// need less. SIZE_MAX where there is no such scan: `element_bytes` not in 1..64, `num_items`
  /// negative or more than 2^57, `which` no enumerator.
  SCAN_HIDDEN static std::size_t required_bytes(std::int64_t num_items, int element_bytes,
                                                algorithm which = algorithm::automatic) noexcept;

  /// Bytes for any scan or recurrence of a tensor, of elements of up to `element_bytes` bytes.
  /// SIZE_MAX where there is none: bad extents, `element_bytes` not in 1..64.
  SCAN_HIDDEN static std::size_t required_bytes(const extents& shape,
                                                int element_bytes = 8) noexcept;

  /// Bytes that a workspace holds which is made for so many elements, or for these extents: with
  /// them it serves every scan that the constructor of these arguments speaks of. SIZE_MAX where
  /// that refuses them.
  SCAN_HIDDEN static std::size_t held_bytes(std::int64_t max_items,
                                            int max_element_bytes = 8) noexcept;
  SCAN_HIDDEN static std::size_t held_bytes(const extents& most,
                                            int max_element_bytes = 8) noexcept;

  /// For the launch code: one call at a time holds the lock while it enqueues.
  SCAN_HIDDEN std::mutex& enqueueing() noexcept { return enqueueing_; }
  /// The tile states, and their bytes.
  SCAN_HIDDEN void* states() const noexcept { return data_; }
  SCAN_HIDDEN std::size_t num_states_bytes() const noexcept { return num_states_bytes_; }
  /// What follows them, in which anything may be left: the kernel that clears the states when the
  /// epochs run out, and takes what it finds there for states, never looks here.
  SCAN_HIDDEN void* scratch() const noexcept {
    return static_cast<char*>(data_) + num_states_bytes_;
  }
  SCAN_HIDDEN std::size_t num_scratch_bytes() const noexcept {
    return num_bytes_ - num_states_bytes_;
  }

 private:
  SCAN_HIDDEN status adopt(void* memory, std::size_t num_bytes, cudaStream_t stream) noexcept;
  SCAN_HIDDEN void allocate(std::size_t for_states, std::size_t for_scratch) noexcept;
  void* data_ = nullptr;
  std::size_t num_bytes_ = 0;
  std::size_t num_states_bytes_ = 0;
  int device_ = -1;
  bool owned_ = false;
  status error_;
  std::mutex enqueueing_;
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
