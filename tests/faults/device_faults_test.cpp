// CUDA calls that fail, one after the other, in every call of the library: a code and a message, no
// pending error, nothing leaked, nothing locked, and the next call is right. Without a GPU on a
// made-up device, whose outputs nobody looks at.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "scan/scan.hpp"
#include "tests/faults/faulty_calls.hpp"
#include "tests/faults/faulty_cuda.hpp"

namespace {

using tests::call;
using tests::calls;
using tests::cuda_calls;
using tests::data;

/// What a status must be if a call of CUDA's failed; `launches` if none did, or if it did without.
void check_status(const scan::status& status, cudaError_t injected, const data& items,
                  const scan::extents& shape) {
  if (status.ok()) {
    CHECK(cuda_calls.num_launches > 0);
    CHECK(items.right(shape));
  } else {
    CHECK(status == injected);
    CHECK(std::string(status.message()) != "success");
    CHECK_FALSE(std::string(status.message()).empty());
    CHECK(items.untouched());
  }
  CHECK(cuda_calls.mode == cudaStreamCaptureModeGlobal);
}

constexpr cudaError_t codes[] = {cudaErrorMemoryAllocation, cudaErrorInvalidValue,
                                 cudaErrorNoKernelImageForDevice, cudaErrorInsufficientDriver,
                                 cudaErrorLaunchFailure};

/// Lets call after call fail until all have been through; how many that were. `is_first`: no scan
/// succeeds in between, after which less would be asked.
int fail_one_after_another(const call& scan_call, scan::workspace* space, cudaError_t code,
                           bool has_pending, bool is_first = false) {
  data items(scan_call.size(), scan_call.shape.length);
  const std::int64_t held_before = cuda_calls.num_held;
  for (int k = 1;; ++k) {
    REQUIRE(k < 100);
    INFO(scan_call.name, ": call ", k, " fails with ", static_cast<int>(code),
         std::string(has_pending ? ", an error is pending" : ""));
    items.clear();
    static_cast<void>(cudaGetLastError());
    if (has_pending) static_cast<void>(cudaSetDevice(-1));
    cuda_calls.fail(k, code);
    const scan::status status = scan_call(items, space);
    const bool has_failed = cuda_calls.has_failed();
    cuda_calls.fail_at = 0;
    CHECK((cudaPeekAtLastError() != cudaSuccess) == has_pending);
    static_cast<void>(cudaGetLastError());
    check_status(status, code, items, scan_call.shape);
    CHECK(cuda_calls.num_held == held_before);
    if (!has_failed) return k - 1;
    if (is_first) continue;
    // And the next one is as if nothing had been.
    items.clear();
    const scan::status next = scan_call(items, space);
    CHECK(std::string(next.message()) == "success");
    CHECK(items.right(scan_call.shape));
  }
}

}  // namespace

