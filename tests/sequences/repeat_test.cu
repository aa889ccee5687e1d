// The same bits every time: whatever else the device runs, however many blocks a scan gets, with
// and without a workspace, at any alignment:
//   repeat_test [runs of each scan] [most elements]
// the arguments for sanitizers. Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "scan/scan.cuh"
#include "tests/support/device_memory.hpp"
#include "tests/support/launch_chosen.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::cuda_check;
using tests::device_memory;

/// Of both signs and many magnitudes: sums are rounded at nearly every step.
template <class T>
std::vector<T> random_values(std::int64_t n) {
  std::mt19937_64 random(1);
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    item = scan::convert<T>(std::ldexp(2 * unit - 1, -static_cast<int>(random() % 30)));
  }
  return items;
}

template <class T>
void upload(const std::vector<T>& from, T* to) {
  cuda_check(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

/// Copies memory for about `cycles` clock cycles.
__global__ void copy_for(const uint4* from, uint4* to, std::int64_t n, std::int64_t cycles) {
  const std::int64_t stop = clock64() + cycles;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  while (clock64() < stop) {
    for (std::int64_t i = first; i < n && clock64() < stop; i += step) to[i] = from[i];
  }
}

/// Work of random length on a random part of the device, in a stream of its own.
class co_runner {
 public:
  co_runner() {
    int device = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&num_sms_, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaMemset(memory_.as<void>(), 0, num_bytes));
  }
  ~co_runner() { static_cast<void>(cudaStreamSynchronize(stream_)); }

  void start() {
    // Two blocks of 1024 threads fill a multiprocessor: up to all of them are taken.
    const unsigned blocks = 1 + static_cast<unsigned>(random_()) % (2 * num_sms_);
    const std::int64_t half = num_bytes / sizeof(uint4) / 2, cycles = random_() % 400000;
    copy_for<<<blocks, 1024, 0, stream_>>>(memory_.as<uint4>(), memory_.as<uint4>() + half, half,
                                           cycles);
    cuda_check(cudaGetLastError());
  }

 private:
  static constexpr std::size_t num_bytes = 256u << 20;  // more than an L2
  int num_sms_ = 0;
  device_memory memory_{num_bytes};
  tests::stream stream_;
  std::mt19937 random_{1};
};

/// Adds the number of 16-bit words in which `a` and `b` differ.
__global__ void add_differences(const std::uint16_t* a, const std::uint16_t* b, std::int64_t n,
                                unsigned long long* differences) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    if (a[i] != b[i]) atomicAdd(differences, 1ull);
  }
}

/// The number of 16-bit words in which `n` elements differ, after what is in `stream`.
template <class T>
unsigned long long count_differences(const T* a, const T* b, std::int64_t n,
                                     const device_memory& count, const tests::stream& stream) {
  unsigned long long result = 0;
  cuda_check(cudaMemsetAsync(count.as<void>(), 0, sizeof(result), stream));
  add_differences<<<256, 256, 0, stream>>>(
      reinterpret_cast<const std::uint16_t*>(a), reinterpret_cast<const std::uint16_t*>(b),
      n * static_cast<std::int64_t>(sizeof(T) / 2), count.as<unsigned long long>());
  cuda_check(cudaGetLastError());
  stream.wait();
  cuda_check(cudaMemcpy(&result, count.as<void>(), sizeof(result), cudaMemcpyDeviceToHost));
  return result;
}

/// How often each scan is repeated, and of how many elements at most.
int num_runs = 200;
std::int64_t most_elements = 5000011;

