// Calls of CUDA and NCCL that fail, one after the other, in scan::across and its calls: a code and
// a message, no pending error, nothing leaked, the other ranks told where this one can still speak,
// and the next call is right. Without a GPU on a made-up device, whose outputs nobody looks at.
#include <doctest/doctest.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "scan/nccl.hpp"
#include "tests/faults/faulty_calls.hpp"
#include "tests/slices/faulty_nccl.hpp"

namespace {

using scan::device::team_of;
using tests::cuda_calls, tests::data, tests::nccl_calls;

constexpr std::int64_t n = 100'000;
constexpr scan::extents one_sequence{1, n, 1, 0, 0};

struct slice_call {
  const char* name;
  scan::algorithm which = scan::algorithm::automatic;
  bool with_total = false;
  scan::extents shape = one_sequence;

  bool is_tensor() const { return shape.outer * shape.inner > 1; }
  scan::status operator()(scan::across& ranks, const data& items) const {
    scan::options<std::int32_t> opts;
    opts.algorithm = which;
    opts.stream = tests::some_stream;
    if (with_total) opts.total = const_cast<std::int32_t*>(items.offsets());
    if (is_tensor()) {
      return scan::inclusive(ranks, items.in(), items.out(), shape, scan::plus{}, opts);
    }
    return scan::inclusive(ranks, items.in(), items.out(), n, scan::plus{}, opts);
  }
};
constexpr slice_call slice_calls[] = {
    {"ring"},
    {"ring, total", scan::algorithm::automatic, true},
    {"look_back, total", scan::algorithm::look_back, true},
    {"rows", scan::algorithm::automatic, false, {4, n / 4, 1}},
    {"columns", scan::algorithm::automatic, false, {1, n / 2, 2}}};

/// What the calls ask for is on its way.
void wait() {
  if (!cuda_calls.is_made_up) tests::cuda_check(cudaStreamSynchronize(tests::some_stream));
}

/// A failed status is that of CUDA's call, or of NCCL's.
void check_failed(const scan::status& status, cudaError_t injected) {
  if (nccl_calls.has_failed) {
    CHECK(status == cudaErrorUnknown);
    CHECK(status.nccl_code() == nccl_calls.code);
    CHECK(status.rank() == -1);
    CHECK(std::string(status.message()) == "a system error");
  } else {
    CHECK(status == injected);
    CHECK(std::string(status.message()) != "success");
    CHECK_FALSE(std::string(status.message()).empty());
  }
}

/// Call number `which` is the next to fail.
void fail(int which, cudaError_t code) {
  nccl_calls.has_failed = false;
  nccl_calls.num_gathers = 0;
  cuda_calls.fail(which, code);
}

/// A call that is as if nothing had been.
void check_right(const slice_call& call, scan::across& ranks, data& items) {
  items.clear();
  const scan::status done = call(ranks, items);
  wait();
  CHECK(std::string(done.message()) == "success");
  CHECK(ranks.error().ok());
  CHECK(items.right(call.shape));
}

std::unique_ptr<scan::across> made(const slice_call& call = slice_calls[0]) {
  const ncclComm_t comm = tests::some_communicator();
  return call.is_tensor() ? std::make_unique<scan::across>(comm, call.shape)
                          : std::make_unique<scan::across>(comm, 1 << 20);
}

/// As device_faults_test's, in calls of `ranks`.
void fail_one_after_another(const slice_call& call, scan::across& ranks, cudaError_t code,
                            bool has_pending, bool is_first) {
  data items(n);
  const std::int64_t held_before = cuda_calls.num_held;
  int num_untold = 0, num_failed_later = 0;
  for (int k = 1;; ++k) {
    REQUIRE(k < 100);
    INFO(call.name, ": call ", k, " fails with ", static_cast<int>(code),
         std::string(has_pending ? ", an error is pending" : ""));
    items.clear();
    static_cast<void>(cudaGetLastError());
    if (has_pending) static_cast<void>(cudaSetDevice(-1));
    fail(k, code);
    const std::uint64_t missed_before = team_of(ranks).num_missed();
    const scan::status status = call(ranks, items);
    const bool has_failed = cuda_calls.has_failed();
    const bool is_told = nccl_calls.num_gathers == 1;
    cuda_calls.fail_at = 0;
    CHECK((cudaPeekAtLastError() != cudaSuccess) == has_pending);
    static_cast<void>(cudaGetLastError());
    CHECK(cuda_calls.num_held == held_before);
    CHECK(cuda_calls.mode == cudaStreamCaptureModeGlobal);
    wait();
    if (status.ok()) {
      CHECK(is_told);
      CHECK(items.right(call.shape));
      CHECK(ranks.error().ok());
    } else {
      check_failed(status, code);
      if (!is_told) ++num_untold;
      CHECK(team_of(ranks).num_missed() - missed_before == (is_told ? 0 : 1));
      scan::device::slice_header header = {};
      if (!cuda_calls.is_made_up && is_told) {
        std::memcpy(&header, nccl_calls.sent.data(), sizeof(header));
      }
      // What fails behind the gather cannot be told any more.
      const bool is_later = is_told && header.refusal == 0 && !cuda_calls.is_made_up;
      if (is_later) ++num_failed_later;
      const scan::status told = ranks.error();
      if (!cuda_calls.is_made_up && is_told && !is_later) {
        CHECK(header.refusal == status);
        CHECK(told == code);
        CHECK(told.rank() == 0);
        CHECK(told.index() == -1);
      } else {
        CHECK(told.ok());
      }
      if (!is_later) CHECK(items.untouched());
    }
    if (!has_failed) break;
    if (!is_first) check_right(call, ranks, items);
  }
  CHECK(num_untold == 1);  // the gather itself
  // Launches (start, scan, total), whose device the memory is on; a tensor asks again where it is.
  if (!is_first) CHECK(num_failed_later <= (call.is_tensor() ? 8 : 4));
  check_right(call, ranks, items);
}

}  // namespace

