// The checked mode on a device: each wrong pointer is named before anything is enqueued, and the
// context lives on; memory of every right kind is scanned. Skipped, with exit code 77, where there
// is no GPU.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "scan/device/launch/call_memory.hpp"
#include "scan/scan.hpp"
#include "tests/calls/any_call.hpp"
#include "tests/calls/odd_streams.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::any_call;
using tests::cuda_check;
using tests::device_memory;
using tests::ones;

constexpr std::int64_t n = 400'000;
constexpr std::size_t bytes_of_n = n * 4;

/// Calls of every family and of tensors of several shapes, whose arrays are right.
class right_calls {
 public:
  right_calls() {
    char** const places[] = {&good_.in,    &good_.out,  &good_.factors,
                             &good_.heads, &good_.init, &good_.total};
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      cuda_check(cudaMemset(memory_[i].as<void>(), 0, bytes_of_n));
      *places[i] = memory_[i].as<char>();
    }
    cuda_check(cudaDeviceSynchronize());
    good_.n = n;
    good_.num_segments = 5000;
  }
  std::vector<any_call> all() const {
    std::vector<any_call> calls;
    for (const tests::family which : tests::families) {
      for (const scan::extents& shape : {scan::extents{4000, 100, 1}, scan::extents{40, 10'000, 1},
                                         scan::extents{1, 4000, 100}}) {
        calls.push_back(good_);
        calls.back().which = which;
        calls.back().shape = shape;
        if (!calls.back().is(tests::of_extents)) break;
      }
      if (calls.back().is(tests::of_runs)) calls.back().init = calls.back().total = nullptr;
    }
    return calls;
  }

 private:
  std::array<device_memory, 6> memory_{device_memory{bytes_of_n}, device_memory{bytes_of_n},
                                       device_memory{bytes_of_n}, device_memory{bytes_of_n},
                                       device_memory{bytes_of_n}, device_memory{bytes_of_n}};
  any_call good_;
};

/// That each array is named when it is `wrong`, which has up to 4096 bytes, and that the device is
/// well afterwards.
void check_named(void* wrong, const std::string& fault) {
  const right_calls right;
  for (const any_call& call : right.all()) {
    for (const any_call::array& one : call.arrays()) {
      if (one.num_bytes <= 4096) continue;
      INFO(call.name(), ", ", one.name, fault);
      any_call bad = call;
      bad.*one.which = static_cast<char*>(wrong);
      const scan::status status = bad.on_device();
      CHECK(status == cudaErrorInvalidValue);
      const std::string expected = "SCAN_CHECK: " + one.name + fault;
      CHECK(std::string(status.message()).substr(0, expected.size()) == expected);
      CHECK(tests::none_pending());
      CHECK(cudaDeviceSynchronize() == cudaSuccess);
    }
  }
  const ones items(n);
  CHECK(items.scan(scan::algorithm::automatic, nullptr).ok());
  CHECK(items.right());
}

/// Scans ones in memory of the caller's, by the kernels that take it by bulk copies and by those
/// that do not.
void check_scanned(void* memory) {
  auto* const items = static_cast<std::int32_t*>(memory);
  const std::vector<std::int32_t> all(static_cast<std::size_t>(n), 1);
  for (const scan::algorithm which : {scan::algorithm::automatic, scan::algorithm::look_back}) {
    cuda_check(cudaMemcpy(items, all.data(), bytes_of_n, cudaMemcpyDefault));
    scan::options<std::int32_t> opts;
    opts.algorithm = which;
    const scan::status status = scan::inclusive(items, items, n, scan::plus{}, opts);
    CHECK(std::string(status.message()) == "success");
    std::vector<std::int32_t> sums(all.size());
    cuda_check(cudaMemcpy(sums.data(), items, bytes_of_n, cudaMemcpyDefault));
    std::int64_t num_wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      num_wrong += sums[i] != static_cast<std::int32_t>(i) + 1;
    }
    CHECK(num_wrong == 0);
  }
}

bool reads_pageable_memory() {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0));
  return value != 0;
}

}  // namespace

