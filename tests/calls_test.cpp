// What a call leaves behind and what it waits for: pending errors, other threads' captures,
// streams, free multiprocessors. What needs a GPU is left out, with exit code 77, where there is
// none.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "call_kernels.hpp"
#include "device_memory.hpp"
#include "scan/device/launch_plan.hpp"
#include "scan/device/pending_error.hpp"
#include "scan/scan.hpp"

namespace {

/// Of memory that this thread asks for while it is not to have any.
thread_local bool no_memory = false;
thread_local int num_refused = 0;

}  // namespace

void* operator new(std::size_t num_bytes) {
  void* const memory = no_memory ? nullptr : std::malloc(num_bytes);
  if (memory != nullptr) return memory;
  ++num_refused;
  throw std::bad_alloc();
}
// (Not inlined: g++ would see the one without the other, and warn that they are no pair.)
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using scan::algorithm;
using tests::cuda_check;
using tests::device_memory;

bool skipped() {
  if (tests::gpu_present()) return false;
  static_cast<void>(cudaGetLastError());
  MESSAGE("skipped: no CUDA device");
  return true;
}

/// (Without a driver every call fails, and cudaPeekAtLastError says so for ever.)
bool none_pending() { return !tests::gpu_present() || cudaPeekAtLastError() == cudaSuccess; }

/// Leaves this error pending.
constexpr cudaError_t the_callers = cudaErrorInvalidDevice;
void leave_pending() { REQUIRE(cudaSetDevice(-1) == the_callers); }

/// For pointers that are checked and never followed.
template <class T>
T* somewhere() {
  return reinterpret_cast<T*>(std::uintptr_t{1} << 40);
}

/// Of shared memory, what a block of any kernel may have.
constexpr int unprepared_bytes = 48 * 1024;

/// Scans whose states no device has memory for.
constexpr std::int64_t far_too_many = std::int64_t{1} << 50;

/// Sums of ones, in `stream`; the check is apart, for it synchronises.
class ones {
 public:
  explicit ones(std::int64_t n) : n_(n), in_(bytes()), out_(bytes()) {
    const std::vector<int> items(static_cast<std::size_t>(n), 1);
    cuda_check(cudaMemcpy(in_.as<void>(), items.data(), bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(out_.as<void>(), 0, bytes()));
    cuda_check(cudaDeviceSynchronize());
  }
  scan::status scan(algorithm which, cudaStream_t stream, scan::workspace* space = nullptr) const {
    scan::options<int> opts;
    opts.stream = stream;
    opts.workspace = space;
    opts.algorithm = which;
    return scan::inclusive(in(), out(), n_, scan::plus{}, opts);
  }
  /// Whether they are multiples of `value`.
  bool right(int value = 1) const {
    std::vector<int> sums(static_cast<std::size_t>(n_));
    cuda_check(cudaMemcpy(sums.data(), out(), bytes(), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] != static_cast<int>(i + 1) * value) return false;
    }
    return true;
  }
  int* in() const { return in_.as<int>(); }
  int* out() const { return out_.as<int>(); }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(int); }
  std::int64_t n_;
  device_memory in_, out_;
};

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
      // Nothing of this program is on the device here; the other tests make their own.
      cuda_check(cudaDeviceReset());
    }
  }
}

int main(int argc, char** argv) {
  const bool has_gpu = tests::gpu_present();
  static_cast<void>(cudaGetLastError());
  const int failed = doctest::Context(argc, argv).run();
  if (failed == 0 && !has_gpu) {
    std::puts("skipped: what needs a CUDA device");
    return 77;
  }
  return failed;
}
