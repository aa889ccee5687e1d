// Gradients of recurrences on the stand-in GPU: random ones against a serial loop, and against the
// formulas of their order, bit for bit.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <scan/scan.cuh>
#include <vector>

#include "tests/emulated/check_tensor.hpp"
#include "tests/recurrences/gradient_order.hpp"

namespace {

using emulated::array;

/// Arrays at any address, before whose ends and behind which nothing may be touched.
template <class T>
void check_gradient(const tests::placed_case& c, std::mt19937_64& random) {
  using S = scan::state_t<T>;
  const auto data = tests::exact_gradient_data<T>(c, random);
  const auto offset = [&] { return static_cast<std::int64_t>(random() % 4); };
  tests::gradient_results<T> wanted{emulated::random_vector<T>(c.out_span(), random),
                                    emulated::random_vector<T>(c.out_span(), random),
                                    emulated::random_vector<S>(c.num_sequences(), random)};
  if (c.in_place) std::copy(data.grad_h.begin(), data.grad_h.end(), wanted.grad_b.begin());
  const bool is_one_place = random() % 2 == 0;  // so that vectors of all may be aligned
  const auto in_offset = [&] { return is_one_place ? c.in_offset : offset(); };
  const array<T> a(data.a, in_offset(), emulated::random_end(random)),
      h(data.h, in_offset(), emulated::random_end(random)),
      grad_h(data.grad_h, c.in_offset, emulated::random_end(random)),
      of_a(wanted.grad_a, is_one_place ? c.out_offset : offset(), emulated::random_end(random)),
      of_b(wanted.grad_b, c.out_offset, emulated::random_end(random));
  const array<S> inits(data.inits, offset(), emulated::random_end(random)),
      totals(data.grad_totals, offset(), emulated::random_end(random)),
      of_inits(wanted.grad_inits, offset(), emulated::random_end(random));
  a.lock();
  h.lock();
  grad_h.lock();
  inits.lock();
  totals.lock();
  tests::differentiate_serially(c, data, wanted);
  const auto opts = tests::gradient_options_of<scan::gradient_options<S>>(
      c, data.inits, inits.data(), totals.data(), of_inits.data());
  const scan::status status =
      scan::recurrence_gradient(a.data(), h.data(), c.in_place ? of_b.data() : grad_h.data(),
                                of_a.data(), of_b.data(), c.shape, opts);
  INFO(c.describe());
  INFO("seed " << emulated::now.seed << ", device " << emulated::now.device);
  INFO(std::string(emulated::seen.failure));
  REQUIRE_MESSAGE(status.ok(), std::string(status.message()));
  CHECK(tests::same_bits(of_a.items(), wanted.grad_a));
  CHECK(tests::same_bits(of_b.items(), wanted.grad_b));
  CHECK(tests::same_bits(of_inits.items(), wanted.grad_inits));
  CHECK((a.is_intact() && h.is_intact() && grad_h.is_intact() && of_a.is_intact() &&
         of_b.is_intact() && inits.is_intact() && totals.is_intact() && of_inits.is_intact()));
}

}  // namespace

TEST_CASE("random gradients") {
  using emulated::draw, emulated::random_case;
  const std::vector<std::string> kernels = {"column_walk_kernel",    "column_wave_kernel",
                                            "held_row_kernel",       "row_round_kernel",
                                            "short_row_walk_kernel", "short_row_tile_kernel"};
  draw(200, 3, kernels, [](std::mt19937_64& random) {
    check_gradient<float>(random_case(random, sizeof(float), true), random);
  });
  draw(200, 3, kernels, [](std::mt19937_64& random) {
    check_gradient<__nv_bfloat16>(random_case(random, sizeof(float), true), random);
  });
  draw(100, 3, {}, [](std::mt19937_64& random) {
    check_gradient<double>(random_case(random, sizeof(double), true), random);
  });
}

