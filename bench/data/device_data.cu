#include "bench/data/device_data.hpp"
#include "bench/data/elements.hpp"
#include "bench/data/grid.cuh"

namespace bench {
namespace {

template <class In, class Op>
__global__ void fill_kernel(In* in, std::int64_t num_items, int num_bits) {
  for_each_index(num_items, [&](std::int64_t i) { in[i] = element<In, Op>(i, num_bits); });
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
  const Acc added =
      scan::convert<Acc>(element<typename Scan::In, typename Scan::Op>(last, what.num_bits));
  if (i == 0) return added;
  return typename Scan::Op{}(scan::convert<Acc>(out[i - 1]), added);
}

template <class Scan>
__global__ void check_kernel(const typename Scan::Out* out, judged<Scan> what,
                             unsigned long long* first_wrong) {
  using Acc = typename Scan::Acc;
  for_each_index(what.num_items, [&](std::int64_t i) {
    const bool right = scan::convert<Acc>(out[i]) == expected(out, i, what);
    if (!right) atomicMin(first_wrong, static_cast<unsigned long long>(i));
  });
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
  for_each_index(num_vectors + 1, [&](std::int64_t i) {
    const std::int64_t at = i * static_cast<std::int64_t>(sizeof(uint4));
    if (i == num_vectors) return compare(at, num_bytes);
    const uint4 a = in[i], b = out[i];
    if (a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w) compare(at, at + sizeof(uint4));
  });
}

}  // namespace

cudaError_t fill_input(std::size_t scan, void* in, std::int64_t num_items, cudaStream_t stream) {
  with_scan<scans>(scan, [&](auto of) {
    using Scan = signed_scan<decltype(of)>;
    using In = typename Scan::In;
    fill_kernel<In, typename Scan::Op><<<blocks_for(num_items), threads_per_block, 0, stream>>>(
        static_cast<In*>(in), num_items, bits_of(num_items));
  });
  return cudaGetLastError();
}

cudaError_t check_output(std::size_t scan, const void* out, std::int64_t num_items, bool exclusive,
                         unsigned long long* first_wrong, cudaStream_t stream) {
  with_scan<scans>(scan, [&](auto of) {
    using Scan = signed_scan<decltype(of)>;
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
