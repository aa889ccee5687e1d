// The five rungs of the scan inside a block: each block scans a slice of 1024 elements, nothing is
// carried from one to the next. NOT a scan of the whole input; the tiles of the library's kernels
// are scanned like the last rung. Every rung reads n and writes n once through the caches' far
// side; what differs is what happens between.
#include "bench/ladders/ladders.hpp"
#include "scan/device/fold/warp.cuh"

namespace bench {
namespace {

using word = std::uint32_t;  // an int32, whose sums wrap around

constexpr int warp_items = scan::device::warp_size, num_warps = slice_items / warp_items;

using scan::device::all_lanes, scan::device::lane_index, scan::device::warp_index;

__device__ word warp_scan(word item) {
#pragma unroll
  for (int step = 1; step < warp_items; step *= 2) {
    const word earlier = __shfl_up_sync(all_lanes, item, step);
    if (lane_index() >= step) item += earlier;
  }
  return item;
}

/// Rung 0: steps of 1, 2, 4, .. in global memory: ten times as much goes through the caches.
__global__ void __launch_bounds__(slice_items)
    in_global_memory(const word* in, word* out, std::int64_t num_items) {
  const std::int64_t item = std::int64_t{blockIdx.x} * slice_items + threadIdx.x;
  const bool exists = item < num_items;
  if (exists) out[item] = in[item];
  for (int step = 1; step < slice_items; step *= 2) {
    const bool has_partner = exists && static_cast<int>(threadIdx.x) >= step;
    __syncthreads();  // the last step's results are there
    const word earlier = has_partner ? out[item - step] : 0;
    __syncthreads();  // nobody needs the old ones any more
    if (has_partner) out[item] += earlier;
  }
}

/// Rung 1: the steps in shared memory.
__global__ void __launch_bounds__(slice_items)
    in_shared_memory(const word* in, word* out, std::int64_t num_items) {
  __shared__ word items[slice_items];
  const std::int64_t item = std::int64_t{blockIdx.x} * slice_items + threadIdx.x;
  const int mine = static_cast<int>(threadIdx.x);
  items[mine] = item < num_items ? in[item] : 0;
  for (int step = 1; step < slice_items; step *= 2) {
    __syncthreads();
    const word earlier = mine >= step ? items[mine - step] : 0;
    __syncthreads();
    items[mine] += earlier;
  }
  if (item < num_items) out[item] = items[mine];
}

/// Rung 2: from one buffer to the other and back: a barrier a step instead of two.
__global__ void __launch_bounds__(slice_items)
    double_buffered(const word* in, word* out, std::int64_t num_items) {
  __shared__ word buffers[2][slice_items];
  const std::int64_t item = std::int64_t{blockIdx.x} * slice_items + threadIdx.x;
  const int mine = static_cast<int>(threadIdx.x);
  int from = 0;
  buffers[from][mine] = item < num_items ? in[item] : 0;
  for (int step = 1; step < slice_items; step *= 2) {
    __syncthreads();
    const word earlier = mine >= step ? buffers[from][mine - step] : 0;
    buffers[1 - from][mine] = buffers[from][mine] + earlier;
    from = 1 - from;
  }
  if (item < num_items) out[item] = buffers[from][mine];
}

/// Rung 3: warps scan by shuffles, one of them scans the warps' sums: two barriers in all.
__global__ void __launch_bounds__(slice_items)
    by_shuffles(const word* in, word* out, std::int64_t num_items) {
  __shared__ word sums[num_warps];
  const std::int64_t item = std::int64_t{blockIdx.x} * slice_items + threadIdx.x;
  const word scanned = warp_scan(item < num_items ? in[item] : 0);
  if (lane_index() == warp_items - 1) sums[warp_index()] = scanned;
  __syncthreads();
  if (warp_index() == 0) sums[lane_index()] = warp_scan(sums[lane_index()]);
  __syncthreads();
  if (item < num_items) out[item] = warp_index() > 0 ? sums[warp_index() - 1] + scanned : scanned;
}

constexpr int coarse_items = 4, coarse_threads = slice_items / coarse_items,
              coarse_warps = coarse_threads / warp_items;

/// Rung 4: four elements a thread, loaded and stored as one vector; shuffles and barriers are for
/// four times as many elements. The slice's end, where vectors do not fit, goes one by one.
__global__ void __launch_bounds__(coarse_threads)
    coarsened(const word* in, word* out, std::int64_t num_items) {
  __shared__ word sums[coarse_warps];
  const std::int64_t first =
      std::int64_t{blockIdx.x} * slice_items + static_cast<int>(threadIdx.x) * coarse_items;
  const bool whole = first + coarse_items <= num_items;
  word items[coarse_items] = {};
  if (whole) {
    const uint4 vector = *reinterpret_cast<const uint4*>(in + first);
    items[0] = vector.x, items[1] = vector.y, items[2] = vector.z, items[3] = vector.w;
  } else {
    for (int i = 0; i < coarse_items; ++i) {
      if (first + i < num_items) items[i] = in[first + i];
    }
  }
  for (int i = 1; i < coarse_items; ++i) items[i] += items[i - 1];

  const word scanned = warp_scan(items[coarse_items - 1]);
  if (lane_index() == warp_items - 1) sums[warp_index()] = scanned;
  __syncthreads();
  word before = scanned - items[coarse_items - 1];
  for (int i = 0; i < warp_index(); ++i) before += sums[i];
  for (word& item : items) item += before;

  if (whole) {
    *reinterpret_cast<uint4*>(out + first) = make_uint4(items[0], items[1], items[2], items[3]);
  } else {
    for (int i = 0; i < coarse_items; ++i) {
      if (first + i < num_items) out[first + i] = items[i];
    }
  }
}

__global__ void check_slices_kernel(const word* in, const word* out, std::int64_t num_items,
                                    unsigned long long* first_wrong) {
  const std::int64_t item = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (item >= num_items) return;
  const word before = item % slice_items == 0 ? 0 : out[item - 1];
  if (out[item] == before + in[item]) return;
  atomicMin(first_wrong, static_cast<unsigned long long>(item));
}

unsigned slices_of(std::int64_t num_items) {
  return static_cast<unsigned>((num_items + slice_items - 1) / slice_items);
}

template <void (*kernel)(const word*, word*, std::int64_t), int num_threads>
cudaError_t scan_slices(const void* in, void* out, std::int64_t num_items, void*,
                        cudaStream_t stream) {
  kernel<<<slices_of(num_items), num_threads, 0, stream>>>(static_cast<const word*>(in),
                                                           static_cast<word*>(out), num_items);
  return cudaGetLastError();
}

}  // namespace

std::vector<rung> block_rungs() {
  return {{"E0 in global memory", scan_slices<in_global_memory, slice_items>},
          {"E1 shared memory", scan_slices<in_shared_memory, slice_items>},
          {"E2 double buffer", scan_slices<double_buffered, slice_items>},
          {"E3 warp shuffles", scan_slices<by_shuffles, slice_items>},
          {"E4 coarsened", scan_slices<coarsened, coarse_threads>}};
}

cudaError_t check_slices(const void* in, const void* out, std::int64_t num_items,
                         unsigned long long* first_wrong, cudaStream_t stream) {
  check_slices_kernel<<<slices_of(num_items), slice_items, 0, stream>>>(
      static_cast<const word*>(in), static_cast<const word*>(out), num_items, first_wrong);
  return cudaGetLastError();
}

}  // namespace bench