namespace {

/// Many short rows, some of whose numbers are infinite or none, against a call of each alone.
template <class T>
void check_alone(std::mt19937_64& random) {
  using S = scan::state_t<T>;
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % n); };
  constexpr int vector_items = 16 / sizeof(T), most = 32 * vector_items;
  const std::int64_t length = 1 + below(random() % 2 == 0 ? most : 3 * vector_items);
  const std::int64_t rows = 1 + below(static_cast<int>(40000 / (length + 8))), gap = below(3);
  const std::int64_t pitch = length + (gap == 2 ? below(9) : 0);
  const auto numbers = [&](std::int64_t n) {
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<T> items(static_cast<std::size_t>(n));
    for (T& each : items) {
      const auto kind = random() % 400;
      each = T(kind == 0 ? INFINITY : kind == 1 ? NAN : kind < 20 ? 0.0f : number(random));
    }
    return items;
  };
  const auto states = [&] { return emulated::random_vector<S>(rows, random); };
  const std::vector<T> a = numbers(rows * pitch), h = numbers(rows * pitch),
                       grad_h = numbers(rows * pitch);
  const std::vector<S> inits = states(), totals = states();
  scan::gradient_options<S> opts;
  opts.reverse = random() % 2 == 0;
  const bool has_inits = random() % 2 == 0, has_totals = random() % 2 == 0;
  const auto call = [&](std::int64_t row, std::int64_t count, std::vector<T>& of_a,
                        std::vector<T>& of_b, std::vector<S>& of_inits) {
    auto its = opts;
    if (has_inits) its.init_pointer = inits.data() + row;
    if (has_totals) its.grad_total = totals.data() + row;
    if (!of_inits.empty()) its.grad_init = of_inits.data();
    const std::int64_t at = row * pitch;
    REQUIRE(scan::recurrence_gradient(a.data() + at, h.data() + at, grad_h.data() + at, of_a.data(),
                                      of_b.data(), scan::extents{count, length, 1, pitch, pitch},
                                      its)
                .ok());
  };
  const auto same = [](const auto& x, const auto& y) {
    const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
    return std::memcmp(&x, &y, sizeof(x)) == 0 || (std::isnan(fx) && std::isnan(fy));
  };
  const bool has_ends = random() % 2 == 0;
  std::vector<T> all_a(rows * pitch), all_b(rows * pitch), one_a(length), one_b(length);
  std::vector<S> all_inits(has_ends ? rows : 0), one_init(has_ends ? 1 : 0);
  call(0, rows, all_a, all_b, all_inits);
  INFO(sizeof(T), " bytes, ", rows, " x ", length, " of ", pitch, ", seed ", emulated::now.seed);
  for (std::int64_t row = 0; row < rows; row += 1 + rows / 12) {
    call(row, 1, one_a, one_b, one_init);
    bool are_same = !has_ends || same(one_init[0], all_inits[row]);
    for (std::int64_t i = 0; i < length; ++i) {
      are_same = are_same && same(one_a[i], all_a[row * pitch + i]) &&
                 same(one_b[i], all_b[row * pitch + i]);
    }
    REQUIRE(are_same);
  }
}

}  // namespace

TEST_CASE("a short row's gradient has the bits of a call for it alone") {
  const std::vector<std::string> kernels = {"held_row_kernel", "short_row_walk_kernel",
                                            "short_row_tile_kernel"};
  emulated::draw(40, 1, kernels, [](std::mt19937_64& random) {
    check_alone<float>(random);
    check_alone<__nv_bfloat16>(random);
    check_alone<double>(random);
  });
}

TEST_CASE("gradients along rows have the order of the formulas without a ring") {
  emulated::now.device = 1;
  tests::check_gradient_orders<float>({{3, 130, 1, 0, 0},
                                       {3, 301, 1, 0, 0},
                                       {2, 3072, 1, 0, 0},
                                       {2, 3073, 1, 0, 0},
                                       {1, 9001, 1, 0, 0}});
  tests::check_gradient_orders<__nv_bfloat16>({{5, 23, 1, 0, 0}, {2, 6145, 1, 0, 0}});
  emulated::now.device = 0;
}

TEST_CASE("gradients are walked in the order of the formulas") {
  tests::check_gradient_orders<float>(
      {{7, 3, 1, 0, 0},      {21, 12, 1, 0, 0},   {3, 128, 1, 0, 0},   {3, 301, 1, 0, 0},
       {700, 1, 1, 0, 0},    {900, 2, 1, 0, 0},   {700, 3, 1, 0, 0},   {601, 5, 1, 0, 0},
       {333, 23, 1, 0, 0},   {330, 16, 1, 0, 0},  {200, 47, 1, 0, 0},  {440, 127, 1, 0, 0},
       {3, 512, 1, 0, 0},    {2, 1028, 1, 0, 0},  {1, 20001, 1, 0, 0}, {2, 6145, 1, 0, 0},
       {1, 205000, 1, 0, 0}, {70, 1029, 1, 0, 0}, {385, 301, 1, 0, 0}, {3, 7, 2, 0, 0},
       {2, 100, 5, 0, 0},    {1, 1111, 64, 0, 0}, {1, 5001, 33, 0, 0}, {100, 300, 20, 0, 0}});
  tests::check_gradient_orders<__nv_bfloat16>({{9, 24, 1, 0, 0},
                                               {5, 23, 1, 0, 0},
                                               {700, 4, 1, 0, 0},
                                               {700, 7, 1, 0, 0},
                                               {300, 24, 1, 0, 0},
                                               {200, 93, 1, 0, 0},
                                               {300, 101, 1, 0, 0},
                                               {460, 255, 1, 0, 0},
                                               {3, 255, 1, 0, 0},
                                               {2, 2776, 1, 0, 0},
                                               {2, 300, 66, 0, 0},
                                               {1, 300, 65, 0, 0}});
  tests::check_gradient_orders<double>({{2, 1029, 1, 0, 0}, {2, 50, 31, 0, 0}});
}
