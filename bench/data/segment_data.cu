#include "bench/data/device_data.hpp"
#include "bench/data/elements.hpp"
#include "bench/data/grid.cuh"
#include "bench/data/segment_data.hpp"
#include "bench/data/shape_elements.hpp"

namespace bench {
namespace {

constexpr int run_items = 32;  // of a thread: the bits of a word

/// Segments of a cell, and the number of their elements, all of which are in one.
struct segment_list {
  const std::int32_t* offsets;
  std::int64_t num_segments, num_items;

  /// The last one that begins at `item` or before.
  __device__ std::int64_t segment_of(std::int64_t item) const {
    std::int64_t first = 0, last = num_segments - 1;
    while (first < last) {
      const std::int64_t middle = first + (last - first + 1) / 2;
      if (offsets[middle] <= item) {
        first = middle;
      } else {
        last = middle - 1;
      }
    }
    return first;
  }
};

SCAN_HOST_DEVICE std::int64_t num_runs(std::int64_t num_items) {
  return (num_items + run_items - 1) / run_items;
}

/// `body(run)` of every run of 32 elements.
template <class Body>
__device__ void for_each_run(const segment_list& of, const Body& body) {
  for_each_index(num_runs(of.num_items), body);
}

/// `body(item, its segment)` of a run.
template <class Body>
__device__ void for_each_item(const segment_list& of, std::int64_t run, const Body& body) {
  const std::int64_t begin = run * run_items, end = min(begin + run_items, of.num_items);
  std::int64_t segment = of.segment_of(begin);
  for (std::int64_t item = begin; item < end; ++item) {
    while (segment + 1 < of.num_segments && of.offsets[segment + 1] <= item) ++segment;
    body(item, segment);
  }
}

__global__ void fill_offsets_kernel(std::int64_t* wide, segment_list of) {
  for_each_index(of.num_segments + 1, [&](std::int64_t i) { wide[i] = of.offsets[i]; });
}

/// Different ones for different segments: a bijection.
__global__ void fill_keys_kernel(std::uint32_t* keys, segment_list of) {
  for_each_run(of, [&](std::int64_t run) {
    for_each_item(of, run, [&](std::int64_t item, std::int64_t segment) {
      keys[item] = static_cast<std::uint32_t>(segment) * 0x9e3779b1u;
    });
  });
}

/// Any nonzero byte is a flag.
__global__ void fill_flags_kernel(std::uint8_t* flags, segment_list of) {
  for_each_run(of, [&](std::int64_t run) {
    for_each_item(of, run, [&](std::int64_t item, std::int64_t segment) {
      const bool head = of.offsets[segment] == item;
      flags[item] = static_cast<std::uint8_t>(head ? 1 + hash(item) % 255 : 0);
    });
  });
}

__global__ void fill_bits_kernel(std::uint32_t* words, segment_list of) {
  for_each_run(of, [&](std::int64_t run) {
    std::uint32_t word = 0;
    for_each_item(of, run, [&](std::int64_t item, std::int64_t segment) {
      if (of.offsets[segment] == item) word |= 1u << (item % run_items);
    });
    words[run] = word;
  });
}

template <class T>
__global__ void fill_inits_kernel(T* inits, std::int64_t num_segments) {
  for_each_index(num_segments, [&](std::int64_t segment) {
    const auto init = static_cast<int>(hash(segment) % 4);
    if constexpr (std::is_arithmetic_v<T>) {
      inits[segment] = static_cast<T>(init);
    } else {
      inits[segment] = scan::convert<T>(static_cast<float>(init));
    }
  });
}

template <class Scan>
__global__ void check_kernel(const typename Scan::Out* out, segment_list of,
                             unsigned long long* first_wrong, segment_extras extras) {
  using Acc = typename Scan::Acc;
  const auto* const inits = static_cast<const typename Scan::Out*>(extras.inits);
  for_each_run(of, [&](std::int64_t run) {
    for_each_item(of, run, [&](std::int64_t item, std::int64_t segment) {
      const std::int32_t begin = of.offsets[segment];
      if (extras.have_gaps && item >= end_before_gap(begin, of.offsets[segment + 1])) return;
      Acc right = scan::convert<Acc>(element<typename Scan::In, scan::plus>(item, 0));
      if (begin < item) {
        right = scan::plus{}(scan::convert<Acc>(out[item - 1]), right);
      } else if (inits != nullptr) {
        right = scan::plus{}(scan::convert<Acc>(inits[segment]), right);
      }
      if (scan::convert<Acc>(out[item]) == right) return;
      atomicMin(first_wrong, static_cast<unsigned long long>(item));
    });
  });
}

/// Of a recurrence, as shape_elements.hpp has them: states are those of one sequence, whatever the
/// segments are.
template <class T>
__global__ void fill_recurrence_kernel(T* offsets, T* factors, segment_list of) {
  for_each_run(of, [&](std::int64_t run) {
    for_each_item(of, run, [&](std::int64_t item, std::int64_t segment) {
      offsets[item] = offset_of_recurrence<T>(item, of.offsets[segment] == item);
      factors[item] = factor_of_recurrence<T>(item);
    });
  });
}
/// States that segments begin with: h(i) = g(i) q(i) is to become g(i) (q(i) + c), c the segment's.
__global__ void fill_states_kernel(float* states, segment_list of) {
  for_each_index(of.num_segments, [&](std::int64_t segment) {
    const auto more = static_cast<float>(hash(segment) % 4);
    states[segment] = scale_of_state(of.offsets[segment] - 1) * more;
  });
}
/// `inits`: those, or null.
template <class T>
__global__ void check_recurrence_kernel(const T* states, segment_list of, const float* inits,
                                        unsigned long long* first_wrong) {
  for_each_run(of, [&](std::int64_t run) {
    for_each_item(of, run, [&](std::int64_t item, std::int64_t segment) {
      float right = state_of_recurrence<T>(item);
      if (inits != nullptr) {
        const float more = inits[segment] / scale_of_state(of.offsets[segment] - 1);
        right += scale_of_state(item) * more;
      }
      if (scan::convert<float>(states[item]) == right) return;
      atomicMin(first_wrong, static_cast<unsigned long long>(item));
    });
  });
}

cudaError_t fill_heads(const cell& what, const segment_list& of, std::byte* heads,
                       cudaStream_t stream) {
  const int blocks = blocks_for(num_runs(what.num_items));
  switch (what.segments.heads) {
    case head_words::offsets_32:
      return cudaMemcpyAsync(heads, of.offsets,
                             static_cast<std::size_t>(what.segments.head_bytes(what.num_items)),
                             cudaMemcpyDeviceToDevice, stream);
    case head_words::offsets_64:
      fill_offsets_kernel<<<blocks_for(of.num_segments + 1), threads_per_block, 0, stream>>>(
          reinterpret_cast<std::int64_t*>(heads), of);
      break;
    case head_words::keys:
      fill_keys_kernel<<<blocks, threads_per_block, 0, stream>>>(
          reinterpret_cast<std::uint32_t*>(heads), of);
      break;
    case head_words::flag_bytes:
      fill_flags_kernel<<<blocks, threads_per_block, 0, stream>>>(
          reinterpret_cast<std::uint8_t*>(heads), of);
      break;
    case head_words::flag_bits:
      fill_bits_kernel<<<blocks, threads_per_block, 0, stream>>>(
          reinterpret_cast<std::uint32_t*>(heads), of);
  }
  return cudaGetLastError();
}

template <class T>
__device__ bool same_bits(const T& a, const T& b) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    if (reinterpret_cast<const char*>(&a)[i] != reinterpret_cast<const char*>(&b)[i]) return false;
  }
  return true;
}
template <class T, class Total>
__global__ void check_totals_kernel(const T* out, const Total* totals, segment_list of,
                                    unsigned long long* first_wrong) {
  for_each_index(of.num_segments, [&](std::int64_t segment) {
    const std::int32_t end = of.offsets[segment + 1];
    const Total total = totals[segment];
    // (Results of recurrences hold their states here, of 16 bits, too.)
    const bool right = of.offsets[segment] == end
                           ? static_cast<float>(total) == 0
                           : same_bits(total, scan::convert<Total>(out[end - 1]));
    if (!right) atomicMin(first_wrong, static_cast<unsigned long long>(segment));
  });
}

