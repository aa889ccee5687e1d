// The letters of the formulas of include/scan/README.md ("In which order"), which the models of
// sequences, tensors, segments and slices are written in (association.hpp and others). Names are
// the formulas', and nothing is shared with the kernels. What is absent is nullopt.
#ifndef SCAN_TESTS_FORMULAS_HPP
#define SCAN_TESTS_FORMULAS_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tests {

/// What a scan computes, before it is converted to the output's type. `total` is absent for n == 0.
template <class T>
struct associated {
  std::vector<T> results;
  std::optional<T> total;
};

/// What comes before each operand, among the operands; and the fold of all, absent for none.
template <class T>
struct parts {
  std::vector<std::optional<T>> before;
  std::optional<T> all;
};

/// a + b of the formula.
template <class T, class Op>
std::optional<T> combine(const std::optional<T>& a, const std::optional<T>& b, Op op) {
  if (!a) return b;
  if (!b) return a;
  return op(*a, *b);
}

/// L(x(first), ..., x(end - 1)).
template <class T, class Op>
std::optional<T> fold_left(const std::vector<T>& x, std::size_t first, std::size_t end, Op op) {
  std::optional<T> folded;
  for (std::size_t i = first; i < end; ++i) folded = combine<T>(folded, x[i], op);
  return folded;
}

/// H of the operands before each, and of all (of more than 32 with as many more steps).
template <class T, class Op>
parts<T> warp_parts(std::vector<T> a, Op op) {
  for (std::size_t delta = 1; delta < a.size(); delta *= 2) {
    const std::vector<T> previous = a;  // s(j, .), from which all of s(j + 1, .) is made
    for (std::size_t i = delta; i < a.size(); ++i) a[i] = op(previous[i - delta], previous[i]);
  }
  parts<T> scanned;
  for (const T& sum : a) {
    scanned.before.push_back(scanned.all);
    scanned.all = sum;
  }
  return scanned;
}

/// s(5, i) of the operands, for each i.
template <class T, class Op>
std::vector<T> inclusive_parts(std::vector<T> a, Op op) {
  const parts<T> scanned = warp_parts(a, op);
  for (std::size_t i = 0; i + 1 < a.size(); ++i) a[i] = *scanned.before[i + 1];
  a.back() = *scanned.all;
  return a;
}

/// a(k) of a block x(first), ..., x(end - 1).
template <class T, class Op>
std::optional<T> strided_fold(const std::vector<T>& x, std::size_t first, std::size_t end,
                              std::size_t vector_items, Op op) {
  std::optional<T> folded;
  for (std::size_t lane = 0; lane < vector_items; ++lane) {
    std::optional<T> c[4];
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t i = first + j * vector_items + lane; i < end; i += 4 * vector_items) {
        c[j] = combine<T>(c[j], x[i], op);
      }
    }
    const std::optional<T> f = combine(combine(c[0], c[1], op), combine(c[2], c[3], op), op);
    folded = combine(folded, f, op);
  }
  return folded;
}

/// F(a).
template <class T, class Op>
std::optional<T> fold_batch(const std::vector<T>& a, Op op) {
  std::vector<T> warps;
  for (std::size_t first = 0; first < a.size(); first += 32) {
    const std::size_t end = std::min(first + 32, a.size());
    warps.push_back(*warp_parts(std::vector<T>(&a[first], &a[first] + (end - first)), op).all);
  }
  return warp_parts(warps, op).all;
}

/// Appends inclusive(i) or exclusive(i) of x(first), ..., x(end - 1) after `before`, one after
/// another; `identity` is the result where nothing comes before.
template <class T, class Op>
void append_results(const std::vector<T>& x, std::size_t first, std::size_t end,
                    std::optional<T> before, bool exclusive, const T& identity, Op op,
                    associated<T>& to) {
  for (std::size_t i = first; i < end; ++i) {
    const std::optional<T> through = combine<T>(before, x[i], op);
    to.results.push_back(exclusive ? before.value_or(identity) : *through);
    before = through;
  }
  to.total = before;  // in the end, of the last element of all
}

/// For the scan of a reversed call.
template <class Op>
struct exchanged {
  Op op;
  template <class T>
  T operator()(const T& walked, const T& next) const {
    return op(next, walked);
  }
};

/// `model(x, op)` of a call whose elements are `x` in memory's order, as are the results.
template <class T, class Op, class Model>
associated<T> in_memory_order(std::vector<T> x, bool reverse, Op op, Model model) {
  if (!reverse) return model(x, op);
  std::reverse(x.begin(), x.end());
  associated<T> scanned = model(x, exchanged<Op>{op});
  std::reverse(scanned.results.begin(), scanned.results.end());
  return scanned;
}

/// An operator on strings that notes in which order it was applied.
struct parenthesize {
  std::string operator()(const std::string& a, const std::string& b) const {
    return "(" + a + b + ")";
  }
};

}  // namespace tests

#endif
