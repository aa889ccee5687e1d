// The checked mode, SCAN_CHECK=1: which pointers are refused, by what name, and when nobody waits.
// Linked with device_faults_test.cpp and run in a process of its own; on a made-up device only,
// since it is about what CUDA says of memory (checked_device_test.cpp has the memory).
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scan/device/launch/call_memory.hpp"
#include "scan/scan.hpp"
#include "tests/calls/any_call.hpp"
#include "tests/faults/faulty_calls.hpp"
#include "tests/faults/faulty_cuda.hpp"

namespace {

using tests::any_call;
using tests::cuda_calls;
using tests::memory_facts;

bool skipped() {
  if (cuda_calls.is_made_up && scan::device::in_checked_mode()) return false;
  MESSAGE("skipped: not on a made-up device with SCAN_CHECK=1");
  return true;
}

/// Places 2^30 bytes apart, for arrays that are never touched.
template <class T = char>
T* place(int which) {
  return reinterpret_cast<T*>((std::uintptr_t{1} << 40) +
                              (std::uintptr_t{1} << 30) * static_cast<std::uintptr_t>(which));
}
constexpr std::int64_t n = 400'000;

/// A call of every family, and some more.
std::vector<any_call> calls() {
  std::vector<any_call> all;
  for (const tests::family which : tests::families) {
    any_call call;
    call.which = which;
    call.in = place(0), call.out = place(1), call.factors = place(4), call.heads = place(5);
    if (!call.is(tests::of_runs)) call.init = place(2), call.total = place(3);
    call.n = n;
    call.shape = {2, 2000, 100};
    call.num_segments = 100;
    all.push_back(call);
    if (which == tests::of_sequence) {
      call.exclusive = call.opts.complete = true;
      all.push_back(call);
    }
    if (which == tests::of_tensor) {
      call.shape = {4, 1000, 1, 2000, 3000};
      all.push_back(call);
    }
  }
  return all;
}

scan::status run(any_call call, cudaStream_t stream = nullptr) {
  call.opts.stream = stream;
  return call.on_device();
}

/// Calls `check(call, array)` for every array of every call.
template <class Check>
void for_each_array(const Check& check) {
  for (const any_call& call : calls()) {
    for (const any_call::array& one : call.arrays()) {
      INFO(call.name(), ": ", one.name);
      check(call, one);
    }
  }
}

/// Every array has the memory that it needs, and `wrong` that of these facts.
void make_memory(const any_call& call, const any_call::array& wrong, const memory_facts& facts) {
  cuda_calls.memory_at = [=](std::uintptr_t address) {
    memory_facts found;
    for (const any_call::array& one : call.arrays()) {
      if (reinterpret_cast<std::uintptr_t>(call.*one.which) != address) continue;
      if (one.which == wrong.which) found = facts;
      if (one.which != wrong.which || facts.num_bytes == 0) {
        found.first = address;
        found.num_bytes = static_cast<std::size_t>(one.num_bytes);
      }
    }
    return found;
  };
}

void check_ok(const any_call& call, cudaStream_t stream = nullptr) {
  cuda_calls.num_launches = 0;
  CHECK(std::string(run(call, stream).message()) == "success");
  CHECK(cuda_calls.num_launches > 0);
}

void check_named(const any_call& call, const any_call::array& wrong, const std::string& fault) {
  cuda_calls.num_launches = 0;
  cuda_calls.newest = nullptr;
  const scan::status status = run(call);
  CHECK(status == cudaErrorInvalidValue);
  const std::string expected = "SCAN_CHECK: " + wrong.name + " is " + fault;
  CHECK(std::string(status.message()).substr(0, expected.size()) == expected);
  CHECK(cuda_calls.num_launches == 0);
  CHECK(cuda_calls.newest == nullptr);
}

struct back_to_good {
  ~back_to_good() {
    cuda_calls.memory_at = nullptr;
    cuda_calls.is_pageable_reachable = false;
    cuda_calls.capture = cudaStreamCaptureStatusNone;
    cuda_calls.found = INT64_MAX;
  }
};

}  // namespace

