// More elements than a 32-bit number counts.
#include "tests/mutations/probe.cuh"

namespace {

using item = std::uint8_t;
using shape = scan::device::tuned_for<scan::transform_input<item>, scan::transform_output<item>>;

auto described(const item* from, item* to, std::int64_t n) {
  return scan::describe<false>(false, scan::as_input(from), scan::as_output(to), n, scan::plus{},
                               scan::options<item>{});
}
using ring = scan::device::ring_cut<shape, decltype(described(nullptr, nullptr, 0))>;

__device__ item item_at(std::int64_t i) {
  return static_cast<item>(static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u >> 56);
}
__global__ void fill(item* to, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    to[i] = item_at(i);
  }
}
/// Every sum is the one before and an item.
__global__ void check(const item* out, std::int64_t n, int* wrong) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const item before = i == 0 ? item{0} : out[i - 1];
    if (out[i] != static_cast<item>(before + item_at(i))) *wrong = 1;
  }
}

}  // namespace

int main() {
  const scan::device::device_limits limits = probe::limits();
  const scan::device::ring_room room = probe::room_of<ring>(limits);
  if (room.num_stages < 2) return 77;
  const std::int64_t n = (std::int64_t{1} << 32) + 100003;
  const tests::device_memory data(static_cast<std::size_t>(n));
  probe::device_array<int> wrong(1, 0);
  wrong[0] = 0;
  wrong.upload();
  fill<<<1024, 256>>>(data.as<item>(), n);
  const scan::status status =
      probe::launch_ring(ring(described(data.as<item>(), data.as<item>(), n)),
                         scan::options<item>{}, limits.sm_count, room, limits);
  probe::expect(status.ok(), status.message(), n, 0);
  check<<<1024, 256>>>(data.as<item>(), n, wrong.data());
  tests::cuda_check(cudaDeviceSynchronize());
  probe::expect(wrong.same(), "a sum", n, 0);
  return probe::result();
}
