// Scans of tensors by the library's kernels on the stand-in GPU: random shapes, pitches, places and
// options, compared with serial loops.
#include "tests/emulated/words.hpp"
// (before all that has device code)
#include <doctest/doctest.h>

#include <scan/scan.cuh>

#include "tests/emulated/check_tensor.hpp"

namespace {

using namespace emulated;

template <class T, class Op>
void check_scan(const tests::placed_case& c, Op op, std::mt19937_64& random) {
  check_tensor<T, T>(
      c, random_vector<T>(c.in_span(), random),
      [&](const T* in, T* out, const auto& opts) {
        return c.exclusive ? scan::exclusive(in, out, c.shape, op, opts)
                           : scan::inclusive(in, out, c.shape, op, opts);
      },
      [&](const T* in, T* out, const auto& inits, T* totals) {
        tests::scan_tensor_serially(c, in, out, inits, totals, op);
      },
      random);
}

TEST_CASE("emulated tensors of float") {
  draw(300, 3, {"column_kernel", "row_kernel", "row_wave_kernel", "short_rows_kernel"},
       [](std::mt19937_64& random) {
         check_scan<float>(random_case(random, sizeof(float), false), scan::plus{}, random);
       });
}

#if EMULATED_ARCH >= 900
TEST_CASE("emulated rows in the ring") {
  draw(1, 0, {"ring_kernel"}, [](std::mt19937_64& random) {
    tests::placed_case c;
    c.shape = {2, scan::device::most_wave_items(sizeof(float), true) + 3333, 1};
    c.in_offset = 1;
    c.out_offset = 3;
    check_scan<float>(c, scan::plus{}, random);
  });
}
#endif

}  // namespace
