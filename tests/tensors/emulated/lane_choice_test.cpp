// Which columns a lane goes along by itself.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "scan/device/launch/tensor_launch.cuh"

namespace {

using namespace scan::device;

/// Where arrays lie that nobody reads or writes: elements past a granule, and between slabs.
struct place {
  std::int64_t in_at = 0, out_at = 0, in_gap = 0, out_gap = 0;
};
/// Columns of a lane that takes sums of these columns on a device of 132 multiprocessors, or 0;
/// short ones, or such as are walked.
template <class In, class Out, bool walks = false>
int lane_columns(const scan::extents& shape, const place& lies = {}) {
  scan::tensor_shape all{};
  const std::int64_t slab = shape.length * shape.inner;
  REQUIRE(scan::resolve(
              {shape.outer, shape.length, shape.inner, slab + lies.in_gap, slab + lies.out_gap}, 0,
              8, all)
              .ok());
  device_limits limits{};
  limits.sm_count = 132;
  alignas(64) static unsigned char there[64];
  const auto described = describe_parts<false>(
      false, scan::transform_input<In>{reinterpret_cast<const In*>(there) + lies.in_at, {}},
      scan::transform_output<Out>{reinterpret_cast<Out*>(there) + lies.out_at, {}}, all,
      scan::plus{}, scan::options<Out>{}, nullptr);
  return walks ? walking_lane_columns_of(described.forwards(), limits)
               : lane_columns_of(described.forwards(), limits);
}
/// The same of recurrences.
template <class T>
int step_columns(const scan::extents& shape, std::int64_t factors_at = 0) {
  scan::tensor_shape all{};
  REQUIRE(scan::resolve(shape, 0, 8, all).ok());
  device_limits limits{};
  limits.sm_count = 132;
  alignas(64) static unsigned char there[64];
  auto* const items = reinterpret_cast<T*>(there);
  return lane_columns_of(
      scan::describe_recurrence<false>(scan::recurrence_input<T>{items, items + factors_at}, items,
                                       all, scan::options<scan::state_t<T>>{}),
      limits);
}
template <class In, class Out>
bool are_lanes(std::int64_t outer, std::int64_t length, std::int64_t inner,
               const place& lies = {}) {
  return lane_columns<In, Out>({outer, length, inner}, lies) > 0;
}
using half = __nv_bfloat16;

TEST_CASE("how many columns a lane has") {
  constexpr auto floats = lane_columns<float, float>;
  constexpr auto halves = lane_columns<half, half>;
  constexpr std::int64_t many = 2 * 768 * 132, most_brief = 1 << 18;
  CHECK(floats({1, 20, 2 * most_brief}, {}) == 1);
  CHECK(floats({1, 5, most_brief}, {}) == 1);
  CHECK(floats({1, 5, 2 * most_brief}, {}) == 4);
  CHECK(halves({1, 20, many}, {}) == 2);
  CHECK(halves({1, 20, many - 2}, {}) == 1);
  CHECK(halves({1, 5, 4 * most_brief}, {}) == 8);
  CHECK(lane_columns<std::uint8_t, std::int32_t>({1, 5, 2 * most_brief}) == 4);
  CHECK(lane_columns<double, double>({1, 3, 2 * most_brief}) == 2);
  CHECK(step_columns<half>({1, 20, many}) == 2);
  CHECK(step_columns<float>({1, 3, 2 * most_brief}) == 4);
  // Only where each array has them at multiples of their size.
  for (const place& lies : {place{1}, place{0, 1}, place{0, 0, 1}, place{0, 0, 0, 1}}) {
    CHECK(halves({2, 20, many / 2}, lies) == 1);
    CHECK(floats({2, 5, most_brief}, lies) == 0);
  }
  CHECK(halves({2, 20, many / 2}, {2, 2, 2, 2}) == 2);
  CHECK(floats({2, 5, most_brief}, {4, 4, 4, 4}) == 4);
  CHECK(halves({1, 20, many + 1}, {}) == 1);
  CHECK(step_columns<half>({1, 20, many}, 1) == 1);
  CHECK(step_columns<float>({1, 3, 2 * most_brief}, 1) == 0);
}
/// What is computed with in floats may be fused with sums.
struct square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct is_positive {
  __host__ __device__ int operator()(float x) const { return x > 0 ? 1 : 0; }
};
struct own_sum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct dual {
  float x, dx;
  friend __host__ __device__ dual operator*(const dual& a, const dual& b) {
    return {a.x * b.x, a.x * b.dx + a.dx * b.x};
  }
};
struct three_bytes {
  unsigned char of[3];
};
template <class Input, class Output, class Op>
bool fit(const Input& in, const Output& out, Op op) {
  scan::tensor_shape all{};
  REQUIRE(scan::resolve({1, 9, 99}, 0, 8, all).ok());
  const scan::options<typename scan::scan_types<Input, Output>::value> opts;
  const auto described = describe_parts<false>(false, in, out, all, op, opts, nullptr);
  return fits_registers<std::decay_t<decltype(described.forwards())>>();
}
TEST_CASE("bits of floats are not left to how a lane's products are fused") {
  const scan::transform_input<float> floats{nullptr, {}};
  const scan::transform_output<float> results{nullptr, {}};
  const scan::transform_output<int> counts{nullptr, {}};
  const scan::transform_input<float, square> squares{nullptr, {}};
  const scan::transform_input<float, is_positive> positive{nullptr, {}};
  CHECK(fit(floats, results, scan::plus{}));
  CHECK(!fit(squares, results, scan::plus{}));
  CHECK(!fit(floats, scan::transform_output<float, square>{nullptr, {}}, scan::plus{}));
  CHECK(!fit(floats, results, own_sum{}));
  CHECK(fit(positive, counts, scan::plus{}));
  CHECK(fit(positive, counts, own_sum{}));
  const scan::transform_input<dual> duals{nullptr, {}};
  CHECK(!fit(duals, scan::transform_output<dual>{nullptr, {}}, scan::multiplies{}));
  const scan::transform_input<three_bytes> threes{nullptr, {}};
  CHECK(!fit(threes, scan::transform_output<three_bytes>{nullptr, {}}, own_sum{}));
}

TEST_CASE("how many columns a lane has that walks") {
  constexpr auto halves = lane_columns<half, half, true>;
  constexpr auto floats = lane_columns<float, float, true>;
  CHECK(floats({4000, 150, 66}, {}) == 0);  // (blocks that walk have them)
  CHECK(halves({400, 150, 66}, {}) == 2);
  CHECK(halves({400, 150, 67}, {}) == 1);
  for (const place& lies : {place{1}, place{0, 1}, place{0, 0, 1}, place{0, 0, 0, 1}}) {
    CHECK(halves({400, 150, 66}, lies) == 1);
  }
  CHECK(halves({399, 150, 66}, {}) == 0);
}

TEST_CASE("which columns that are walked are a lane's each") {
  constexpr int sms = 132;
  const column_sizes floats{4, 4, 4, 1}, halves{2, 2, 4, 1}, steps{4, 4, 8, 2},
      half_steps{2, 2, 8, 2};
  const auto are_lanes = [](const column_sizes& sizes, std::int64_t length, std::int64_t columns) {
    return goes_by_walking_lanes(sizes, length, columns * sms, sms);
  };
  CHECK(!are_lanes(floats, 1, 20000));
  CHECK(are_lanes(halves, 150, 200));
  CHECK(!are_lanes(halves, 150, 199));
  CHECK(!are_lanes(halves, 151, 2000));
  CHECK(!are_lanes(steps, 40, 799));
  CHECK(are_lanes(steps, 40, 800));
  CHECK(!are_lanes(steps, 41, 2000));
  CHECK(are_lanes(half_steps, 256, 400));
  CHECK(!are_lanes(half_steps, 256, 399));
  CHECK(!are_lanes(half_steps, 257, 2000));
  CHECK(are_lanes(half_steps, 34, 800));
  CHECK(!are_lanes(half_steps, 65, 799));
  CHECK(!are_lanes({8, 8, 8, 1}, 120, 2000));
  CHECK(!goes_by_walking_lanes(halves, 120, std::int64_t{1} << 31, sms));
}

TEST_CASE("which columns are a lane's each") {
  constexpr auto floats = are_lanes<float, float>;
  constexpr auto bytes = are_lanes<std::uint8_t, std::int32_t>;
  // No more rows than a tile's thread would have, in no more runs than three.
  CHECK(floats(1, 65, 4096, {}));
  CHECK(!floats(1, 66, 4096, {}));
  CHECK(are_lanes<double, double>(1, 33, 4096));
  CHECK(!are_lanes<double, double>(1, 34, 4096));
  CHECK(are_lanes<half, half>(1, 65, 4096));
  CHECK(step_columns<float>({1, 33, 4096}) > 0);
  CHECK(step_columns<float>({1, 34, 4096}) == 0);
  CHECK(step_columns<half>({1, 48, 4096}) > 0);
  CHECK(step_columns<half>({1, 49, 4096}) == 0);
  // Many lanes have something to do.
  CHECK(floats(1, 2, 1 << 18, {}));
  CHECK(!floats(1, 2, (1 << 18) + 8, {}));
  CHECK(!floats(1, 5, 1 << 19, {0, 1}));
  CHECK(floats(1, 6, 1 << 19, {0, 1}));
  CHECK(!are_lanes<double, double>(1, 3, 1 << 19, {0, 1}));
  CHECK(are_lanes<double, double>(1, 4, 1 << 19, {0, 1}));
  // So they may have 16 bytes of a row.
  CHECK(floats(1, 3, 1 << 19, {}));
  CHECK(!floats(1, 3, (1 << 19) + 1, {}));
  CHECK(!floats(1, 2, 1 << 19, {}));
  CHECK(bytes(1, 4, 1 << 19, {}));
  CHECK(!bytes(1, 3, 1 << 19, {}));
  CHECK(are_lanes<half, half>(1, 4, 1 << 20));
  CHECK(!are_lanes<half, half>(1, 3, 1 << 20));
  // Rows are not too short.
  CHECK(floats(1000, 20, 8, {}));
  CHECK(!floats(1000, 20, 7, {}));
  CHECK(!floats(4000, 20, 8, {}));
  CHECK(floats(4000, 12, 8, {}));
  CHECK(floats(1000, 8, 7, {}));
  CHECK(!floats(30000, 20, 8, {}));
  CHECK(floats(30000, 20, 16, {}));
  // Much memory is stored by sectors, of many rows; bytes are widened of few rows.
  CHECK(floats(1000, 40, 128, {}));
  CHECK(!floats(1000, 40, 129, {}));
  CHECK(!floats(1000, 40, 128, {0, 3}));
  CHECK(!floats(1000, 40, 128, {0, 0, 0, 3}));
  CHECK(floats(1000, 40, 128, {3, 0, 3, 0}));
  CHECK(floats(1000, 32, 129, {}));
  CHECK(floats(10000, 12, 31, {}));
  CHECK(!floats(10000, 13, 31, {}));
  CHECK(bytes(1000, 32, 128, {}));
  CHECK(!bytes(1000, 33, 128, {}));
  CHECK(bytes(100, 33, 128, {}));
  // As many as an unsigned number counts.
  CHECK(floats(1 << 15, 6, 1 << 15, {}));
  CHECK(!floats(1 << 16, 6, 1 << 15, {}));
}

}  // namespace
