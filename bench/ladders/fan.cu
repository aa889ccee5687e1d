// The eight rungs of scan_then_fan (src/baselines/scan_then_fan.cuh says what that is): a part is
// 1024 elements; rungs differ in how a part is scanned and in how the sums of the parts are. Each
// moves 4n; what differs is how long the threads take between.
#include "bench/ladders/ladders.hpp"
#include "scan/device/fold/warp.cuh"

namespace bench {
namespace {

using word = std::uint32_t;  // an int32, whose sums wrap around

constexpr int part_items = 1024, warp_items = scan::device::warp_size,
              num_warps = part_items / warp_items;

using scan::device::all_lanes, scan::device::lane_index, scan::device::warp_index;

std::int64_t parts_of(std::int64_t num_items) { return (num_items + part_items - 1) / part_items; }
unsigned blocks_of(std::int64_t num_items) { return static_cast<unsigned>(parts_of(num_items)); }

/// Adds the sums of all earlier parts to each result of a part: the last kernel of every rung.
__global__ void add_sums(word* out, std::int64_t num_items, const word* sums) {
  const std::int64_t item = std::int64_t{blockIdx.x} * part_items + threadIdx.x;
  if (blockIdx.x > 0 && item < num_items) out[item] += sums[blockIdx.x - 1];
}

/// The sums' scan up to rung 5: one thread, while the device waits.
__global__ void scan_sums_alone(word* sums, std::int64_t count) {
  word running = 0;
  for (std::int64_t i = 0; i < count; ++i) sums[i] = running += sums[i];
}

/// Rung 1: a thread a part, from memory to memory. Neighbouring threads are 4 KiB apart, so each of
/// their reads fetches a sector for one element.
__global__ void scan_parts_by_thread(const word* in, word* out, std::int64_t num_items,
                                     word* sums) {
  const std::int64_t part = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t first = part * part_items;
  if (first >= num_items) return;
  const std::int64_t end = first + part_items < num_items ? first + part_items : num_items;
  word running = 0;
  for (std::int64_t i = first; i < end; ++i) out[i] = running += in[i];
  sums[part] = running;
}

// ---- rungs 2 to 8: a block a part, an element a thread; `Way` scans within the block ----

/// Rung 2: staged in shared memory, so that all threads load and store side by side; one scans.
struct one_thread {
  word items[part_items];

  __device__ word scan(word item) {
    items[threadIdx.x] = item;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 1; i < part_items; ++i) items[i] += items[i - 1];
    }
    __syncthreads();
    return items[threadIdx.x];
  }
};

/// Rungs 3 to 8: warps scan by themselves, one warp scans their sums, all add what precedes them.
template <class WarpScan>
struct by_warps {
  WarpScan of_warps[num_warps];
  WarpScan of_sums;
  word sums[num_warps];

  __device__ word scan(word item) {
    const word scanned = of_warps[warp_index()].scan(item);
    if (lane_index() == warp_items - 1) sums[warp_index()] = scanned;
    __syncthreads();
    if (warp_index() == 0) sums[lane_index()] = of_sums.scan(sums[lane_index()]);
    __syncthreads();
    return warp_index() > 0 ? sums[warp_index() - 1] + scanned : scanned;
  }
};

/// Rung 3: one lane of each warp scans.
struct serial {
  word items[warp_items];

  __device__ word scan(word item) {
    items[lane_index()] = item;
    __syncwarp();
    if (lane_index() == 0) {
      for (int i = 1; i < warp_items; ++i) items[i] += items[i - 1];
    }
    __syncwarp();
    return items[lane_index()];
  }
};

/// Rung 4: all lanes scan, in steps of 1, 2, 4, 8 and 16.
struct steps {
  word items[warp_items];

  __device__ word scan(word item) {
    items[lane_index()] = item;
    for (int step = 1; step < warp_items; step *= 2) {
      __syncwarp();
      const word earlier = lane_index() >= step ? items[lane_index() - step] : 0;
      __syncwarp();
      if (lane_index() >= step) items[lane_index()] = item += earlier;
    }
    return item;
  }
};

/// Rung 5: zeros ahead of the warp's items, so that no lane has to ask whether it has a partner.
struct padded_steps {
  word zeros_and_items[warp_items / 2 + warp_items];

  __device__ word scan(word item) {
    word* const items = zeros_and_items + warp_items / 2;
    if (lane_index() < warp_items / 2) zeros_and_items[lane_index()] = 0;
    items[lane_index()] = item;
#pragma unroll
    for (int step = 1; step < warp_items; step *= 2) {
      __syncwarp();
      const word earlier = items[lane_index() - step];
      __syncwarp();
      items[lane_index()] = item += earlier;
    }
    return item;
  }
};