TEST_SUITE("across faults") {
  TEST_CASE("a call in the constructor fails, whichever it is, of one rank or two") {
    data items(n);
    for (const int num_ranks : {2, 1}) {
      nccl_calls.num_ranks = num_ranks;
      const std::int64_t held_before = cuda_calls.num_held;
      int num_untold = 0, num_failed = 0;
      for (int k = 1;; ++k) {
        REQUIRE(k < 60);
        INFO(num_ranks, " ranks, call ", k);
        fail(k, cudaErrorMemoryAllocation);
        auto ranks = made();
        const bool has_failed = cuda_calls.has_failed();
        cuda_calls.fail_at = 0;
        CHECK(cudaPeekAtLastError() == cudaSuccess);
        CHECK(cuda_calls.mode == cudaStreamCaptureModeGlobal);
        const scan::status why = team_of(*ranks).made();
        if (why.ok()) {
          check_right(slice_calls[0], *ranks, items);
        } else {
          ++num_failed;
          check_failed(why, cudaErrorMemoryAllocation);
          if (num_ranks == 2 && nccl_calls.num_gathers == 1) {
            // What the others look at: see agreement in src/nccl/across.cu.
            std::int32_t sent = 0;
            std::memcpy(&sent, nccl_calls.sent.data() + 12, sizeof(sent));
            if (sent == 0) CHECK(std::string(why.message()).find("speaking") != std::string::npos);
          } else {
            ++num_untold;
          }
          // It stays so, and calls do nothing but say it.
          nccl_calls.num_gathers = cuda_calls.num_launches = 0;
          items.clear();
          for (int i = 0; i < 2; ++i) {
            CHECK(ranks->error() == why);
            CHECK(std::string(slice_calls[0](*ranks, items).message()) == why.message());
          }
          CHECK(nccl_calls.num_gathers == 0);
          CHECK(cuda_calls.num_launches == 0);
          CHECK(items.untouched());
        }
        ranks.reset();
        CHECK(cuda_calls.num_held == held_before);
        if (!has_failed) break;
      }
      MESSAGE(num_ranks, " ranks: ", num_failed, " constructors failed, ", num_untold, " untold");
      // Two cannot speak: what asks of the communicator (3 calls), the current device, memory for
      // what is said, and the gather.
      if (num_ranks == 2) CHECK(num_untold == 6);
    }
    nccl_calls.num_ranks = 2;
  }

  TEST_CASE("a call in a scan fails: whichever it is, the first time and later") {
    for (const bool is_first : {true, false}) {
      for (const slice_call& call : slice_calls) {
        const auto ranks = made(call);
        REQUIRE(ranks->error().ok());
        for (const cudaError_t code : {cudaErrorMemoryAllocation, cudaErrorInvalidValue}) {
          for (const bool has_pending : {false, true}) {
            fail_one_after_another(call, *ranks, code, has_pending, is_first);
          }
        }
      }
    }
  }

  TEST_CASE("another rank's constructor fails, or says something else") {
    cuda_calls.num_held = 0;
    for (const bool has_failed : {true, false}) {
      nccl_calls.on_peers = [&](unsigned char* agreement) {
        const std::int32_t error = cudaErrorMemoryAllocation;
        const std::int64_t max_items = 5;
        if (has_failed) std::memcpy(agreement + 12, &error, sizeof(error));
        if (!has_failed) std::memcpy(agreement, &max_items, sizeof(max_items));
      };
      const auto ranks = made();
      CHECK(ranks->error() == (has_failed ? cudaErrorMemoryAllocation : cudaErrorInvalidValue));
      CHECK(ranks->error().rank() == 1);
    }
    nccl_calls.on_peers = nullptr;
    CHECK(cuda_calls.num_held == 0);
  }

  TEST_CASE("what NCCL finds, and its words") {
    const auto ranks = made();
    const auto expect = [](const scan::status& status, cudaError_t code, const char* text) {
      CHECK(status == code);
      CHECK(std::string(status.message()) == text);
      CHECK(status.nccl_code() == nccl_calls.state);
    };
    nccl_calls.state = ncclRemoteError;
    expect(ranks->error(), cudaErrorUnknown, "another error");
    nccl_calls.state = ncclSystemError;
    expect(ranks->error(), cudaErrorUnknown, "a system error");
    for (const ncclResult_t code : {ncclInvalidArgument, ncclInvalidUsage}) {
      nccl_calls.state = code;
      expect(ranks->error(), cudaErrorInvalidValue, "another error");
    }
    nccl_calls.state = ncclSuccess;
    CHECK(ranks->error().ok());
    nccl_calls.state = ncclInProgress;
    CHECK(ranks->error().ok());
    nccl_calls.state = ncclSuccess;
    fail(1, cudaErrorInvalidValue);  // asking itself
    CHECK(ranks->error() == cudaErrorUnknown);
    cuda_calls.fail_at = 0;
    CHECK(ranks->error().ok());
  }

  TEST_CASE("a communicator that does not block") {
    nccl_calls.starts_gathers = true;
    nccl_calls.num_unfinished = 3;
    const auto ranks = made();
    REQUIRE(team_of(*ranks).made().ok());
    data items(n);
    nccl_calls.num_unfinished = 3;
    check_right(slice_calls[0], *ranks, items);
    CHECK(nccl_calls.num_unfinished < 0);
    nccl_calls.num_unfinished = 1;
    nccl_calls.state = ncclSystemError;  // what has begun fails
    nccl_calls.has_failed = true;
    check_failed(slice_calls[0](*ranks, items), cudaSuccess);
    // A peer does not answer: a call does not wait for ever, nor does a constructor.
    nccl_calls.num_unfinished = INT_MAX;
    nccl_calls.seconds_a_look = 100;
    const auto other = made();
    for (const scan::status& late : {slice_calls[0](*ranks, items), other->error()}) {
      CHECK(late == cudaErrorTimeout);
      CHECK(late.nccl_code() == ncclInProgress);
    }
    nccl_calls.num_unfinished = nccl_calls.seconds_a_look = 0;
    nccl_calls.state = ncclSuccess;
    nccl_calls.starts_gathers = false;
  }

  TEST_CASE("other ranks' inits are not looked at, whatever they are") {
    nccl_calls.rank = 1;
    data items(n);
    scan::options<std::int32_t> opts;
    opts.stream = tests::some_stream;
    opts.init = 5;
    opts.init_pointer = reinterpret_cast<const std::int32_t*>(std::uintptr_t{3});
    for (const scan::extents& shape : {one_sequence, scan::extents{4, n / 4, 1}}) {
      scan::across ranks(tests::some_communicator(), shape);
      REQUIRE(ranks.error().ok());
      CHECK(scan::inclusive(ranks, items.in(), items.out(), shape, scan::plus{}, opts).ok());
      wait();
      CHECK(ranks.error().ok());
    }
    nccl_calls.rank = 0;
  }

  TEST_CASE("a refusal in no stream of the caller's is through before the next call begins") {
    if (!cuda_calls.is_made_up) return;  // (a stream of another device: slices_calls_test)
    const auto ranks = made();
    data items(n);
    const auto refuse = [&] {
      cuda_calls.stream_device = 1;
      nccl_calls.num_gathers = 0;
      CHECK(slice_calls[0](*ranks, items) == cudaErrorInvalidValue);
      CHECK(nccl_calls.num_gathers == 1);
      CHECK(cuda_calls.stream != tests::some_stream);
      cuda_calls.stream_device = cuda_calls.num_event_waits = 0;
      cuda_calls.awaiting = nullptr;
    };
    refuse();
    cuda_calls.on_launch = [] { CHECK(cuda_calls.awaiting == tests::some_stream); };
    check_right(slice_calls[0], *ranks, items);
    CHECK(!cuda_calls.on_launch);
    refuse();  // a graph cannot wait for what it has not captured
    cuda_calls.capture = cudaStreamCaptureStatusActive;
    cuda_calls.on_launch = [] { CHECK(cuda_calls.num_event_waits == 1); };
    CHECK(slice_calls[0](*ranks, items).ok());
    CHECK(cuda_calls.awaiting == nullptr);
    CHECK(cuda_calls.mode == cudaStreamCaptureModeGlobal);
    cuda_calls.capture = cudaStreamCaptureStatusNone;
    check_right(slice_calls[0], *ranks, items);  // and nobody waits twice
    CHECK(cuda_calls.num_event_waits == 1);
    CHECK(cuda_calls.awaiting == nullptr);
  }

  TEST_CASE("code without a ring scans by look-back") {
    if (!cuda_calls.is_made_up) return;
    const auto ranks = made();
    REQUIRE(team_of(*ranks).has_ring());
    cuda_calls.ptx_version = 80;  // of the kernels of floats, which nobody has asked about so far
    scan::options<float> opts;
    opts.stream = tests::some_stream;
    float* const memory = reinterpret_cast<float*>(std::uintptr_t{1} << 40);
    CHECK(scan::inclusive(*ranks, memory, memory, n, scan::plus{}, opts).ok());
    opts.algorithm = scan::algorithm::ring;
    CHECK(scan::inclusive(*ranks, memory, memory, n, scan::plus{}, opts) == cudaErrorNotSupported);
    cuda_calls.ptx_version = 90;
  }

  TEST_CASE("a rank alone scans wider elements than it was made for in memory of the call's own") {
    nccl_calls.num_ranks = 1;
    scan::across ranks(tests::some_communicator(), n, 4);
    const auto space = [&](auto element) {
      using T = decltype(element);
      using types = scan::scan_types<scan::transform_input<T>, scan::transform_output<T>>;
      return scan::device::on_ranks{ranks}.alone<types>(n, scan::options<T>{}).workspace;
    };
    CHECK(space(1.0f) == team_of(ranks).states());
    CHECK(space(1.0) == nullptr);
    nccl_calls.num_ranks = 2;
  }

  TEST_CASE("in use by another host thread") {
    const auto ranks = made();
    data items(n), others(n);
    bool asked = false;
    cuda_calls.on_launch = [&] {
      asked = true;
      std::thread([&] {
        nccl_calls.num_gathers = 0;
        const scan::status refused = slice_calls[0](*ranks, others);
        CHECK(refused == cudaErrorInvalidValue);
        CHECK(std::string(refused.message()).find("in use by another host thread") !=
              std::string::npos);
        CHECK(nccl_calls.num_gathers == 0);
        CHECK(team_of(*ranks).num_missed() == 1);  // the call that is under way goes with others'
        CHECK(team_of(*ranks).num_missed_before() == 0);
      }).join();
    };
    items.clear();
    CHECK(slice_calls[0](*ranks, items).ok());
    wait();
    CHECK(asked);
    CHECK(items.right(one_sequence));
    CHECK(others.untouched());
    check_right(slice_calls[0], *ranks, others);
  }
}

int main(int argc, char** argv) {
  int count = 0;
  cuda_calls.is_made_up = cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
  cuda_calls.copies = true;
  static_cast<void>(cudaGetLastError());
  if (!tests::make_some_stream()) return std::puts("no stream"), 1;
  std::puts(cuda_calls.is_made_up ? "on a made-up device" : "on a device");
  return doctest::Context(argc, argv).run();
}
