// Calls that go wrong on a device, row by row of the README's error table, and streams of odd
// places: of another device, of a few multiprocessors, of a capture in which the process calls for
// the first time. Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "scan/scan.hpp"
#include "tests/calls/odd_streams.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using scan::algorithm;
using tests::cuda_check;
using tests::ends_in_time;
using tests::none_pending;
using tests::num_devices;
using tests::ones;
using tests::says;
using tests::stream_of_few;

/// For pointers that are checked and never followed.
template <class T>
T* somewhere() {
  return reinterpret_cast<T*>(std::uintptr_t{1} << 40);
}

/// The kernels there are, each with a size that it needs states for.
struct kernel_at {
  algorithm which;
  std::int64_t n;
};
std::vector<kernel_at> kernels_with_states() {
  std::vector<kernel_at> all{{algorithm::look_back, 30'000},
                             {algorithm::wave, 400'000},
                             {algorithm::automatic, 10'000'000}};
  if (tests::gpu_has_ring()) all.push_back({algorithm::ring, 3'000'000});
  return all;
}

/// Whether nothing of the output of `items` has been written since it was made.
bool untouched(const ones& items, std::int64_t n) {
  std::vector<int> out(static_cast<std::size_t>(n));
  cuda_check(cudaMemcpy(out.data(), items.out(), out.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (const int value : out) {
    if (value != 0) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("errors") {
  TEST_CASE("a workspace that another host thread has in its call") {
    for (const kernel_at& kernel : kernels_with_states()) {
      INFO(kernel.n, " items by ", static_cast<int>(kernel.which));
      const ones items(kernel.n);
      scan::workspace space(kernel.n);
      scan::status result, tensor;
      {
        const std::lock_guard<std::mutex> lock(space.enqueueing());
        std::thread([&] { result = items.scan(kernel.which, nullptr, &space); }).join();
        scan::options<int> opts;
        opts.workspace = &space;
        tensor = kernel.n < 100'000
                     ? result  // needs no states
                     : scan::inclusive(items.in(), items.out(), scan::extents{1, kernel.n, 1},
                                       scan::plus{}, opts);
      }
      says(result, cudaErrorInvalidValue, "in use by another host thread");
      says(tensor, cudaErrorInvalidValue, "in use by another host thread");
      CHECK(untouched(items, kernel.n));
      CHECK(items.scan(kernel.which, nullptr, &space).ok());
      CHECK(items.right());
    }
  }

  TEST_CASE("more elements than an algorithm takes") {
    auto* const items = somewhere<std::uint8_t>();
    scan::options<std::uint8_t> opts;
    opts.algorithm = algorithm::wave;
    says(scan::inclusive(items, items, std::int64_t{1} << 36, scan::plus{}, opts),
         cudaErrorInvalidValue, "options.algorithm");
    if (!tests::with_baselines) return;
    auto* const wide = somewhere<std::uint64_t>();
    scan::options<std::uint64_t> of_baseline;
    for (std::uint64_t turn = 0; turn < 7; ++turn) {
      of_baseline.algorithm = tests::baseline_of_turn(turn);
      says(scan::inclusive(wide, wide, std::int64_t{1} << 50, scan::plus{}, of_baseline),
           cudaErrorInvalidValue, "n is too large for options.algorithm");
    }
  }

  TEST_CASE("an algorithm that a device, or a tensor, has not") {
    const ones items(100'000);
    scan::options<int> opts;
    opts.algorithm = algorithm::wave;
    says(scan::inclusive(items.in(), items.out(), scan::extents{100, 1000, 1}, scan::plus{}, opts),
         cudaErrorNotSupported, "options.algorithm");
    if (!tests::gpu_has_ring()) {
      says(items.scan(algorithm::ring, nullptr), cudaErrorNotSupported, "ring");
    }
    CHECK(untouched(items, 100'000));
  }

  TEST_CASE("states that there is no memory for") {
    auto* const items = somewhere<std::uint8_t>();
    const std::int64_t n = std::int64_t{1} << 50;
    scan::options<std::uint8_t> opts;
    for (const algorithm which : {algorithm::automatic, algorithm::look_back}) {
      opts.algorithm = which;
      says(scan::inclusive(items, items, n, scan::plus{}, opts), cudaErrorMemoryAllocation,
           "allocating tile states");
    }
    const scan::workspace space(n, 1);
    says(space.error(), cudaErrorMemoryAllocation, "cudaMalloc");
    CHECK(space.num_bytes() == 0);
  }

  TEST_CASE("a launch that CUDA refuses: in the null stream while a blocking one is captured") {
    for (const kernel_at& kernel : kernels_with_states()) {
      INFO(kernel.n, " items by ", static_cast<int>(kernel.which));
      const ones items(kernel.n);
      scan::workspace space(kernel.n);
      CHECK(items.scan(kernel.which, nullptr, &space).ok());  // all it asks for is known
      cuda_check(cudaMemset(items.out(), 0, static_cast<std::size_t>(kernel.n) * sizeof(int)));
      cudaStream_t captured = nullptr;
      cuda_check(cudaStreamCreate(&captured));
      for (scan::workspace* use : {&space, static_cast<scan::workspace*>(nullptr)}) {
        cuda_check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeThreadLocal));
        says(items.scan(kernel.which, nullptr, use), cudaErrorStreamCaptureImplicit,
             use != nullptr ? "launching" : "failed");
        cudaGraph_t graph = nullptr;
        static_cast<void>(cudaStreamEndCapture(captured, &graph));  // it is spoilt, as CUDA says
        if (graph != nullptr) cuda_check(cudaGraphDestroy(graph));
        static_cast<void>(cudaGetLastError());
      }
      cuda_check(cudaStreamDestroy(captured));
      CHECK(untouched(items, kernel.n));
      CHECK(items.scan(kernel.which, nullptr, &space).ok());
      CHECK(items.right());
    }
  }

  TEST_CASE("a workspace and a stream of another device") {
    if (num_devices() < 2) {
      MESSAGE("skipped: needs two devices");
      return;
    }
    for (const kernel_at& kernel : kernels_with_states()) {
      INFO(kernel.n, " items by ", static_cast<int>(kernel.which));
      cuda_check(cudaSetDevice(1));
      scan::workspace others(kernel.n);
      CHECK(others.device() == 1);
      const tests::stream other;
      cuda_check(cudaSetDevice(0));
      const ones items(kernel.n);
      says(items.scan(kernel.which, nullptr, &others), cudaErrorInvalidValue, "another device");
      scan::workspace space(kernel.n);
      CHECK(untouched(items, kernel.n));
      CHECK(items.scan(kernel.which, nullptr, &space).ok());
      CHECK(items.right());
      cuda_check(cudaSetDevice(1));  // where the kernels have never been
      const ones there(kernel.n);
      CHECK(there.scan(kernel.which, other, &others).ok());
      CHECK(there.scan(kernel.which, other).ok());
      other.wait();
      CHECK(there.right());
      cuda_check(cudaSetDevice(0));
    }
  }
}

TEST_SUITE("odd places") {
  TEST_CASE("eight multiprocessors are enough for every kernel, whose grids are the device's") {
    unsigned granted = 0;
    cuda_check(cudaFree(nullptr));
    const cudaStream_t few = stream_of_few(8, granted);
    if (few == nullptr) {
      MESSAGE("skipped: no green contexts");
      return;
    }
    MESSAGE("multiprocessors: ", granted);
    std::vector<kernel_at> all = kernels_with_states();
    for (const std::int64_t n : {1, 5'000, 20'000, 200'000, 1'000'000, 40'000'000}) {
      all.push_back({algorithm::automatic, n});
    }
    for (const kernel_at& kernel : all) {
      INFO(kernel.n, " items by ", static_cast<int>(kernel.which));
      const ones items(kernel.n);
      scan::workspace space(kernel.n);
      for (int round = 0; round < 10; ++round) {
        REQUIRE(items.scan(kernel.which, few, round % 2 == 0 ? &space : nullptr).ok());
      }
      REQUIRE(ends_in_time(few));
      CHECK(items.right());
    }
    // Many rows, those of clusters, of which some would have more than eight blocks on the whole
    // device, and columns.
    const std::int64_t n = 1'500'000;
    const ones items(n);
    scan::options<int> opts;
    opts.stream = few;
    for (const scan::extents& shape :
         {scan::extents{1500, 1000, 1}, scan::extents{100, 15'000, 1}, scan::extents{24, 62'500, 1},
          scan::extents{3, 500'000, 1}, scan::extents{1, 15'000, 100}}) {
      INFO(shape.outer, " ", shape.length, " ", shape.inner);
      REQUIRE(scan::inclusive(items.in(), items.out(), shape, scan::plus{}, opts).ok());
      REQUIRE(ends_in_time(few));
      std::vector<int> out(static_cast<std::size_t>(n));
      cuda_check(cudaMemcpy(out.data(), items.out(), out.size() * 4, cudaMemcpyDeviceToHost));
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        wrong += out[static_cast<std::size_t>(i)] != i / shape.inner % shape.length + 1;
      }
      CHECK(wrong == 0);
    }
  }

  // In a process of its own.
  TEST_CASE("the first call is captured, in the global mode, and so is every kernel's") {
    const std::int64_t sizes[] = {10'000'000, 30'000, 400'000, 20'000, 5};
    const algorithm kernels[] = {algorithm::automatic, algorithm::look_back, algorithm::wave,
                                 algorithm::automatic, algorithm::automatic};
    std::vector<std::unique_ptr<ones>> items;
    for (const std::int64_t n : sizes) items.push_back(std::make_unique<ones>(n));
    const tests::stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const scan::status result = items[i]->scan(kernels[i], stream);
      CHECK(std::string(result.message()) == "success");
    }
    CHECK(none_pending());
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(graph != nullptr);
    cuda_check(cudaGraphInstantiate(&exec, graph, 0));
    for (int replay = 0; replay < 3; ++replay) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        cuda_check(cudaMemsetAsync(items[i]->out(), 0,
                                   static_cast<std::size_t>(sizes[i]) * sizeof(int), stream));
      }
      cuda_check(cudaGraphLaunch(exec, stream));
      stream.wait();
      for (const auto& scanned : items) CHECK(scanned->right());
    }
    cuda_check(cudaGraphExecDestroy(exec));
    cuda_check(cudaGraphDestroy(graph));
  }
}

int main(int argc, char** argv) { return tests::run_device_tests(argc, argv); }