segment_list list_of(const cell& what, const std::int32_t* offsets) {
  return {offsets, what.segments.num_segments, what.num_items};
}

template <class Visitor>
void with_recurrence(const cell& what, const Visitor& visitor) {
  with_scan<scans>(what.scan, [&](auto of) {
    if constexpr (is_among<decltype(of), suite_recurrences>) visitor(of);
  });
}

}  // namespace

cudaError_t fill_segments(const cell& what, const std::int32_t* offsets, void* slot,
                          cudaStream_t stream) {
  auto* const bytes = static_cast<std::byte*>(slot);
  std::byte* const in = bytes + what.in_offset * what.in_bytes();
  cudaError_t filled = cudaSuccess;
  if (what.recurrence) {
    with_recurrence(what, [&](auto of) {
      using T = typename decltype(of)::In;
      fill_recurrence_kernel<<<blocks_for(num_runs(what.num_items)), threads_per_block, 0,
                               stream>>>(reinterpret_cast<T*>(in),
                                         reinterpret_cast<T*>(in + what.factors_offset()),
                                         list_of(what, offsets));
    });
    filled = cudaGetLastError();
  } else {
    filled = fill_input(what.scan, in, what.num_items, stream);
  }
  if (filled != cudaSuccess) return filled;
  return fill_heads(what, list_of(what, offsets), bytes + what.heads_offset(), stream);
}

