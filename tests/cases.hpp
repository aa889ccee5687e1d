// The grid of scans that the host and the device suite go through, and their serial reference.
#ifndef SCAN_TESTS_CASES_HPP
#define SCAN_TESTS_CASES_HPP

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "scan/operators.hpp"

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

  std::int64_t num_outputs() const { return n + complete; }
  std::string describe() const {
    return (exclusive ? "exclusive" : "inclusive") + std::string(" n=") + std::to_string(n) +
           (with_init ? init_by_pointer ? " init_pointer" : " init" : "") +
           (reverse ? " reverse" : "") + (complete ? " complete" : "") +
           (with_total ? " total" : "") + (in_place ? " in place" : "") + " offsets " +
           std::to_string(in_offset) + "," + std::to_string(in_place ? in_offset : out_offset);
  }
};

/// Every size with every variant; alignments alternate over the sizes so that all pairs occur.
inline std::vector<scan_case> all_cases(const std::vector<std::int64_t>& sizes) {
  std::vector<scan_case> cases;
  for (const std::int64_t n : sizes) {
    for (int variant = 0; variant < 8; ++variant) {
      const auto turn = static_cast<std::int64_t>(cases.size());
      cases.push_back(
          {n, (variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0, turn % 4 / 2, turn % 3});
    }
  }
  return cases;
}

/// Sizes around `tile_items`, and some that nothing divides.
inline std::vector<std::int64_t> sizes_around(std::int64_t tile_items) {
  return {0,
          1,
          2,
          3,
          15,
          16,
          17,
          31,
          32,
          33,
          97,
          127,
          1021,
          4093,
          tile_items - 1,
          tile_items,
          tile_items + 1,
          2 * tile_items,
          3 * tile_items + 7,
          7 * tile_items - 1,
          100003};
}

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
