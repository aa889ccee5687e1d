#include "tests/matrices/matrix.hpp"

#include <algorithm>

namespace tests {
// One per list of matrix_lists.hpp, each in a source of its own.
void add_COMMON_plus(std::vector<matrix_row>& rows);
void add_COMMON_minimum(std::vector<matrix_row>& rows);
void add_COMMON_maximum(std::vector<matrix_row>& rows);
void add_FULL_minimum(std::vector<matrix_row>& rows);
void add_FULL_maximum(std::vector<matrix_row>& rows);
void add_FULL_multiplies(std::vector<matrix_row>& rows);
void add_FULL_bit_and(std::vector<matrix_row>& rows);
void add_FULL_bit_or(std::vector<matrix_row>& rows);
void add_FULL_bit_xor(std::vector<matrix_row>& rows);

const std::vector<matrix_row>& matrix() {
  static const std::vector<matrix_row> all = [] {
    std::vector<matrix_row> rows;
    add_COMMON_plus(rows);
    add_COMMON_minimum(rows);
    add_COMMON_maximum(rows);
    add_FULL_minimum(rows);
    add_FULL_maximum(rows);
    add_FULL_multiplies(rows);
    add_FULL_bit_and(rows);
    add_FULL_bit_or(rows);
    add_FULL_bit_xor(rows);
    return rows;
  }();
  return all;
}

single_problem::single_problem(const matrix_row& row, const single_case& c, std::uint64_t seed)
    // (In place the buffer of the input holds the outputs, one of which has no input.)
    : sequence_problem(
          {(c.in_place ? c.num_outputs() : c.n) * bytes(row.in_bytes),
           c.in_offset * bytes(row.in_bytes)},
          {}, {c.num_outputs() * bytes(row.out_bytes), c.out_offset * bytes(row.out_bytes)},
          {bytes(row.value_bytes), 0}, {bytes(row.value_bytes), 0}),
      row_(row),
      c_(c) {
  std::mt19937_64 random(seed);
  row.fill_values(inits.data(), 1, random);
  fill_repeating(row.fill, row.in_bytes, in.data(), c.n, random);
  expect(row, c);
}

std::string single_problem::judge() const {
  const unsigned char* const result = c_.in_place ? in.data() : out.data();
  if (!std::equal(expected.begin(), expected.end(), result)) {
    const std::int64_t wrong = row_.first_difference(result, expected.data(), c_.num_outputs());
    if (wrong >= 0) return "output " + std::to_string(wrong) + " is wrong";
  }
  return judge_rest(row_, c_, 1);
}

}  // namespace tests