TEST_SUITE("checked mode") {
  TEST_CASE("memory that kernels do not reach is named, whichever array it is of") {
    if (skipped()) return;
    const back_to_good afterwards;
    for_each_array([](const any_call& call, const any_call::array& one) {
      memory_facts pageable;
      pageable.type = cudaMemoryTypeUnregistered;
      pageable.is_reachable = false;
      make_memory(call, one, pageable);
      check_named(call, one, "no memory that the device can reach");
      cuda_calls.is_pageable_reachable = true;  // the host's page tables are the device's
      check_ok(call);
      cuda_calls.is_pageable_reachable = false;
      memory_facts pinned;
      pinned.type = cudaMemoryTypeHost;
      make_memory(call, one, pinned);
      check_ok(call);
      pinned.is_reachable = false;  // or at another address
      make_memory(call, one, pinned);
      check_named(call, one, "no memory that the device can reach");
      memory_facts managed;
      managed.type = cudaMemoryTypeManaged;
      managed.device = 1;
      make_memory(call, one, managed);
      check_ok(call);
    });
  }

  TEST_CASE("another device's memory is reached where there is access to it") {
    if (skipped()) return;
    const back_to_good afterwards;
    for_each_array([](const any_call& call, const any_call::array& one) {
      memory_facts others;
      others.device = 1;
      make_memory(call, one, others);
      check_ok(call);
      others.access = 0;
      make_memory(call, one, others);
      check_named(call, one, "memory of another device");
    });
  }

  TEST_CASE("memory that is only read is named where it is written to") {
    if (skipped()) return;
    const back_to_good afterwards;
    for_each_array([](const any_call& call, const any_call::array& one) {
      memory_facts constant;
      constant.type = cudaMemoryTypeHost;
      constant.access = 1;
      make_memory(call, one, constant);
      if (one.is_written) {
        check_named(call, one, "memory that the device may only read");
      } else {
        check_ok(call);
      }
    });
  }

  TEST_CASE("too little memory is named, to the byte; of unknown size it is enough") {
    if (skipped()) return;
    const back_to_good afterwards;
    for_each_array([](const any_call& call, const any_call::array& one) {
      const auto at = reinterpret_cast<std::uintptr_t>(call.*one.which);
      memory_facts facts;
      for (const std::uintptr_t before : {0, 4096}) {
        facts.first = at - before;
        facts.num_bytes = static_cast<std::size_t>(one.num_bytes) + before;
        make_memory(call, one, facts);
        check_ok(call);
        --facts.num_bytes;
        make_memory(call, one, facts);
        check_named(call, one, "too small");
      }
      cuda_calls.memory_at = [](std::uintptr_t) { return memory_facts{}; };
      check_ok(call);
    });
  }

  TEST_CASE("it waits before and after, and says whose a failure is; not in a captured stream") {
    if (skipped()) return;
    const back_to_good afterwards;
    for (const any_call& call : calls()) {
      INFO(call.name());
      cuda_calls.num_waits = 0;
      check_ok(call);
      CHECK(cuda_calls.num_waits >= 2);
      for (const cudaStreamCaptureStatus state :
           {cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated}) {
        cuda_calls.capture = state;
        cuda_calls.num_waits = 0;
        check_ok(call, tests::some_stream);
        memory_facts of_the_graph;  // which CUDA does not know before it runs
        of_the_graph.type = cudaMemoryTypeUnregistered;
        make_memory(call, call.arrays()[0], of_the_graph);
        check_ok(call, tests::some_stream);
        cuda_calls.memory_at = nullptr;
        CHECK(cuda_calls.num_waits == 0);
        cuda_calls.capture = cudaStreamCaptureStatusNone;
      }
      const auto fail_wait = [&](int which) {
        cuda_calls.num_waits = 0;
        cuda_calls.failing_wait = which;
        const scan::status status = run(call);
        cuda_calls.failing_wait = 0;
        static_cast<void>(cudaGetLastError());
        CHECK(status == cudaErrorIllegalAddress);
        return std::string(status.message());
      };
      CHECK(fail_wait(1) == "SCAN_CHECK: something that was enqueued before this call has failed");
      CHECK(fail_wait(call.is(tests::of_segments) ? 3 : 2) ==
            "SCAN_CHECK: the scan has failed on the device");
    }
  }

  TEST_CASE("offsets are looked at, and not where nobody can wait") {
    if (skipped()) return;
    const back_to_good afterwards;
    for (const any_call& call : calls()) {
      if (!call.is(tests::of_segments)) continue;
      cuda_calls.found = 7 * 8 + 2;  // entry 7 is wrong
      const scan::status status = run(call);
      CHECK(status == cudaErrorInvalidValue);
      CHECK(status.index() == 7);
      CHECK(std::string(status.message()).find("segments.offsets") != std::string::npos);
      cuda_calls.capture = cudaStreamCaptureStatusActive;
      check_ok(call, tests::some_stream);
      cuda_calls.capture = cudaStreamCaptureStatusNone;
    }
  }

  TEST_CASE("a workspace whose memory has gone is named") {
    if (skipped()) return;
    const back_to_good afterwards;
    scan::workspace space(1 << 20);
    scan::options<std::int32_t> opts;
    opts.workspace = &space;
    const auto run = [&] {
      return scan::inclusive(place<std::int32_t>(0), place<std::int32_t>(1), n, scan::plus{}, opts);
    };
    CHECK(run().ok());
    cuda_calls.memory_at = [&](std::uintptr_t address) {
      memory_facts facts;
      const bool is_gone = address == reinterpret_cast<std::uintptr_t>(space.states());
      if (is_gone) facts.type = cudaMemoryTypeUnregistered;
      return facts;
    };
    CHECK(std::string(run().message()).find("SCAN_CHECK: options.workspace is no memory") == 0);
  }

  TEST_CASE("what a call does not touch may be anything") {
    if (skipped()) return;
    const back_to_good afterwards;
    cuda_calls.memory_at = [](std::uintptr_t) {
      memory_facts facts;
      facts.type = cudaMemoryTypeUnregistered;
      return facts;
    };
    auto* const some = place<std::int32_t>(0);
    scan::options<std::int32_t> opts;
    opts.init_pointer = some;
    const auto touches_nothing = [](const scan::status& status) {
      CHECK(std::string(status.message()) == "success");
    };
    touches_nothing(scan::inclusive(some, some, 0, scan::plus{}, opts));
    touches_nothing(scan::inclusive(some, some, scan::extents{4, 0, 3}, scan::plus{}, opts));
    touches_nothing(scan::inclusive(some, some, scan::segments{some, 0, 100}, scan::plus{}, opts));
    touches_nothing(scan::inclusive_by_key(some, some, some, 0));
  }

  TEST_CASE("an error that is pending stays, and none is left") {
    if (skipped()) return;
    const back_to_good afterwards;
    const any_call call = calls()[0];
    for (const bool has_pending : {false, true}) {
      static_cast<void>(cudaGetLastError());
      if (has_pending) static_cast<void>(cudaSetDevice(-1));
      check_ok(call);
      CHECK((cudaPeekAtLastError() != cudaSuccess) == has_pending);
      // A call about memory that fails says nothing of the memory.
      for (int k = 1; k < 20; ++k) {
        cuda_calls.fail(k, cudaErrorMemoryAllocation);
        static_cast<void>(run(call));
        cuda_calls.fail_at = 0;
        if (!has_pending) CHECK(cudaPeekAtLastError() == cudaSuccess);
      }
    }
    static_cast<void>(cudaGetLastError());
  }
}

TEST_SUITE("unchecked mode") {
  TEST_CASE("nothing is asked and nobody waits") {
    if (!cuda_calls.is_made_up || scan::device::in_checked_mode()) return;
    const back_to_good afterwards;
    int num_asked = 0;
    cuda_calls.memory_at = [&](std::uintptr_t) {
      ++num_asked;
      return memory_facts{};
    };
    for (const any_call& call : calls()) {
      cuda_calls.num_waits = 0;
      check_ok(call);
      CHECK(cuda_calls.num_waits == 0);
    }
    CHECK(num_asked == 0);
  }
}
