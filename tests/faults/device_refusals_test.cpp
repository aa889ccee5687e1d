// What is refused of a call on the device once CUDA has been asked: data in the workspace's memory,
// streams of another device. Linked with device_faults_test.cpp; without a GPU on a made-up device.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scan/call/prebuilt.hpp"
#include "scan/scan.hpp"
#include "tests/calls/any_call.hpp"
#include "tests/faults/faulty_calls.hpp"
#include "tests/faults/faulty_cuda.hpp"

namespace {

using tests::call;
using tests::calls;
using tests::cuda_calls;
using tests::data;

}  // namespace

TEST_SUITE("refused before anything is enqueued") {
  TEST_CASE("data in the memory of the workspace, whichever they are") {
    const scan::algorithm baseline = scan::algorithm::reduce_then_scan;
    scan::workspace space(1 << 20, 8, baseline);
    REQUIRE(space.error().ok());
    auto* const begin = static_cast<char*>(space.states());
    auto* const end = begin + space.num_bytes();
    auto* const elsewhere = reinterpret_cast<char*>(std::uintptr_t{1} << 45);
    cuda_calls.num_calls = cuda_calls.num_launches = 0;
    std::vector<call> all = calls();
    all.push_back({"baseline", {1, 400000, 1, 0, 0}, baseline});
    for (const call& scan_call : all) {
      const scan::extents& shape = scan_call.shape;
      const bool is_automatic = scan_call.which == scan::algorithm::automatic;
      const unsigned ways = (shape.outer == 1 && shape.inner == 1 ? tests::of_sequence : 0u) |
                            (is_automatic ? unsigned{tests::of_extents} : 0u) |
                            (scan_call.is_ragged ? unsigned{tests::of_segments} : 0u);
      for (const tests::family which : tests::families) {
        if ((which & ways) == 0) continue;
        tests::any_call good;
        good.which = which;
        good.n = scan_call.size();
        good.shape = shape;
        good.num_segments = shape.outer;
        good.opts.workspace = &space;
        good.opts.algorithm = scan_call.which;
        char* next = elsewhere;
        for (auto array :
             {&tests::any_call::in, &tests::any_call::out, &tests::any_call::factors,
              &tests::any_call::heads, &tests::any_call::init, &tests::any_call::total}) {
          good.*array = next += std::int64_t{1} << 30;
        }
        for (const tests::any_call::array& one : good.arrays()) {
          INFO(scan_call.name, ", ", good.name(), ": ", one.name);
          const auto refused = [&](const tests::any_call& bad) {
            const scan::status status = bad.on_device();
            CHECK(status == cudaErrorInvalidValue);
            CHECK(std::string(status.message()).find("options.workspace: its memory overlaps") ==
                  0);
          };
          for (char* const inside : {begin, end - 8}) {
            tests::any_call bad = good;
            bad.*one.which = inside;
            refused(bad);
            bad.end_at(one.which, inside + 4);
            refused(bad);
          }
        }
      }
    }
    CHECK(cuda_calls.num_calls == 0);
    // Of a workspace's neighbours nobody is afraid.
    if (!cuda_calls.is_made_up) return;
    for (const call& scan_call : calls()) {
      if (scan_call.is_ragged) continue;
      INFO(scan_call.name);
      scan::workspace roomy(1 << 24);
      auto* const first = static_cast<std::int32_t*>(roomy.states());
      scan::options<std::int32_t> opts;
      opts.workspace = &roomy;
      opts.total = first + roomy.num_bytes() / sizeof(std::int32_t);
      CHECK(scan::inclusive(first - scan_call.size(), reinterpret_cast<std::int32_t*>(elsewhere),
                            scan_call.shape, scan::plus{}, opts)
                .ok());
    }
  }

  TEST_CASE("a stream of another device") {
    if (!cuda_calls.is_made_up) return;  // odd_places_test.cpp has two
    std::vector<call> all = calls();
    if (SCAN_PREBUILT_BASELINES != 0) {
      all.push_back({"baseline", {1, 400000, 1, 0, 0}, scan::algorithm::scan_then_fan});
    }
    for (call scan_call : all) {
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      for (const bool has_pending : {false, true}) {
        static_cast<void>(cudaGetLastError());
        if (has_pending) static_cast<void>(cudaSetDevice(-1));
        cuda_calls.stream_device = 1;
        scan_call.in_stream = true;
        cuda_calls.num_launches = 0;
        cuda_calls.newest = nullptr;
        const scan::status status = scan_call(items, nullptr);
        CHECK(status == cudaErrorInvalidValue);
        CHECK(std::string(status.message()) == "options.stream belongs to another device");
        CHECK(cuda_calls.num_launches == 0);
        CHECK(cuda_calls.newest == nullptr);  // nothing was allocated there either
        CHECK((cudaPeekAtLastError() != cudaSuccess) == has_pending);
        // The default streams are the current device's.
        const cudaStream_t chosen = tests::some_stream;
        for (cudaStream_t const stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
          tests::some_stream = stream;
          CHECK(scan_call(items, nullptr).ok());
        }
        tests::some_stream = chosen;
        cuda_calls.stream_device = 0;
        CHECK(scan_call(items, nullptr).ok());
      }
    }
    static_cast<void>(cudaGetLastError());
  }
}