/// Many runs of one scan beside a co-runner, with grids of different sizes, with and without a
/// workspace, at different alignments: the outputs and the total of a quiet run, bit for bit.
template <class T, bool reversed>
void check_runs(bool exclusive, std::int64_t wanted, scan::algorithm algorithm) {
  const std::int64_t n = std::min(wanted, most_elements);
  using shape = scan::device::tuned_for<scan::transform_input<T>, scan::transform_output<T>>;
  const std::vector<T> items = random_values<T>(n);
  const auto num_bytes = static_cast<std::size_t>(n + 2) * sizeof(T);  // a shift, and the total
  const device_memory in(num_bytes), shifted_in(num_bytes), out(num_bytes), expected(num_bytes);
  upload(items, in.as<T>());
  upload(items, shifted_in.as<T>() + 1);
  cuda_check(cudaMemset(expected.as<void>(), 0xEE, num_bytes));
  scan::workspace space(n, static_cast<int>(sizeof(T)));
  REQUIRE(space.error().ok());
  scan::device::device_limits limits;
  REQUIRE(scan::device::current_limits(limits).ok());
  scan::options<T> opts;
  if (exclusive) opts.init = scan::convert<T>(0.1f);
  opts.reverse = reversed;
  opts.algorithm = algorithm;
  opts.total = expected.as<T>() + n;
  REQUIRE((exclusive ? scan::exclusive(in.as<T>(), expected.as<T>(), n, scan::plus{}, opts)
                     : scan::inclusive(in.as<T>(), expected.as<T>(), n, scan::plus{}, opts))
              .ok());

  // The check finds one wrong element.
  const tests::stream stream;
  const device_memory count(sizeof(unsigned long long));
  cuda_check(
      cudaMemcpy(out.as<T>(), expected.as<T>(), num_bytes - sizeof(T), cudaMemcpyDeviceToDevice));
  cuda_check(cudaMemset(out.as<T>() + n / 2, 0x77, sizeof(T)));
  cuda_check(cudaDeviceSynchronize());
  REQUIRE(count_differences(out.as<T>(), expected.as<T>(), n + 1, count, stream) == sizeof(T) / 2);

  co_runner others;
  opts.stream = stream;
  std::mt19937 random(2);
  const std::vector<std::int64_t> grids{1, 2, 3, 7, 50, 131, INT32_MAX};
  for (int run = 0; run < num_runs; ++run) {
    const std::int64_t most_blocks = grids[static_cast<std::size_t>(run) % grids.size()];
    const T* const d_in = run % 3 == 0 ? shifted_in.as<T>() + 1 : in.as<T>();
    T* const d_out = out.as<T>() + (run / 3) % 2;
    opts.workspace = run % 2 == 0 ? &space : nullptr;
    opts.total = d_out + n;
    cuda_check(cudaMemsetAsync(out.as<void>(), 0xEE, num_bytes, stream));
    if (random() % 4 != 0) others.start();
    auto scan = scan::describe<reversed>(exclusive, scan::as_input(d_in), scan::as_output(d_out), n,
                                         scan::plus{}, opts);
    REQUIRE(tests::launch_chosen(scan, opts, limits, [&](auto& to) {
              return scan::device::choose_sequence<shape>(to, scan, opts, limits, most_blocks);
            }).ok());
    if (random() % 2 != 0) others.start();
    INFO("run ", run, " of at most ", most_blocks, " blocks");
    REQUIRE(count_differences(d_out, expected.as<T>(), n + 1, count, stream) == 0);
  }
}

}  // namespace

TEST_SUITE("repeat") {
  TEST_CASE("the same bits every time") {
    for (const auto algorithm : {scan::algorithm::wave, scan::algorithm::look_back}) {
      check_runs<float, false>(false, 4000037, algorithm);
      check_runs<double, false>(true, 2000003, algorithm);
      check_runs<__half, true>(false, 5000011, algorithm);
    }
  }
  TEST_CASE("the same bits every time, ring") {
    if (!tests::gpu_has_ring()) return;
    check_runs<float, false>(false, 4000037, scan::algorithm::ring);
    check_runs<double, false>(true, 2000003, scan::algorithm::ring);
    check_runs<__half, true>(false, 5000011, scan::algorithm::ring);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && std::atoi(argv[1]) > 0) num_runs = std::atoi(argv[1]);
  if (argc > 2 && std::atoll(argv[2]) > 0) most_elements = std::atoll(argv[2]);
  return tests::run_device_tests(argc, argv);
}