TEST_SUITE("faults") {
  TEST_CASE("a CUDA call of a first scan fails: whichever it is") {
    // Each kernel is used for the first time here, so all that is asked only once is asked.
    for (const call& scan_call : calls()) {
      const int num_failed =
          fail_one_after_another(scan_call, nullptr, cudaErrorMemoryAllocation, false, true);
      CHECK(num_failed >= 1);
      MESSAGE(scan_call.name, ": ", num_failed, " calls that failed");
    }
  }

  TEST_CASE("a CUDA call of a later scan fails, with every code, an error pending or none") {
    scan::workspace space(1 << 24);
    REQUIRE(space.error().ok());
    for (const call& scan_call : calls()) {
      for (scan::workspace* const use : {&space, static_cast<scan::workspace*>(nullptr)}) {
        for (const cudaError_t code : codes) {
          for (const bool has_pending : {false, true}) {
            fail_one_after_another(scan_call, use, code, has_pending);
          }
        }
      }
    }
  }

  TEST_CASE("a CUDA call of a workspace's constructor fails: its scans say so") {
    const call& scan_call = calls()[2];
    const std::int64_t held_before = cuda_calls.num_held;
    for (int k = 1;; ++k) {
      REQUIRE(k < 20);
      INFO("call ", k);
      cuda_calls.fail(k, cudaErrorMemoryAllocation);
      auto space = std::make_unique<scan::workspace>(scan_call.size());
      const bool has_failed = cuda_calls.has_failed();
      cuda_calls.fail_at = 0;
      CHECK(cudaPeekAtLastError() == cudaSuccess);
      CHECK(space->error().ok() != has_failed);
      {
        data items(scan_call.size(), scan_call.shape.length);
        cuda_calls.num_launches = 0;
        const scan::status status = scan_call(items, space.get());
        CHECK(status.ok() != has_failed);
        if (has_failed) {
          CHECK(status == cudaErrorMemoryAllocation);
          CHECK(std::string(status.message()) == space->error().message());
          CHECK(cuda_calls.num_launches == 0);
          CHECK(items.untouched());
        } else {
          CHECK(items.right(scan_call.shape));
        }
      }
      space.reset();
      CHECK(cuda_calls.num_held == held_before);
      if (!has_failed) break;
    }
  }

  TEST_CASE("memory comes full of garbage, and states begin as zeros") {
    // (Of the device's own memory the results tell.)
    const auto is_clear = [](const void* memory, std::size_t num_bytes) {
      const auto* const bytes = static_cast<const unsigned char*>(memory);
      return std::all_of(bytes, bytes + num_bytes, [](unsigned char byte) { return byte == 0; });
    };
    for (const call& scan_call : calls()) {
      INFO(scan_call.name);
      data items(scan_call.size(), scan_call.shape.length);
      const scan::workspace space(scan_call.size());
      REQUIRE(space.error().ok());
      if (cuda_calls.is_made_up) CHECK(is_clear(space.states(), space.num_states_bytes()));
      cuda_calls.newest = nullptr;
      bool was_clear = true;
      cuda_calls.on_launch = [&] {
        if (cuda_calls.is_made_up && cuda_calls.newest != nullptr) {
          was_clear = is_clear(cuda_calls.newest, cuda_calls.newest_bytes);
        }
      };
      CHECK(scan_call(items, nullptr).ok());
      CHECK(was_clear);
      CHECK(items.right(scan_call.shape));
    }
  }

  TEST_CASE("a workspace that is too small, in use, or of another device: nothing is launched") {
    scan::workspace small(0), roomy(1 << 24);
    const auto refused = [](const call& scan_call, scan::workspace& space, const std::string& why) {
      INFO(scan_call.name, ": ", why);
      data items(scan_call.size(), scan_call.shape.length);
      cuda_calls.num_launches = 0;
      const scan::status status = scan_call(items, &space);
      CHECK(status == cudaErrorInvalidValue);
      CHECK(std::string(status.message()).find(why) != std::string::npos);
      CHECK(cuda_calls.num_launches == 0);
      CHECK(items.untouched());
    };
    for (const std::size_t needs_states : {2, 3, 4, 6, 7, 8, 9, 10, 11}) {
      const call& scan_call = calls()[needs_states];
      refused(scan_call, small, "too small");
      data items(scan_call.size(), scan_call.shape.length);
      bool asked = false;
      cuda_calls.on_launch = [&] {
        asked = true;
        std::thread([&] { refused(scan_call, roomy, "in use by another host thread"); }).join();
      };
      CHECK(scan_call(items, &roomy).ok());
      CHECK(asked);
      CHECK(items.right(scan_call.shape));
      if (cuda_calls.is_made_up) {
        cuda_calls.device = 1;
        refused(scan_call, roomy, "another device");
        cuda_calls.device = 0;
      }
    }
  }
}

int main(int argc, char** argv) {
  int count = 0;
  cuda_calls.is_made_up = cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
  static_cast<void>(cudaGetLastError());
  if (!tests::make_some_stream()) return std::puts("no stream"), 1;
  std::puts(cuda_calls.is_made_up ? "on a made-up device" : "on a device");
  return doctest::Context(argc, argv).run();
}
