#include <algorithm>
#include <bit>
#include <limits>

#include "bench/suite_data.hpp"
#include "bench/suite_scans.hpp"

namespace bench {
namespace {

constexpr int threads_per_block = 256;
constexpr std::int64_t most_blocks = 4096;

int blocks_for(std::int64_t num_items) {
  return static_cast<int>(
      std::clamp<std::int64_t>((num_items - 1) / threads_per_block + 1, 1, most_blocks));
}

__device__ std::uint64_t hash(std::int64_t i) {
  std::uint64_t x = (static_cast<std::uint64_t>(i) + 2016) * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 27);
}

/// Random whole number of [-most, most].
__device__ float bounded(std::int64_t i, std::uint32_t most) {
  const std::uint64_t scaled = (hash(i) >> 32) * (2 * most + 1);
  return static_cast<float>(static_cast<std::int32_t>(scaled >> 32) -
                            static_cast<std::int32_t>(most));
}

/// Element of an input of minimum or maximum: a ramp over [0, 2^num_bits), num_bits those of n,
/// plus noise of a quarter of its height; falling for minimum. Exact in T, which it fills.
template <class T, class Op>
__device__ T record(std::int64_t i, int num_bits) {
  constexpr int digits = std::numeric_limits<T>::digits;
  const int up = digits - 1 - num_bits;
  const auto at = static_cast<std::uint64_t>(i);
  const std::uint64_t ramp = up >= 0 ? at << up : at >> -up;
  std::uint64_t level = ramp + (hash(i) >> (64 - (digits - 3)));
  if (std::is_same_v<Op, scan::minimum>) level = ((std::uint64_t{1} << digits) - 1) - level;
  constexpr std::int64_t middle = std::is_signed_v<T> ? std::int64_t{1} << (digits - 1) : 0;
  return static_cast<T>(static_cast<std::int64_t>(level) - middle);
}

template <class Scan>
__device__ typename Scan::In element(std::int64_t i, int num_bits) {
  using In = typename Scan::In;
  using Op = typename Scan::Op;
  if constexpr (std::is_same_v<In, affine>) {
    return {hash(i) | 1, hash(~i)};  // odd factors have inverses: products never become 0
  } else if constexpr (!std::is_same_v<Op, scan::plus>) {
    return record<In, Op>(i, num_bits);
  } else if constexpr (std::is_integral_v<In>) {
    return static_cast<In>(hash(i));
  } else {
    // Twice that is what the significand of 8 or 11 bits counts exactly.
    constexpr std::uint32_t most = std::is_same_v<In, __nv_bfloat16> ? 63 : 511;
    return scan::convert<In>(bounded(i + 1, most) - bounded(i, most));
  }
}

template <class Scan>
__global__ void fill_kernel(typename Scan::In* in, std::int64_t num_items, int num_bits) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads_per_block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x; i < num_items;
       i += step) {
    in[i] = element<Scan>(i, num_bits);
  }
}

/// What a scan is judged by.
template <class Scan>
struct judged {
  std::int64_t num_items;
  int num_bits;  // of num_items
  bool exclusive;
  typename Scan::Acc identity;  // what an exclusive scan begins with
};

/// What out[i] has to be if out[i - 1] is right.
template <class Scan>
__device__ typename Scan::Acc expected(const typename Scan::Out* out, std::int64_t i,
                                       const judged<Scan>& what) {
  using Acc = typename Scan::Acc;
  if (what.exclusive && i == 0) return what.identity;
  const std::int64_t last = what.exclusive ? i - 1 : i;
  const Acc added = scan::convert<Acc>(element<Scan>(last, what.num_bits));
  if (i == 0) return added;
  return typename Scan::Op{}(scan::convert<Acc>(out[i - 1]), added);
}

template <class Scan>
__global__ void check_kernel(const typename Scan::Out* out, judged<Scan> what,
                             unsigned long long* first_wrong) {
  using Acc = typename Scan::Acc;
  const std::int64_t step = std::int64_t{gridDim.x} * threads_per_block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
       i < what.num_items; i += step) {
    const bool right = scan::convert<Acc>(out[i]) == expected(out, i, what);
    if (!right) atomicMin(first_wrong, static_cast<unsigned long long>(i));
  }
}

__global__ void compare_kernel(const uint4* in, const uint4* out, std::int64_t num_bytes,
                               unsigned long long* first_wrong) {
  const std::int64_t num_vectors = num_bytes / sizeof(uint4);
  const auto* in_bytes = reinterpret_cast<const unsigned char*>(in);
  const auto* out_bytes = reinterpret_cast<const unsigned char*>(out);
  const auto compare = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      if (in_bytes[i] == out_bytes[i]) continue;
      atomicMin(first_wrong, static_cast<unsigned long long>(i));
      return;
    }
  };
  const std::int64_t step = std::int64_t{gridDim.x} * threads_per_block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
       i <= num_vectors; i += step) {
    const std::int64_t at = i * static_cast<std::int64_t>(sizeof(uint4));
    if (i == num_vectors) {
      compare(at, num_bytes);
      continue;
    }
    const uint4 a = in[i], b = out[i];
    if (a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w) compare(at, at + sizeof(uint4));
  }
}

int bits_of(std::int64_t num_items) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(num_items - 1)));
}

}  // namespace

cudaError_t fill_input(std::size_t index, void* in, std::int64_t num_items, cudaStream_t stream) {
  with_scan<suite_scans>(index, [&](auto of) {
    using Scan = decltype(of);
    fill_kernel<Scan><<<blocks_for(num_items), threads_per_block, 0, stream>>>(
        static_cast<typename Scan::In*>(in), num_items, bits_of(num_items));
  });
  return cudaGetLastError();
}

cudaError_t check_output(std::size_t index, const void* out, std::int64_t num_items, bool exclusive,
                         unsigned long long* first_wrong, cudaStream_t stream) {
  with_scan<suite_scans>(index, [&](auto of) {
    using Scan = decltype(of);
    using Acc = typename Scan::Acc;
    judged<Scan> what{num_items, bits_of(num_items), exclusive, {}};
    if constexpr (scan::has_identity<typename Scan::Op, Acc>) {
      what.identity = Scan::Op::template identity<Acc>();
    }
    check_kernel<<<blocks_for(num_items), threads_per_block, 0, stream>>>(
        static_cast<const typename Scan::Out*>(out), what, first_wrong);
  });
  return cudaGetLastError();
}

cudaError_t check_copy(const void* in, const void* out, std::int64_t num_bytes,
                       unsigned long long* first_wrong, cudaStream_t stream) {
  compare_kernel<<<blocks_for(num_bytes / static_cast<std::int64_t>(sizeof(uint4)) + 1),
                   threads_per_block, 0, stream>>>(
      static_cast<const uint4*>(in), static_cast<const uint4*>(out), num_bytes, first_wrong);
  return cudaGetLastError();
}

}  // namespace bench
