// Workspaces over memory of the caller's. Linked with device_faults_test.cpp; without a GPU on a
// made-up device.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scan/scan.hpp"
#include "tests/faults/faulty_calls.hpp"
#include "tests/faults/faulty_cuda.hpp"

namespace {

using tests::call;
using tests::calls;
using tests::cuda_calls;
using tests::data;

/// Of the allocator, as a caching one would have it.
struct block {
  void* memory = nullptr;
  std::size_t num_bytes;
  explicit block(std::size_t bytes) : num_bytes(bytes) {
    REQUIRE(cudaMalloc(&memory, bytes) == cudaSuccess);
  }
  ~block() { CHECK(cudaFree(memory) == cudaSuccess); }
  block(const block&) = delete;
  block& operator=(const block&) = delete;
};

}  // namespace

TEST_SUITE("workspaces over memory") {
  TEST_CASE("of the bytes that are told they serve every call, and are not freed") {
    const std::int64_t held_before = cuda_calls.num_held;
    for (const call& scan_call : calls()) {
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      const bool is_tensor = scan_call.shape.outer * scan_call.shape.inner > 1;
      const std::size_t num_bytes = is_tensor && !scan_call.is_ragged
                                        ? scan::workspace::held_bytes(scan_call.shape, 4)
                                        : scan::workspace::held_bytes(scan_call.size(), 4);
      const block memory(num_bytes);
      const cudaStream_t stream = scan_call.in_stream ? tests::some_stream : nullptr;
      scan::workspace space(memory.memory, num_bytes, stream);
      CHECK(std::string(space.error().message()) == "success");
      CHECK(space.states() == memory.memory);
      CHECK(space.num_bytes() == num_bytes);
      CHECK(space.num_scratch_bytes() == 0);
      cuda_calls.newest = nullptr;
      for (int round = 0; round < 3; ++round) {
        items.clear();
        CHECK(std::string(scan_call(items, &space).message()) == "success");
        CHECK(items.right(scan_call.shape));
      }
      CHECK(cuda_calls.newest == nullptr);
    }
    CHECK(cuda_calls.num_held == held_before);
  }

  TEST_CASE("they hold what the others hold") {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1000}, std::int64_t{1} << 24}) {
      for (const int bytes : {1, 4, 8, 16}) {
        CHECK(scan::workspace(n, bytes).num_bytes() == scan::workspace::held_bytes(n, bytes));
        const scan::extents shape{3, n, 5, 0, 0};
        CHECK(scan::workspace(shape, bytes).num_bytes() ==
              scan::workspace::held_bytes(shape, bytes));
        CHECK(scan::workspace::held_bytes(n, bytes) >= scan::workspace::required_bytes(n, bytes));
        CHECK(scan::workspace::held_bytes(n, bytes) % 256 == 0);
      }
    }
    CHECK(scan::workspace::held_bytes(-1) == SIZE_MAX);
    CHECK(scan::workspace::held_bytes(10, 65) == SIZE_MAX);
    CHECK(scan::workspace::held_bytes(scan::extents{1, -1, 1, 0, 0}) == SIZE_MAX);
  }

  TEST_CASE("the memory is cleared once, all of it that is used, in the stream") {
    if (!cuda_calls.is_made_up) return;
    const block memory(10'000);
    auto* const bytes = static_cast<unsigned char*>(memory.memory);
    const auto first_dirty = [&] {
      std::size_t i = 0;
      while (i < memory.num_bytes && bytes[i] == 0) ++i;
      return i;
    };
    CHECK(first_dirty() == 0);
    cuda_calls.num_calls = 0;
    const scan::workspace space(memory.memory, 10'000, tests::some_stream);
    CHECK(space.num_bytes() == 9'984);
    CHECK(first_dirty() == 9'984);
    CHECK(cuda_calls.stream == tests::some_stream);
    const scan::workspace in_default(memory.memory, 10'000, nullptr);
    CHECK(cuda_calls.stream == cudaStreamLegacy);
  }

  TEST_CASE("memory that cannot be one is named, by the scans too") {
    const block memory(4096);
    auto* const begin = static_cast<char*>(memory.memory);
    data items(400'000);
    const auto refused = [&](void* from, std::size_t num_bytes, const std::string& why) {
      scan::workspace space(from, num_bytes, nullptr);
      CHECK(space.error() == cudaErrorInvalidValue);
      CHECK(std::string(space.error().message()).find("workspace: the memory " + why) == 0);
      CHECK(space.num_bytes() == 0);
      cuda_calls.num_launches = 0;
      CHECK(std::string(calls()[2](items, &space).message()) == space.error().message());
      CHECK(cuda_calls.num_launches == 0);
      CHECK(cudaPeekAtLastError() == cudaSuccess);
    };
    refused(nullptr, 4096, "is null");
    for (const int offset : {1, 8, 16, 128}) {
      refused(begin + offset, 2048, "does not start at a multiple of 256");
    }
    refused(begin, 0, "is too small");
    refused(begin, 255, "is too small");
    std::vector<char> pageable(1024);
    void* const on_host = &pageable[256 - reinterpret_cast<std::uintptr_t>(pageable.data()) % 256];
    if (cuda_calls.is_made_up) cuda_calls.memory.type = cudaMemoryTypeUnregistered;
    refused(on_host, 512, "is not the device's");
    if (cuda_calls.is_made_up) {
      cuda_calls.capture = cudaStreamCaptureStatusActive;  // then it may be the graph's own
      CHECK(scan::workspace(begin, 4096, tests::some_stream).error().ok());
      cuda_calls.capture = cudaStreamCaptureStatusNone;
      cuda_calls.memory.type = cudaMemoryTypeHost;
      refused(begin, 4096, "is not the device's");
      cuda_calls.memory.type = cudaMemoryTypeDevice;
      cuda_calls.memory.device = 1;
      refused(begin, 4096, "belongs to another device");
      cuda_calls.memory = {};
    }
    // Enough for itself, not for the call.
    scan::workspace small(begin, 256, nullptr);
    CHECK(small.error().ok());
    const scan::status status = calls()[2](items, &small);
    CHECK(status == cudaErrorInvalidValue);
    CHECK(std::string(status.message()).find("options.workspace is too small") == 0);
    CHECK(items.untouched());
  }

  TEST_CASE("a CUDA call of the constructor fails: it says so") {
    const block memory(4096);
    for (int k = 1;; ++k) {
      REQUIRE(k < 20);
      INFO("call ", k);
      cuda_calls.fail(k, cudaErrorMemoryAllocation);
      const scan::workspace space(memory.memory, 4096, tests::some_stream);
      const bool has_failed = cuda_calls.has_failed();
      cuda_calls.fail_at = 0;
      CHECK(cudaPeekAtLastError() == cudaSuccess);
      CHECK(space.error().ok() != has_failed);
      if (!has_failed) break;
      CHECK(space.error() == cudaErrorMemoryAllocation);
      CHECK(space.num_bytes() == 0);
    }
  }

  TEST_CASE("in a captured stream the clearing is captured, and every replay begins with it") {
    if (cuda_calls.is_made_up) return;
    const call& scan_call = calls()[8];
    data items(scan_call.size());
    const std::size_t num_bytes = scan::workspace::held_bytes(scan_call.size(), 4);
    const block given(num_bytes);
    for (const bool is_graphs : {false, true}) {
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t exec = nullptr;
      tests::cuda_check(cudaMemset(given.memory, 0xFF, num_bytes));
      tests::cuda_check(cudaDeviceSynchronize());
      tests::cuda_check(cudaStreamBeginCapture(tests::some_stream, cudaStreamCaptureModeGlobal));
      void* memory = given.memory;
      if (is_graphs) tests::cuda_check(cudaMallocAsync(&memory, num_bytes, tests::some_stream));
      scan::workspace space(memory, num_bytes, tests::some_stream);
      CHECK(std::string(space.error().message()) == "success");
      CHECK(scan_call(items, &space).ok());
      CHECK(scan_call(items, &space).ok());
      if (is_graphs) tests::cuda_check(cudaFreeAsync(memory, tests::some_stream));
      REQUIRE(cudaStreamEndCapture(tests::some_stream, &graph) == cudaSuccess);
      REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
      for (int replay = 0; replay < 3; ++replay) {
        items.clear();
        CHECK(cudaGraphLaunch(exec, tests::some_stream) == cudaSuccess);
        tests::cuda_check(cudaStreamSynchronize(tests::some_stream));
        CHECK(items.right(scan_call.shape));
        tests::cuda_check(cudaMemset(given.memory, replay, num_bytes));
      }
      tests::cuda_check(cudaGraphExecDestroy(exec));
      tests::cuda_check(cudaGraphDestroy(graph));
    }
  }
}
