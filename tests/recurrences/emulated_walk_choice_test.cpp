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

/// Who takes columns of these lengths and rows, by himself: where one multiprocessor has them, and
/// so many at once; or where there are 132 for them.
template <class Kind>
std::string kernel_of(std::int64_t length, std::int64_t inner, bool are_few = false) {
  emulated::seen = {}, emulated::now.device = are_few ? 3 : 2;
  tests::tensor_case c;
  c.shape = {2, length, inner, 0, 0};
  tests::check_order<Kind>(c, scan::algorithm::automatic);
  CHECK(emulated::seen.kernels.size() == 1);
  return emulated::seen.kernels.begin()->first;
}

}  // namespace

TEST_CASE("which short rows of recurrences are a warp's each") {
  constexpr auto is_warps = scan::device::is_warp_row;
  constexpr int sms = 132;
  // Rows a vector: of recurrences, of few or many vectors, and in gaps.
  CHECK(is_warps(3000, 10, false, 2, 4, sms));
  CHECK(!is_warps(3001, 10, false, 2, 4, sms));
  CHECK(is_warps(3000, 10, true, 1, 2, sms));
  CHECK(!is_warps(3001, 10, true, 1, 2, sms));
  CHECK(!is_warps(7201, 24, false, 2, 4, sms));
  CHECK(is_warps(15000, 25, false, 2, 4, sms));
  CHECK(!is_warps(15001, 25, false, 2, 4, sms));
  CHECK(!is_warps(4801, 16, true, 2, 4, sms));
  CHECK(is_warps(13600, 17, true, 2, 4, sms));
  CHECK(!is_warps(13601, 17, true, 2, 4, sms));
  CHECK(is_warps(1000000, 24, true, 2, 4, sms));
  CHECK(!is_warps(1000000, 24, true, 2, 2, sms));
  // Of gradients.
  CHECK(is_warps(6500, 10, false, 3, 4, sms));
  CHECK(!is_warps(6501, 10, false, 3, 4, sms));
  CHECK(is_warps(15300, 9, true, 3, 4, sms));
  CHECK(!is_warps(15301, 9, true, 3, 4, sms));
  CHECK(is_warps(35000, 10, true, 3, 2, sms));
  CHECK(!is_warps(35001, 10, true, 3, 2, sms));
  CHECK(is_warps(1000000, 17, true, 3, 2, sms));
  CHECK(!is_warps(1000000, 24, false, 3, 2, sms));
  CHECK(is_warps(1000000, 25, false, 3, 2, sms));
  // Those that no vector is whole of are nobody's so; fewer multiprocessors have fewer.
  CHECK(!is_warps(1, 0, true, 3, 4, sms));
  CHECK(is_warps(22, 10, false, 2, 4, 1));
  CHECK(!is_warps(23, 10, false, 2, 4, 1));
}

TEST_CASE("columns are walked where their rows are no whole sectors, or of floats' recurrences") {
  // (Or go through the ring, where there is one.)
  const std::string in_strips = EMULATED_ARCH >= 900 ? "strip_ring_kernel" : "column_kernel";
  using recurrences = tests::recurrences<float>;
  CHECK(kernel_of<recurrences>(24, 65) == "column_walk_kernel");
  CHECK(kernel_of<recurrences>(24, 65, true) == "held_column_kernel");
  CHECK(kernel_of<recurrences>(300, 65) == "column_wave_kernel");
  CHECK(kernel_of<recurrences>(300, 65, true) == "held_column_kernel");
  CHECK(kernel_of<recurrences>(23, 65) == "lane_column_kernel");
  CHECK(kernel_of<recurrences>(200, 63) == "held_column_kernel");
  CHECK(kernel_of<tests::recurrences<__nv_bfloat16>>(33, 65) == "lane_column_kernel");
  CHECK(kernel_of<tests::recurrences<__nv_bfloat16>>(34, 65) == "column_walk_kernel");
  CHECK(kernel_of<recurrences>(300, 63) == in_strips);
  CHECK(kernel_of<recurrences>(300, 72) == "column_wave_kernel");
  CHECK(kernel_of<recurrences>(4097, 65) == in_strips);
  using sums = tests::sums<float, float>;
  CHECK(kernel_of<sums>(100, 65) == "column_walk_kernel");
  CHECK(kernel_of<sums>(129, 65) == "column_wave_kernel");
  CHECK(kernel_of<sums>(4096, 65) == "column_wave_kernel");
  CHECK(kernel_of<sums>(99, 65) == "held_column_kernel");
  CHECK(kernel_of<sums>(300, 63) == in_strips);
  CHECK(kernel_of<sums>(300, 63, true) == "held_column_kernel");
  CHECK(kernel_of<sums>(300, 72) == "held_column_kernel");
  CHECK(kernel_of<sums>(4097, 65) == in_strips);
  using bytes = tests::sums<std::uint8_t, std::int32_t>;
  CHECK(kernel_of<bytes>(600, 65) == "column_kernel");
  CHECK(kernel_of<bytes>(600, 65, true) == "held_column_kernel");
  CHECK(kernel_of<bytes>(3, 200001) == "column_kernel");
  using longs = tests::sums<std::int64_t, std::int64_t>;
  CHECK(kernel_of<longs>(33, 32) == "lane_column_kernel");
  CHECK(kernel_of<longs>(65, 32) == "held_column_kernel");
  using narrow_sums = tests::sums<__nv_bfloat16, __nv_bfloat16>;  // by granules
  CHECK(kernel_of<narrow_sums>(300, 68) == "column_wave_kernel");
  CHECK(kernel_of<narrow_sums>(300, 72) == "column_kernel");
  CHECK(kernel_of<narrow_sums>(39, 257) == "lane_column_kernel");
  CHECK(kernel_of<narrow_sums>(99, 256) == "column_kernel");
  using narrow_recurrences = tests::recurrences<__nv_bfloat16>;
  CHECK(kernel_of<narrow_recurrences>(100, 64) == "column_walk_kernel");
  CHECK(kernel_of<narrow_recurrences>(99, 64) == "column_kernel");
  // In registers, of other types than floats.
  if (EMULATED_ARCH >= 900) {
    CHECK(kernel_of<narrow_sums>(600, 128, true) == "held_column_kernel");
    CHECK(kernel_of<tests::recurrences<__nv_bfloat16>>(300, 256, true) == "held_column_kernel");
  }
  CHECK(kernel_of<narrow_sums>(300, 68, true) == "held_column_kernel");
  CHECK(kernel_of<tests::recurrences<__nv_bfloat16>>(34, 65, true) == "held_column_kernel");
  CHECK(kernel_of<tests::recurrences<double>>(70, 65, true) == "held_column_kernel");
  CHECK(kernel_of<tests::recurrences<double>>(300, 24, true) == "held_column_kernel");
}
