// Bad input: the right code, a message that names the argument, the output untouched. All of this
// is found before any CUDA call, so host memory stands in for device memory and no GPU is needed.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <climits>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "device_memory.hpp"
#include "guarded.hpp"
#include "scan/scan.hpp"

namespace {

void check_refused(const scan::status& result, const char* named) {
  CHECK_FALSE(result.ok());
  CHECK(result == cudaErrorInvalidValue);
  INFO("message: ", result.message());
  CHECK(std::string(result.message()).find(named) != std::string::npos);
}

/// The same bad call on the device and on the host path, inclusive and exclusive.
void check_all_refused(const int* in, int* out, std::int64_t n, const char* named) {
  check_refused(scan::inclusive(in, out, n), named);
  check_refused(scan::exclusive(in, out, n, scan::maximum{}), named);
  check_refused(scan::inclusive(scan::host, in, out, n, scan::minimum{}), named);
  check_refused(scan::exclusive(scan::host, in, out, n), named);
}

}  // namespace

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

  TEST_CASE("null pointers, impossible sizes") {
    tests::guarded<int> in(8), out(8);
    check_all_refused(nullptr, out.data(), 8, "input pointer is null");
    check_all_refused(in.data(), nullptr, 8, "output pointer is null");
    check_all_refused(in.data(), out.data(), -1, "n is negative");
    check_all_refused(in.data(), out.data(), std::int64_t{1} << 62, "n is too large");
    check_all_refused(in.data(), out.data(), INT64_MAX, "n is too large");
    CHECK(in.untouched());
    CHECK(out.untouched());
  }

  TEST_CASE("pointers that are not aligned to their elements") {
    tests::guarded<int> in(9), out(9);
    const auto shifted = [](int* p) {
      return reinterpret_cast<int*>(reinterpret_cast<char*>(p) + 1);
    };
    check_all_refused(shifted(in.data()), out.data(), 8, "input pointer is not aligned");
    check_all_refused(in.data(), shifted(out.data()), 8, "output pointer is not aligned");
    CHECK(in.untouched());
    CHECK(out.untouched());
  }

  TEST_CASE("partial overlap, in either direction and by one element") {
    tests::guarded<int> buffer(100);
    for (const std::int64_t shift : {1, 5, 49}) {
      check_all_refused(buffer.data(), buffer.data() + shift, 50, "overlaps");
      check_all_refused(buffer.data() + shift, buffer.data(), 50, "overlaps");
    }
    CHECK(buffer.untouched());
    // Touching ranges are apart.
    CHECK(scan::inclusive(scan::host, buffer.data(), buffer.data() + 50, 50).ok());
    CHECK(buffer.guards_intact());
  }

  TEST_CASE("a negative number of threads") {
    tests::guarded<int> in(8), out(8);
    check_refused(scan::inclusive(scan::host, in.data(), out.data(), 8, scan::plus{}, {{}, -2}),
                  "threads");
    CHECK(out.untouched());
  }

  TEST_CASE("options that contradict each other or point nowhere good") {
    tests::guarded<int> in(8), out(9);
    int apart = 0;
    const auto refused = [&](const scan::options<int>& options, bool exclusive, const char* named) {
      check_refused(exclusive ? scan::exclusive(in.data(), out.data(), 8, scan::plus{}, options)
                              : scan::inclusive(in.data(), out.data(), 8, scan::plus{}, options),
                    named);
    };
    scan::options<int> options;
    options.complete = true;
    refused(options, false, "options.complete");
    options.total = out.data() + 8;  // the last of n + 1 outputs
    refused(options, true, "options.total overlaps the output");
    options.complete = false;
    options.total = in.data();
    refused(options, true, "options.total overlaps the input");
    options.total = reinterpret_cast<int*>(reinterpret_cast<char*>(&apart) + 1);
    refused(options, false, "options.total is not aligned");
    options.total = &apart;
    options.init_pointer = &apart;
    refused(options, false, "options.init_pointer overlaps options.total");
    options.total = nullptr;
    options.init = 3;
    refused(options, false, "both given");
    options.init.reset();
    options.init_pointer = out.data() + 3;
    refused(options, true, "options.init_pointer overlaps the output");
    options.init_pointer = reinterpret_cast<int*>(reinterpret_cast<char*>(&apart) + 1);
    refused(options, true, "options.init_pointer is not aligned");
    check_refused(scan::inclusive(scan::host, in.data(), out.data(), 8, scan::plus{},
                                  {{}, 0, nullptr, false, true}),
                  "options.complete");
    check_refused(scan::inclusive(scan::host, in.data(), out.data(), 8, scan::plus{},
                                  {{}, 0, out.data() + 7, false, false}),
                  "options.total overlaps");
    CHECK(apart == 0);
    CHECK(in.untouched());
    CHECK(out.untouched());
  }

  TEST_CASE("a number that is no algorithm") {
    tests::guarded<int> in(8), out(8);
    const scan::segments<std::int32_t> none{nullptr, 0, 0};
    scan::options<int> options;
    for (const int number : {9999, 11, -1, INT_MIN}) {
      options.algorithm = static_cast<scan::algorithm>(number);
      const char* const named = "options.algorithm is none";
      const scan::extents shape{2, 4, 1};
      const auto with = [&](auto what) {
        return scan::exclusive(in.data(), out.data(), what, scan::plus{}, options);
      };
      check_refused(with(std::int64_t{8}), named);
      check_refused(with(std::int64_t{0}), named);
      check_refused(with(shape), named);
      check_refused(with(none), named);
      CHECK(scan::workspace::required_bytes(8, 4, options.algorithm) == SIZE_MAX);
      check_refused(scan::workspace(8, 4, options.algorithm).error(), "scan::algorithm");
    }
    CHECK(out.untouched());
  }

  TEST_CASE("n + 1 outputs overlap what n outputs do not") {
    tests::guarded<int> buffer(17);
    const scan::host_options<int> complete{{}, 0, nullptr, false, true};
    check_refused(
        scan::exclusive(scan::host, buffer.data() + 8, buffer.data(), 8, scan::plus{}, complete),
        "overlaps");
    CHECK(buffer.untouched());
    CHECK(scan::exclusive(scan::host, buffer.data(), buffer.data() + 8, 8, scan::plus{}, complete)
              .ok());
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
    int* none = nullptr;
    check_refused(
        scan::exclusive(scan::host, in, none, 0, scan::plus{}, {{}, 0, nullptr, false, true}),
        "output pointer is null");
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
  }

  TEST_CASE("a workspace that cannot be is refused by scans that need none as well") {
    tests::guarded<int> in(100000), out(100000);
    scan::workspace none(-1);
    scan::options<int> options;
    options.workspace = &none;
    for (const std::int64_t n : {10, 100000}) {
      check_refused(scan::inclusive(in.data(), out.data(), n, scan::plus{}, options), "max_items");
    }
    CHECK(in.untouched());
    CHECK(out.untouched());
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