cudaError_t fill_inits(const cell& what, const std::int32_t* offsets, void* inits,
                       cudaStream_t stream) {
  const std::int64_t num_segments = what.segments.num_segments;
  if (what.recurrence) {
    fill_states_kernel<<<blocks_for(num_segments), threads_per_block, 0, stream>>>(
        static_cast<float*>(inits), list_of(what, offsets));
    return cudaGetLastError();
  }
  with_scan<scans>(what.scan, [&](auto of) {
    using Scan = decltype(of);
    if constexpr (is_among<Scan, suite_segment_sums>) {
      fill_inits_kernel<<<blocks_for(num_segments), threads_per_block, 0, stream>>>(
          static_cast<typename Scan::Out*>(inits), num_segments);
    }
  });
  return cudaGetLastError();
}

cudaError_t check_segments(const cell& what, const std::int32_t* offsets, const void* slot,
                           unsigned long long* first_wrong, cudaStream_t stream,
                           const segment_extras& extras) {
  const int blocks = blocks_for(num_runs(what.num_items));
  if (what.recurrence) {
    with_recurrence(what, [&](auto of) {
      using T = typename decltype(of)::Out;
      check_recurrence_kernel<<<blocks, threads_per_block, 0, stream>>>(
          static_cast<const T*>(slot) + what.out_offset, list_of(what, offsets),
          static_cast<const float*>(extras.inits), first_wrong);
    });
    return cudaGetLastError();
  }
  with_scan<scans>(what.scan, [&](auto of) {
    using Scan = decltype(of);
    if constexpr (is_among<Scan, suite_segment_sums>) {
      check_kernel<Scan><<<blocks, threads_per_block, 0, stream>>>(
          static_cast<const typename Scan::Out*>(slot) + what.out_offset, list_of(what, offsets),
          first_wrong, extras);
    }
  });
  return cudaGetLastError();
}

cudaError_t check_totals(const cell& what, const std::int32_t* offsets, const void* slot,
                         const void* totals, unsigned long long* first_wrong, cudaStream_t stream) {
  const int blocks = blocks_for(what.segments.num_segments);
  const auto check = [&](const auto* out, const auto* of_segments) {
    check_totals_kernel<<<blocks, threads_per_block, 0, stream>>>(
        out + what.out_offset, of_segments, list_of(what, offsets), first_wrong);
  };
  with_scan<scans>(what.scan, [&](auto of) {
    using Scan = decltype(of);
    if constexpr (is_among<Scan, suite_segment_sums>) {
      using T = typename Scan::Out;
      if (what.recurrence) {
        check(static_cast<const T*>(slot), static_cast<const float*>(totals));
      } else {
        check(static_cast<const T*>(slot), static_cast<const T*>(totals));
      }
    }
  });
  return cudaGetLastError();
}

}  // namespace bench
