// What calls of one sequence and workspaces promise apart from results: statuses, no exceptions,
// calls of no elements, sizes. What they refuse: tests/calls/refused_calls.hpp. No GPU is needed.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "scan/scan.hpp"
#include "tests/support/check_refused.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"

using tests::check_refused;

TEST_SUITE("api") {
  TEST_CASE("a status is a cudaError_t with a message") {
    const scan::status fine;
    const cudaError_t code = fine;
    CHECK(code == cudaSuccess);
    CHECK(fine.ok());
    const scan::status bad{cudaErrorInvalidValue, "because"};
    CHECK(cudaError_t(bad) == cudaErrorInvalidValue);
    CHECK(std::string(bad.message()) == "because");
    CHECK(std::is_trivially_copyable_v<scan::status>);
  }

  TEST_CASE("calls are noexcept") {
    const int* in = nullptr;
    int* out = nullptr;
    CHECK(noexcept(scan::inclusive(in, out, 0)));
    CHECK(noexcept(scan::exclusive(in, out, 0, scan::plus{}, {})));
    CHECK(noexcept(scan::inclusive(scan::host, in, out, 0)));
  }

  TEST_CASE("n == 0 is success and touches nothing, null pointers included") {
    const int* in = nullptr;
    int* out = nullptr;
    CHECK(scan::inclusive(in, out, 0).ok());
    CHECK(scan::exclusive(in, out, 0).ok());
    CHECK(scan::inclusive(scan::host, in, out, 0).ok());
    CHECK(scan::exclusive(scan::host, in, out, 0).ok());
  }

  TEST_CASE("ranges that touch are apart") {
    tests::guarded<int> buffer(100);
    std::fill_n(buffer.data(), 100, 1);
    CHECK(scan::inclusive(scan::host, buffer.data(), buffer.data() + 50, 50).ok());
    const scan::host_options<int> complete{{}, 0, nullptr, false, true};
    CHECK(scan::exclusive(scan::host, buffer.data(), buffer.data() + 8, 8, scan::plus{}, complete)
              .ok());
    CHECK(buffer.guards_intact());
  }

  TEST_CASE("n == 0 writes what total and complete ask for, and nothing else") {
    tests::guarded<int> out(1), total(1);
    const int* in = nullptr;
    CHECK(scan::exclusive(scan::host, in, out.data(), 0, scan::maximum{},
                          {{}, 0, total.data(), false, true})
              .ok());
    CHECK(out.data()[0] == std::numeric_limits<int>::lowest());
    CHECK(total.data()[0] == std::numeric_limits<int>::lowest());
    CHECK(scan::inclusive(scan::host, in, static_cast<int*>(nullptr), 0, scan::plus{},
                          {7, 0, total.data(), true})
              .ok());
    CHECK(total.data()[0] == 7);
    CHECK(out.guards_intact());
    CHECK(total.guards_intact());
  }

  TEST_CASE("n == 0 with complete: where the input would be does not matter") {
    int in[2] = {}, out = 0;
    const auto* const shifted = reinterpret_cast<const int*>(reinterpret_cast<const char*>(in) + 1);
    const auto* const inside =
        reinterpret_cast<const int*>(reinterpret_cast<const char*>(&out) + 2);
    for (const int* nowhere : {shifted, inside}) {
      out = 1;
      CHECK(
          scan::exclusive(scan::host, nowhere, &out, 0, scan::plus{}, {{}, 0, nullptr, false, true})
              .ok());
      CHECK(out == 0);
      scan::options<int> options;
      options.complete = true;
      CHECK(scan::exclusive(nowhere, &out, 0, scan::plus{}, options) != cudaErrorInvalidValue);
    }
  }

  TEST_CASE("other names of the same integers") {
    const long long in[] = {1, 2, 3};
    long long out[3];
    CHECK(scan::inclusive(scan::host, in, out, 3).ok());
    CHECK(out[2] == 6);
    const bool flags[] = {true, false, true};
    unsigned long long offsets[4];
    CHECK(scan::exclusive(scan::host, flags, offsets, 3, scan::plus{},
                          {10ull, 0, nullptr, false, true})
              .ok());
    CHECK(offsets[3] == 12);
    const char letters[] = {'a', 'c', 'b'};
    char last[3];
    CHECK(scan::inclusive(scan::host, letters, last, 3, scan::maximum{}).ok());
    CHECK(last[2] == 'c');
    check_refused(scan::inclusive(static_cast<const long long*>(nullptr), out, 3), "null");
  }

  TEST_CASE("a workspace that cannot be") {
    check_refused(scan::workspace(-1).error(), "max_items");
    check_refused(scan::workspace(INT64_MAX).error(), "max_items");
    check_refused(scan::workspace(100, 0).error(), "max_element_bytes");
    check_refused(scan::workspace(100, 65).error(), "max_element_bytes");
    for (const int number : {9999, 39, 31, 5, -1, INT_MIN}) {
      const auto which = static_cast<scan::algorithm>(number);
      CHECK(scan::workspace::required_bytes(8, 4, which) == SIZE_MAX);
      check_refused(scan::workspace(8, 4, which).error(), "scan::algorithm");
    }
  }

  TEST_CASE("of scans that cannot be no number of bytes is enough") {
    constexpr std::int64_t most = std::int64_t{1} << 57;
    for (std::uint64_t turn = 0; turn < 8; ++turn) {
      const scan::algorithm which =
          turn < 7 ? tests::baseline_of_turn(turn) : scan::algorithm::automatic;
      const auto bytes = [which](std::int64_t n, int element_bytes) {
        return scan::workspace::required_bytes(n, element_bytes, which);
      };
      for (const int element_bytes : {0, -4, 65, INT_MAX, INT_MIN}) {
        CHECK(bytes(1000, element_bytes) == SIZE_MAX);
      }
      for (const int element_bytes : {1, 4, 12, 64}) {
        CHECK(bytes(-1, element_bytes) == SIZE_MAX);
        CHECK(bytes(most + 1, element_bytes) == SIZE_MAX);
        CHECK(bytes(std::int64_t{1} << 61, element_bytes) == SIZE_MAX);
        CHECK(bytes(INT64_MAX, element_bytes) == SIZE_MAX);
        CHECK(bytes(most, element_bytes) < SIZE_MAX);
      }
    }
  }

  TEST_CASE("the bytes a workspace needs never shrink as n grows") {
    for (const int element_bytes : {1, 2, 3, 4, 8, 12, 16, 24, 64}) {
      std::size_t last = 0;
      for (std::int64_t n = 0; n < std::int64_t{1} << 60; n = n * 5 / 4 + 1) {
        const std::size_t bytes = scan::workspace::required_bytes(n, element_bytes);
        CHECK(bytes >= last);
        last = bytes;
      }
      CHECK(scan::workspace::required_bytes(100, element_bytes) == 0);
    }
  }

  TEST_CASE("the bytes of scratch a baseline needs never shrink as n grows") {
    for (std::uint64_t turn = 0; turn < 7; ++turn) {
      for (const int element_bytes : {1, 2, 3, 4, 8, 12, 16, 24, 64}) {
        const scan::algorithm which = tests::baseline_of_turn(turn);
        std::size_t last = 0;
        for (std::int64_t n = 0; n < std::int64_t{1} << 60; n = n * 5 / 4 + 1) {
          const std::size_t bytes = scan::workspace::required_bytes(n, element_bytes, which);
          CHECK(bytes >= last);
          last = bytes;
        }
      }
    }
  }

  TEST_CASE("without a GPU: CUDA's own code, and the output untouched") {
    if (tests::gpu_present()) return;  // the device suite takes over
    tests::guarded<int> in(100000), out(100000);
    const scan::status small = scan::inclusive(in.data(), out.data(), 10);
    const scan::status large = scan::inclusive(in.data(), out.data(), 100000);
    for (const scan::status& result : {small, large}) {
      INFO(result.message());
      const bool named = result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver;
      CHECK(named);
    }
    CHECK(std::string(large.message()).find("device") != std::string::npos);
    scan::workspace space(100000);
    CHECK_FALSE(space.error().ok());
    CHECK(std::string(space.error().message()).find("device") != std::string::npos);
    CHECK(scan::inclusive(in.data(), out.data(), 100000, scan::plus{}, {{}, nullptr, &space}) ==
          cudaError_t(space.error()));
    CHECK(out.untouched());
  }
}
