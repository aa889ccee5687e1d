// The baselines as calls: what a workspace holds for them and what it does not, graphs, many
// elements. Their results are the matrix's and the random scans' business. Skipped, with exit code
// 77, where there is no GPU or the build has no baselines.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::cuda_check;
using tests::device_memory;

constexpr std::uint64_t num_baselines = 7;

/// Scans of `n` random elements, and a count of their wrong outputs.
template <class T>
class sums {
 public:
  explicit sums(std::int64_t n) : n_(n), in_(bytes()), out_(bytes()) {
    cuda_check(cudaMemset(wrong_.as<void>(), 0, sizeof(unsigned long long)));
    tests::fill_random(in_.as<T>(), n, 5, nullptr);
    cuda_check(cudaMemset(out_.as<void>(), tests::poison_value, bytes()));
    cuda_check(cudaDeviceSynchronize());
  }

  scan::status enqueue(scan::algorithm which, scan::workspace* space,
                       cudaStream_t stream = nullptr) const {
    scan::options<T> options;
    options.algorithm = which;
    options.workspace = space;
    options.stream = stream;
    return scan::inclusive(in_.as<T>(), out_.as<T>(), n_, scan::plus{}, options);
  }
  void refill(std::uint64_t seed, cudaStream_t stream) const {
    tests::fill_random(in_.as<T>(), n_, seed, stream);
    cuda_check(cudaMemsetAsync(out_.as<void>(), tests::poison_value, bytes(), stream));
  }
  void count_wrong(cudaStream_t stream = nullptr) const {
    tests::count_wrong_sums(in_.as<T>(), out_.as<T>(), n_, false, wrong_.as<unsigned long long>(),
                            stream);
  }
  /// So far.
  unsigned long long num_wrong() const {
    unsigned long long count = 0;
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaMemcpy(&count, wrong_.as<void>(), sizeof(count), cudaMemcpyDeviceToHost));
    return count;
  }
  bool output_untouched() const {
    std::vector<unsigned char> output(bytes());
    cuda_check(cudaMemcpy(output.data(), out_.as<void>(), bytes(), cudaMemcpyDeviceToHost));
    for (const unsigned char byte : output) {
      if (byte != tests::poison_value) return false;
    }
    return true;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(T); }

  std::int64_t n_;
  device_memory in_, out_, wrong_{sizeof(unsigned long long)};
};

}  // namespace

TEST_SUITE("baselines") {
  TEST_CASE("a workspace that was not made for it is refused, and nothing is written") {
    const std::int64_t n = 3000000;
    const sums<std::uint32_t> scans(n);
    scan::workspace without(n), small(n / 10, 4, scan::algorithm::blelloch);
    for (std::uint64_t turn = 0; turn < num_baselines; ++turn) {
      const scan::algorithm which = tests::baseline_of_turn(turn);
      for (scan::workspace* space : {&without, &small}) {
        const bool enough = which == scan::algorithm::reduce_then_scan ||
                            which == scan::algorithm::reduce_then_scan_two_pass ||
                            which == scan::algorithm::scan_then_fan ||
                            which == scan::algorithm::blelloch;
        if (space == &small && enough) continue;  // these need little more than sums
        const scan::status result = scans.enqueue(which, space);
        CHECK(result == cudaErrorInvalidValue);
        CHECK(std::string(result.message()).find("too small for n with options.algorithm") !=
              std::string::npos);
      }
    }
    CHECK(scans.output_untouched());
  }

  TEST_CASE("one workspace in turn for a baseline and the library's own kernels") {
    const std::int64_t n = 3000017;
    const sums<std::uint32_t> scans(n);
    scan::workspace space(n, 4, tests::hungriest(n, 4));
    for (std::uint64_t turn = 0; turn < 5 * num_baselines; ++turn) {
      for (const scan::algorithm which :
           {tests::baseline_of_turn(turn), tests::algorithm_of_turn(turn)}) {
        scans.refill(turn, nullptr);
        REQUIRE(scans.enqueue(which, &space).ok());
        scans.count_wrong();
        REQUIRE(scans.num_wrong() == 0);
      }
    }
  }

  TEST_CASE("captured in a graph and replayed, with and without a workspace") {
    const std::int64_t n = 2100001;
    const sums<std::uint32_t> scans(n);
    scan::workspace space(n, 4, tests::hungriest(n, 4));
    for (std::uint64_t turn = 0; turn < 2 * num_baselines; ++turn) {
      const tests::stream stream;
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t exec = nullptr;
      cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      REQUIRE(scans.enqueue(tests::baseline_of_turn(turn), turn % 2 == 0 ? &space : nullptr, stream)
                  .ok());
      cuda_check(cudaStreamEndCapture(stream, &graph));
      cuda_check(cudaGraphInstantiate(&exec, graph, 0));
      for (std::uint64_t replay = 0; replay < 5; ++replay) {
        scans.refill(replay, stream);
        cuda_check(cudaGraphLaunch(exec, stream));
        scans.count_wrong(stream);
      }
      CHECK(scans.num_wrong() == 0);
      cuda_check(cudaGraphExecDestroy(exec));
      cuda_check(cudaGraphDestroy(graph));
    }
  }

  TEST_CASE("more than 2^32 elements") {
    const std::int64_t n = (std::int64_t{1} << 32) + 17;
    std::size_t free_bytes = 0, total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes));
    if (free_bytes < 12 * static_cast<std::size_t>(n) + (std::size_t{1} << 29)) {
      MESSAGE("skipped: needs 49 GiB of free device memory");
      return;
    }
    const sums<std::uint32_t> scans(n);
    for (std::uint64_t turn = 0; turn < num_baselines; ++turn) {
      scans.refill(turn, nullptr);
      REQUIRE(scans.enqueue(tests::baseline_of_turn(turn), nullptr).ok());
      scans.count_wrong();
      CHECK(scans.num_wrong() == 0);
    }
  }
}

int main(int argc, char** argv) {
  return tests::run_device_tests(argc, argv, tests::gpu_present() && tests::with_baselines);
}
