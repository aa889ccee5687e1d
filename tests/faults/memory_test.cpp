// What callers bring along: a memory resource in place of cudaMallocAsync, and streams in whatever
// they keep them. Linked with device_faults_test.cpp; without a GPU on a made-up device.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cuda/memory_resource>
#include <cuda/stream_ref>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scan/scan.hpp"
#include "tests/faults/faulty_calls.hpp"
#include "tests/faults/faulty_cuda.hpp"

namespace {

using tests::call;
using tests::calls;
using tests::cuda_calls;
using tests::data;

/// Allocates like others, and keeps a record.
struct recording {
  std::int64_t num_held = 0, num_allocated = 0;
  std::size_t bytes_allocated = 0, bytes_freed = 0;
  cudaStream_t allocated_in = nullptr, freed_in = nullptr;
  std::size_t alignment = 0;
  int offset = 0;       // of what it hands out, from where that should start
  bool throws = false;  // in both
  bool is_empty = false;

  void* take(std::size_t num_bytes, cudaStream_t stream) {
    ++num_allocated;
    bytes_allocated = num_bytes;
    allocated_in = stream;
    if (throws) throw std::bad_alloc();
    if (is_empty) return nullptr;
    void* memory = nullptr;
    REQUIRE(cudaMallocAsync(&memory, num_bytes + 256, stream) == cudaSuccess);
    ++num_held;
    return static_cast<char*>(memory) + offset;
  }
  void give_back(void* memory, std::size_t num_bytes, cudaStream_t stream) {
    --num_held;
    bytes_freed = num_bytes;
    freed_in = stream;
    CHECK(cudaFreeAsync(static_cast<char*>(memory) - offset, stream) == cudaSuccess);
    if (throws) throw std::bad_alloc();
  }
};
void* take(void* context, std::size_t num_bytes, cudaStream_t stream) {
  return static_cast<recording*>(context)->take(num_bytes, stream);
}
void give_back(void* context, void* memory, std::size_t num_bytes, cudaStream_t stream) {
  static_cast<recording*>(context)->give_back(memory, num_bytes, stream);
}

/// The same as the resources of libcu++ and RMM are written: by the names of CUDA 13.0 ...
struct async_resource : recording {
  void* allocate(std::size_t, std::size_t) { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t) noexcept {}
  void* allocate_async(std::size_t num_bytes, std::size_t aligned, cuda::stream_ref stream) {
    alignment = aligned;
    return take(num_bytes, stream.get());
  }
  void deallocate_async(void* memory, std::size_t num_bytes, std::size_t aligned,
                        cuda::stream_ref stream) {
    CHECK(aligned == alignment);
    give_back(memory, num_bytes, stream.get());
  }
  bool operator==(const async_resource& other) const { return this == &other; }
  bool operator!=(const async_resource& other) const { return this != &other; }
  friend void get_property(const async_resource&, cuda::mr::device_accessible) {}
};
/// ... and of later ones.
struct stream_resource : recording {
  void* allocate_sync(std::size_t, std::size_t) { return nullptr; }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept {}
  void* allocate(cuda::stream_ref stream, std::size_t num_bytes, std::size_t aligned) {
    alignment = aligned;
    return take(num_bytes, stream.get());
  }
  void deallocate(cuda::stream_ref stream, void* memory, std::size_t num_bytes,
                  std::size_t aligned) noexcept {
    CHECK(aligned == alignment);
    give_back(memory, num_bytes, stream.get());
  }
  bool operator==(const stream_resource& other) const { return this == &other; }
  bool operator!=(const stream_resource& other) const { return this != &other; }
  friend void get_property(const stream_resource&, cuda::mr::device_accessible) {}
};
#if CCCL_MAJOR_VERSION == 3 && CCCL_MINOR_VERSION == 0
static_assert(cuda::mr::async_resource<async_resource>);
using library_resource = async_resource;
using library_ref = cuda::mr::async_resource_ref<cuda::mr::device_accessible>;
#else
static_assert(cuda::mr::resource<stream_resource>);
using library_resource = stream_resource;
using library_ref = cuda::mr::resource_ref<cuda::mr::device_accessible>;
#endif

static_assert(std::is_constructible_v<scan::memory_resource, library_ref&>);
static_assert(!std::is_constructible_v<scan::memory_resource, library_ref>);  // it would dangle
static_assert(!std::is_constructible_v<scan::memory_resource, int&>);
static_assert(std::is_trivially_copyable_v<scan::memory_resource>);
static_assert(sizeof(scan::memory_resource) == 24);

/// The calls that need memory of their own.
std::vector<call> hungry_calls() {
  std::vector<call> some;
  for (const std::size_t i : {2, 3, 4, 6, 7, 8, 9, 10, 11}) some.push_back(calls()[i]);
  if (SCAN_PREBUILT_BASELINES != 0) {
    some.push_back({"baseline", {1, 400000, 1, 0, 0}, scan::algorithm::reduce_then_scan, true});
  }
  return some;
}

void check_served(const recording& by, const call& scan_call, const scan::status& status,
                  const data& items) {
  CHECK(std::string(status.message()) == "success");
  CHECK(by.num_allocated == 1);
  CHECK(by.num_held == 0);
  CHECK(by.bytes_allocated > 0);
  CHECK(by.bytes_freed == by.bytes_allocated);
  // By its name: null is another stream in code that is compiled for streams per thread.
  CHECK(by.allocated_in == (scan_call.in_stream ? tests::some_stream : cudaStreamLegacy));
  CHECK(by.freed_in == by.allocated_in);
  CHECK(items.right(scan_call.shape));
}

}  // namespace

