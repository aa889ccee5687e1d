// The peer's CUB on rows: cub::DeviceSegmentedScan, and cub::DeviceScan by keys that are the rows'
// numbers. Both read them from iterators, not from memory.
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_scan.cuh>
#include <cub/version.cuh>
#include <cuda/cmath>
#include <cuda/iterator>
#include <cuda/std/functional>

#include "bench/cells/scans.hpp"
#include "bench/peers/gpu_peers.hpp"

namespace bench {
namespace {

/// Where a row begins, or ends.
struct row_offset {
  std::int64_t pitch, plus;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * pitch + plus; }
};

/// The row that an element is in.
struct row_number {
  cuda::fast_mod_div<std::uint32_t> length;
  __host__ __device__ std::uint32_t operator()(std::uint32_t index) const { return index / length; }
};

template <class Function, class Index>
auto numbers(Function of, Index first) {
  return cuda::make_transform_iterator(cuda::make_counting_iterator(first), of);
}

template <class Scan>
cudaError_t enqueue_segments(cub_memory& memory, const void* in, void* out, const cub_rows& rows,
                             cudaStream_t stream) {
  const auto offsets = [](std::int64_t pitch, std::int64_t plus) {
    return numbers(row_offset{pitch, plus}, std::int64_t{0});
  };
  return CUB_NS_QUALIFIER::DeviceSegmentedScan::InclusiveSegmentedScan(
      memory.data, memory.num_bytes, static_cast<const typename Scan::In*>(in),
      static_cast<typename Scan::Out*>(out), offsets(rows.in_pitch, 0),
      offsets(rows.in_pitch, rows.length), offsets(rows.out_pitch, 0), rows.num_rows,
      cuda::std::plus<typename Scan::Acc>{}, stream);
}

template <class Scan>
cudaError_t enqueue_by_key(cub_memory& memory, const void* in, void* out, const cub_rows& rows,
                           cudaStream_t stream) {
  const row_number row{cuda::fast_mod_div<std::uint32_t>(static_cast<std::uint32_t>(rows.length))};
  return CUB_NS_QUALIFIER::DeviceScan::InclusiveScanByKey(
      memory.data, memory.num_bytes, numbers(row, std::uint32_t{0}),
      static_cast<const typename Scan::In*>(in), static_cast<typename Scan::Out*>(out),
      cuda::std::plus<typename Scan::Acc>{},
      static_cast<std::uint32_t>(rows.num_rows * rows.length), cuda::std::equal_to<>{}, stream);
}

}  // namespace

std::vector<cub_row_scan> row_scans_of_peer(std::size_t scan, const cub_rows& rows) {
  const std::string version = std::to_string(CUB_MAJOR_VERSION) + "." +
                              std::to_string(CUB_MINOR_VERSION) + "." +
                              std::to_string(CUB_SUBMINOR_VERSION);
  const bool dense = rows.in_pitch == rows.length && rows.out_pitch == rows.length;
  const bool few = rows.num_rows * rows.length < (std::int64_t{1} << 32);  // for 32-bit numbers
  std::vector<cub_row_scan> all;
  with_scan<scans>(scan, [&](auto of) {
    using Scan = decltype(of);
    if constexpr (is_among<Scan, suite_tensor_sums>) {
      all.push_back({"CUB segmented " + version, enqueue_segments<Scan>});
      // (A divisor of 1 is none for fast_mod_div.)
      if (dense && few && rows.length > 1) {
        all.push_back({"CUB by key " + version, enqueue_by_key<Scan>});
      }
    }
  });
  return all;
}

}  // namespace bench
