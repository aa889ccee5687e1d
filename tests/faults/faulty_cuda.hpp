// CUDA calls that fail when told to, linked in front of the runtime's own (-Wl,--wrap, see
// meson.build). Where there is no GPU a device is made up that takes every launch and computes
// nothing: what a call does about failures can be tested without.
#ifndef SCAN_TESTS_FAULTY_CUDA_HPP
#define SCAN_TESTS_FAULTY_CUDA_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tests {

/// What the made-up device says of a pointer.
struct memory_facts {
  cudaMemoryType type = cudaMemoryTypeDevice;
  int device = 0;
  bool is_reachable = true;   // by the current device at this address
  unsigned access = 3;        // of the current device: 1 to read, 3 to write, too
  std::uintptr_t first = 0;   // of the allocation, ...
  std::size_t num_bytes = 0;  // ... where that is known
};

/// What the calls do, and what they have been asked. One thread at a time, unless it is said.
struct faulty_cuda {
  bool is_made_up = false;  // no GPU
  int device = 0;           // the current one, of the two that are made up
  int stream_device = 0;    // of which streams are that are not null, likewise
  int fail_at = 0;          // the call that fails, counted from 1; 0: none
  cudaError_t code = cudaErrorMemoryAllocation;
  int num_calls = 0;
  int num_launches = 0;
  std::int64_t num_held = 0;  // allocations not yet freed
  void* newest = nullptr;     // the last of them
  std::size_t newest_bytes = 0;
  cudaStream_t stream = nullptr;                             // of the last that was put into one
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;  // of this thread
  std::function<void()> on_launch;                           // called before the next launch
  const void* kernel = nullptr;                              // of the newest launch
  void** arguments = nullptr;                                // likewise, while it is made
  memory_facts memory;                                       // of every pointer
  std::function<memory_facts(std::uintptr_t)> memory_at;     // instead, if there is one
  bool is_pageable_reachable = false;
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;  // of every stream
  int num_waits = 0;
  int failing_wait = 0;             // the one that tells of an error, counted from 1; 0: none
  bool copies = false;              // the made-up device copies what it is told to; else
  std::int64_t found = INT64_MAX;   // what copies from it hold
  int ptx_version = 90;             // of every kernel that is asked about
  cudaStream_t awaiting = nullptr;  // the stream that was last told to wait for an event
  int num_event_waits = 0;          // of the host

  /// From now on, call number `which` fails.
  void fail(int which, cudaError_t with) {
    fail_at = which;
    code = with;
    num_calls = num_launches = 0;
  }
  bool has_failed() const { return fail_at != 0 && num_calls >= fail_at; }
};

extern faulty_cuda cuda_calls;
/// This thread's pending error, of the made-up device or of a call that was told to fail.
extern thread_local cudaError_t pending_here;

}  // namespace tests

#endif
