// A million scans of random sizes through one workspace, each verified on the device. Run by hand:
//   device_soak [number of scans] [seed]
// Exits with 77 where there is no GPU.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"

int main(int argc, char** argv) {
  using tests::cuda_check;
  if (!tests::gpu_present()) {
    std::puts("skipped: no CUDA device");
    return 77;
  }
  const long num_scans = argc > 1 ? std::atol(argv[1]) : 1000000;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : std::random_device{}();
  constexpr std::int64_t most_items = 100000;
  std::printf("%ld scans, seed %lu\n", num_scans, seed);

  std::mt19937_64 random(seed);
  const tests::stream stream;
  const tests::device_memory in(2 * most_items * 4), out(2 * most_items * 4), wrong(8);
  cuda_check(cudaMemset(wrong.as<void>(), 0, 8));
  tests::fill_random(in.as<std::uint32_t>(), 2 * most_items, seed, stream);
  scan::workspace space(most_items);
  long long total = 0;
  for (long i = 0; i < num_scans; ++i) {
    const auto n = static_cast<std::int64_t>(random() % most_items) + 1;
    const std::uint32_t* from = in.as<std::uint32_t>() + random() % most_items;
    std::uint32_t* to = out.as<std::uint32_t>() + random() % 8;
    const bool exclusive = random() % 2 == 0;
    scan::options<std::uint32_t> options{{}, stream, &space};
    options.algorithm = tests::algorithm_of_turn(random());
    cuda_check(cudaMemsetAsync(to, 0xEE, static_cast<std::size_t>(n) * 4, stream));
    cuda_check(exclusive ? scan::exclusive(from, to, n, scan::plus{}, options)
                         : scan::inclusive(from, to, n, scan::plus{}, options));
    tests::count_wrong_sums(from, to, n, exclusive, wrong.as<unsigned long long>(), stream);
    total += n;
    if ((i + 1) % 100000 == 0) {
      stream.wait();  // a hang shows where
      std::printf("%ld done\n", i + 1);
      std::fflush(stdout);
    }
  }
  stream.wait();
  unsigned long long num_wrong = 0;
  cuda_check(cudaMemcpy(&num_wrong, wrong.as<void>(), 8, cudaMemcpyDeviceToHost));
  std::printf("%ld scans of %lld elements in all: %llu wrong elements\n", num_scans, total,
              num_wrong);
  return num_wrong == 0 ? 0 : 1;
}
