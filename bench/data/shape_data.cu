#include "bench/data/grid.cuh"
#include "bench/data/shape_data.hpp"
#include "bench/data/shape_elements.hpp"

namespace bench {
namespace {

/// `body(step)` of every element.
template <class Body>
__device__ void for_each_step(const scan::tensor_shape& of, const Body& body) {
  for_each_index(of.outer * of.length * of.inner, [&](std::int64_t i) { body(i, step_of(i, of)); });
}

template <class In>
__global__ void fill_kernel(In* in, scan::tensor_shape of) {
  for_each_step(of, [&](std::int64_t, const numbered_step& at) {
    in[at.at(of.in_pitch, of.inner)] = element<In, scan::plus>(at.number, 0);
  });
}

template <class T>
__global__ void fill_recurrence_kernel(T* offsets, T* factors, scan::tensor_shape of) {
  for_each_step(of, [&](std::int64_t, const numbered_step& at) {
    const std::int64_t place = at.at(of.in_pitch, of.inner);
    offsets[place] = offset_of_recurrence<T>(at.number, at.step == 0);
    factors[place] = factor_of_recurrence<T>(at.number);
  });
}

__device__ void lower(unsigned long long* first_wrong, std::int64_t index) {
  atomicMin(first_wrong, static_cast<unsigned long long>(index));
}

template <class Scan>
__global__ void check_kernel(const typename Scan::Out* out, scan::tensor_shape of,
                             unsigned long long* first_wrong) {
  using Acc = typename Scan::Acc;
  for_each_step(of, [&](std::int64_t index, const numbered_step& at) {
    const std::int64_t place = at.at(of.out_pitch, of.inner);
    Acc right = scan::convert<Acc>(element<typename Scan::In, scan::plus>(at.number, 0));
    if (at.step > 0) right = scan::plus{}(scan::convert<Acc>(out[place - of.inner]), right);
    if (!(scan::convert<Acc>(out[place]) == right)) lower(first_wrong, index);
  });
}

template <class T>
__global__ void check_recurrence_kernel(const T* states, scan::tensor_shape of,
                                        unsigned long long* first_wrong) {
  for_each_step(of, [&](std::int64_t index, const numbered_step& at) {
    const float state = scan::convert<float>(states[at.at(of.out_pitch, of.inner)]);
    if (!(state == state_of_recurrence<T>(at.number))) lower(first_wrong, index);
  });
}

/// The cell's scan, of those that tensors are measured of.
template <class Scans, class Visitor>
void with_tensor_scan(const cell& what, const Visitor& visitor) {
  with_scan<scans>(what.scan, [&](auto of) {
    if constexpr (is_among<decltype(of), Scans>) visitor(of);
  });
}

}  // namespace

cudaError_t fill_tensor(const cell& what, void* slot, cudaStream_t stream) {
  const scan::tensor_shape of = what.resolved_shape();
  const int blocks = blocks_for(what.num_items);
  if (what.recurrence) {
    with_tensor_scan<suite_recurrences>(what, [&](auto scan) {
      using T = typename decltype(scan)::In;
      T* const offsets = static_cast<T*>(slot) + what.in_offset;
      T* const factors = offsets + what.factors_offset() / static_cast<std::int64_t>(sizeof(T));
      fill_recurrence_kernel<<<blocks, threads_per_block, 0, stream>>>(offsets, factors, of);
    });
  } else {
    with_tensor_scan<suite_tensor_sums>(what, [&](auto scan) {
      using In = typename decltype(scan)::In;
      fill_kernel<<<blocks, threads_per_block, 0, stream>>>(static_cast<In*>(slot) + what.in_offset,
                                                            of);
    });
  }
  return cudaGetLastError();
}

cudaError_t check_tensor(const cell& what, const void* slot, unsigned long long* first_wrong,
                         cudaStream_t stream) {
  const scan::tensor_shape of = what.resolved_shape();
  const int blocks = blocks_for(what.num_items);
  if (what.recurrence) {
    with_tensor_scan<suite_recurrences>(what, [&](auto scan) {
      using T = typename decltype(scan)::Out;
      check_recurrence_kernel<<<blocks, threads_per_block, 0, stream>>>(
          static_cast<const T*>(slot) + what.out_offset, of, first_wrong);
    });
  } else {
    with_tensor_scan<suite_tensor_sums>(what, [&](auto scan) {
      using Scan = decltype(scan);
      check_kernel<Scan><<<blocks, threads_per_block, 0, stream>>>(
          static_cast<const typename Scan::Out*>(slot) + what.out_offset, of, first_wrong);
    });
  }
  return cudaGetLastError();
}

}  // namespace bench
