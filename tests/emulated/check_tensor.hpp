// Cases of tensors on the stand-in GPU.
#ifndef SCAN_TESTS_EMULATED_CHECK_TENSOR_HPP
#define SCAN_TESTS_EMULATED_CHECK_TENSOR_HPP

#include <random>
#include <vector>

#include "tests/emulated/check_call.hpp"
#include "tests/tensors/random_extents.hpp"
#include "tests/tensors/tensor_cases.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace emulated {

/// A case of a scan, or of a recurrence.
inline tests::placed_case random_case(std::mt19937_64& random, std::size_t item_bytes,
                                      bool recurrence) {
  auto shape = tests::random_extents(random, random_most(random, item_bytes));
  // Rows of several tiles, and columns of many, are seldom drawn.
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  if (random() % 5 == 0) shape = {1 + below(6), 600 + below(12000), 1};
  if (random() % 8 == 0) shape = {1 + below(2), 600 + below(6000), 2 + below(9)};
  auto c = tests::tensor_variant(shape, random(), recurrence, true);
  tests::place(c, random() % 2 == 0 ? random() : 0);
  return c;
}

/// `call(arrays, options)` is the call; `serially(in, out, inits, totals)` what it should do.
template <class T, class S, class Call, class Serially>
void check_tensor(const tests::placed_case& c, scan::algorithm which, const std::vector<T>& items,
                  Call call, Serially serially, std::mt19937_64& random) {
  const auto inits = random_vector<S>(c.num_inits(), random);
  auto before = random_vector<T>(c.out_span(), random);
  for (std::size_t i = 0; c.in_place && i < before.size() && i < items.size(); ++i) {
    before[i] = items[i];
  }
  auto wanted = before;
  std::vector<S> totals(c.with_total ? static_cast<std::size_t>(c.num_sequences()) : 0);
  serially(c.in_place ? wanted.data() : items.data(), wanted.data(), inits,
           c.with_total ? totals.data() : nullptr);
  const call_arrays<T, T, S> arrays(items, c.in_offset, before, c.out_offset, inits,
                                    c.num_sequences(), random);
  auto opts = arrays.options(c, inits);
  opts.algorithm = which;
  const scan::status status =
      call(c.in_place ? arrays.out.data() : arrays.in.data(), arrays.out.data(), opts);
  arrays.check(status, c.describe(), wanted, totals);
}

template <class T, class Op>
void check_scan(const tests::placed_case& c, Op op, std::mt19937_64& random,
                scan::algorithm which = scan::algorithm::automatic) {
  check_tensor<T, T>(
      c, which, random_vector<T>(c.in_span(), random),
      [&](const T* in, T* out, const auto& opts) {
        return c.exclusive ? scan::exclusive(in, out, c.shape, op, opts)
                           : scan::inclusive(in, out, c.shape, op, opts);
      },
      [&](const T* in, T* out, const auto& inits, T* totals) {
        tests::scan_tensor_serially(c, in, out, inits, totals, op);
      },
      random);
}

/// Factors of -1, 0 and 1, so that states of small numbers are exact.
template <class T>
void check_recurrence(const tests::placed_case& c, std::mt19937_64& random,
                      scan::algorithm which = scan::algorithm::automatic) {
  using S = scan::state_t<T>;
  std::vector<T> factors(static_cast<std::size_t>(c.in_span()));
  for (T& each : factors) each = T(static_cast<float>(static_cast<int>(random() % 3) - 1));
  const array<T> a(factors, static_cast<std::int64_t>(random() % 4), random_end(random));
  a.lock();
  check_tensor<T, S>(
      c, which, random_vector<T>(c.in_span(), random),
      [&](const T* in, T* out, const auto& opts) {
        return scan::recurrence(a.data(), in, out, c.shape, opts);
      },
      [&](const T* in, T* out, const auto& inits, S* totals) {
        tests::recur_serially(c, factors.data(), in, out, inits, totals);
      },
      random);
  CHECK(a.is_intact());
}

/// Sums of bytes, whose results are as wide as no item, and lie beside them.
inline void check_widened(const tests::placed_case& c, std::mt19937_64& random) {
  const auto items = random_vector<std::uint8_t>(c.in_span(), random);
  const auto inits = random_vector<std::uint32_t>(c.num_inits(), random);
  const auto before = random_vector<std::uint32_t>(c.out_span(), random);
  auto wanted = before;
  std::vector<std::uint32_t> totals(c.with_total ? c.num_sequences() : 0);
  const std::vector<std::uint32_t> wide(items.begin(), items.end());
  tests::scan_tensor_serially(c, wide.data(), wanted.data(), inits,
                              c.with_total ? totals.data() : nullptr, scan::plus{});
  const call_arrays<std::uint8_t, std::uint32_t> arrays(items, c.in_offset, before, c.out_offset,
                                                        inits, c.num_sequences(), random);
  const auto opts = arrays.options(c, inits);
  const std::uint8_t* const in = arrays.in.data();
  const scan::status status =
      c.exclusive ? scan::exclusive(in, arrays.out.data(), c.shape, scan::plus{}, opts)
                  : scan::inclusive(in, arrays.out.data(), c.shape, scan::plus{}, opts);
  arrays.check(status, c.describe(), wanted, totals);
}

}  // namespace emulated

#endif
