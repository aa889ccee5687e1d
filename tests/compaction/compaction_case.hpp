// Compactions drawn at random, carried out by serial loops, and called.
#ifndef SCAN_TESTS_COMPACTION_COMPACTION_CASE_HPP
#define SCAN_TESTS_COMPACTION_COMPACTION_CASE_HPP

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tests {

enum class kept_by { bytes, bits, predicate };

/// One call of n elements; flags are at an offset of their own.
struct compaction_case {
  std::int64_t n = 0;
  kept_by by = kept_by::bytes;
  int percent = 50;       // of elements are kept
  std::int64_t run = 1;   // elements that are kept, or not, together, at most
  std::int64_t room = 0;  // of the outputs
  std::int64_t most = 0;  // what n is said to be at most, where the device knows it
  int missing = -1;       // unless negative, room is for so many less than are kept: see fit()
  bool counted = false, in_place = false, with_count = true;
  std::int64_t in_offset = 0, out_offset = 0, flags_offset = 0;

  std::string describe() const {
    return "n " + std::to_string(n) + ", by " + std::to_string(static_cast<int>(by)) + ", " +
           std::to_string(percent) + " %, runs of " + std::to_string(run) + ", room " +
           std::to_string(room) + ", most " + std::to_string(most) + ", counted " +
           std::to_string(counted) + ", in place " + std::to_string(in_place) + ", offsets " +
           std::to_string(in_offset) + " " + std::to_string(out_offset) + " " +
           std::to_string(flags_offset);
  }
};

inline compaction_case random_compaction(std::mt19937_64& random, std::int64_t most_items) {
  constexpr int percents[] = {0, 1, 10, 50, 90, 99, 100};
  constexpr std::int64_t runs[] = {1, 1, 2, 40, 3000};
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  compaction_case c;
  c.n = below(8) == 0 ? below(3) : below(most_items);
  c.by = static_cast<kept_by>(below(3));
  c.percent = percents[below(7)];
  c.run = runs[below(5)];
  c.counted = below(3) == 0;
  c.most = c.n + (c.counted ? below(3) * below(1 + most_items) : 0);
  c.in_place = below(3) == 0;
  c.with_count = below(8) != 0;
  c.room = below(4) == 0 ? below(1 + c.n) : c.most + below(2);
  if (below(6) == 0) c.missing = static_cast<int>(below(2));
  c.in_offset = below(16);
  c.out_offset = c.in_place ? c.in_offset : below(16);
  c.flags_offset = below(16);
  return c;
}

/// Which elements are kept.
inline std::vector<bool> draw_kept(const compaction_case& c, std::mt19937_64& random) {
  std::vector<bool> kept(static_cast<std::size_t>(c.most));
  bool now = false;
  std::int64_t left = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (left-- <= 0) {
      now = static_cast<int>(random() % 100) < c.percent;
      left = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(c.run));
    }
    kept[i] = now;
  }
  return kept;
}

/// Sets the room of a case that wants it by how many are kept: all of them, or all but one.
inline void fit(compaction_case& c, std::int64_t num_kept) {
  if (c.missing >= 0) c.room = std::max<std::int64_t>(0, num_kept - c.missing);
}
inline std::int64_t num_kept(const compaction_case& c, const std::vector<bool>& kept) {
  return std::count(kept.begin(), kept.begin() + c.n, true);
}

/// Appends what fits; counts all.
template <class T>
struct roomy {
  std::vector<T>& to;
  std::int64_t room, count = 0;
  void take(const T& item) {
    if (count < room) to[static_cast<std::size_t>(count)] = item;
    ++count;
  }
};

}  // namespace tests

#endif
