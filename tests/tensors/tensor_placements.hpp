// Where the slab that a test of batch invariance compares lies in its calls.
#ifndef SCAN_TESTS_TENSOR_PLACEMENTS_HPP
#define SCAN_TESTS_TENSOR_PLACEMENTS_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

/// What is asked of every sequence; a recurrence is never exclusive.
struct sequence_variant {
  bool exclusive = false, reverse = false, with_init = false;
  std::string describe() const {
    return std::string(exclusive ? " exclusive" : "") + (reverse ? " reverse" : "") +
           (with_init ? " init" : "");
  }
};
inline sequence_variant sequence_variant_of(std::uint64_t turn, bool recurrence) {
  return {!recurrence && turn % 2 == 1, turn / 2 % 2 == 1, turn / 4 % 2 == 1};
}

/// Where the slab that is compared lies in a call.
struct placement {
  std::int64_t outer = 1, position = 0;
  std::int64_t in_gap = 0, out_gap = 0;        // elements between slabs
  std::int64_t in_offset = 0, out_offset = 0;  // past a 256-byte boundary
  bool beside_nan = false;                     // and infinities; else random numbers
  bool in_place = false;

  std::string describe() const {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    return "slab " + number(position) + " of " + number(outer) + " gaps " + number(in_gap) + ", " +
           number(out_gap) + " offsets " + number(in_offset) + ", " + number(out_offset) +
           (beside_nan ? " beside NaN or infinities" : "") + (in_place ? " in place" : "");
  }
};
inline const std::vector<placement>& placements() {
  static const std::vector<placement> all = {
      {1, 0, 0, 0, 1, 2},         {1, 0, 0, 0, 3, 0, false, true},  {2, 0, 0, 0, 0, 0},
      {2, 1, 0, 0, 0, 0, true},   {3, 1, 1, 1, 2, 1, true},         {3, 2, 3, 0, 0, 3, false},
      {3, 0, 0, 16, 5, 5, true},  {7, 3, 5, 5, 1, 1, false, true},  {33, 32, 16, 16, 0, 0},
      {33, 17, 0, 7, 3, 1, true}, {140, 70, 2, 2, 1, 0, true},      {1000, 500, 0, 0, 0, 0},
      {1000, 999, 1, 1, 2, 3},    {100000, 77777, 0, 0, 1, 0, true}};
  return all;
}

}  // namespace tests

#endif
