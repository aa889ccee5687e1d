// One way to scan the sequences of a tensor, and the shapes that tests on the device and on CPU
// threads share.
#ifndef SCAN_TESTS_TENSOR_CASES_HPP
#define SCAN_TESTS_TENSOR_CASES_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "scan/extents.hpp"
#include "tests/tensors/tensor_reference.hpp"

namespace tests {

/// A case and where its elements begin.
struct placed_case : tensor_case {
  std::int64_t in_offset = 0;  // elements past a 256-byte boundary; in place that of the output
  std::int64_t out_offset = 0;

  std::int64_t num_outputs() const { return shape.length + complete; }  // of a sequence
  std::int64_t num_inits() const { return init == sequence_init::by_pointer ? num_sequences() : 1; }
  std::string describe() const {
    return tensor_case::describe() + " offsets " + std::to_string(in_offset) + ", " +
           std::to_string(out_offset);
  }
};

/// The variants that there are: of a recurrence, or of a scan; which of them is counted off by
/// `turn`, so that tests that have time for a few of each shape have them all over the shapes.
inline placed_case tensor_variant(const scan::extents& shape, std::uint64_t turn, bool recurrence,
                                  bool can_be_in_place) {
  placed_case c;
  c.shape = shape;
  // Kinds: inclusive, exclusive, complete; each with no init, a value, a value a sequence.
  const std::uint64_t kind = recurrence ? 0 : turn % 3;
  const std::uint64_t bits = turn / 9;
  c.exclusive = kind > 0;
  c.complete = kind == 2;
  c.init = static_cast<sequence_init>(turn / 3 % 3);
  c.reverse = bits % 2 == 1;
  c.with_total = bits / 2 % 2 == 1;
  c.in_place = can_be_in_place && bits / 4 % 2 == 1;
  return c;
}
inline constexpr std::uint64_t num_tensor_variants = 72;

/// Lays the case out by `turn`: pitches that are dense or longer, the two sides alike or not, and
/// elements that begin anywhere.
inline void place(placed_case& c, std::uint64_t turn) {
  constexpr std::int64_t gaps[] = {0, 1, 3, 16}, offsets[] = {0, 1, 2, 3, 5};
  const std::int64_t in_gap = gaps[turn % 4], out_gap = gaps[turn / 4 % 4];
  const std::int64_t in_slab = c.shape.length * c.shape.inner;
  const std::int64_t out_slab = c.num_outputs() * c.shape.inner;
  c.shape.in_pitch = in_gap > 0 ? in_slab + in_gap : 0;
  c.shape.out_pitch = out_gap > 0 ? out_slab + out_gap : 0;
  c.in_offset = offsets[turn / 16 % 5];
  c.out_offset = offsets[turn / 80 % 5];
  if (c.in_place) {
    c.shape.in_pitch = c.shape.out_pitch = out_slab + out_gap;
    c.in_offset = c.out_offset;
  }
}

/// Shapes of up to `most_elements` elements, dense: zero extents; rows, short and long, few and
/// many; columns and tensors of narrow and wide inner extents, one or several slabs.
inline std::vector<scan::extents> tensor_shapes(std::int64_t most_elements) {
  std::vector<scan::extents> shapes;
  const auto add = [&](std::int64_t outer, std::int64_t length, std::int64_t inner) {
    if (outer * length * inner <= most_elements) shapes.push_back({outer, length, inner, 0, 0});
  };
  for (const std::int64_t a : {0, 1, 5}) {
    for (const std::int64_t b : {1, 40}) {
      add(0, a, b);
      add(a, 0, b);
      add(a, b, 0);
    }
  }
  add(300, 0, 1);
  add(3, 0, 200);
  constexpr std::int64_t lengths[] = {1,     2,     3,     7,     8,     31,     32,     33,   64,
                                      100,   127,   128,   129,   500,   513,    2176,   2177, 4353,
                                      17407, 17408, 17409, 65536, 77777, 287233, 1081345};
  for (const std::int64_t length : lengths) {
    for (const std::int64_t outer : {1, 2, 3, 33, 1000, 100000}) {
      // Few of the longest, and the most of short ones.
      if (outer * length <= 3300000 && (outer < 100000 || length <= 33)) add(outer, length, 1);
    }
  }
  constexpr std::int64_t inners[] = {2,  3,  4,  5,  6,  7,   8,   15,   16,
                                     17, 31, 32, 33, 64, 100, 128, 1000, 4097};
  constexpr std::int64_t steps[] = {1,   2,   7,   32,  33,   34,   100,   511,
                                    512, 513, 528, 529, 1000, 4097, 100000};
  for (const std::int64_t inner : inners) {
    for (const std::int64_t length : steps) {
      for (const std::int64_t outer : {1, 2, 5, 300}) {
        if (outer * length * inner <= 2200000) add(outer, length, inner);
      }
    }
  }
  // Ring and strips with a long way.
  add(2, 4330000, 1);
  add(3, 4330001, 1);
  add(1, 4097, 4097);
  add(1, 100000, 128);
  add(5, 100000, 17);
  return shapes;
}

}  // namespace tests

#endif
