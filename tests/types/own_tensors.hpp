// Tensors of a user's own types: the shapes and the ways to call of their checks, and intervals of
// which no sequence's may meet another's.
#ifndef SCAN_TESTS_OWN_TENSORS_HPP
#define SCAN_TESTS_OWN_TENSORS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/interval.hpp"
#include "tests/tensors/tensor_cases.hpp"
#include "tests/types/own_scan.hpp"

namespace tests {

struct own_tensors : own_shape {
  using test_case = placed_case;

  static std::int64_t out_span(const test_case& c) { return c.out_span(); }
  static std::int64_t num_totals(const test_case& c) { return c.num_sequences(); }
  static bool wants_start(const test_case& c) {
    return (c.shape.length > 0 ? c.exclusive : c.complete || c.with_total) && c.num_sequences() > 0;
  }
  template <class Each>
  static void for_each_output(const test_case& c, const Each& each) {
    for (std::int64_t o = 0; o < c.shape.outer; ++o) {
      for (std::int64_t i = 0; i < c.num_outputs() * c.shape.inner; ++i) {
        each(o * c.out_pitch() + i);
      }
    }
  }
  template <class T, class Op>
  static void scan_serially(const test_case& c, const T* in, T* out, const std::vector<T>& inits,
                            T* totals, Op op) {
    scan_tensor_serially(c, in, out, inits, totals, op);
  }
  static void make_workspace(const test_case& c, int widest, std::optional<scan::workspace>& to) {
    to.emplace(c.shape, widest);
  }
  template <class Input, class Output, class Op, class Options, class... Where>
  static scan::status call(const test_case& c, const void*, Input in, Output out, Op op,
                           const Options& opts, Where... where) {
    return c.exclusive ? scan::exclusive(where..., in, out, c.shape, op, opts)
                       : scan::inclusive(where..., in, out, c.shape, op, opts);
  }
};

/// Rows, short and long, columns and what is narrow: shapes of every way to cut a tensor, of up to
/// so many elements.
inline std::vector<scan::extents> own_tensor_shapes(std::int64_t most) {
  std::vector<scan::extents> some;
  for (const scan::extents& shape : std::vector<scan::extents>{
           {1000, 1, 1, 0, 0},  {300, 3, 1, 0, 0},    {700, 7, 1, 0, 0},    {70, 33, 1, 0, 0},
           {90, 67, 1, 0, 0},   {5, 100, 1, 0, 0},    {3, 1000, 1, 0, 0},   {2, 20000, 1, 0, 0},
           {3, 70001, 1, 0, 0}, {1, 300011, 1, 0, 0}, {1, 100, 64, 0, 0},   {1, 3000, 100, 0, 0},
           {2, 513, 33, 0, 0},  {1, 7, 1000, 0, 0},   {1, 20000, 20, 0, 0}, {30, 40, 50, 0, 0},
           {1, 1000, 2, 0, 0},  {3, 529, 7, 0, 0},    {2, 5000, 3, 0, 0},   {1, 40000, 5, 0, 0},
           {40, 33, 4, 0, 0},   {200, 2, 6, 0, 0},    {1, 1, 9000, 0, 0},   {2, 0, 3, 0, 0}}) {
    if (shape.outer * shape.length * shape.inner <= most) some.push_back(shape);
  }
  return some;
}

/// Calls `each` with cases of these shapes: all variants of small ones, a part of the others; of
/// all those one in so many.
template <class Each>
void for_each_tensor(const std::vector<scan::extents>& shapes, bool can_be_in_place,
                     std::uint64_t one_in, const Each& each) {
  std::uint64_t turn = 0;
  for (const scan::extents& shape : shapes) {
    const std::int64_t elements = shape.outer * shape.length * shape.inner;
    const std::uint64_t step = elements < 10000 ? 1 : elements < 100000 ? 5 : 11;
    for (std::uint64_t v = turn % step; v < num_tensor_variants; v += step) {
      if (++turn % one_in != 0) continue;
      placed_case c = tensor_variant(shape, v, false, can_be_in_place);
      place(c, turn * 11);
      each(c);
    }
  }
}

/// Intervals side by side within a sequence, far from those of the others where inits are; and
/// between slabs what is nobody's neighbour.
template <class Number>
std::vector<interval_of<Number>> intervals(const placed_case& c) {
  const std::int64_t distance = c.init == sequence_init::by_value ? 0 : c.shape.length + 100;
  std::vector<interval_of<Number>> items(
      static_cast<std::size_t>(c.in_place ? c.out_span() : c.in_span()), {-50, -60});
  for (std::int64_t o = 0; o < c.shape.outer; ++o) {
    for (std::int64_t i = 0; i < c.shape.length; ++i) {
      for (std::int64_t k = 0; k < c.shape.inner; ++k) {
        const auto begin = static_cast<Number>((o * c.shape.inner + k) * distance + i);
        items[static_cast<std::size_t>(c.in_index(o, i, k))] = {begin, begin + 1};
      }
    }
  }
  return items;
}
/// What is before the first of each sequence, or after its last.
template <class Number>
std::vector<interval_of<Number>> inits_of_intervals(const placed_case& c) {
  std::vector<interval_of<Number>> inits;
  for (std::int64_t s = 0; s < c.num_inits(); ++s) {
    const auto begin = static_cast<Number>(s * (c.shape.length + 100));
    const auto end = static_cast<Number>(begin + c.shape.length);
    if (c.reverse) {
      inits.push_back({end, end + 40});
    } else {
      inits.push_back({begin - 40, begin});
    }
  }
  return inits;
}

}  // namespace tests

#endif
