// One way to call a scan, its serial reference, and the comparison.
#ifndef SCAN_TESTS_CASES_HPP
#define SCAN_TESTS_CASES_HPP

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "scan/operators.hpp"
#include "scan/options.hpp"

namespace tests {

struct scan_case {
  std::int64_t n;
  bool exclusive;
  bool with_init;
  bool in_place;
  std::int64_t in_offset;   // elements past a 256-byte boundary
  std::int64_t out_offset;  // ignored in place
  bool reverse = false;
  bool complete = false;  // exclusive only
  bool with_total = false;
  bool init_by_pointer = false;  // device only
  scan::algorithm algorithm = scan::algorithm::automatic;

  std::int64_t num_outputs() const { return n + complete; }
  std::string describe() const {
    return (exclusive ? "exclusive" : "inclusive") + std::string(" n=") + std::to_string(n) +
           (with_init ? init_by_pointer ? " init_pointer" : " init" : "") +
           (reverse ? " reverse" : "") + (complete ? " complete" : "") +
           (with_total ? " total" : "") + " algorithm " +
           std::to_string(static_cast<int>(algorithm)) + (in_place ? " in place" : "") +
           " offsets " + std::to_string(in_offset) + "," +
           std::to_string(in_place ? in_offset : out_offset);
  }
};

template <class T>
std::optional<T> init_of(const scan_case& c) {
  return c.with_init ? std::optional<T>(static_cast<T>(7)) : std::nullopt;
}

/// The scan as a loop, first element to last. Exclusive without init takes an identity.
template <class Out, class In, class Op>
std::vector<Out> serial_scan(bool exclusive, std::optional<Out> init, const std::vector<In>& in,
                             Op op) {
  std::vector<Out> out(in.size());
  if constexpr (scan::has_identity<Op, Out>) {
    if (exclusive && !init && !in.empty()) out[0] = Op::template identity<Out>();
  }
  std::optional<Out> running = init;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Out item = static_cast<Out>(in[i]);
    if (exclusive && running) out[i] = *running;
    running = running ? op(*running, item) : item;
    if (!exclusive) out[i] = *running;
  }
  return out;
}

template <class T, class Op>
std::vector<T> serial_scan(const scan_case& c, const std::vector<T>& in, Op op) {
  return serial_scan<T>(c.exclusive, init_of<T>(c), in, op);
}

/// Index of the first element whose bits differ, or -1.
template <class T>
std::int64_t first_difference(const T* actual, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) != 0) return static_cast<std::int64_t>(i);
  }
  return -1;
}

}  // namespace tests

#endif
