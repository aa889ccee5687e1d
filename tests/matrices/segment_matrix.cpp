#include "tests/matrices/segment_matrix.hpp"

#include <algorithm>

namespace tests {

segment_problem::segment_problem(const segment_row& row, const segment_case& c, std::uint64_t seed)
    : sequence_problem(
          {c.num_items() * bytes(row.in_bytes), c.in_offset * bytes(row.in_bytes)},
          {c.num_heads() * bytes(traits_of(c.heads).bytes),
           c.heads_offset * bytes(traits_of(c.heads).bytes)},
          {c.num_items() * bytes(row.out_bytes), c.out_offset * bytes(row.out_bytes)},
          {c.layout->num_segments() * bytes(row.value_bytes),
           c.values_offset * bytes(row.value_bytes)},
          {c.num_inits() * bytes(row.value_bytes), c.values_offset * bytes(row.value_bytes)}),
      row_(row),
      c_(c) {
  std::mt19937_64 random(seed);
  // What is in no segment too: nobody may take it for operands.
  fill_repeating(row.fill, row.in_bytes, in.data(), c.num_items(), random);
  fill_repeating(row.fill_values, row.value_bytes, inits.data(), c.num_inits(), random);
  const std::vector<unsigned char> heads = heads_of(c, random());
  std::copy(heads.begin(), heads.end(), beside.data());
  expect(row, c);
}

std::string segment_problem::judge() const {
  const unsigned char* const result = c_.in_place ? in.data() : out.data();
  const segment_layout& layout = *c_.layout;
  const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(i) * row_.out_bytes; };
  const auto first_stray = [&](std::int64_t from, std::int64_t to) {
    const auto stray =
        std::mismatch(result + at(from), result + at(to), expected.data() + at(from)).first;
    return stray == result + at(to) ? std::int64_t{-1} : (stray - result) / bytes(row_.out_bytes);
  };
  for (const std::int64_t i :
       {first_stray(0, layout.begin()), first_stray(layout.end(), layout.num_items)}) {
    if (i >= 0) return "output " + std::to_string(i) + ", of no segment, was written";
  }
  const std::int64_t wrong =
      row_.first_difference(result + at(layout.begin()), expected.data() + at(layout.begin()),
                            layout.end() - layout.begin());
  if (wrong >= 0) {
    const std::int64_t i = layout.begin() + wrong;
    const auto next = std::upper_bound(layout.offsets.begin(), layout.offsets.end(), i);
    return "output " + std::to_string(i) + " is wrong, " + std::to_string(i - *(next - 1)) +
           " of segment " + std::to_string(next - layout.offsets.begin() - 1);
  }
  return judge_rest(row_, c_, layout.num_segments());
}

}  // namespace tests