/// Rung 7: registers instead of shared memory.
struct shuffles {
  __device__ word scan(word item) const {
#pragma unroll
    for (int step = 1; step < warp_items; step *= 2) {
      const word earlier = __shfl_up_sync(all_lanes, item, step);
      if (lane_index() >= step) item += earlier;
    }
    return item;
  }
};

/// Rung 8: the shuffle itself says, in a predicate, whether there was a partner.
struct predicated_shuffles {
  __device__ word scan(word item) const {
#pragma unroll
    for (int step = 1; step < warp_items; step *= 2) {
      word sum;
      asm volatile(
          "{ .reg .s32 earlier; .reg .pred found;\n"
          "  shfl.sync.up.b32 earlier|found, %1, %2, 0, 0xffffffff;\n"
          "  @found add.s32 earlier, earlier, %1;\n"
          "  mov.s32 %0, earlier; }"
          : "=r"(sum)
          : "r"(item), "r"(step));
      item = sum;  // without a partner the lane's own item came back
    }
    return item;
  }
};

/// The sum is 0 where there is no element, which no rung's result depends on.
template <class Way>
__global__ void __launch_bounds__(part_items)
    scan_parts(const word* in, word* out, std::int64_t num_items, word* sums) {
  __shared__ Way way;
  const std::int64_t item = std::int64_t{blockIdx.x} * part_items + threadIdx.x;
  const word scanned = way.scan(item < num_items ? in[item] : 0);
  if (item < num_items) out[item] = scanned;
  if (threadIdx.x == part_items - 1) sums[blockIdx.x] = scanned;
}

// ---- the calls ----

/// Once the parts are scanned: up to rung 5.
void scan_and_add_sums(word* out, std::int64_t num_items, word* sums, cudaStream_t stream) {
  scan_sums_alone<<<1, 1, 0, stream>>>(sums, parts_of(num_items));
  add_sums<<<blocks_of(num_items), part_items, 0, stream>>>(out, num_items, sums);
}

cudaError_t scan_by_threads(const void* in, void* out, std::int64_t num_items, void* scratch,
                            cudaStream_t stream) {
  constexpr int num_threads = 128;
  word* const sums = static_cast<word*>(scratch);
  word* const results = static_cast<word*>(out);
  const auto num_blocks = (blocks_of(num_items) + num_threads - 1) / num_threads;
  scan_parts_by_thread<<<num_blocks, num_threads, 0, stream>>>(static_cast<const word*>(in),
                                                               results, num_items, sums);
  scan_and_add_sums(results, num_items, sums, stream);
  return cudaGetLastError();
}

template <class Way, bool recursive>
cudaError_t scan_by_blocks(const void* in, void* out, std::int64_t num_items, void* scratch,
                           cudaStream_t stream) {
  const std::int64_t num_parts = parts_of(num_items);
  word* const sums = static_cast<word*>(scratch);
  word* const results = static_cast<word*>(out);
  scan_parts<Way><<<blocks_of(num_items), part_items, 0, stream>>>(static_cast<const word*>(in),
                                                                   results, num_items, sums);
  if (num_parts > 1 && recursive) {
    scan_by_blocks<Way, recursive>(sums, sums, num_parts, sums + num_parts, stream);
    add_sums<<<blocks_of(num_items), part_items, 0, stream>>>(results, num_items, sums);
  } else if (num_parts > 1) {
    scan_and_add_sums(results, num_items, sums, stream);
  }
  return cudaGetLastError();
}

}  // namespace

std::int64_t fan_scratch_bytes(std::int64_t num_items) {
  std::int64_t count = 0, parts = num_items;
  do {
    parts = parts_of(parts);
    count += parts;
  } while (parts > 1);
  return count * static_cast<std::int64_t>(sizeof(word));
}

std::vector<rung> fan_rungs() {
  return {{"C1 one thread per part", scan_by_threads},
          {"C2 staged in shared memory", scan_by_blocks<one_thread, false>},
          {"C3 by warps, serial in a warp", scan_by_blocks<by_warps<serial>, false>},
          {"C4 warp scan in steps", scan_by_blocks<by_warps<steps>, false>},
          {"C5 zero padding", scan_by_blocks<by_warps<padded_steps>, false>},
          {"C6 sums recursively", scan_by_blocks<by_warps<padded_steps>, true>},
          {"C7 warp shuffles", scan_by_blocks<by_warps<shuffles>, true>},
          {"C8 shuffle's predicate", scan_by_blocks<by_warps<predicated_shuffles>, true>}};
}

}  // namespace bench
