// Bulk copies between global and shared memory, which a single thread starts and the copy engine of
// capability 9.0 and newer carries out, and the barriers that tell of their completion: for code
// that is compiled for 9.0 and newer. And prefetches, on any.
//
// Addresses in both memories, and sizes, are multiples of `granule` bytes.
#ifndef SCAN_DEVICE_MOVE_ASYNC_COPY_CUH
#define SCAN_DEVICE_MOVE_ASYNC_COPY_CUH

#include <cstdint>
#include <cuda/ptx>

#include "scan/abi.hpp"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/prefetch.cuh"
#include "scan/device/move/tensor_map.hpp"
#include "scan/device/move/vector.cuh"
#include "scan/device/plan/tuning.hpp"
#include "scan/protocol/bulk_order.cuh"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// A barrier in shared memory that goes from phase to phase: phase p is complete when `arrivals`
/// threads have arrived in it and the bytes they expect have come. Writes of the threads before
/// they arrive, and the bytes, are visible to those who have waited.
class phase_barrier {
 public:
  /// One thread, which then calls publish_to_bulk; then a block barrier.
  __device__ void initialise(int arrivals) {
    cuda::ptx::mbarrier_init(&word_, static_cast<std::uint32_t>(arrivals));
  }
  __device__ void arrive() { cuda::ptx::mbarrier_arrive(&word_); }
  /// The phase also needs `num_bytes` bytes of bulk copies; before the caller arrives.
  __device__ void expect(int num_bytes) {
    cuda::ptx::mbarrier_expect_tx(cuda::ptx::sem_relaxed, cuda::ptx::scope_cta,
                                  cuda::ptx::space_shared, &word_,
                                  static_cast<std::uint32_t>(num_bytes));
  }
  /// Waits for the phase of this parity: the one that is under way, or just complete. By whole
  /// warps, which so are not parted to compilers: see uniform.
  __device__ void wait(unsigned parity) {
    while (!__all_sync(all_lanes, cuda::ptx::mbarrier_try_wait_parity(&word_, parity))) {
    }
  }

 private:
  friend __device__ void load_bulk(void* to, const void* from, int num_bytes, phase_barrier& done);
  friend __device__ void load_box(void* to, const tensor_map& from, const int (&at)[3],
                                  phase_barrier& done);
  std::uint64_t word_;
};

/// Starts a copy to shared memory, which completes in the phase of `done` that expects it. What
/// threads have read and written there before has to be ordered before this call.
__device__ inline void load_bulk(void* to, const void* from, int num_bytes, phase_barrier& done) {
  cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from,
                           static_cast<std::uint32_t>(num_bytes), &done.word_);
}

/// The same of a box of an array's lines, from word, row and slab `at` on. `from` is a part of the
/// kernel's parameters; `to` a multiple of 128.
__device__ inline void load_box(void* to, const tensor_map& from, const int (&at)[3],
                                phase_barrier& done) {
  cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, to, &from, at,
                                  &done.word_);
}

/// The granules of a chunk that a bulk copy brings to a slot: found before they may be read.
struct bulk_part {
  const unsigned char* from;
  int num_bytes, place;  // in the slot
  int shift;             // see chunk (chunk_io.cuh)

  /// Has them found before a wait that follows. (Left alone, the compiler would do so where they
  /// are used.)
  __device__ void settle() {
#if __CUDA_ARCH__ >= 900
    asm("" : "+l"(from), "+r"(num_bytes), "+r"(place), "+r"(shift)::"memory");
#endif
  }
};

/// Starts a copy from shared memory, as part of the group that the thread's next commit closes.
/// Each thread that has written there calls publish_to_bulk first.
__device__ inline void store_bulk(void* to, const void* from, int num_bytes) {
  cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to, from,
                           static_cast<std::uint32_t>(num_bytes));
}
__device__ inline void commit_bulk() { cuda::ptx::cp_async_bulk_commit_group(); }

/// Waits until all but the thread's newest `pending` groups have read what they store.
template <int pending>
__device__ void await_bulk_reads() {
  cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<pending>{});
}

// ---- Asks for input before it is known which block will take it.

/// Asks the L2 for `num_bytes` bytes, by `num_threads` threads of which the caller is `thread`.
__device__ inline void prefetch_bytes(const void* from, int num_bytes, int thread,
                                      int num_threads) {
  constexpr int line = 128;
  for (int i = thread * line; i < num_bytes; i += num_threads * line) {
    prefetch_line(static_cast<const unsigned char*>(from) + i);
  }
}

/// Brings the first tile of each block of the grid into the L2, as if tiles went to blocks by their
/// index. They do not; but by the time a block has its ticket, memory has been at work for one trip
/// to the L2. All threads; `scan` is a problem.
///
/// Nothing if the input is no array, or that is more than most_prefetched_bytes.
template <class Problem>
__device__ void prefetch_tiles(const Problem& scan, int tile_items) {
  if constexpr (is_array<decltype(Problem::in)>) {
    constexpr int line = 128, item_bytes = static_cast<int>(sizeof(typename Problem::in_type));
    const auto* begin = reinterpret_cast<const unsigned char*>(scan.in.data);
    const std::int64_t end = scan.num_items * item_bytes;
    const int tile_bytes = tile_items * item_bytes;
    if (std::int64_t{gridDim.x} * tile_bytes > most_prefetched_bytes) return;
    for (int i = threadIdx.x * line; i < tile_bytes; i += blockDim.x * line) {
      const std::int64_t at = std::int64_t{blockIdx.x} * tile_bytes + i;
      if (at >= end) return;
      prefetch_line(begin + (Problem::reversed ? end - 1 - at : at));
    }
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