TEST_SUITE("memory resources") {
  TEST_CASE("every call that needs memory takes it from there, and gives it back in its stream") {
    for (const call& scan_call : hungry_calls()) {
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      const std::int64_t held_before = cuda_calls.num_held;
      recording plain;
      check_served(plain, scan_call, scan_call(items, nullptr, {take, give_back, &plain}), items);
      async_resource by_old_names;
      items.clear();
      check_served(by_old_names, scan_call, scan_call(items, nullptr, by_old_names), items);
      CHECK(by_old_names.alignment == 256);
      stream_resource by_new_names;
      items.clear();
      check_served(by_new_names, scan_call, scan_call(items, nullptr, by_new_names), items);
      CHECK(by_new_names.alignment == 256);
      library_resource behind;
      library_ref reference(behind);
      items.clear();
      check_served(behind, scan_call, scan_call(items, nullptr, reference), items);
      CHECK(cuda_calls.num_held == held_before);
    }
  }

  TEST_CASE("what was there before is cleared") {
    for (const call& scan_call : hungry_calls()) {
      if (scan_call.which == scan::algorithm::reduce_then_scan) continue;
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      recording plain;
      bool was_clear = true;
      cuda_calls.on_launch = [&] {
        if (!cuda_calls.is_made_up) return;  // (there the results tell)
        const auto* const bytes = static_cast<const unsigned char*>(cuda_calls.newest);
        for (std::size_t i = 0; i < plain.bytes_allocated; ++i) was_clear &= bytes[i] == 0;
      };
      CHECK(scan_call(items, nullptr, {take, give_back, &plain}).ok());
      CHECK(was_clear);
      CHECK(items.right(scan_call.shape));
    }
  }

  TEST_CASE("a workspace, and a scan of one tile, leave it alone") {
    scan::workspace space(1 << 24);
    for (const call& scan_call : calls()) {
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      recording plain;
      CHECK(scan_call(items, &space, {take, give_back, &plain}).ok());
      CHECK(plain.num_allocated == 0);
    }
    data items(1000);
    recording plain;
    CHECK(calls()[0](items, nullptr, {take, give_back, &plain}).ok());
    CHECK(plain.num_allocated == 0);
  }

  TEST_CASE("one that has no memory, throws, or is half a one: an error, and nothing is launched") {
    for (const call& scan_call : hungry_calls()) {
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      const auto refused = [&](const scan::memory_resource& from, cudaError_t code,
                               const std::string& why) {
        cuda_calls.num_launches = 0;
        const scan::status status = scan_call(items, nullptr, from);
        CHECK(status == code);
        CHECK(std::string(status.message()).find("options.memory_resource" + why) == 0);
        CHECK(cuda_calls.num_launches == 0);
        CHECK(items.untouched());
      };
      recording plain;
      plain.throws = true;
      refused({take, give_back, &plain}, cudaErrorMemoryAllocation, ": it has no memory");
      async_resource throwing;
      throwing.throws = true;
      refused(throwing, cudaErrorMemoryAllocation, ": it has no memory");
      plain.throws = false;
      plain.is_empty = true;
      refused({take, give_back, &plain}, cudaErrorMemoryAllocation, ": it has no memory");
      plain.is_empty = false;
      plain.offset = 128;
      refused({take, give_back, &plain}, cudaErrorInvalidValue, ": its memory is not aligned");
      CHECK(plain.num_held == 0);
      refused({take, nullptr, &plain}, cudaErrorInvalidValue, " lacks");
      refused({nullptr, give_back, &plain}, cudaErrorInvalidValue, " lacks");
    }
  }

  TEST_CASE("what it throws when memory is given back is nobody's") {
    const call& scan_call = calls()[2];
    data items(scan_call.size());
    recording plain;
    cuda_calls.on_launch = [&] { plain.throws = true; };
    CHECK(scan_call(items, nullptr, {take, give_back, &plain}).ok());
    CHECK(plain.throws);
    CHECK(plain.num_held == 0);
    CHECK(items.right(scan_call.shape));
  }

  TEST_CASE("what CUDA's own allocator gives to a captured call is the graph's") {
    if (cuda_calls.is_made_up) return;
    for (const call& scan_call : hungry_calls()) {
      if (!scan_call.in_stream) continue;
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      recording plain;
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t exec = nullptr;
      tests::cuda_check(cudaStreamBeginCapture(tests::some_stream, cudaStreamCaptureModeGlobal));
      CHECK(scan_call(items, nullptr, {take, give_back, &plain}).ok());
      REQUIRE(cudaStreamEndCapture(tests::some_stream, &graph) == cudaSuccess);
      REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
      for (int replay = 0; replay < 3; ++replay) {
        items.clear();
        CHECK(cudaGraphLaunch(exec, tests::some_stream) == cudaSuccess);
        tests::cuda_check(cudaStreamSynchronize(tests::some_stream));
        CHECK(items.right(scan_call.shape));
      }
      CHECK(plain.num_allocated == 1);
      CHECK(plain.num_held == 0);
      tests::cuda_check(cudaGraphExecDestroy(exec));
      tests::cuda_check(cudaGraphDestroy(graph));
    }
  }
}

