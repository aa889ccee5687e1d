#include "tests/matrices/tensor_matrix.hpp"

#include <algorithm>

namespace tests {
namespace {

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

tensor_problem_data::tensor_problem_data(const tensor_row& row, const placed_case& c,
                                         std::uint64_t seed)
    // (In place the buffer of the input holds the outputs, some of which have no input.)
    : sequence_problem({(c.in_place ? c.out_span() : c.in_span()) * bytes(row.in_bytes),
                        c.in_offset * bytes(row.in_bytes)},
                       {row.recurrence ? c.in_span() * bytes(row.in_bytes) : 0,
                        (c.in_offset + 1) * bytes(row.in_bytes)},
                       {c.out_span() * bytes(row.out_bytes), c.out_offset * bytes(row.out_bytes)},
                       {c.num_sequences() * bytes(row.value_bytes), 0},
                       {c.num_inits() * bytes(row.value_bytes), 0}),
      row_(row),
      c_(c) {
  std::mt19937_64 random(seed);
  // Between the slabs too: nobody may take these for operands.
  fill_repeating(row.fill, row.in_bytes, in.data(), c.in_place ? c.out_span() : c.in_span(),
                 random);
  if (row.recurrence) {
    fill_repeating(row.fill_factors, row.in_bytes, beside.data(), c.in_span(), random);
  }
  fill_repeating(row.fill_values, row.value_bytes, inits.data(), c.num_inits(), random);
  expect(row, c);
}

/// Names the first output that is wrong, by its place in the tensor; or "".
std::string tensor_problem_data::wrong_output(const unsigned char* result) const {
  const std::int64_t slab = c_.num_outputs() * c_.shape.inner;
  for (std::int64_t o = 0; slab > 0 && o < c_.shape.outer; ++o) {
    const std::size_t begin = size(o * c_.out_pitch()) * row_.out_bytes;
    const std::int64_t i = row_.first_difference(result + begin, expected.data() + begin, slab);
    if (i < 0) continue;
    return "output (" + std::to_string(o) + ", " + std::to_string(i / c_.shape.inner) + ", " +
           std::to_string(i % c_.shape.inner) + ") is wrong";
  }
  return "";
}

/// The slab after which there is a byte that was not there before; -1 for none.
std::int64_t tensor_problem_data::first_stray(const unsigned char* result) const {
  const std::size_t slab = size(c_.num_outputs() * c_.shape.inner) * row_.out_bytes;
  const std::size_t pitch = size(c_.out_pitch()) * row_.out_bytes;
  for (std::int64_t o = 0; slab > 0 && o + 1 < c_.shape.outer; ++o) {
    const std::size_t end = size(o) * pitch + slab, next = size(o + 1) * pitch;
    if (!std::equal(result + end, result + next, expected.data() + end)) return o;
  }
  return -1;
}

std::string tensor_problem_data::judge() const {
  const unsigned char* const result = c_.in_place ? in.data() : out.data();
  if (!std::equal(expected.begin(), expected.end(), result)) {
    if (const std::string wrong = wrong_output(result); !wrong.empty()) return wrong;
    if (const std::int64_t slab = first_stray(result); slab >= 0) {
      return "something was written between slabs, after " + std::to_string(slab);
    }
  }
  return judge_rest(row_, c_, c_.num_sequences());
}

}  // namespace tests
