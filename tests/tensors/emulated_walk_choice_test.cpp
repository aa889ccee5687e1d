// Which columns are walked, and who takes others.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cstdint>
#include <scan/scan.cuh>
#include <string>

#include "tests/emulated/check_call.hpp"
#include "tests/tensors/tensor_order.hpp"

namespace {

/// Who takes columns of these lengths and rows, by himself.
template <class Kind>
std::string kernel_of(std::int64_t length, std::int64_t inner) {
  emulated::seen = {}, emulated::now.device = 0;
  tests::tensor_case c;
  c.shape = {2, length, inner, 0, 0};
  tests::check_order<Kind>(c, scan::algorithm::automatic);
  CHECK(emulated::seen.kernels.size() == 1);
  return emulated::seen.kernels.begin()->first;
}

}  // namespace

TEST_CASE("columns are walked where their rows are no whole sectors, or of floats' recurrences") {
  // (Or go through the ring, where there is one.)
  const std::string in_strips = EMULATED_ARCH >= 900 ? "strip_ring_kernel" : "column_kernel";
  using recurrences = tests::recurrences<float>;
  CHECK(kernel_of<recurrences>(24, 65) == "column_walk_kernel");
  CHECK(kernel_of<recurrences>(300, 65) == "column_wave_kernel");
  CHECK(kernel_of<recurrences>(23, 65) == "lane_column_kernel");
  CHECK(kernel_of<recurrences>(200, 63) == "held_column_kernel");
  CHECK(kernel_of<tests::recurrences<__nv_bfloat16>>(33, 65) == "lane_column_kernel");
  CHECK(kernel_of<tests::recurrences<__nv_bfloat16>>(34, 65) == "column_walk_kernel");
  CHECK(kernel_of<recurrences>(300, 63) == in_strips);
  CHECK(kernel_of<recurrences>(300, 72) == "column_wave_kernel");
  CHECK(kernel_of<recurrences>(4097, 65) == in_strips);
  using sums = tests::sums<float, float>;
  CHECK(kernel_of<sums>(100, 65) == "column_walk_kernel");
  CHECK(kernel_of<sums>(4096, 65) == "column_wave_kernel");
  CHECK(kernel_of<sums>(99, 65) == "held_column_kernel");
  CHECK(kernel_of<sums>(200, 63) == "column_kernel");
  CHECK(kernel_of<sums>(300, 63) == in_strips);
  CHECK(kernel_of<sums>(300, 72) == "held_column_kernel");
  CHECK(kernel_of<sums>(4097, 65) == in_strips);
  CHECK(kernel_of<tests::sums<std::uint8_t, std::int32_t>>(300, 65) == "held_column_kernel");
  CHECK(kernel_of<tests::sums<std::uint8_t, std::int32_t>>(3, 200001) == "column_kernel");
  // (Few that may have any order, of elements that the rings have not.)
  using longs = tests::sums<std::int64_t, std::int64_t>;
  CHECK(kernel_of<longs>(33, 32) == "lane_column_kernel");
  CHECK(kernel_of<longs>(65, 32) == "held_column_kernel");
  CHECK(kernel_of<longs>(66, 32) == "column_walk_kernel");
  CHECK(kernel_of<longs>(66, 31) == "held_column_kernel");
  CHECK(kernel_of<longs>(128, 4096) == "column_walk_kernel");
  CHECK(kernel_of<longs>(128, 4100) == "held_column_kernel");
  CHECK(kernel_of<longs>(129, 32) == "held_column_kernel");
  CHECK(kernel_of<tests::sums<double, double>>(66, 32) == "held_column_kernel");
  using narrow_sums = tests::sums<__nv_bfloat16, __nv_bfloat16>;  // by granules
  CHECK(kernel_of<narrow_sums>(300, 68) == "column_wave_kernel");
  CHECK(kernel_of<narrow_sums>(300, 72) == "column_kernel");
}
