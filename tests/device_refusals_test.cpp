// What is refused of a call on the device once CUDA has been asked: data in the workspace's memory,
// streams of another device. Linked with device_faults_test.cpp; without a GPU on a made-up device.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faulty_calls.hpp"
#include "faulty_cuda.hpp"
#include "scan/prebuilt.hpp"
#include "scan/scan.hpp"

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
    auto* const begin = static_cast<std::int32_t*>(space.states());
    auto* const end = begin + space.num_bytes() / sizeof(std::int32_t);
    auto* const elsewhere = reinterpret_cast<std::int32_t*>(std::uintptr_t{1} << 45);
    cuda_calls.num_calls = cuda_calls.num_launches = 0;
    const auto refused = [&](const scan::status& status) {
      CHECK(status == cudaErrorInvalidValue);
      CHECK(std::string(status.message()).find("options.workspace: its memory overlaps") == 0);
    };
    std::vector<call> all = calls();
    all.push_back({"baseline", {1, 400000, 1, 0, 0}, baseline});
    for (const call& scan_call : all) {
      const scan::extents& shape = scan_call.shape;
      const std::int64_t n = scan_call.size();
      INFO(scan_call.name);
      const auto check = [&](const std::int32_t* in, std::int32_t* out, const std::int32_t* init,
                             std::int32_t* total) {
        scan::options<std::int32_t> opts;
        opts.workspace = &space;
        opts.algorithm = scan_call.which;
        opts.init_pointer = init;
        opts.total = total;
        if (shape.outer == 1 && shape.inner == 1) {
          refused(scan::exclusive(in, out, n, scan::plus{}, opts));
        }
        if (scan_call.which != scan::algorithm::automatic) return;
        refused(scan::exclusive(in, out, shape, scan::plus{}, opts));
        const scan::options<float> of_floats = scan::retyped<float>(opts, std::optional<int>());
        const auto recur = [&](const std::int32_t* factors, const std::int32_t* terms) {
          refused(scan::recurrence(reinterpret_cast<const float*>(factors),
                                   reinterpret_cast<const float*>(terms),
                                   reinterpret_cast<float*>(out), shape, of_floats));
        };
        recur(in, elsewhere + 2 * n);
        recur(elsewhere + 2 * n, in);
      };
      for (std::int32_t* const inside : {begin, end - 1}) {
        check(inside, elsewhere, nullptr, nullptr);
        check(inside - n + 1, elsewhere, nullptr, nullptr);
        check(elsewhere, inside, nullptr, nullptr);
        check(elsewhere, inside - n + 1, nullptr, nullptr);
        check(elsewhere, elsewhere + n, inside, nullptr);
        check(elsewhere, elsewhere + n, nullptr, inside);
        if (!scan_call.is_ragged) continue;
        const auto check_segments = [&](const std::int32_t* in, std::int32_t* out,
                                        const std::int32_t* offsets) {
          scan::options<std::int32_t> opts;
          opts.workspace = &space;
          const scan::segments segments{offsets, shape.outer, n};
          refused(scan::inclusive(in, out, segments, scan::plus{}, opts));
        };
        check_segments(inside - n + 1, elsewhere, elsewhere + 2 * n);
        check_segments(elsewhere, inside, elsewhere + 2 * n);
        check_segments(elsewhere, elsewhere + n, inside - shape.outer);
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
      CHECK(
          scan::inclusive(first - scan_call.size(), elsewhere, scan_call.shape, scan::plus{}, opts)
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
