// Scans between kernels and copies of the same stream, nothing synchronised in between: a scan may
// be started before what precedes it has ended, and what follows before the scan has (programmatic
// dependent launch), and neither may be seen in the results. Inputs change every time, and what
// writes them is slow. Each sequence runs in a stream, and captured in a graph:
//   dependent_launch_test [rounds] [most elements] [doctest's options]
// Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using number = std::uint32_t;
using tests::cuda_check;
using tests::device_memory;

/// Of every kernel some: a block, a cluster, a block a tile, many tiles.
constexpr std::int64_t sizes[] = {64, 5000, 40000, 300000, 3000000, 40000000};
constexpr std::int64_t most_items = sizes[5];
constexpr int num_threads = 256;
constexpr std::int64_t slow_cycles = 85000;  // some 50 us

// Both fewer under a sanitizer.
int num_rounds = 200;
std::int64_t most_scanned = most_items;

std::vector<std::int64_t> sizes_here() {
  std::vector<std::int64_t> few;
  for (const std::int64_t n : sizes) {
    if (n <= most_scanned) few.push_back(n);
  }
  return few;
}

std::size_t bytes_of(std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(number); }

/// Element i of the input of round `seed`.
__host__ __device__ number element(std::uint32_t seed, std::int64_t i) {
  const auto x = (static_cast<std::uint32_t>(i) + seed * 0x10001u) * 0x9e3779b9u;
  return x ^ (x >> 15);
}

__device__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return std::int64_t{gridDim.x} * blockDim.x; }

/// What a kernel of the test does about dependent launch.
struct manners {
  bool triggers_early;  // lets the next kernel start before it has written anything
  bool starts_early;    // is launched to start before the kernel before it has ended
  bool waits = true;    // until that has: all but who shows what happens else
};

__device__ void begin(const manners& how) {
#if __CUDA_ARCH__ >= 900
  if (how.triggers_early) cudaTriggerProgrammaticLaunchCompletion();
  if (how.starts_early && how.waits) cudaGridDependencySynchronize();
#endif
}

/// Waits for `cycles`, then writes the input of round `seed`.
__global__ void write_input(number* in, std::int64_t n, std::uint32_t seed, std::int64_t cycles,
                            manners how) {
  begin(how);
  const std::int64_t stop = clock64() + cycles;
  while (clock64() < stop) {
  }
  for (std::int64_t i = first_index(); i < n; i += index_step()) in[i] = element(seed, i);
}

/// Adds to `*wrong` the elements of `out` that are not sums of the input of round `seed`, or of
/// elements that are all `value`.
__global__ void check_sums(const number* out, std::int64_t n, std::uint32_t seed, bool constant,
                           number value, unsigned long long* wrong, manners how) {
  begin(how);
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    const number before = i > 0 ? out[i - 1] : 0;
    if (out[i] != before + (constant ? value : element(seed, i))) atomicAdd(wrong, 1ull);
  }
}

__global__ void check_equal(const number* out, const number* expected, std::int64_t n,
                            unsigned long long* wrong, manners how) {
  begin(how);
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    if (out[i] != expected[i]) atomicAdd(wrong, 1ull);
  }
}

/// Whether the device lets kernels start early.
bool can_start_early() {
  int major = 0;
  cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return major >= 9;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::int64_t n, cudaStream_t stream, const manners& how,
            const Arguments&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(std::min<std::int64_t>(n / num_threads + 1, 132));
  config.blockDim = num_threads;
  config.stream = stream;
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = how.starts_early && can_start_early() ? 1 : 0;
  cuda_check(cudaLaunchKernelEx(&config, kernel, arguments..., how));
}

/// The buffers of a test, and what its sequences are made of.
class fixture {
 public:
  void write(std::int64_t n, std::uint32_t seed, std::int64_t cycles, const manners& how) const {
    launch(write_input, n, stream, how, in(), n, seed, cycles);
  }
  void check(const number* out, std::int64_t n, std::uint32_t seed, const manners& how) const {
    launch(check_sums, n, stream, how, out, n, seed, false, number{0}, wrong());
  }
  void check_constant(const number* out, std::int64_t n, number value) const {
    launch(check_sums, n, stream, {}, out, n, 0u, true, value, wrong());
  }
  void check_same(const number* out, const number* expected, std::int64_t n,
                  const manners& how) const {
    launch(check_equal, n, stream, how, out, expected, n, wrong());
  }
  void scan_to(const number* from, number* to, std::int64_t n, scan::workspace* space) const {
    REQUIRE(scan::inclusive(from, to, n, scan::plus{}, {{}, stream, space}).ok());
  }

  /// Scans in() in chunks, each of which is given the total of the one before as its init; the
  /// first one the first element.
  void scan_chunks(std::int64_t n, scan::workspace* space) const {
    const std::int64_t chunk = (n - 1 + 6) / 7;
    cuda_check(cudaMemcpyAsync(out(), in(), sizeof(number), cudaMemcpyDefault, stream));
    for (std::int64_t first = 1, turn = 0; first < n; first += chunk, ++turn) {
      scan::options<number> opts{{}, stream, space};
      opts.init_pointer = turn == 0 ? in() : totals_.as<number>() + (turn - 1) % 2;
      opts.total = totals_.as<number>() + turn % 2;
      REQUIRE(scan::inclusive(in() + first, out() + first, std::min(chunk, n - first), scan::plus{},
                              opts)
                  .ok());
    }
  }