TEST_SUITE("streams") {
  TEST_CASE("options.stream takes whatever has a stream") {
    const cudaStream_t stream = tests::some_stream;
    scan::options<int> opts;
    CHECK(opts.stream == nullptr);
    opts.stream = stream;
    CHECK(opts.stream == stream);
    opts.stream = nullptr;
    CHECK(opts.stream == nullptr);
    opts.stream = cuda::stream_ref(stream);
    CHECK(opts.stream == stream);
    opts.stream = {};
    CHECK(opts.stream == nullptr);
    opts.stream = 0;
    CHECK(opts.stream == nullptr);
    struct view {  // as RMM's
      cudaStream_t held;
      operator cudaStream_t() const { return held; }
    };
    opts.stream = view{stream};
    CHECK(opts.stream == stream);
    const auto ignore = [](cudaStream_t) {};
    opts.stream = nullptr;
    opts.stream = std::unique_ptr<CUstream_st, decltype(ignore)>(stream, ignore);
    CHECK(opts.stream == stream);
    cudaStream_t again = opts.stream;
    CHECK(again == stream);
    const scan::options<int> named{.init = {}, .stream = cuda::stream_ref(stream)};
    CHECK(named.stream == stream);
    const scan::options<int> positional{{}, stream};
    CHECK(positional.stream == stream);
    static_assert(!std::is_convertible_v<int, scan::stream_ref>);
    static_assert(!std::is_convertible_v<int*, scan::stream_ref>);
    static_assert(sizeof(scan::stream_ref) == sizeof(cudaStream_t));
  }

  TEST_CASE("a call goes where it says") {
    data items(400'000);
    const auto* const in = items.in();
    CHECK(scan::inclusive(in, items.out(), 400'000, scan::plus{},
                          {.stream = cuda::stream_ref(tests::some_stream)})
              .ok());
    CHECK(cuda_calls.stream == tests::some_stream);
    CHECK(items.right({1, 400'000, 1, 0, 0}));
  }
}
