// Tensors of more than 2^31 elements, and with slabs farther apart: sums of ones, of which windows
// at both ends, in the middle and around 2^31 and 2^32 are compared. Skipped, with exit code 77,
// where there is no GPU or too little memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using scan::extents;
using tests::cuda_check;
using tests::device_memory;

constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::size_t in_bytes = (std::size_t{1} << 32) + 4096, out_bytes = 4 * in_bytes;

/// Sums of bytes that are all 1, which then are numbers from 1 on in every sequence.
class checker {
 public:
  checker() : in_(in_bytes), out_(out_bytes) {
    cuda_check(cudaMemset(in_.as<void>(), 1, in_bytes));
  }

  void check(const extents& shape, bool reverse) {
    INFO(shape.outer, " x ", shape.length, " x ", shape.inner);
    const std::int64_t count = shape.outer * shape.length * shape.inner;
    REQUIRE(static_cast<std::size_t>(count) <= in_bytes);
    cuda_check(cudaMemset(out_.as<void>(), 0xEE, out_bytes));
    scan::options<std::uint32_t> opts;
    opts.reverse = reverse;
    const scan::status status = scan::inclusive(in_.as<std::uint8_t>(), out_.as<std::uint32_t>(),
                                                shape, scan::plus{}, opts);
    REQUIRE(std::string(status.message()) == "success");
    cuda_check(cudaDeviceSynchronize());
    for (const std::int64_t first :
         {std::int64_t{0}, count / 2, count / 3 * 2, two_31 - window / 2, count - window}) {
      check_window(shape, reverse, std::clamp<std::int64_t>(first, 0, count - window));
    }
    // What follows the last element is as it was.
    std::uint32_t after = 0;
    cuda_check(cudaMemcpy(&after, out_.as<std::uint32_t>() + count, sizeof(after),
                          cudaMemcpyDeviceToHost));
    CHECK(after == 0xEEEEEEEEu);
  }

  /// In place, with slabs that are `pitch` elements apart, of which nothing else is touched.
  void check_pitch(const extents& shape) {
    INFO(shape.outer, " x ", shape.length, " x ", shape.inner, " pitch ", shape.in_pitch);
    const std::int64_t slab = shape.length * shape.inner;
    std::vector<std::uint32_t> ones(static_cast<std::size_t>(slab), 1), sums(ones.size() + 2);
    auto* const data = out_.as<std::uint32_t>() + 1;
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      std::uint32_t* const first = data + o * shape.in_pitch;
      cuda_check(cudaMemset(first - 1, 0xEE, sums.size() * sizeof(sums[0])));
      cuda_check(
          cudaMemcpy(first, ones.data(), ones.size() * sizeof(ones[0]), cudaMemcpyHostToDevice));
    }
    REQUIRE(scan::inclusive(data, data, shape).ok());
    for (std::int64_t o = 0; o < shape.outer; ++o) {
      cuda_check(cudaMemcpy(sums.data(), data + o * shape.in_pitch - 1,
                            sums.size() * sizeof(sums[0]), cudaMemcpyDeviceToHost));
      REQUIRE(sums.front() == 0xEEEEEEEEu);
      REQUIRE(sums.back() == 0xEEEEEEEEu);
      for (std::int64_t i = 0; i < slab; ++i) {
        if (sums[static_cast<std::size_t>(i + 1)] != i / shape.inner + 1) FAIL("element ", i);
      }
    }
  }

 private:
  static constexpr std::int64_t window = 1 << 20;

  void check_window(const extents& shape, bool reverse, std::int64_t first) {
    std::vector<std::uint32_t> sums(window);
    cuda_check(cudaMemcpy(sums.data(), out_.as<std::uint32_t>() + first,
                          sums.size() * sizeof(sums[0]), cudaMemcpyDeviceToHost));
    for (std::int64_t at = first; at < first + window; ++at) {
      const std::int64_t i = at / shape.inner % shape.length;
      const auto expected = static_cast<std::uint32_t>(reverse ? shape.length - i : i + 1);
      if (sums[static_cast<std::size_t>(at - first)] != expected) FAIL("element ", at);
    }
  }

  device_memory in_, out_;
};

}  // namespace

TEST_SUITE("tensor large") {
  TEST_CASE("more than 2^31 elements") {
    checker check;
    for (const bool reverse : {false, true}) {
      check.check({two_31 + 7, 1, 1, 0, 0}, reverse);
      check.check({two_31 / 2 + 3, 3, 1, 0, 0}, reverse);
      check.check({two_31 / 50 + 3, 77, 1, 0, 0}, reverse);
      check.check({1000003, 3001, 1, 0, 0}, reverse);
      check.check({7, two_31 / 4 + 1, 1, 0, 0}, reverse);
      check.check({1, two_31 + 5, 1, 0, 0}, reverse);
      check.check({1, two_31 / 2 + 5, 3, 0, 0}, reverse);
      check.check({1, two_31 / 30 + 5, 40, 0, 0}, reverse);
      check.check({1, 2, two_31 / 2 + 3, 0, 0}, reverse);
      check.check({two_31 / 8, 7, 2, 0, 0}, reverse);
      check.check({3, 1000, 1000003, 0, 0}, reverse);
    }
  }

  TEST_CASE("slabs farther apart than 2^31 bytes and elements") {
    checker check;
    for (const std::int64_t pitch : {two_31 / 4 + 9, two_31 - 9, two_31 / 2 * 3 + 1}) {
      const std::int64_t outer = (4 * two_31 / 2 - 600000) / pitch + 1;
      check.check_pitch({outer, 5, 1, pitch, pitch});
      check.check_pitch({outer, 500, 1, pitch, pitch});
      check.check_pitch({outer, 300000, 1, pitch, pitch});
      check.check_pitch({outer, 1000, 3, pitch, pitch});
      check.check_pitch({outer, 1000, 40, pitch, pitch});
      check.check_pitch({outer, 2, 3000, pitch, pitch});
    }
  }
}

int main(int argc, char** argv) {
  std::size_t free_bytes = 0, total_bytes = 0;
  const bool has_memory = tests::gpu_present() &&
                          cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess &&
                          free_bytes >= in_bytes + out_bytes + (std::size_t{1} << 30);
  return tests::run_device_tests(argc, argv, has_memory);
}
