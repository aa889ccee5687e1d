// Where segments begin and end: the distributions of lengths that tests on the device and on CPU
// threads share.
#ifndef SCAN_TESTS_SEGMENT_LAYOUTS_HPP
#define SCAN_TESTS_SEGMENT_LAYOUTS_HPP

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tests {

/// Segment s is [offsets[s], offsets[s + 1]).
struct segment_layout {
  std::string name;
  std::vector<std::int64_t> offsets{0};
  std::int64_t num_items = 0;  // that there is memory for

  std::int64_t num_segments() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t begin() const { return offsets.front(); }
  std::int64_t end() const { return offsets.back(); }
};

/// Segments of these lengths, `before` and `behind` them elements that are nobody's.
inline segment_layout layout_of_lengths(std::string name, const std::vector<std::int64_t>& lengths,
                                        std::int64_t before = 0, std::int64_t behind = 0) {
  segment_layout made{std::move(name), {before}, 0};
  made.offsets.resize(lengths.size() + 1, before);
  std::partial_sum(lengths.begin(), lengths.end(), made.offsets.begin() + 1);
  for (std::size_t s = 1; s < made.offsets.size(); ++s) made.offsets[s] += before;
  made.num_items = made.end() + behind;
  return made;
}

/// n elements, cut at these places of [0, n].
inline segment_layout layout_of_cuts(std::string name, std::vector<std::int64_t> cuts,
                                     std::int64_t n) {
  cuts.push_back(0);
  cuts.push_back(n);
  std::sort(cuts.begin(), cuts.end());
  while (cuts.back() > n) cuts.pop_back();
  return {std::move(name), std::move(cuts), n};
}

/// The same as keys and flags have it: no run is empty, and no element is nobody's.
inline segment_layout as_runs(const segment_layout& layout) {
  segment_layout runs = layout_of_cuts(layout.name, layout.offsets, layout.num_items);
  runs.offsets.erase(std::unique(runs.offsets.begin(), runs.offsets.end()), runs.offsets.end());
  return runs;
}
/// The same from the other end.
inline segment_layout mirrored(const segment_layout& layout) {
  segment_layout made{layout.name + ", mirrored", {}, layout.num_items};
  for (std::size_t s = layout.offsets.size(); s-- > 0;) {
    made.offsets.push_back(layout.num_items - layout.offsets[s]);
  }
  return made;
}

/// Lengths of which one in k is at least k long.
inline std::vector<std::int64_t> zipf_lengths(std::int64_t num_elements, std::int64_t longest,
                                              std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> lengths;
  for (std::int64_t sum = 0; sum < num_elements; sum += lengths.back()) {
    const double unit = static_cast<double>((random() >> 11) + 1) * 0x1p-53;
    const double drawn = std::min(1 / unit, static_cast<double>(longest));
    lengths.push_back(std::min(static_cast<std::int64_t>(drawn), num_elements - sum));
  }
  return lengths;
}

/// Cuts `delta` from every edge of what has `unit` elements, and elements up to a little behind the
/// edges of the last; `stride`: of how many edges one.
inline segment_layout layout_at_edges(std::int64_t unit, std::int64_t delta, std::int64_t edges,
                                      std::int64_t stride = 1) {
  std::vector<std::int64_t> cuts;
  for (std::int64_t k = 1; k <= edges; k += stride) {
    if (unit * k + delta > 0) cuts.push_back(unit * k + delta);
  }
  return layout_of_cuts("cuts " + std::to_string(delta) + " from edges of " + std::to_string(unit),
                        std::move(cuts), unit * edges + 5);
}
/// One before, at, and one after every edge: segments of a single element on both sides.
inline segment_layout layout_around_edges(std::int64_t unit, std::int64_t edges) {
  std::vector<std::int64_t> cuts;
  for (std::int64_t k = 1; k <= edges; ++k) {
    for (const std::int64_t delta : {-1, 0, 1}) cuts.push_back(unit * k + delta);
  }
  return layout_of_cuts("cuts around edges of " + std::to_string(unit), std::move(cuts),
                        unit * edges + 1);
}
/// All of these for `unit`, from both ends, and from a first element that is not the buffer's.
inline std::vector<segment_layout> layouts_of_edges(std::int64_t unit, std::int64_t edges) {
  std::vector<segment_layout> made{layout_around_edges(unit, edges)};
  for (const std::int64_t delta : {-1, 0, 1}) {
    made.push_back(layout_at_edges(unit, delta, edges));
    if (edges > 2) made.push_back(layout_at_edges(unit, delta, edges, 2));
  }
  for (std::size_t i = 0, count = made.size(); i < count; ++i) {
    made.push_back(mirrored(made[i]));
    segment_layout moved = made[i];
    for (std::int64_t& offset : moved.offsets) offset += 3;
    moved.num_items += 5;
    moved.name += ", from 3 on";
    made.push_back(std::move(moved));
  }
  return made;
}

/// Distributions of about `n` elements in all.
inline std::vector<segment_layout> layouts_of(std::int64_t n) {
  std::vector<segment_layout> made;
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  const auto copies = [](std::int64_t count, std::int64_t length) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(count), length);
  };
  const auto joined = [](std::initializer_list<std::vector<std::int64_t>> parts) {
    std::vector<std::int64_t> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  for (const std::int64_t length : {1, 2, 3, 7, 33, 1000}) {
    if (length > n) continue;
    made.push_back(layout_of_lengths("all of " + std::to_string(length), copies(n / length, length),
                                     length % 2 * 5, length % 3));
  }
  made.push_back(layout_of_lengths("Zipf", zipf_lengths(n, n / 4 + 1, 1)));
  made.push_back(layout_of_lengths("one segment", {n}));
  made.push_back(layout_of_lengths("one segment amid others' elements", {n}, 7, 3));

  // Where most of the memory is in no segment.
  made.push_back(layout_of_lengths("far behind others' elements", {n / 20, 0, 7, n / 40}, n));
  made.push_back(layout_of_lengths("far before others' elements",
                                   zipf_lengths(n / 10 + 1, n / 30 + 1, 2), 5, n));

  // A giant first, among and after tiny ones, and two of them.
  const std::int64_t few = n / 20;
  made.push_back(layout_of_lengths("giant first", joined({{n - 3 * few}, copies(few, 3)})));
  made.push_back(layout_of_lengths("giant amid tiny ones",
                                   joined({copies(few, 3), {n - 6 * few}, copies(few, 3)}), 2));
  made.push_back(layout_of_lengths("giant last", joined({copies(few, 3), {n - 3 * few}})));
  made.push_back(layout_of_lengths("giants", joined({{n / 2}, copies(few, 1), {n / 2 - few}})));

  std::vector<std::int64_t> third, fifties;
  for (std::int64_t sum = 0; sum < n; sum += third.back()) {
    third.push_back(below(3) == 0 ? 0 : std::min(1 + below(60), n - sum));
  }
  made.push_back(layout_of_lengths("a third empty", third, 1));
  for (std::int64_t sum = 0; sum < n; sum += fifties.back()) {
    fifties.push_back(std::min(1 + below(100), n - sum));
  }
  const std::vector<std::int64_t> empties = copies(n / 2 + 40, 0);
  made.push_back(layout_of_lengths("empty ones first", joined({empties, fifties}), 3));
  made.push_back(layout_of_lengths("empty ones last", joined({fifties, empties}), 0, 4));
  made.push_back(layout_of_lengths("empty ones at one place", joined({fifties, empties, fifties})));
  made.push_back(layout_of_lengths("empty ones around a long one",
                                   joined({empties, {n}, empties, fifties, empties}), 31, 33));
  return made;
}

/// Without elements or without segments, and of few elements every number.
inline std::vector<segment_layout> smallest_layouts() {
  std::vector<segment_layout> made{
      {"nothing", {0}, 0},
      {"no segment", {0}, 20},
      {"no segment, further on", {20}, 20},
      layout_of_lengths("an empty one", {0}),
      layout_of_lengths("empty ones", std::vector<std::int64_t>(1000, 0)),
      layout_of_lengths("empty ones amid elements", std::vector<std::int64_t>(300, 0), 20, 12)};
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100}) {
    made.push_back(layout_of_lengths("one of " + std::to_string(n), {n}));
    made.push_back(layout_of_lengths("two and an empty one", {n, 0, n}, 1));
    made.push_back(layout_of_lengths("many of " + std::to_string(n),
                                     std::vector<std::int64_t>(200, n), n % 5, n % 3));
  }
  return made;
}

}  // namespace tests

#endif
