// Recurrences of tensors by the library's kernels on the stand-in GPU: random shapes, pitches,
// places and options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_tensor.hpp"

namespace {

using namespace emulated;

/// Factors of -1, 0 and 1, so that states of small numbers are exact.
template <class T>
void check_recurrence(const tests::placed_case& c, std::mt19937_64& random) {
  using S = scan::state_t<T>;
  std::vector<T> factors(static_cast<std::size_t>(c.in_span()));
  for (T& each : factors) each = T(static_cast<float>(static_cast<int>(random() % 3) - 1));
  const array<T> a(factors, static_cast<std::int64_t>(random() % 4), random_end(random));
  a.lock();
  check_tensor<T, S>(
      c, random_vector<T>(c.in_span(), random),
      [&](const T* in, T* out, const auto& opts) {
        return scan::recurrence(a.data(), in, out, c.shape, opts);
      },
      [&](const T* in, T* out, const auto& inits, S* totals) {
        tests::recur_serially(c, factors.data(), in, out, inits, totals);
      },
      random);
  CHECK(a.is_intact());
}

TEST_CASE("emulated recurrences of bfloat16") {
  draw(200, 3, {"column_kernel", "row_kernel", "short_rows_kernel"}, [](std::mt19937_64& random) {
    check_recurrence<__nv_bfloat16>(random_case(random, sizeof(float), true), random);
  });
}

}  // namespace
