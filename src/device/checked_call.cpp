#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "scan/device/launch/call_memory.hpp"
#include "scan/device/launch/device_limits.hpp"
#include "src/device/reachable_memory.hpp"
#include "src/device/relaxed_capture.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {
namespace {

bool is_there(const call_array& array) noexcept {
  return array.bytes.begin != 0 && array.bytes.begin != array.bytes.end;
}

/// What of a status is said of each argument.
constexpr int num_arguments = 18;  // `argument`, and the workspace
constexpr const char* names[num_arguments] = {"the input",
                                              "recurrence: a, the factors,",
                                              "the output",
                                              "options.init_pointer",
                                              "options.total",
                                              "segments.offsets",
                                              "the keys",
                                              "flags.heads",
                                              "recurrence_gradient: h",
                                              "recurrence_gradient: grad_a",
                                              "options.grad_total",
                                              "options.grad_init",
                                              "options.count",
                                              "scan::count",
                                              "segment_ranges.begins",
                                              "segment_ranges.ends",
                                              "segment_ranges.out_begins",
                                              "options.workspace"};
constexpr int num_faults = 4;  // `reach` but the first
constexpr const char* faults[num_faults] = {
    " is no memory that the device can reach: pageable host memory, or freed",
    " is memory of another device that this one has no access to",
    " is too small: its allocation ends before the last element",
    " is memory that the device may only read"};

/// All of them, since a status keeps no text of its own.
struct message_table {
  static constexpr int most = 112;
  char text[num_arguments][num_faults][most] = {};
  char in_workspace[num_arguments][most] = {};
  constexpr message_table() {
    for (int i = 0; i < num_arguments; ++i) {
      append(append(in_workspace[i], "options.workspace: its memory overlaps "), names[i]);
      for (int k = 0; k < num_faults; ++k) {
        append(append(append(text[i][k], "SCAN_CHECK: "), names[i]), faults[k]);
      }
    }
  }
  static constexpr char* append(char* to, const char* more) {
    for (; *more != '\0'; ++more) *to++ = *more;
    return to;
  }
};
constexpr message_table messages;

status check_workspace(const workspace* space, std::initializer_list<call_array> arrays) noexcept {
  if (space == nullptr) return {};
  if (!space->error().ok()) return space->error();
  const memory_range held(static_cast<const char*>(space->states()),
                          static_cast<std::int64_t>(space->num_bytes()));
  for (const call_array& array : arrays) {
    if (is_there(array) && array.bytes.overlaps(held)) {
      return {cudaErrorInvalidValue, messages.in_workspace[static_cast<int>(array.which)]};
    }
  }
  return {};
}

constexpr bool is_written(int which) noexcept {
  return which == static_cast<int>(argument::output) ||
         which == static_cast<int>(argument::total) ||
         which == static_cast<int>(argument::grad_a) ||
         which == static_cast<int>(argument::grad_init) ||
         which == static_cast<int>(argument::count) || which == num_arguments - 1;
}

status check_reach(int which, const memory_range& bytes, int device, bool is_graphs) noexcept {
  const reach found = reach_of(bytes, device, is_graphs);
  if (found == reach::all || (found == reach::only_read && !is_written(which))) return {};
  return {cudaErrorInvalidValue, messages.text[which][static_cast<int>(found) - 1]};
}

status check_arrays(const memory_source& from, std::initializer_list<call_array> arrays) noexcept {
  const relaxed_capture allowed;
  int device = 0;
  if (const cudaError_t code = cudaGetDevice(&device)) {
    return {code, "there is no usable CUDA device"};
  }
  const bool is_captured = !can_wait_for(from.stream);
  if (!is_captured) {
    if (const cudaError_t code = cudaStreamSynchronize(named_stream(from.stream))) {
      return {code, "SCAN_CHECK: something that was enqueued before this call has failed"};
    }
  }
  for (const call_array& array : arrays) {
    if (!is_there(array)) continue;
    const status reached =
        check_reach(static_cast<int>(array.which), array.bytes, device, is_captured);
    if (!reached.ok()) return reached;
  }
  // (That of another device is refused with or without.)
  if (from.space == nullptr || from.space->device() != device) return {};
  return check_reach(num_arguments - 1,
                     {static_cast<const char*>(from.space->states()),
                      static_cast<std::int64_t>(from.space->num_bytes())},
                     device, is_captured);
}

}  // namespace

status check_call(const memory_source& from, std::initializer_list<call_array> arrays) noexcept {
  if (const status checked = check_workspace(from.space, arrays); !checked.ok()) return checked;
  if (!in_checked_mode()) return {};
  const bool touches = std::any_of(arrays.begin(), arrays.end(), is_there);
  return touches ? check_arrays(from, arrays) : status{};
}

bool in_checked_mode() noexcept {
  static const bool asked_for = [] {
    const char* const value = std::getenv("SCAN_CHECK");
    return value != nullptr && std::strcmp(value, "") != 0 && std::strcmp(value, "0") != 0;
  }();
  return asked_for;
}

bool can_wait_for(cudaStream_t stream) noexcept {
  const relaxed_capture allowed;
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  // (Of the legacy stream it is an error while another one is captured.)
  return cudaStreamIsCapturing(named_stream(stream), &capturing) == cudaSuccess &&
         capturing == cudaStreamCaptureStatusNone;
}

status wait_for_call(const status& launched, cudaStream_t stream) noexcept {
  if (!launched.ok() || !can_wait_for(stream)) return launched;
  const relaxed_capture allowed;
  const cudaError_t code = cudaStreamSynchronize(named_stream(stream));
  return code == cudaSuccess ? launched
                             : status{code, "SCAN_CHECK: the scan has failed on the device"};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
