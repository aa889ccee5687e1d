// What is asked about a call's memory before it is enqueued: that the workspace has none of the
// call's data, and, where the environment says SCAN_CHECK=1, whether the device can reach it all.
#ifndef SCAN_DEVICE_CHECKED_CALL_HPP
#define SCAN_DEVICE_CHECKED_CALL_HPP

#include <driver_types.h>

#include <initializer_list>

#include "scan/device/call_memory.hpp"
#include "scan/segment_heads.hpp"
#include "scan/status.hpp"
#include "scan/validate.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What messages call an array.
enum class argument { input, factors, output, init_pointer, total, offsets, keys, flags };

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