  /// Enqueues `sequence` in the stream, or replays it `times` times in a graph; returns how many
  /// elements were found wrong.
  template <class Sequence>
  unsigned long long wrong_after(bool captured, int times, const Sequence& sequence) const {
    cuda_check(cudaMemsetAsync(wrong(), 0, sizeof(*wrong()), stream));
    if (captured) {
      replay(times, sequence);
    } else {
      for (int i = 0; i < times; ++i) sequence();
    }
    unsigned long long result = 0;
    stream.wait();
    cuda_check(cudaMemcpy(&result, wrong(), sizeof(result), cudaMemcpyDeviceToHost));
    return result;
  }

  number* in() const { return in_.as<number>(); }
  number* out() const { return out_.as<number>(); }
  number* other() const { return other_.as<number>(); }
  unsigned long long* wrong() const { return wrong_.as<unsigned long long>(); }
  tests::stream stream;
  mutable scan::workspace space{most_items, sizeof(number)};

 private:
  template <class Sequence>
  void replay(int times, const Sequence& sequence) const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    sequence();
    cuda_check(cudaStreamEndCapture(stream, &graph));
    cuda_check(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < times; ++i) cuda_check(cudaGraphLaunch(exec, stream));
    stream.wait();
    cuda_check(cudaGraphExecDestroy(exec));
    cuda_check(cudaGraphDestroy(graph));
  }

  device_memory in_{bytes_of(most_items)}, out_{bytes_of(most_items)}, other_{bytes_of(most_items)},
      wrong_{sizeof(unsigned long long)}, totals_{2 * sizeof(number)};
};

/// Calls `check(n, space, captured, how)` for all sizes, with and without a workspace, in a stream
/// and in a graph, with all manners of the kernels around the scan.
template <class Check>
void in_all_ways(const fixture& test, const Check& check) {
  for (const std::int64_t n : sizes_here()) {
    for (int bits = 0; bits < 16; ++bits) {
      const manners how{(bits & 1) != 0, (bits & 2) != 0};
      scan::workspace* const space = (bits & 4) != 0 ? &test.space : nullptr;
      INFO("n=", n, how.triggers_early ? ", triggers early" : "",
           how.starts_early ? ", starts early" : "", space != nullptr ? ", workspace" : "",
           (bits & 8) != 0 ? ", in a graph" : "");
      check(n, space, (bits & 8) != 0, how);
    }
  }
}

/// `input` scanned `depth` times.
std::vector<number> scanned_often(std::int64_t n, std::uint32_t seed, int depth) {
  std::vector<number> items(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) items[static_cast<std::size_t>(i)] = element(seed, i);
  for (int i = 0; i < depth; ++i) std::partial_sum(items.begin(), items.end(), items.begin());
  return items;
}

/// Between a slow kernel that writes the input and one that reads the output, `call(n, space)`,
/// again and again with other data.
template <class Call>
void between_kernels(const fixture& test, int times, const Call& call) {
  in_all_ways(test, [&](std::int64_t n, scan::workspace* space, bool captured, manners how) {
    std::uint32_t seed = 0;
    const auto rounds = [&] {
      for (int round = 0; round < times; ++round) {
        test.write(n, ++seed, slow_cycles, how);
        call(n, space);
        test.check(test.out(), n, seed, how);
      }
    };
    REQUIRE(test.wrong_after(captured, 4, rounds) == 0);
  });
}

}  // namespace

