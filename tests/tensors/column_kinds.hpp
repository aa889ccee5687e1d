// Sums and recurrences along columns, of values that are rounded, for who compares the bits of two
// kernels on the stand-in GPU. To be included after words.hpp and all of the library.
#ifndef SCAN_TESTS_TENSORS_COLUMN_KINDS_HPP
#define SCAN_TESTS_TENSORS_COLUMN_KINDS_HPP

#include <cstdint>
#include <random>
#include <vector>

#include "tests/emulated/check_call.hpp"
#include "tests/support/rounded_values.hpp"

namespace SCAN_HIDDEN emulated {

/// check(items, describe) of both; describe(in, out, shape): the problem, as kernels take it.
template <class T, bool reversed, class Check>
void check_kinds(const scan::extents& shape, std::mt19937_64& random, Check check) {
  using namespace scan::device;
  const std::int64_t n = shape.outer * shape.length * shape.inner;
  const std::vector<T> items = tests::random_values<T>(tests::values::wide, n);
  check(items, [&](const T* in, T* out, const scan::tensor_shape& all) {
    return describe_parts<reversed>(now.seed % 2 == 0, scan::transform_input<T>{in, {}},
                                    scan::transform_output<T>{out, {}}, all, scan::plus{},
                                    scan::options<T>{}, nullptr);
  });
  const array<T> factors(tests::random_values<T>(tests::values::near_one, n), 4,
                         random_end(random));
  check(items, [&](const T* in, T* out, const scan::tensor_shape& all) {
    return scan::describe_recurrence<reversed>(scan::recurrence_input<T>{in, factors.data()}, out,
                                               all, scan::options<scan::state_t<T>>{});
  });
}

}  // namespace emulated

#endif
