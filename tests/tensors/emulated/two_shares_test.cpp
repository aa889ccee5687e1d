// Rows of 33 to 48 vectors in shared memory, on the stand-in GPU: a call of many rows has the bits
// of calls of one, which the wave scans, and writes nothing between them.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <scan/scan.cuh>
#include <type_traits>
#include <vector>

#include "tests/emulated/arrays.hpp"
#include "tests/emulated/engine.hpp"
#include "tests/support/launch_chosen.hpp"

namespace {

/// Of which every order, of operations and of operands, gives another number.
struct fading {
  float operator()(float a, float b) const { return .75f * a + b; }
};

/// A number whose sums are rounded, whatever the type.
template <class T>
T drawn(std::mt19937_64& random) {
  if constexpr (sizeof(T) == 2) {  // of many sizes: sums of float have 24 bits
    const float magnitude = std::ldexp(1.0f, static_cast<int>(random() % 30));
    return scan::convert<T>(std::uniform_real_distribution<float>(-1, 1)(random) * magnitude);
  } else {
    return std::uniform_real_distribution<T>(-1, 1)(random);
  }
}

/// Rows of 33 to 48 vectors, of any pitch and place, with what is asked for.
template <class T, bool reversed, class Op = scan::plus>
void check_two_shares(std::mt19937_64& random) {
  constexpr int vector = 16 / sizeof(T);
  constexpr bool sums = std::is_same_v<Op, scan::plus>;
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const std::int64_t rows = 1 + below(25), length = 32 * vector + 1 + below(16 * vector);
  const bool exclusive = sums && below(2) == 0, starts = below(2) == 0;
  const bool complete = exclusive && below(2) == 0;
  const std::int64_t outputs = length + (complete ? 1 : 0);
  const scan::extents many{rows, length, 1, length + below(9), outputs + below(9)};
  std::vector<T> items(static_cast<std::size_t>(rows * many.in_pitch)),
      inits(static_cast<std::size_t>(rows)), totals(static_cast<std::size_t>(rows));
  for (T& item : items) item = drawn<T>(random);
  for (T& init : inits) init = drawn<T>(random);
  const emulated::array<T> in(items, below(vector), emulated::guarded_pages::end::last);
  const std::vector<T> before(static_cast<std::size_t>(rows * many.out_pitch), T(7));
  const emulated::array<T> out(before, below(vector), emulated::guarded_pages::end::last);
  scan::options<T> opts;
  opts.init_pointer = starts ? inits.data() : nullptr;
  opts.total = totals.data();
  opts.reverse = reversed;
  opts.complete = complete;
  std::vector<T> wanted = before, ends(totals.size());
  for (std::int64_t row = 0; row < rows; ++row) {  // calls of one are the wave's
    scan::options<T> alone = opts;
    alone.init_pointer = starts ? &inits[row] : nullptr;
    alone.total = &ends[row];
    const T* const from = in.data() + row * many.in_pitch;
    T* const to = wanted.data() + row * many.out_pitch;
    const scan::extents one{1, length, 1};
    scan::status status;
    if constexpr (sums) {
      status = exclusive ? scan::exclusive(from, to, one, Op{}, alone)
                         : scan::inclusive(from, to, one, Op{}, alone);
    } else {
      status = scan::inclusive(from, to, one, Op{}, alone);
    }
    REQUIRE(status.ok());
  }
  scan::device::device_limits limits;
  REQUIRE(scan::device::current_limits(limits, nullptr).ok());
  scan::tensor_shape shape{};
  REQUIRE(scan::resolve(many, complete ? 1 : 0, sizeof(T), shape).ok());
  const T* const from = in.data();
  const auto described = scan::describe_tensor<reversed>(
      exclusive, scan::as_input(from), scan::as_output(out.data()), shape, Op{}, opts);
  emulated::seen = {};
  REQUIRE(tests::launch_chosen(described, opts, limits, [&](auto& to) {
            return scan::device::choose_row_stretches(to, described, complete, limits);
          }).ok());
  CHECK(emulated::seen.kernels["short_row_tile_kernel"] == 1);
  INFO(rows, " rows of ", length, ", ", sizeof(T), " bytes, exclusive ", exclusive, ", starts ",
       starts, ", complete ", complete);
  const auto results = out.items();
  CHECK(std::memcmp(results.data(), wanted.data(), wanted.size() * sizeof(T)) == 0);
  CHECK(std::memcmp(totals.data(), ends.data(), ends.size() * sizeof(T)) == 0);
  CHECK(out.is_intact());
}

TEST_CASE("rows of two shares have the wave's bits") {
  std::mt19937_64 random(5);
  emulated::now.device = 0;
  for (int i = 0; i < 40; ++i) {
    check_two_shares<float, false>(random);
    check_two_shares<float, true>(random);
    check_two_shares<double, false>(random);
    check_two_shares<__nv_bfloat16, false>(random);
    check_two_shares<float, false, fading>(random);
    check_two_shares<float, true, fading>(random);
  }
  using scan::device::are_two_shares, scan::device::plan_rows;
  const auto are_of = [](std::int64_t length) {
    return are_two_shares(plan_rows(100000, length, 4, true, 132));
  };
  CHECK(are_of(4 * 32 + 1));
  CHECK(are_of(4 * 48));
  CHECK(!are_of(4 * 48 + 1));
}

TEST_CASE("many rows of two shares have the bits of few, which the wave scans") {
  std::mt19937_64 random(6);
  emulated::now.device = 0;  // of four multiprocessors
  constexpr std::int64_t few = 3, many = 800, length = 4 * 32 + 3;
  std::vector<float> items(many * length), some(few * length), all(many * length);
  for (float& item : items) item = drawn<float>(random);
  emulated::seen = {};
  REQUIRE(scan::inclusive(items.data(), some.data(), scan::extents{few, length, 1}, fading{}).ok());
  CHECK(emulated::seen.kernels["row_wave_kernel"] == 1);
  REQUIRE(scan::inclusive(items.data(), all.data(), scan::extents{many, length, 1}, fading{}).ok());
  CHECK(emulated::seen.kernels["short_row_tile_kernel"] == 1);
  CHECK(std::memcmp(some.data(), all.data(), some.size() * sizeof(float)) == 0);
}

}  // namespace
