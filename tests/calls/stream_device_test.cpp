// Streams of a device that is not the current one: refused by the library, for CUDA lets some of
// them through. Linked with odd_places_test.cpp; needs two devices.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "scan/scan.hpp"
#include "tests/calls/odd_streams.hpp"
#include "tests/support/call_checks.hpp"

namespace {

using scan::algorithm;
using tests::cuda_check;
using tests::none_pending;
using tests::num_devices;
using tests::ones;
using tests::says;

/// A call of every kind, by the ways that have states and those that have none.
struct call {
  const char* name;
  scan::extents shape;
  algorithm which = algorithm::automatic;
};
const call calls[] = {{"one block", {1, 1000, 1}},
                      {"cluster", {1, 12'000, 1}},
                      {"wave", {1, 400'000, 1}},
                      {"look_back", {1, 400'000, 1}, algorithm::look_back},
                      {"ring or look-back", {1, 10'000'000, 1}},
                      {"baseline", {1, 400'000, 1}, algorithm::scan_then_fan},
                      {"short rows", {3000, 20, 1}},
                      {"rows", {5, 30'000, 1}},
                      {"columns", {2, 30'000, 3}},
                      {"empty sequences", {50, 0, 2}}};

scan::status run(const call& one, const ones& items, cudaStream_t stream, scan::workspace* space,
                 int* totals) {
  scan::options<int> opts;
  opts.stream = stream;
  opts.workspace = space;
  opts.algorithm = one.which;
  opts.total = one.shape.length == 0 ? totals : nullptr;
  return one.shape.outer == 1 && one.shape.inner == 1
             ? scan::inclusive(items.in(), items.out(), one.shape.length, scan::plus{}, opts)
             : scan::inclusive(items.in(), items.out(), one.shape, scan::plus{}, opts);
}

}  // namespace

TEST_SUITE("another device's stream") {
  TEST_CASE("is refused by every kernel; one that is captured is not asked") {
    if (num_devices() < 2) {
      MESSAGE("skipped: needs two devices");
      return;
    }
    cuda_check(cudaSetDevice(1));
    const tests::stream other;
    cuda_check(cudaSetDevice(0));
    const tests::stream own;
    scan::workspace space(20'000'000, 8, algorithm::scan_then_fan);
    const tests::device_memory totals(100 * sizeof(int));
    for (const call& one : calls) {
      if (one.which == algorithm::scan_then_fan && !tests::with_baselines) continue;
      const std::int64_t n =
          std::max<std::int64_t>(one.shape.outer * one.shape.length * one.shape.inner, 1);
      const ones items(n);
      for (scan::workspace* use : {&space, static_cast<scan::workspace*>(nullptr)}) {
        INFO(std::string(one.name), std::string(use != nullptr ? " with" : " without"),
             " a workspace");
        const auto refused = [&] { return run(one, items, other, use, totals.as<int>()); };
        says(refused(), cudaErrorInvalidValue, "options.stream belongs to another device");
        tests::leave_pending();
        CHECK(refused() == cudaErrorInvalidValue);
        CHECK(cudaGetLastError() == tests::the_callers);
        for (const cudaStreamCaptureMode mode :
             {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed}) {
          cudaGraph_t graph = nullptr;
          cuda_check(cudaStreamBeginCapture(own, mode));
          CHECK(run(one, items, own, use, totals.as<int>()).ok());
          CHECK(cudaStreamEndCapture(own, &graph) == cudaSuccess);
          cuda_check(cudaGraphDestroy(graph));
        }
        for (cudaStream_t const fine :
             {cudaStream_t(own), cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
          CHECK(run(one, items, fine, use, totals.as<int>()).ok());
        }
        cuda_check(cudaDeviceSynchronize());
        CHECK(none_pending());
      }
      CHECK((one.shape.length == 0 || one.shape.outer * one.shape.inner > 1 || items.right()));
    }
    cuda_check(cudaSetDevice(1));
    cuda_check(cudaDeviceSynchronize());  // and no error there
    cuda_check(cudaSetDevice(0));
  }

  TEST_CASE("of few multiprocessors it is the device's own") {
    unsigned granted = 0;
    cuda_check(cudaFree(nullptr));
    const cudaStream_t few = tests::stream_of_few(8, granted);
    if (few == nullptr || num_devices() < 2) {
      MESSAGE("skipped: needs green contexts and two devices");
      return;
    }
    const ones items(400'000);
    CHECK(items.scan(algorithm::automatic, few).ok());
    REQUIRE(tests::ends_in_time(few));
    CHECK(items.right());
  }
}
