// thrust::inclusive_scan_by_key of the toolkit, in memory that is there before it is timed.
#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <thrust/version.h>

#include <cuda/std/functional>
#include <new>

#include "bench/cells/scans.hpp"
#include "bench/peers/segment_peers.hpp"

namespace bench {
namespace {

/// Hands out parts of a piece of device memory, which are all given back with it.
class piecemeal {
 public:
  using value_type = char;
  explicit piecemeal(const cub_memory& memory) : memory_(memory) {}

  char* allocate(std::ptrdiff_t num_bytes) {
    const std::size_t from = (used_ + 255) / 256 * 256;
    used_ = from + static_cast<std::size_t>(num_bytes);
    if (used_ > memory_.num_bytes) throw std::bad_alloc();
    return static_cast<char*>(memory_.data) + from;
  }
  void deallocate(char*, std::size_t) {}

 private:
  cub_memory memory_;
  std::size_t used_ = 0;
};

/// Sums of bfloat16 in bfloat16: it takes no other accumulator. (What memory it needs Thrust does
/// not say: states of tiles, of no less than 512 bytes of elements.)
template <class Scan>
cudaError_t enqueue(cub_memory& memory, const void* in, void* out, const peer_segments& of,
                    cudaStream_t stream) {
  if (memory.data == nullptr) {
    memory.num_bytes = (std::size_t{1} << 20) + static_cast<std::size_t>(of.num_items) / 2;
    return cudaSuccess;
  }
  piecemeal pieces(memory);
  const auto* const keys = static_cast<const std::uint32_t*>(of.heads);
  thrust::inclusive_scan_by_key(thrust::cuda::par_nosync(pieces).on(stream), keys,
                                keys + of.num_items, static_cast<const typename Scan::In*>(in),
                                static_cast<typename Scan::Out*>(out), cuda::std::equal_to<>{},
                                cuda::std::plus<typename Scan::In>{});
  return cudaPeekAtLastError();
}

}  // namespace

std::vector<segment_scan> thrust_segment_scans(std::size_t scan, head_words heads) {
  std::vector<segment_scan> all;
  if (heads != head_words::keys) return all;
  with_scan<scans>(scan, [&](auto of) {
    using Scan = decltype(of);
    if constexpr (is_among<Scan, suite_segment_sums>) {
      all.push_back({"Thrust by key " + std::to_string(THRUST_MAJOR_VERSION) + "." +
                         std::to_string(THRUST_MINOR_VERSION) + "." +
                         std::to_string(THRUST_SUBMINOR_VERSION),
                     enqueue<Scan>});
    }
  });
  return all;
}

}  // namespace bench