TEST_SUITE("checked mode on a device") {
  TEST_CASE("pageable host memory is named, or scanned where the device reads it") {
    std::vector<std::int32_t> pageable(static_cast<std::size_t>(n));
    if (reads_pageable_memory()) {
      MESSAGE("the device reads pageable memory");
      check_scanned(pageable.data());
      return;
    }
    check_named(pageable.data(), " is no memory that the device can reach");
  }

  TEST_CASE("memory that is too small is named") {
    // So that n elements from there on overlap no other memory.
    const std::size_t before = 62 << 20;
    const device_memory small(before + 4096);
    check_named(small.as<void>(before), " is too small");
    const tests::stream stream;
    void* pooled = nullptr;
    cuda_check(cudaMallocAsync(&pooled, before + 4096, stream));
    stream.wait();
    check_named(static_cast<char*>(pooled) + before, " is too small");
    cuda_check(cudaFreeAsync(pooled, stream));
  }

  TEST_CASE("memory that may only be read is named as output") {
    std::vector<std::int32_t> constant(static_cast<std::size_t>(n), 1);
    if (cudaHostRegister(constant.data(), bytes_of_n, cudaHostRegisterReadOnly) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      MESSAGE("skipped: no read-only memory");
      return;
    }
    const ones items(n);
    CHECK(scan::inclusive(constant.data(), items.out(), n).ok());
    CHECK(items.right());
    const scan::status status = scan::inclusive(items.in(), constant.data(), n);
    CHECK(std::string(status.message()) ==
          "SCAN_CHECK: the output is memory that the device may only read");
    cuda_check(cudaHostUnregister(constant.data()));
  }

  TEST_CASE("memory that has been freed is named") {
    if (reads_pageable_memory()) return;  // (there nobody can tell)
    void* freed = nullptr;
    cuda_check(cudaMalloc(&freed, 512 << 20));
    cuda_check(cudaFree(freed));
    check_named(freed, " is no memory that the device can reach");
  }

  TEST_CASE("memory of every kind that the device reaches is scanned") {
    const device_memory allocated(bytes_of_n);
    check_scanned(allocated.as<void>());
    const device_memory more(bytes_of_n + 1024);
    check_scanned(more.as<void>(1024));
    void* memory = nullptr;
    cuda_check(cudaMallocManaged(&memory, bytes_of_n));
    check_scanned(memory);
    cuda_check(cudaFree(memory));
    cuda_check(cudaMallocHost(&memory, bytes_of_n));
    check_scanned(memory);
    cuda_check(cudaFreeHost(memory));
    std::vector<std::int32_t> registered(static_cast<std::size_t>(n));
    cuda_check(cudaHostRegister(registered.data(), bytes_of_n, cudaHostRegisterDefault));
    check_scanned(registered.data());
    cuda_check(cudaHostUnregister(registered.data()));
    const tests::stream stream;
    cuda_check(cudaMallocAsync(&memory, bytes_of_n, stream));
    stream.wait();
    check_scanned(memory);
    cuda_check(cudaFreeAsync(memory, stream));
    stream.wait();
  }

  TEST_CASE("another device's memory is named, until there is access to it") {
    int can = 0;
    if (tests::num_devices() > 1) cuda_check(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can == 0) {
      MESSAGE("skipped: needs two devices that are peers");
      return;
    }
    cuda_check(cudaSetDevice(1));
    void *others = nullptr, *pooled = nullptr;
    cuda_check(cudaMalloc(&others, bytes_of_n));
    cuda_check(cudaMallocAsync(&pooled, bytes_of_n, nullptr));
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaSetDevice(0));
    check_named(others, " is memory of another device");
    check_named(pooled, " is memory of another device");
    cuda_check(cudaDeviceEnablePeerAccess(1, 0));
    check_scanned(others);
    check_named(pooled, " is memory of another device");  // peers do not have pools
    cudaMemPool_t pool = nullptr;
    cuda_check(cudaDeviceGetDefaultMemPool(&pool, 1));
    const cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    cuda_check(cudaMemPoolSetAccess(pool, &access, 1));
    check_scanned(pooled);
    cuda_check(cudaDeviceDisablePeerAccess(1));
    cuda_check(cudaSetDevice(1));
    cuda_check(cudaFree(others));
    cuda_check(cudaFreeAsync(pooled, nullptr));
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaSetDevice(0));
  }

  TEST_CASE("wrong offsets are named with their index") {
    const right_calls right;
    any_call call = right.all()[0];
    call.which = tests::by_narrow_offsets;
    call.num_segments = 3;
    const std::vector<std::int32_t> offsets{0, 10, 5, 20};
    cuda_check(cudaMemcpy(call.heads, offsets.data(), 16, cudaMemcpyHostToDevice));
    const scan::status status = call.on_device();
    CHECK(status == cudaErrorInvalidValue);
    CHECK(status.index() == 2);
    CHECK(tests::none_pending());
  }

  TEST_CASE("a workspace whose memory has been freed is named") {
    if (reads_pageable_memory()) return;
    void* memory = nullptr;
    const std::size_t num_bytes = 512 << 20;
    cuda_check(cudaMalloc(&memory, num_bytes));
    scan::workspace space(memory, num_bytes, nullptr);
    const ones items(n);
    CHECK(items.scan(scan::algorithm::automatic, nullptr, &space).ok());
    CHECK(items.right());
    cuda_check(cudaFree(memory));
    const scan::status status = items.scan(scan::algorithm::automatic, nullptr, &space);
    CHECK(std::string(status.message()).find("SCAN_CHECK: options.workspace") == 0);
  }

  TEST_CASE("a captured call is checked, and nobody waits for it") {
    const ones items(n);
    const device_memory small((62 << 20) + 4096);
    const tests::stream stream;
    const tests::graph graph(stream, [&] {
      scan::options<int> opts;
      opts.stream = stream;
      const scan::status status =
          scan::inclusive(items.in(), small.as<int>(62 << 20), n, scan::plus{}, opts);
      CHECK(std::string(status.message()).find("SCAN_CHECK: the output is too small") == 0);
      // Memory of the graph's own, which CUDA does not know yet.
      void* between = nullptr;
      cuda_check(cudaMallocAsync(&between, bytes_of_n, stream));
      cuda_check(cudaMemcpyAsync(between, items.in(), bytes_of_n, cudaMemcpyDefault, stream));
      const scan::status scanned =
          scan::inclusive(static_cast<int*>(between), items.out(), n, scan::plus{}, opts);
      cuda_check(cudaFreeAsync(between, stream));
      return scanned;
    });
    for (int replay = 0; replay < 3; ++replay) {
      cuda_check(cudaMemsetAsync(items.out(), 0, bytes_of_n, stream));
      graph.replay(stream);
      stream.wait();
      CHECK(items.right());
    }
  }
}

int main(int argc, char** argv) {
  setenv("SCAN_CHECK", "1", 1);  // before the first call looks
  if (!scan::device::in_checked_mode()) return 1;
  return tests::run_device_tests(argc, argv);
}
