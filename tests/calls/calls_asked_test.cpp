// What the library asks of a device, and keeps: on whose thread, what it has lost, who asks first.
#include <doctest/doctest.h>

#include <array>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "scan/device/launch/device_limits.hpp"
#include "tests/calls/call_kernels.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/run_tests.hpp"

namespace {

/// Of memory that this thread asks for while it is not to have any.
thread_local bool no_memory = false;
thread_local int num_refused = 0;

}  // namespace

// (Not inlined: g++ would see the one without the other, and warn that they are no pair.)
[[gnu::noinline]] void* operator new(std::size_t num_bytes) {
  void* const memory = no_memory ? nullptr : std::malloc(num_bytes);
  if (memory != nullptr) return memory;
  ++num_refused;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using tests::cuda_check;
using tests::leave_pending;
using tests::ones;
using tests::skipped;
using tests::the_callers;

/// Of shared memory, what a block of any kernel may have.
constexpr int unprepared_bytes = 48 * 1024;

}  // namespace

TEST_SUITE("calls") {
  TEST_CASE("what is asked apart is asked, and answers") {
    if (skipped()) return;
    const auto asking = std::this_thread::get_id();
    bool here = false;
    const auto ask = [&] {
      here = std::this_thread::get_id() == asking;
      return cudaErrorMemoryAllocation;
    };
    CHECK(scan::device::ask_apart(0, ask) == cudaErrorMemoryAllocation);
    CHECK(here);
    leave_pending();
    CHECK(scan::device::ask_apart(0, ask) == cudaErrorMemoryAllocation);
    CHECK_FALSE(here);
    CHECK(scan::device::ask_apart(0, [] { return cudaSetDevice(-1); }) == cudaErrorInvalidDevice);
    CHECK(scan::device::ask_apart(0, [] { return cudaGetLastError(); }) == cudaSuccess);
    CHECK(cudaGetLastError() == the_callers);
    CHECK(scan::device::ask_apart(0, [] { return cudaSetDevice(-1); }) == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
  }

  TEST_CASE("what is asked apart is asked here where there is no memory for a thread") {
    // Without a driver one is pending anyway.
    if (tests::gpu_present()) leave_pending();
    REQUIRE(cudaPeekAtLastError() != cudaSuccess);
    const auto asking = std::this_thread::get_id();
    bool here = false;
    num_refused = 0;
    no_memory = true;
    const cudaError_t answer = scan::device::ask_apart(0, [&] {
      here = std::this_thread::get_id() == asking;
      return cudaErrorMemoryAllocation;
    });
    no_memory = false;
    CHECK(num_refused > 0);
    CHECK(answer == cudaErrorMemoryAllocation);
    CHECK(here);
    static_cast<void>(cudaGetLastError());
  }

  TEST_CASE("a ring kernel that has lost its preparation is prepared again") {
    if (skipped() || !tests::gpu_has_ring()) return;
    const std::int64_t n = 10'000'000;
    const ones items(n);
    scan::workspace space(n);
    for (int turn = 0; turn < 3; ++turn) {
      CHECK(std::string(tests::sum_by_own_kernels(items.in(), items.out(), n, &space).message()) ==
            "success");
      CHECK(cudaPeekAtLastError() == cudaSuccess);
      CHECK(items.right());
      CHECK(tests::ring_bytes_prepared() > unprepared_bytes);
      cuda_check(cudaMemset(items.out(), 0, sizeof(int)));
      cuda_check(tests::unprepare_ring());
      REQUIRE(tests::ring_bytes_prepared() <= unprepared_bytes);
    }
    // (A launch that fails takes the place of an error that is pending, which others look for.)
    CHECK(tests::sum_by_own_kernels(items.in(), items.out(), n, &space).ok());
  }

  TEST_CASE("first calls of many threads at once: the device's limits, the ring, clusters") {
    if (skipped()) return;
    std::array<std::unique_ptr<ones>, 8> items;
    std::array<scan::status, 8> states;
    std::array<cudaError_t, 8> pending{};
    const auto num_items = [](std::size_t caller) { return caller % 2 == 0 ? 10'000'000 : 20'000; };
    const auto has_error = [](std::size_t caller) { return caller % 4 >= 2; };
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = std::make_unique<ones>(num_items(i));
    std::barrier all_there(static_cast<std::ptrdiff_t>(items.size()));
    const auto call = [&](std::size_t i) {
      if (has_error(i)) static_cast<void>(cudaSetDevice(-1));
      all_there.arrive_and_wait();
      states[i] = tests::sum_by_own_kernels(items[i]->in(), items[i]->out(), num_items(i), nullptr);
      pending[i] = cudaPeekAtLastError();
    };
    std::vector<std::thread> callers;
    for (std::size_t i = 0; i < items.size(); ++i) callers.emplace_back(call, i);
    for (std::thread& caller : callers) caller.join();
    for (std::size_t i = 0; i < items.size(); ++i) {
      INFO("caller ", i);
      CHECK(std::string(states[i].message()) == "success");
      CHECK(pending[i] == (has_error(i) ? the_callers : cudaSuccess));
      CHECK(items[i]->right());
    }
    if (tests::gpu_has_ring()) CHECK(tests::ring_bytes_prepared() > unprepared_bytes);
  }
}
