// What a call leaves behind and what it waits for: pending errors, other threads' captures,
// streams, free multiprocessors. What needs a GPU is left out, with exit code 77, where there is
// none.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "scan/device/plan/sequence_plan.hpp"
#include "scan/scan.hpp"
#include "tests/calls/call_kernels.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using scan::algorithm;
using tests::cuda_check;
using tests::device_memory;
using tests::leave_pending;
using tests::none_pending;
using tests::ones;
using tests::skipped;
using tests::the_callers;

/// For pointers that are checked and never followed.
template <class T>
T* somewhere() {
  return reinterpret_cast<T*>(std::uintptr_t{1} << 40);
}

/// Scans whose states no device has memory for.
constexpr std::int64_t far_too_many = std::int64_t{1} << 50;

/// The kernels there are on the device at hand.
std::vector<algorithm> kernels() {
  std::vector<algorithm> all{algorithm::wave, algorithm::look_back};
  if (tests::gpu_has_ring()) all.push_back(algorithm::ring);
  return all;
}

}  // namespace

TEST_SUITE("calls") {
  TEST_CASE("every scan given a workspace that is in error returns that, one-tile scans too") {
    scan::workspace bad(-1);
    REQUIRE(bad.error() == cudaErrorInvalidValue);
    static_cast<void>(cudaGetLastError());
    for (const std::int64_t n : {0, 5, 100000}) {
      scan::options<int> opts;
      opts.workspace = &bad;
      const scan::status result =
          scan::inclusive(somewhere<const int>(), somewhere<int>() + n, n, scan::plus{}, opts);
      CHECK(result == cudaErrorInvalidValue);
      CHECK(std::string(result.message()) == bad.error().message());
      CHECK(none_pending());
    }
  }

  TEST_CASE("a call that fails leaves no error pending where none was") {
    static_cast<void>(cudaGetLastError());
    // Without a GPU because there is none, with one for lack of memory.
    for (const algorithm which : {algorithm::automatic, algorithm::look_back}) {
      auto* const items = somewhere<std::uint8_t>();
      scan::options<std::uint8_t> opts;
      opts.algorithm = which;
      CHECK_FALSE(scan::inclusive(items, items, far_too_many, scan::plus{}, opts).ok());
      CHECK(none_pending());
    }
    const scan::workspace too_large(std::int64_t{1} << 56);
    CHECK_FALSE(too_large.error().ok());
    CHECK(none_pending());
  }

  TEST_CASE("the caller's pending error survives a kernel's first use and later ones") {
    if (skipped()) return;
    // Of a type that no other test of this program scans: its kernels are used for the first time.
    using item = std::uint32_t;
    const std::int64_t n = 10'000'000;
    const device_memory in(n * sizeof(item)), out(n * sizeof(item));
    cuda_check(cudaMemset(in.as<void>(), 0, n * sizeof(item)));
    scan::workspace space(n);
    REQUIRE(space.error().ok());
    const auto scan_of = [&](std::int64_t count, scan::workspace* use, algorithm which) {
      scan::options<item> opts;
      opts.workspace = use;
      opts.algorithm = which;
      return scan::inclusive(in.as<item>(), out.as<item>(), count, scan::maximum{}, opts);
    };
    leave_pending();
    for (int turn = 0; turn < 2; ++turn) {
      for (const algorithm which : {algorithm::automatic, algorithm::look_back, algorithm::wave}) {
        for (const std::int64_t count : {n, std::int64_t{20000}, std::int64_t{5}}) {
          for (scan::workspace* use : {&space, static_cast<scan::workspace*>(nullptr)}) {
            INFO(count, " items by ", static_cast<int>(which), use ? " with" : " without",
                 " a workspace");
            CHECK(scan_of(count, use, which).ok());
            CHECK(cudaPeekAtLastError() == the_callers);
          }
        }
      }
    }
    {
      const scan::workspace another(1000);
      CHECK(another.error().ok());
    }
    CHECK(cudaGetLastError() == the_callers);
    // A failure may take its place, but an error stays pending.
    leave_pending();
    auto* const items = somewhere<std::uint8_t>();
    CHECK_FALSE(scan::inclusive(items, items, far_too_many).ok());
    CHECK(cudaGetLastError() != cudaSuccess);
    cuda_check(cudaDeviceSynchronize());
  }

  TEST_CASE("while another thread captures, scans without a workspace allocate all the same") {
    if (skipped()) return;
    const ones small(30000), middle(1'000'000), large(10'000'000);
    const tests::stream stream, captured;
    cuda_check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    // The other thread is this one: it captures, and we are whoever comes along.
    scan::status states[3], baseline, space_error;
    cudaError_t pending = cudaSuccess;
    std::thread([&] {
      states[0] = small.scan(algorithm::look_back, stream);
      states[1] = middle.scan(algorithm::wave, stream);
      states[2] = large.scan(algorithm::automatic, stream);
      if (tests::with_baselines) baseline = large.scan(algorithm::scan_then_fan, stream);
      const scan::workspace space(1000);
      space_error = space.error();
      pending = cudaPeekAtLastError();
    }).join();
    for (const scan::status& state : states) CHECK(std::string(state.message()) == "success");
    CHECK(std::string(baseline.message()) == "success");
    CHECK(std::string(space_error.message()) == "success");
    CHECK(pending == cudaSuccess);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(captured, &graph) == cudaSuccess);  // they have not disturbed it
    if (graph != nullptr) cuda_check(cudaGraphDestroy(graph));
    static_cast<void>(cudaGetLastError());
    stream.wait();
    CHECK(small.right());
    CHECK(middle.right());
    CHECK(large.right());
  }

  TEST_CASE("the null stream is the legacy default stream, whatever a source is compiled with") {
    if (skipped()) return;
    for (const std::int64_t n : {1000, 20000, 400000, 2'000'000}) {
      const ones items(n);
      scan::workspace space(n);
      // One that the legacy stream waits for, and a thread's own default stream does not.
      cudaStream_t earlier = nullptr;
      cuda_check(cudaStreamCreate(&earlier));
      int value = 1;
      for (const auto sum : {tests::sum_by_own_kernels, tests::sum_by_prebuilt_kernels}) {
        for (scan::workspace* use : {&space, static_cast<scan::workspace*>(nullptr)}) {
          INFO(n, " items", use ? " with" : " without", " a workspace");
          cuda_check(tests::write_late(items.in(), n, ++value, earlier));
          CHECK(sum(items.in(), items.out(), n, use).ok());
          cuda_check(cudaDeviceSynchronize());
          CHECK(items.right(value));
        }
      }
      cuda_check(cudaStreamDestroy(earlier));
    }
  }

  TEST_CASE("one free multiprocessor is enough for look_back, for the ring, and beyond clusters") {
    if (skipped()) return;
    int num_sms = 0;
    cuda_check(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount, 0));
    if (num_sms < 2) return;
    struct scan_of {
      algorithm which;
      std::int64_t n;
    };
    std::vector<scan_of> scans{{algorithm::look_back, 8000},
                               {algorithm::look_back, 20000},
                               {algorithm::look_back, 32000},
                               {algorithm::look_back, 3'000'000},
                               {algorithm::wave, 300'000}};
    if (tests::gpu_has_ring()) scans.push_back({algorithm::ring, 3'000'000});
    void* pinned = nullptr;
    cuda_check(cudaMallocHost(&pinned, static_cast<std::size_t>(num_sms) * sizeof(int)));
    volatile int* const flags = static_cast<int*>(pinned);
    const auto all_there = [&] { return std::count(flags + 1, flags + num_sms, 1) == num_sms - 1; };
    using clock = std::chrono::steady_clock;
    const auto within = [](std::chrono::seconds time, const auto& happens) {
      const auto stop = clock::now() + time;
      while (clock::now() < stop) {
        if (happens()) return true;
        std::this_thread::yield();
      }
      return false;
    };
    for (const scan_of& wanted : scans) {
      INFO(wanted.n, " items by ", static_cast<int>(wanted.which));
      const ones items(wanted.n);
      scan::workspace space(wanted.n);
      const tests::stream occupied, stream;
      // Once before, so that nothing is loaded while the device is occupied.
      CHECK(items.scan(wanted.which, stream, &space).ok());
      cuda_check(cudaMemsetAsync(items.out(), 0, sizeof(int), stream));
      stream.wait();
      std::fill(flags, flags + num_sms, 0);
      cuda_check(tests::occupy(num_sms - 1, static_cast<int*>(pinned), occupied));
      CHECK(within(std::chrono::seconds(10), all_there));
      CHECK(items.scan(wanted.which, stream, &space).ok());
      CHECK(
          within(std::chrono::seconds(5), [&] { return cudaStreamQuery(stream) == cudaSuccess; }));
      static_cast<void>(cudaGetLastError());  // cudaErrorNotReady
      flags[0] = 1;
      occupied.wait();
      stream.wait();
      CHECK(items.right());
    }
    cuda_check(cudaFreeHost(pinned));
  }

  TEST_CASE("after cudaDeviceReset() every kernel scans as before") {
    if (skipped()) return;
    for (int turn = 0; turn < 2; ++turn) {
      for (const algorithm which : kernels()) {
        for (const std::int64_t n : {1000, 20000, 3'000'000}) {
          INFO(n, " items by ", static_cast<int>(which), " after ", turn, " resets");
          const ones items(n);
          CHECK(std::string(items.scan(which, nullptr).message()) == "success");
          CHECK(items.right());
          CHECK(cudaPeekAtLastError() == cudaSuccess);
        }
      }
      // Rows in clusters, of more than eight blocks, too.
      for (const scan::extents& shape : {scan::extents{10, 30'000, 1}, {3, 100'000, 1}}) {
        INFO(shape.outer, " rows after ", turn, " resets");
        const ones items(300'000);
        CHECK(scan::inclusive(items.in(), items.out(), shape, scan::plus{}).ok());
        std::vector<int> out(300'000);
        cuda_check(cudaMemcpy(out.data(), items.out(), out.size() * 4, cudaMemcpyDeviceToHost));
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < 300'000; ++i) {
          wrong += out[static_cast<std::size_t>(i)] != i % shape.length + 1;
        }
        CHECK(wrong == 0);
      }
      // Nothing of this program is on the device here; the other tests make their own.
      cuda_check(cudaDeviceReset());
    }
  }
}

int main(int argc, char** argv) { return tests::run_tests(argc, argv); }