TEST_SUITE("dependent launch") {
  TEST_CASE("a check finds one wrong element") {
    const fixture test;
    const std::int64_t n = 5000;
    CHECK(test.wrong_after(false, 1, [&] {
      test.write(n, 1, 0, {});
      test.scan_to(test.in(), test.out(), n, nullptr);
      test.check(test.out(), n, 1, {});
    }) == 0);
    CHECK(test.wrong_after(false, 1, [&] { test.check(test.out(), n, 2, {}); }) > n / 2);
    CHECK(test.wrong_after(false, 1, [&] {
      cuda_check(cudaMemsetAsync(test.out() + 4321, 0x77, 1, test.stream));
      test.check(test.out(), n, 1, {});
    }) == 2);
  }

  TEST_CASE("who starts early and does not wait sees the input of before") {
    if (!can_start_early()) return;
    const fixture test;
    const std::int64_t n = 5000;
    test.write(n, 2, 0, {});
    cuda_check(
        cudaMemcpyAsync(test.other(), test.in(), bytes_of(n), cudaMemcpyDefault, test.stream));
    for (const bool waits : {true, false}) {
      test.write(n, 1, 0, {});
      const auto wrong = test.wrong_after(true, 1, [&] {
        test.write(n, 2, 20 * slow_cycles, {true, false});
        test.check_same(test.in(), test.other(), n, {false, true, waits});
      });
      CHECK((wrong == 0) == waits);
    }
  }

  TEST_CASE("input of a slow kernel, output to a kernel that reads it") {
    const fixture test;
    between_kernels(test, num_rounds / 4 + 1, [&](std::int64_t n, scan::workspace* space) {
      test.scan_to(test.in(), test.out(), n, space);
    });
  }

  TEST_CASE("init and total pass from scan to scan") {
    const fixture test;
    between_kernels(test, num_rounds / 20 + 1,
                    [&](std::int64_t n, scan::workspace* space) { test.scan_chunks(n, space); });
  }

  TEST_CASE("the input is overwritten when the scan is through") {
    const fixture test;
    in_all_ways(test, [&](std::int64_t n, scan::workspace* space, bool captured, manners how) {
      std::uint32_t seed = 0;
      const auto rounds = [&] {
        test.write(n, seed, 0, how);
        for (int round = 0; round < num_rounds / 4 + 1; ++round) {
          test.scan_to(test.in(), test.out(), n, space);
          test.write(n, ++seed, 0, how);
          test.check(test.out(), n, seed - 1, how);
        }
      };
      REQUIRE(test.wrong_after(captured, 4, rounds) == 0);
    });
  }

  TEST_CASE("scans of scans, in place and from buffer to buffer") {
    const fixture test;
    const int depth = std::clamp(num_rounds, 3, 50);
    device_memory expected(bytes_of(most_items));
    std::int64_t uploaded = 0;
    in_all_ways(test, [&](std::int64_t n, scan::workspace* space, bool captured, manners how) {
      if (uploaded != n) {
        const auto items = scanned_often(n, 7, depth);
        cuda_check(cudaMemcpy(expected.as<void>(), items.data(), bytes_of(n), cudaMemcpyDefault));
        uploaded = n;
      }
      for (const bool in_place : {true, false}) {
        const auto chain = [&] {
          test.write(n, 7, slow_cycles, how);
          number *from = test.in(), *to = in_place ? from : test.other();
          for (int i = 0; i < depth; ++i, std::swap(from, to)) test.scan_to(from, to, n, space);
          test.check_same(from, expected.as<number>(), n, how);
        };
        REQUIRE(test.wrong_after(captured, 3, chain) == 0);
      }
    });
  }

  TEST_CASE("scans of changing size, one after another in a workspace") {
    const fixture test;
    for (const bool captured : {false, true}) {
      std::uint32_t seed = 0;
      const auto rounds = [&] {
        for (int round = 0; round < num_rounds; ++round) {
          const std::int64_t n = std::min(sizes[round % 5], most_scanned);
          const std::int64_t m = std::min(sizes[(round * 3 + 1) % 5], most_scanned);
          test.write(std::max(n, m), ++seed, slow_cycles, {true, round % 2 == 0});
          test.scan_to(test.in(), test.out(), n, &test.space);
          test.scan_to(test.in(), test.other(), m, &test.space);
          test.check(test.out(), n, seed, {true, true});
          test.check(test.other(), m, seed, {});
        }
      };
      INFO((captured ? "in a graph" : "in a stream"));
      REQUIRE(test.wrong_after(captured, 2, rounds) == 0);
    }
  }

  TEST_CASE("between copies, and after a memset") {
    const fixture test;
    device_memory next(bytes_of(most_items));
    for (const std::int64_t n : sizes_here()) {
      for (int bits = 0; bits < 4; ++bits) {
        scan::workspace* const space = (bits & 1) != 0 ? &test.space : nullptr;
        INFO("n=", n, space != nullptr ? ", workspace" : "", (bits & 2) != 0 ? ", in a graph" : "");
        const auto copy = [&](void* to, const void* from) {
          cuda_check(cudaMemcpyAsync(to, from, bytes_of(n), cudaMemcpyDefault, test.stream));
        };
        std::uint32_t seed = 0;
        const auto rounds = [&] {
          for (int round = 0; round < num_rounds / 4 + 1; ++round) {
            test.write(n, ++seed, 0, {});
            copy(next.as<void>(), test.in());
            cuda_check(cudaMemsetAsync(test.in(), round % 251, bytes_of(n), test.stream));
            test.scan_to(test.in(), test.out(), n, space);
            copy(test.other(), test.out());
            copy(test.in(), next.as<void>());
            test.scan_to(test.in(), test.out(), n, space);
            test.check_constant(test.other(), n, static_cast<number>(round % 251) * 0x01010101u);
            test.check(test.out(), n, seed, {});
          }
        };
        REQUIRE(test.wrong_after((bits & 2) != 0, 4, rounds) == 0);
      }
    }
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && std::atoi(argv[1]) > 0) num_rounds = std::atoi(argv[1]);
  if (argc > 2 && std::atoll(argv[2]) > 0) most_scanned = std::atoll(argv[2]);
  return tests::run_device_tests(argc, argv);
}
