// Types and operators of the user's own through <scan/scan.cuh>, on the device where there is one
// and on CPU threads: what own_test.cu leaves out. Odd sizes, the largest one, examples of
// operators, widening, what is refused.
#include <doctest/doctest.h>

#include <random>
#include <type_traits>

#include "tests/types/composed_parts.hpp"
#include "tests/types/examples.hpp"
#include "tests/types/own_sequences.hpp"

namespace {

using tests::check;
using tests::compose;
using tests::custom_sizes;
using tests::random_elements;
template <class Part, int size>
using parts = tests::affine_parts<Part, size>;

/// The same in a single byte: 16 slope + offset, modulo 16. The call operator is not const.
struct one_byte {
  std::uint8_t packed;
};
struct compose_one_byte {
  int calls = 0;
  SCAN_HOST_DEVICE one_byte operator()(const one_byte& earlier, const one_byte& later) {
    ++calls;
    const int slope = later.packed / 16;
    return {static_cast<std::uint8_t>(slope * (earlier.packed / 16) % 16 * 16 +
                                      (slope * earlier.packed + later.packed) % 16)};
  }
  template <class T>
  static constexpr T identity() {
    return {16};
  }
};

template <class T, class Op>
void check_elements(Op op) {
  for (const std::int64_t n : custom_sizes(sizeof(T))) {
    check(random_elements<T>(n), random_elements<T>(1)[0], op);
  }
}

/// Scans on the device, forward and back in turn, at every size around which the kernel or its
/// shape changes.
template <class T>
void check_switches() {
  const auto switches =
      tests::plan_switches(static_cast<int>(sizeof(T)), tests::limits_here(), 1 << 20);
  REQUIRE_FALSE(switches.empty());
  bool reverse = false;
  for (const std::int64_t at : switches) {
    for (const std::int64_t n : {at - 1, at, at + 1}) {
      INFO(n, " elements of ", sizeof(T), " bytes");
      const std::vector<T> in = random_elements<T>(n);
      const auto num_bytes = in.size() * sizeof(T);
      const tests::device_memory data(num_bytes);
      tests::cuda_check(cudaMemcpy(data.as<T>(), in.data(), num_bytes, cudaMemcpyHostToDevice));
      scan::options<T> opts;
      opts.reverse = reverse = !reverse;
      REQUIRE(scan::inclusive(data.as<T>(), data.as<T>(), n, compose{}, opts).ok());
      std::vector<T> out(in.size());
      tests::cuda_check(cudaMemcpy(out.data(), data.as<T>(), num_bytes, cudaMemcpyDeviceToHost));
      CHECK(tests::first_difference(
                out.data(), reverse ? tests::serial_suffix_scan(in, compose{})
                                    : tests::serial_scan<T>(false, {}, in, compose{})) == -1);
    }
  }
}

}  // namespace

TEST_SUITE("custom") {
  TEST_CASE("elements of 1, 3, 12, 16 and 64 bytes") {
    check_elements<one_byte>(compose_one_byte{});
    check_elements<parts<std::uint8_t, 3>>(compose{});
    check_elements<parts<std::uint32_t, 3>>(compose{});
    check_elements<parts<std::uint32_t, 4>>(compose{});
    check_elements<parts<std::uint64_t, 8>>(compose{});
  }

  TEST_CASE("elements of 24 bytes, an example: unitriangular matrices") {
    std::mt19937_64 random(7);
    const auto entry = [&] { return random() >> random() % 40; };
    for (const std::int64_t n : custom_sizes(sizeof(tests::unitriangular))) {
      std::vector<tests::unitriangular> items;
      for (std::int64_t i = 0; i < n; ++i) items.push_back({entry(), entry(), entry()});
      check(items, tests::unitriangular{entry(), entry(), entry()}, tests::count_pairs{});
    }
  }

  TEST_CASE("elements that begin in one 16 bytes and end in the next") {
    if (!tests::gpu_present()) return;
    const auto in = random_elements<parts<std::uint32_t, 4>>(40011);
    for (int turn = 0; turn < 16; ++turn) {
      tests::check_at(in, compose{}, turn % 4 * sizeof(std::uint32_t),
                      turn % 3 * sizeof(std::uint32_t), static_cast<std::uint64_t>(turn / 2));
    }
  }

  TEST_CASE("elements of odd sizes wherever the plan for them changes") {
    if (!tests::gpu_present()) return;
    check_switches<parts<std::uint8_t, 3>>();
    check_switches<parts<std::uint32_t, 3>>();
    check_switches<parts<std::uint64_t, 8>>();
  }

  TEST_CASE("the check notices an operator that is not associative" * doctest::should_fail()) {
    using element = parts<std::uint8_t, 3>;
    check(random_elements<element>(1000), random_elements<element>(1)[0], compose{1});
  }

  TEST_CASE("bytes to 64-bit offsets in one pass") {
    for (const std::int64_t n : custom_sizes(sizeof(std::int64_t))) {
      check(tests::random_items<std::uint8_t>(n, 4), std::int64_t{1} << 40, scan::plus{});
    }
  }

  TEST_CASE("an operator of the host alone, a lambda, on CPU threads") {
    const auto in = tests::random_items<std::uint32_t>(1000003, 5);
    std::vector<std::uint32_t> out(in.size());
    const auto modulo = [](std::uint32_t earlier, std::uint32_t later) {
      return (earlier % 1000 + later % 1000) % 1000;
    };
    const std::int64_t shared = tests::num_shared_calls();
    REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), 1000003, modulo, {{}, 4}).ok());
    CHECK(tests::num_shared_calls() == shared + 1);
    CHECK(tests::first_difference(out.data(),
                                  tests::serial_scan<std::uint32_t>(false, {}, in, modulo)) == -1);
  }

  TEST_CASE("the ring has no elements of three bytes, and says so") {
    if (!tests::gpu_present()) return;
    using element = parts<std::uint8_t, 3>;
    const tests::device_memory data(3000);
    tests::cuda_check(cudaMemset(data.as<void>(), tests::poison_value, 3000));
    scan::options<element> opts;
    opts.algorithm = scan::algorithm::ring;
    const scan::status result =
        scan::inclusive(data.as<element>(), data.as<element>(), 1000, compose{}, opts);
    CHECK(result == cudaErrorNotSupported);
    CHECK(std::string(result.message()).find("no ring kernel") != std::string::npos);
    std::vector<unsigned char> bytes(3000);
    tests::cuda_check(cudaMemcpy(bytes.data(), data.as<void>(), 3000, cudaMemcpyDeviceToHost));
    CHECK(bytes == std::vector<unsigned char>(3000, tests::poison_value));
  }

  TEST_CASE("an exclusive scan without identity and init is refused") {
    const parts<std::uint8_t, 3> in{};
    parts<std::uint8_t, 3> out{};
    CHECK(scan::exclusive(&in, &out, 1, compose{}) == cudaErrorInvalidValue);
  }
}
