// What is asked of every sequence of a call, and the scan of one as a serial loop: rows and columns
// of tensors, ragged segments.
#ifndef SCAN_TESTS_SEQUENCE_REFERENCE_HPP
#define SCAN_TESTS_SEQUENCE_REFERENCE_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/operands/accumulator.hpp"
#include "scan/operators.hpp"

namespace tests {

enum class sequence_init { none, by_value, by_pointer };

struct sequence_case {
  bool exclusive = false;
  bool reverse = false;
  bool complete = false;
  bool in_place = false;  // of a recurrence: the output is that of the offsets, b
  bool with_total = false;
  sequence_init init = sequence_init::none;

  std::string describe_options() const {
    const char* const inits[] = {"", " init", " init_pointer"};
    return inits[static_cast<int>(init)] + std::string(reverse ? " reverse" : "") +
           (complete ? " complete" : "") + (in_place ? " in place" : "") +
           (with_total ? " total" : "");
  }
};

/// The results of one sequence of values, which the operator has seen in memory's order.
template <class T>
struct sequence_results {
  std::vector<T> outputs;  // as many as there are elements, one more if `complete`
  T total;                 // without elements and without init: the identity, or T{}
};

/// The scan of one sequence as a loop. `T` is what is computed in: see scan::accumulator_t.
template <class T, class Op>
sequence_results<T> scan_sequence(const sequence_case& c, std::vector<T> items,
                                  std::optional<T> running, Op op) {
  sequence_results<T> results{};
  results.outputs.reserve(items.size() + c.complete);
  T nothing{};  // an exclusive scan's first output without init
  if constexpr (scan::has_identity<Op, T>) nothing = Op::template identity<T>();
  if (c.reverse) std::reverse(items.begin(), items.end());
  for (const T& item : items) {
    if (c.exclusive) results.outputs.push_back(running ? *running : nothing);
    if (!running) {
      running = item;
    } else {
      running = static_cast<T>(c.reverse ? op(item, *running) : op(*running, item));
    }
    if (!c.exclusive) results.outputs.push_back(*running);
  }
  results.total = running ? *running : nothing;
  if (c.complete) results.outputs.push_back(results.total);
  if (c.reverse) std::reverse(results.outputs.begin(), results.outputs.end());
  return results;
}

/// What init a sequence has: `inits` are those of all sequences, or one, or none.
template <class T>
std::optional<T> init_of_sequence(const sequence_case& c, const std::vector<T>& inits,
                                  std::int64_t sequence) {
  if (c.init == sequence_init::none) return std::nullopt;
  return inits[static_cast<std::size_t>(c.init == sequence_init::by_value ? 0 : sequence)];
}

}  // namespace tests

#endif
