#include "bench/data/grid.cuh"
#include "bench/data/pick_pattern.hpp"
#include "bench/data/select_data.hpp"

namespace bench {
namespace {

constexpr int warp = 32;

/// Calls `body(item, kept, before)` of all items, with how many are kept before each: a block a
/// group of stretches.
template <class Body>
__device__ void for_each_pick(const picks& what, std::int64_t num_items, const Body& body) {
  static_assert(stretches_per_group == warp * warp);
  __shared__ std::uint32_t words[warp];  // a bit a stretch
  __shared__ int before_word[warp];
  const std::int64_t group_items = std::int64_t{stretches_per_group} << what.log_run;
  const std::int64_t first_more = keeps_first_too(what) ? 1 : 0;
  for (std::int64_t group = blockIdx.x; group * group_items < num_items; group += gridDim.x) {
    const std::int64_t before_group = stretches_before(what, group);
    const std::int64_t num_kept = stretches_before(what, group + 1) - before_group;
    const auto thread = static_cast<int>(threadIdx.x);
    for (int stretch = thread; stretch < stretches_per_group; stretch += threads_per_block) {
      const unsigned word = __ballot_sync(~0u, is_kept(what, group, stretch, num_kept));
      if (stretch % warp == 0) words[stretch / warp] = word;
    }
    __syncthreads();
    if (thread < warp) {
      int before = 0;
      for (int i = 0; i < thread; ++i) before += __popc(words[i]);
      before_word[thread] = before;
    }
    __syncthreads();
    for (std::int64_t i = thread; i < group_items; i += threads_per_block) {
      const std::int64_t item = group * group_items + i;
      if (item >= num_items) break;
      const auto stretch = static_cast<int>(i >> what.log_run);
      const unsigned word = words[stretch / warp], bit = 1u << (stretch % warp);
      const bool kept = (word & bit) != 0;
      const std::int64_t stretches =
          before_group + before_word[stretch / warp] + __popc(word & (bit - 1));
      const std::int64_t in_stretch = i & ((std::int64_t{1} << what.log_run) - 1);
      const std::int64_t before = (stretches << what.log_run) + (kept ? in_stretch : 0);
      const bool is_first = item == 0 && first_more != 0;
      body(item, kept || is_first, before + (is_first ? 0 : first_more));
    }
    __syncthreads();
  }
}

/// An element: random, or of the run that it is in, whose neighbours are different ones.
template <class T>
__device__ T item_of(const picks& what, std::int64_t item, bool kept, std::int64_t before) {
  if (reads_flags(what.op)) return static_cast<T>(hash(item) >> 8);
  const std::int64_t run = before - (kept ? 0 : 1);
  return static_cast<T>(static_cast<std::uint64_t>(run) * 0x9e3779b97f4a7c15ull);
}

template <class T>
__global__ void fill_kernel(T* in, picks what, std::int64_t num_items) {
  for_each_pick(what, num_items, [&](std::int64_t item, bool kept, std::int64_t before) {
    in[item] = item_of<T>(what, item, kept, before);
  });
}

/// Of which sums are known by where their runs begin: values are the steps from one to the next.
__device__ int running_sum(std::int64_t item) {
  return item == 0 ? 0 : static_cast<int>(hash(~item));
}
__global__ void fill_values_kernel(int* values, std::int64_t num_items) {
  for_each_index(num_items, [&](std::int64_t item) {
    values[item] = static_cast<int>(static_cast<unsigned>(running_sum(item + 1)) -
                                    static_cast<unsigned>(running_sum(item)));
  });
}
/// What the numbers of runs are the steps of: lengths, or sums.
__device__ int number_before(const picks& what, std::int64_t item) {
  return what.op == select_op::sums ? running_sum(item) : static_cast<int>(item);
}

/// Any nonzero byte is a flag. Bits were cleared before.
__global__ void fill_flags_kernel(void* flags, picks what, std::int64_t num_items) {
  for_each_pick(what, num_items, [&](std::int64_t item, bool kept, std::int64_t) {
    if (what.bits) {
      if (kept) atomicOr(static_cast<unsigned*>(flags) + item / 32, 1u << (item % 32));
    } else {
      static_cast<std::uint8_t*>(flags)[item] =
          static_cast<std::uint8_t>(kept ? 1 + hash(item) % 255 : 0);
    }
  });
}

/// A slot's outputs, and what they have to be of.
template <class T>
struct outputs {
  T *first, *second;
  int* numbers;
  const std::int64_t* count;
  std::int64_t num_items;
  rejected_place rejected;
};

/// To lengths it adds where their run begins and takes off where the next one does: 0 has to be
/// left, of the last one n; to sums what all values before these places sum up to, likewise.
template <class T>
__global__ void check_kernel(outputs<T> of, picks what, unsigned long long* first_wrong) {
  const auto require = [&](bool right, std::int64_t item) {
    if (!right) atomicMin(first_wrong, static_cast<unsigned long long>(item));
  };
  for_each_pick(what, of.num_items, [&](std::int64_t item, bool kept, std::int64_t before) {
    const T right =
        what.op == select_op::indices ? static_cast<T>(item) : item_of<T>(what, item, kept, before);
    if (kept) require(of.first[before] == right, item);
    if (!kept && what.op == select_op::partition) {
      const std::int64_t place = item - before;
      require((of.rejected == rejected_place::second_output
                   ? of.second[place]
                   : of.first[of.num_items - 1 - place]) == right,
              item);
    }
    if (kept && has_numbers(what.op)) {
      const int number = number_before(what, item);
      atomicAdd(of.numbers + before, number);
      if (before > 0) atomicSub(of.numbers + before - 1, number);
    }
  });
}

/// What comes after the outputs, and the count; and of numbers what the other has left of them.
template <class T>
__global__ void check_ends_kernel(outputs<T> of, picks what, unsigned long long* first_wrong) {
  const auto require = [&](bool right, std::int64_t item) {
    if (!right) atomicMin(first_wrong, static_cast<unsigned long long>(item));
  };
  const auto require_untouched = [&](const void* end, std::int64_t item) {
    for (int i = 0; i < guard_bytes; ++i) {
      require(static_cast<const std::uint8_t*>(end)[i] == 0xA5, item);
    }
  };
  const bool numbered = has_numbers(what.op);
  for_each_index(numbered ? what.num_kept : 0, [&](std::int64_t run) {
    const int all = number_before(what, of.num_items);
    require(of.numbers[run] == (run + 1 == what.num_kept ? all : 0), run);
  });
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  require(*of.count == what.num_kept, what.num_kept);
  const bool is_partition = what.op == select_op::partition;
  const bool one_array = is_partition && of.rejected == rejected_place::behind_reversed;
  const std::int64_t num_first = one_array ? of.num_items : what.num_kept;
  require_untouched(of.first + num_first, num_first);
  if (is_partition && !one_array) {
    require_untouched(of.second + (of.num_items - what.num_kept), of.num_items - what.num_kept);
  }
  if (numbered) require_untouched(of.numbers + what.num_kept, what.num_kept);
}

int groups_of(const cell& what) {
  const std::int64_t group_items = std::int64_t{stretches_per_group} << what.picked.log_run;
  return static_cast<int>(
      std::clamp<std::int64_t>((what.num_items + group_items - 1) / group_items, 1, 1 << 16));
}

/// Calls `visitor(T{})` with an unsigned type of the cell's elements.
template <class Visitor>
void with_item(const cell& what, const Visitor& visitor) {
  if (what.in_bytes() == 1) return visitor(std::uint8_t{});
  if (what.in_bytes() == 4) return visitor(std::uint32_t{});
  visitor(std::uint64_t{});
}

}  // namespace

cudaError_t fill_selection(const cell& what, void* slot, cudaStream_t stream) {
  auto* const bytes = static_cast<std::byte*>(slot);
  const int groups = groups_of(what);
  if (what.picked.op != select_op::indices) {
    with_item(what, [&](auto item) {
      fill_kernel<<<groups, threads_per_block, 0, stream>>>(
          reinterpret_cast<decltype(item)*>(bytes) + what.in_offset, what.picked, what.num_items);
    });
  }
  std::byte* const flags = bytes + what.flags_offset();
  if (what.picked.op == select_op::sums) {
    fill_values_kernel<<<blocks_for(what.num_items), threads_per_block, 0, stream>>>(
        reinterpret_cast<int*>(flags), what.num_items);
  }
  if (!reads_flags(what.picked.op)) return cudaGetLastError();
  const auto num_bytes = static_cast<std::size_t>(what.picked.flag_bytes(what.num_items));
  const cudaError_t cleared = cudaMemsetAsync(flags, 0, num_bytes, stream);
  if (cleared != cudaSuccess) return cleared;
  fill_flags_kernel<<<groups, threads_per_block, 0, stream>>>(flags, what.picked, what.num_items);
  return cudaGetLastError();
}

cudaError_t check_selection(const cell& what, void* slot, rejected_place rejected,
                            unsigned long long* first_wrong, cudaStream_t stream) {
  auto* const bytes = static_cast<std::byte*>(slot);
  std::byte* const second = bytes + what.second_output_offset();
  with_item(what, [&](auto item) {
    using T = decltype(item);
    const outputs<T> of{reinterpret_cast<T*>(bytes) + what.out_offset,
                        reinterpret_cast<T*>(second),
                        reinterpret_cast<int*>(second),
                        reinterpret_cast<const std::int64_t*>(bytes + what.count_offset()),
                        what.num_items,
                        rejected};
    check_kernel<<<groups_of(what), threads_per_block, 0, stream>>>(of, what.picked, first_wrong);
    check_ends_kernel<<<blocks_for(what.picked.num_kept), threads_per_block, 0, stream>>>(
        of, what.picked, first_wrong);
  });
  return cudaGetLastError();
}

}  // namespace bench
