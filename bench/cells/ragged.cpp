#include "bench/cells/ragged.hpp"

#include <algorithm>
#include <cmath>

#include "bench/cells/random_numbers.hpp"

namespace bench {
namespace {

/// Of square roots and products alone, which are the same everywhere.
double weight(double u, int quarters) {
  if (quarters == 0) return u;
  const double root = std::sqrt(std::sqrt(u));
  double power = 1;
  for (int i = 0; i < quarters; ++i) power *= root;
  return 1 / power;
}

/// Sums of weights: the last is that of all.
std::vector<double> weights_before(const ragged& what) {
  random_numbers random(what.seed);
  const auto num_segments = static_cast<std::size_t>(what.num_segments);
  const std::size_t neighbours = std::size_t{1} << what.log_neighbours;
  std::vector<double> before(num_segments + 1);
  double sum = 0, here = 0;
  for (std::size_t i = 0; i < num_segments; ++i) {
    if (i % neighbours == 0) here = weight((random.bits() + 1.0) * 0x1p-32, what.quarters);
    const bool empty = what.empty_of_64 > 0 && random.below(64) < unsigned(what.empty_of_64);
    if (!empty) sum += here;
    before[i + 1] = sum;
  }
  return before;
}

std::vector<std::int32_t> weighted_offsets(const ragged& what, std::int64_t num_items) {
  const std::vector<double> before = weights_before(what);
  const double scale = before.back() > 0 ? static_cast<double>(num_items) / before.back() : 0;
  std::vector<std::int32_t> offsets(before.size());
  for (std::size_t i = 0; i + 1 < before.size(); ++i) {
    offsets[i] = static_cast<std::int32_t>(
        std::min(num_items, static_cast<std::int64_t>(before[i] * scale)));
  }
  offsets.back() = static_cast<std::int32_t>(num_items);
  return offsets;
}

}  // namespace

std::vector<std::int32_t> ragged_offsets(const ragged& what, std::int64_t num_items) {
  if (what.law == length_law::weighted) return weighted_offsets(what, num_items);
  std::vector<std::int32_t> offsets(static_cast<std::size_t>(what.num_segments) + 1);
  const std::int64_t giant = what.law == length_law::one_giant ? what.num_segments / 2 : INT64_MAX;
  const std::int64_t longer = num_items - what.num_segments * what.length;  // than the others
  for (std::int64_t i = 0; i <= what.num_segments; ++i) {
    const std::int64_t offset = i * what.length + (i > giant ? longer : 0);
    offsets[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(std::min(offset, num_items));
  }
  return offsets;
}

std::string ragged::lengths_name() const {
  if (law == length_law::alike) return "length " + std::to_string(length);
  if (law == length_law::one_giant) return "one giant";
  if (quarters == 4 && empty_of_64 == 0 && log_neighbours == 0) return "Zipf";
  if (quarters == 0 && empty_of_64 == 21 && log_neighbours == 0) return "a third empty";
  return std::to_string(num_segments) + " drawn (" + std::to_string(quarters) + ", " +
         std::to_string(empty_of_64) + ", " + std::to_string(log_neighbours) + ")";
}

const char* ragged::heads_name() const {
  constexpr const char* names[] = {"int32 offsets", "int64 offsets", "keys", "flag bytes",
                                   "flag bits"};
  return names[static_cast<int>(heads)];
}

const char* ragged::class_name() const {
  return are_offsets(heads) ? "offsets" : are_flags(heads) ? "flags" : "keys";
}

std::int64_t ragged::head_word_bytes() const {
  return heads == head_words::offsets_64 ? 8 : heads == head_words::flag_bytes ? 1 : 4;
}

std::int64_t ragged::head_bytes(std::int64_t num_items) const {
  const std::int64_t num_words = are_offsets(heads)               ? num_segments + 1
                                 : heads == head_words::flag_bits ? (num_items + 31) / 32
                                                                  : num_items;
  return num_words * head_word_bytes();
}

}  // namespace bench
