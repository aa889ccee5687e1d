// Types and operators of the user's own through <scan/scan.cuh>, on the device where there is one
// and on CPU threads: what examples_test.cu leaves out. Odd sizes, the largest one, widening, what
// is refused.
#include <doctest/doctest.h>

#include <random>
#include <type_traits>

#include "composed_parts.hpp"
#include "custom_check.hpp"
#include "watched.hpp"

namespace {

using tests::check;
using tests::compose;
using tests::custom_sizes;
using tests::interval;
using tests::random_elements;
using tests::watched_concatenate;
template <class Part, int size>
using parts = tests::affine_parts<Part, size>;

/// The same in a single byte: 16 slope + offset, modulo 16.
struct one_byte {
  std::uint8_t packed;
};
struct compose_one_byte {
  SCAN_HOST_DEVICE one_byte operator()(const one_byte& earlier, const one_byte& later) const {
    const int slope = later.packed / 16;
    return {static_cast<std::uint8_t>(slope * (earlier.packed / 16) % 16 * 16 +
                                      (slope * earlier.packed + later.packed) % 16)};
  }
  template <class T>
  static constexpr T identity() {
    return {16};
  }
};

/// Takes and gives __half, and is not const.
struct half_maximum {
  int calls = 0;
  SCAN_HOST_DEVICE __half operator()(const __half& earlier, const __half& later) {
    ++calls;
    return __hmax(earlier, later);
  }
};

template <class T, class Op>
void check_elements(Op op) {
  for (const std::int64_t n : custom_sizes(sizeof(T))) {
    check(random_elements<T>(n), random_elements<T>(1)[0], op);
  }
}

/// Scans on the device elements that begin `in_parts` and `out_parts` parts after a multiple of 16.
template <class T>
void check_at(int in_parts, int out_parts, std::uint64_t turn) {
  using part = std::remove_reference_t<decltype(T::part[0])>;
  const std::int64_t n = 40011;
  const auto num_bytes = static_cast<std::size_t>(n) * sizeof(T);
  const std::vector<T> in = random_elements<T>(n);
  const tests::device_memory d_in(num_bytes + 16), d_out(num_bytes + 16);
  T* const from = d_in.as<T>(in_parts * sizeof(part));
  T* const to = d_out.as<T>(out_parts * sizeof(part));
  tests::cuda_check(cudaMemcpy(from, in.data(), num_bytes, cudaMemcpyHostToDevice));
  scan::options<T> opts;
  opts.algorithm = tests::algorithm_of_turn(turn);
  REQUIRE(scan::inclusive(from, to, n, compose{}, opts).ok());
  std::vector<T> out(in.size());
  tests::cuda_check(cudaMemcpy(out.data(), to, num_bytes, cudaMemcpyDeviceToHost));
  CHECK(tests::first_difference(out.data(), tests::serial_scan<T>(false, {}, in, compose{})) == -1);
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
                out.data(), reverse ? tests::serial_suffix_scan<T>(false, {}, in, compose{})
                                    : tests::serial_scan<T>(false, {}, in, compose{})) == -1);
    }
  }
}

}  // namespace

TEST_SUITE("custom") {
  TEST_CASE("elements of 1, 3, 5, 12, 24 and 64 bytes") {
    check_elements<one_byte>(compose_one_byte{});
    check_elements<parts<std::uint8_t, 3>>(compose{});
    check_elements<parts<std::uint8_t, 5>>(compose{});
    check_elements<parts<std::uint32_t, 3>>(compose{});
    check_elements<parts<std::uint64_t, 3>>(compose{});
    check_elements<parts<std::uint64_t, 8>>(compose{});
  }

  TEST_CASE("elements that begin in one 16 bytes and end in the next") {
    if (!tests::gpu_present()) return;
    for (int turn = 0; turn < 16; ++turn) {
      check_at<parts<std::uint32_t, 2>>(turn % 4, turn % 3, turn / 2);
      check_at<parts<std::uint32_t, 4>>(turn % 4, turn % 3, turn / 2);
      check_at<parts<std::uint64_t, 2>>(turn % 2, turn % 3 % 2, turn / 2);
    }
  }

  TEST_CASE("elements of odd sizes wherever the plan for them changes") {
    if (!tests::gpu_present()) return;
    check_switches<parts<std::uint8_t, 3>>();
    check_switches<parts<std::uint8_t, 5>>();
    check_switches<parts<std::uint32_t, 3>>();
    check_switches<parts<std::uint64_t, 3>>();
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

  TEST_CASE("an operator on __half whose call operator is not const") {
    std::vector<__half> in(700001);  // of which the ring has several tiles
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = scan::convert<__half>(static_cast<float>(i * i % 2003));
    }
    const std::vector<__half> expected = tests::serial_scan<__half>(false, {}, in, half_maximum{});
    const auto n = static_cast<std::int64_t>(in.size());
    std::vector<__half> out(in.size());
    REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), n, half_maximum{}).ok());
    CHECK(std::memcmp(out.data(), expected.data(), in.size() * sizeof(__half)) == 0);
    if (!tests::gpu_present()) return;
    const tests::device_memory data(in.size() * sizeof(__half));
    for (std::uint64_t turn = 0; turn < 4; ++turn) {
      tests::cuda_check(cudaMemcpy(data.as<void>(), in.data(), in.size() * sizeof(__half),
                                   cudaMemcpyHostToDevice));
      scan::options<__half> opts;
      opts.algorithm = tests::algorithm_of_turn(turn);
      REQUIRE(scan::inclusive(data.as<__half>(), data.as<__half>(), n, half_maximum{}, opts).ok());
      tests::cuda_check(cudaMemcpy(out.data(), data.as<void>(), in.size() * sizeof(__half),
                                   cudaMemcpyDeviceToHost));
      CHECK(std::memcmp(out.data(), expected.data(), in.size() * sizeof(__half)) == 0);
    }
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
    interval in{0, 1}, out{};
    tests::shared_count strangers;
    CHECK(scan::exclusive(&in, &out, 1, watched_concatenate{strangers.shared()}) ==
          cudaErrorInvalidValue);
  }
}
