// Offsets that cannot be: nothing but what the call may touch is touched.
#ifndef SCAN_TESTS_SEGMENT_GARBAGE_HPP
#define SCAN_TESTS_SEGMENT_GARBAGE_HPP

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/matrices/segment_matrix.hpp"

namespace tests {

/// What is wrong with the offsets.
enum class garbage {
  one_decreases,
  all_decrease,
  one_negative,
  first_negative,
  one_huge,
  one_beyond,
  last_beyond,
  all_beyond,
  to_and_fro,
  random_bits,
  random_near,
  all_lowest,
  all_highest
};
inline constexpr int num_garbage_kinds = 13;

/// Spoils these `count` >= 2 offsets into `n` elements.
template <class Offset>
void spoil(garbage kind, Offset* offsets, std::int64_t count, std::int64_t n,
           std::mt19937_64& random) {
  const auto offset = [](auto value) { return static_cast<Offset>(value); };
  const auto number = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  // (Of unsigned ones, which cannot be less than 0, what would be.)
  constexpr auto lowest =
      static_cast<Offset>(std::numeric_limits<std::make_signed_t<Offset>>::min());
  constexpr Offset highest = std::numeric_limits<Offset>::max();
  const auto fill = [&](const auto& value) {
    for (std::int64_t i = 0; i < count; ++i) offsets[i] = offset(value(i));
  };
  Offset& one = offsets[1 + number(count - 1)];
  switch (kind) {
    case garbage::one_decreases:
      offsets[0] = offset(1 + number(n));
      offsets[1] = offset(offsets[0] - 1);
      break;
    case garbage::all_decrease:
      fill([&](std::int64_t i) { return n - i * n / count; });
      break;
    case garbage::one_negative:
      one = offset(-1 - number(100));
      break;
    case garbage::first_negative:
      offsets[0] = offset(-1 - number(n));
      break;
    case garbage::one_huge:
      one = offset(highest - number(3));
      break;
    case garbage::one_beyond:
      one = offset(n + 1 + number(1000));
      break;
    case garbage::last_beyond:
      offsets[count - 1] = offset(n + 1);
      break;
    case garbage::all_beyond:
      fill([&](std::int64_t i) { return n + 1 + i; });
      break;
    case garbage::to_and_fro:
      fill([&](std::int64_t i) { return i % 2 == 0 ? n : 0; });
      break;
    case garbage::random_bits:
      fill([&](std::int64_t) { return random(); });
      break;
    case garbage::random_near:
      fill([&](std::int64_t) { return number(3 * n + 200) - n - 100; });
      offsets[count - 1] = offset(n + 1);  // of few some might all be right
      break;
    case garbage::all_lowest:
      fill([](std::int64_t) { return lowest; });
      break;
    case garbage::all_highest:
      fill([](std::int64_t) { return highest; });
      break;
  }
}

/// The same of what heads_of has made of a case, where that is offsets.
inline void spoil_image(const segment_case& c, int kind, std::vector<unsigned char>& image,
                        std::mt19937_64& random) {
  visit_heads(
      c.heads, image.data(),
      [&](auto* offsets) {
        using offset = std::decay_t<decltype(*offsets)>;
        spoil(static_cast<garbage>(kind), const_cast<offset*>(offsets),
              c.layout->num_segments() + 1, c.num_items(), random);
      },
      [](const auto*) {}, [](const auto*) {});
}

struct garbage_case {
  const segment_row* row;
  segment_case c;
};

/// The kind of garbage goes with the seed.
class garbage_problem : public segment_problem {
 public:
  garbage_problem(const segment_row& row, const segment_case& c, std::uint64_t seed)
      : segment_problem(row, c, seed), c_(c) {
    const auto kind = static_cast<garbage>(seed % num_garbage_kinds);
    std::mt19937_64 random(seed);
    visit_heads(
        c.heads, beside.data(),
        [&](const auto* offsets) { spoil_as<std::decay_t<decltype(*offsets)>>(kind, random); },
        [](const auto*) {}, [](const auto*) {});
    beside.remember();
  }

  /// What was touched that the call may not touch; or "".
  std::string judge() const {
    for (const remembering* buffer : {&in, &beside, &out, &totals, &inits}) {
      if (!buffer->guards_intact()) return "something was written outside, with garbage";
    }
    if (!c_.in_place && !in.as_before()) return "the input was written, with garbage";
    if (c_.in_place && !out.as_before()) return "an output that is not there was written";
    if (!c_.with_total && !totals.as_before()) return "totals were written";
    if (!beside.as_before() || !inits.as_before()) return "offsets or inits were written";
    return "";
  }
  /// The same, when nothing at all may be touched.
  std::string judge_untouched() const {
    if (!in.as_before() || !out.as_before() || !totals.as_before()) return "something was written";
    return judge();
  }
  /// The first offset that is less than the one before, or 0, or more than there are elements.
  std::int64_t first_wrong() const { return first_wrong_; }

 private:
  template <class Offset>
  void spoil_as(garbage kind, std::mt19937_64& random) {
    const std::int64_t count = c_.layout->num_segments() + 1;
    Offset* const offsets = reinterpret_cast<Offset*>(beside.data());
    spoil(kind, offsets, count, c_.num_items(), random);
    for (std::int64_t i = 0; i < count && first_wrong_ < 0; ++i) {
      const Offset before = i == 0 ? 0 : offsets[i - 1];
      const auto most = static_cast<Offset>(c_.num_items());
      if (offsets[i] < before || offsets[i] > most) first_wrong_ = i;
    }
  }

  segment_case c_;
  std::int64_t first_wrong_ = -1;
};

/// Of up to `most_elements` elements, every kind of garbage with every row.
inline std::vector<garbage_case> garbage_cases(std::int64_t most_elements) {
  std::vector<segment_layout> layouts{
      layout_of_lengths("one", {100}, 3, 3),
      layout_of_lengths("two", {5000, 4000}, 0, 2),
      layout_of_lengths("all of 3", std::vector<std::int64_t>(3000, 3), 1, 1),
      layout_of_lengths("a few long", {30000, 0, 20000, 77, 1, 40000}),
      layout_of_lengths("Zipf", zipf_lengths(90000, 5000, 1)),
      layout_of_lengths("many", std::vector<std::int64_t>(60000, 4), 5, 5)};
  std::vector<garbage_case> cases;
  std::uint64_t turn = 0;
  for (const segment_layout& layout : layouts) {
    if (layout.num_items > most_elements) continue;
    for (const segment_row& row : segment_matrix()) {
      for (int kind = 0; kind < num_garbage_kinds; ++kind) {
        segment_case c;
        do {
          c = segment_variant(layout, ++turn * 0x9e3779b97f4a7c15ull >> 24, row.can_be_in_place());
        } while (!c.by_offsets());
        place(c, turn * 0x9e3779b97f4a7c15ull >> 20);
        cases.push_back({&row, c});
      }
    }
  }
  return cases;
}

}  // namespace tests

#endif
