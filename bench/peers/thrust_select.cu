// Compactions by the toolkit's Thrust, in memory that is there before it is timed.

// Cells have fewer than 2^31 elements, for which Thrust would choose these kernels: the others it
// need not compile.
#define THRUST_FORCE_32_BIT_OFFSET_TYPE
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/unique.h>
#include <thrust/version.h>

#include <cuda/std/functional>

#include "bench/peers/piecemeal.hpp"
#include "bench/peers/select_peers.hpp"

namespace bench {
namespace {

/// How many are kept. Flags are stencils: a byte that is not 0 is one.
template <class T>
std::int64_t count_of(const auto& policy, const picks& what, const select_arrays& of) {
  const cuda::std::identity is_set;
  const auto* const in = static_cast<const T*>(of.in);
  const auto* const end = in + of.num_items;
  const auto* const flags = static_cast<const std::uint8_t*>(of.flags);
  auto* const out = static_cast<T*>(of.out);
  auto* const out_2 = static_cast<T*>(of.out_2);
  auto* const numbers = static_cast<std::int32_t*>(of.out_2);
  switch (what.op) {
    case select_op::select:
      return thrust::copy_if(policy, in, end, flags, out, is_set) - out;
    case select_op::partition:
      return thrust::partition_copy(policy, in, end, flags, out, out_2, is_set).first - out;
    case select_op::unique:
      return thrust::unique_copy(policy, in, end, out) - out;
    default:
      return thrust::reduce_by_key(policy, in, end, thrust::constant_iterator<std::int32_t>(1), out,
                                   numbers)
                 .first -
             out;
  }
}

template <class T>
std::int64_t count_of_sums(const auto& policy, const select_arrays& of) {
  const auto* const in = static_cast<const T*>(of.in);
  auto* const out = static_cast<T*>(of.out);
  return thrust::reduce_by_key(policy, in, in + of.num_items,
                               static_cast<const std::int32_t*>(of.flags), out,
                               static_cast<std::int32_t*>(of.out_2))
             .first -
         out;
}

std::int64_t count_of_indices(const auto& policy, const select_arrays& of) {
  const thrust::counting_iterator<std::int32_t> first(0);
  auto* const out = static_cast<std::int32_t*>(of.out);
  return thrust::copy_if(policy, first, first + static_cast<std::int32_t>(of.num_items),
                         static_cast<const std::uint8_t*>(of.flags), out, cuda::std::identity{}) -
         out;
}

}  // namespace

std::string thrust_version() {
  return std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION) + "." +
         std::to_string(THRUST_SUBMINOR_VERSION);
}

// (What memory it needs Thrust does not say: at most 16 bytes for each tile, which has no fewer
// than 320 elements.)
cudaError_t select_with_thrust(cub_memory& memory, const picks& what, int item_bytes,
                               const select_arrays& of, cudaStream_t stream) {
  if (memory.data == nullptr) {
    memory.num_bytes = (std::size_t{1} << 20) + static_cast<std::size_t>(of.num_items) / 16;
    return cudaSuccess;
  }
  piecemeal pieces(memory);
  const auto policy = thrust::cuda::par_nosync(pieces).on(stream);
  *of.count = what.op == select_op::indices ? count_of_indices(policy, of)
              : what.op == select_op::sums
                  ? (item_bytes == 4 ? count_of_sums<std::uint32_t>(policy, of)
                                     : count_of_sums<std::uint64_t>(policy, of))
              : item_bytes == 1 ? count_of<std::uint8_t>(policy, what, of)
              : item_bytes == 4 ? count_of<std::uint32_t>(policy, what, of)
                                : count_of<std::uint64_t>(policy, what, of);
  return cudaPeekAtLastError();
}

}  // namespace bench
