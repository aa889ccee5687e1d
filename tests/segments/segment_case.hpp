// One scan of segments, and what is expected of it.
#ifndef SCAN_TESTS_SEGMENT_CASE_HPP
#define SCAN_TESTS_SEGMENT_CASE_HPP

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "scan/call/segment_heads.hpp"
#include "tests/segments/segment_layouts.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

using scan::head_kind;

inline constexpr int num_head_kinds = 10;
struct head_kind_traits {
  const char* name;
  std::size_t bytes;  // of an offset, key or word
};
inline const head_kind_traits& traits_of(head_kind kind) {
  static constexpr head_kind_traits all[num_head_kinds] = {
      {"int32 offsets", 4},  {"int64 offsets", 8}, {"1-byte keys", 1}, {"2-byte keys", 2},
      {"4-byte keys", 4},    {"8-byte keys", 8},   {"flags", 1},       {"flag bits", 4},
      {"uint32 offsets", 4}, {"uint64 offsets", 8}};
  return all[static_cast<int>(kind)];
}

/// `layout` is as the call sees it: of keys and flags as `as_runs` has it.
struct segment_case : sequence_case {
  std::shared_ptr<const segment_layout> layout;
  head_kind heads = head_kind::offsets_64;
  bool items_unsaid = false;   // on CPU threads: num_items is left out
  bool first_flagged = false;  // of flags: the first element's too
  // Elements past a 256-byte boundary; of heads: offsets, keys or words.
  std::int64_t in_offset = 0, out_offset = 0, heads_offset = 0, values_offset = 0;

  bool by_offsets() const { return scan::are_offsets(heads); }
  std::int64_t num_items() const { return layout->num_items; }
  std::int64_t num_inits() const {
    return init == sequence_init::by_pointer ? layout->num_segments() : 1;
  }
  std::int64_t num_heads() const {
    if (by_offsets()) return layout->num_segments() + 1;
    return heads == head_kind::flag_bits ? (num_items() + 31) / 32 : num_items();
  }
  std::string describe() const {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    return std::string(exclusive ? "exclusive, " : "inclusive, ") + traits_of(heads).name + ", " +
           layout->name + ": " + number(layout->num_segments()) + " in [" +
           number(layout->begin()) + ", " + number(layout->end()) + ") of " + number(num_items()) +
           (items_unsaid ? " unsaid" : "") + describe_options() + " offsets " + number(in_offset) +
           ", " + number(out_offset) + ", " + number(heads_offset) + ", " + number(values_offset);
  }
};

/// The variants that there are: which of them is counted off by `turn`, so that tests that have
/// time for a few of each layout have them all over the layouts.
inline segment_case segment_variant(const segment_layout& layout, std::uint64_t turn,
                                    bool can_be_in_place) {
  const auto next = [&](std::uint64_t choices) {
    const std::uint64_t choice = turn % choices;
    turn /= choices;
    return choice;
  };
  segment_case c;
  c.heads = static_cast<head_kind>(next(num_head_kinds));
  c.layout = std::make_shared<const segment_layout>(c.by_offsets() ? layout : as_runs(layout));
  c.exclusive = next(2) == 1;
  c.reverse = next(2) == 1;
  c.init = static_cast<sequence_init>(next(3));
  c.with_total = next(2) == 1 && c.by_offsets();
  c.in_place = next(2) == 1 && can_be_in_place;
  c.first_flagged = next(2) == 1;
  // By keys and flags nobody knows beforehand how many there are.
  if (!c.by_offsets() && c.init == sequence_init::by_pointer) c.init = sequence_init::by_value;
  return c;
}

/// Elements that begin anywhere, by `turn`.
inline void place(segment_case& c, std::uint64_t turn) {
  constexpr std::int64_t offsets[] = {0, 1, 2, 3, 5, 7, 8};
  c.in_offset = offsets[turn % 7];
  c.out_offset = offsets[turn / 7 % 7];
  c.heads_offset = offsets[turn / 49 % 7];
  c.values_offset = static_cast<std::int64_t>(turn / 343 % 2);
}

/// What the call reads to know where segments begin. Keys differ from their neighbours in a single
/// bit, any of them; flags are any that are not zero.
inline std::vector<unsigned char> heads_of(const segment_case& c, std::uint64_t seed) {
  const std::size_t bytes = traits_of(c.heads).bytes;
  std::vector<unsigned char> image(static_cast<std::size_t>(c.num_heads()) * bytes);
  std::mt19937_64 random(seed);
  const auto put = [&](std::int64_t i, std::uint64_t value) {
    std::memcpy(image.data() + static_cast<std::size_t>(i) * bytes, &value, bytes);
  };
  const std::vector<std::int64_t>& offsets = c.layout->offsets;
  if (c.by_offsets()) {
    for (std::size_t s = 0; s < offsets.size(); ++s) {
      put(static_cast<std::int64_t>(s), static_cast<std::uint64_t>(offsets[s]));
    }
    return image;
  }
  // What is behind the last element's bit is nobody's.
  if (c.heads == head_kind::flag_bits && !image.empty()) {
    put(c.num_heads() - 1, random() << (c.num_items() - 1) % 32 << 1);
  }
  std::uint64_t key = random();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::int64_t begin = offsets[s], end = offsets[s + 1];
    if (c.heads == head_kind::flag_bytes || c.heads == head_kind::flag_bits) {
      if (begin == end || (begin == 0 && !c.first_flagged)) continue;
      const auto at = static_cast<std::size_t>(begin);
      if (c.heads == head_kind::flag_bytes) {
        image[at] = static_cast<unsigned char>(1 + random() % 255);
      } else {
        image[at / 8] = static_cast<unsigned char>(image[at / 8] | 1u << at % 8);
      }
      continue;
    }
    key ^= std::uint64_t{1} << random() % (8 * bytes);
    for (std::int64_t i = begin; i < end; ++i) put(i, key);
  }
  return image;
}

/// Calls `by_segments(offsets, num_segments)` or `by_keys(keys)` or `by_flags(words)` with pointers
/// of the types that the case has.
template <class BySegments, class ByKeys, class ByFlags>
auto visit_heads(head_kind kind, const void* heads, const BySegments& by_segments,
                 const ByKeys& by_keys, const ByFlags& by_flags) {
  switch (kind) {
    case head_kind::offsets_32:
      return by_segments(static_cast<const std::int32_t*>(heads));
    case head_kind::offsets_64:
      return by_segments(static_cast<const std::int64_t*>(heads));
    case head_kind::offsets_u32:
      return by_segments(static_cast<const std::uint32_t*>(heads));
    case head_kind::offsets_u64:
      return by_segments(static_cast<const std::uint64_t*>(heads));
    case head_kind::keys_8:
      return by_keys(static_cast<const std::uint8_t*>(heads));
    case head_kind::keys_16:
      return by_keys(static_cast<const std::int16_t*>(heads));
    case head_kind::keys_32:
      return by_keys(static_cast<const std::uint32_t*>(heads));
    case head_kind::keys_64:
      return by_keys(static_cast<const std::int64_t*>(heads));
    case head_kind::flag_bytes:
      return by_flags(static_cast<const std::uint8_t*>(heads));
    default:
      return by_flags(static_cast<const std::uint32_t*>(heads));
  }
}

/// Scans every segment of `in` into `out`, whose other elements stay what they are; `totals`: one a
/// segment, or null. `in` may be `out`.
template <class In, class Out, class Op>
void scan_segments_serially(const segment_case& c, const In* in, Out* out,
                            const std::vector<Out>& inits, Out* totals, Op op) {
  using T = scan::accumulator_t<In, Out>;
  std::vector<T> items;
  for (std::int64_t s = 0; s < c.layout->num_segments(); ++s) {
    const std::int64_t begin = c.layout->offsets[static_cast<std::size_t>(s)];
    const std::int64_t end = c.layout->offsets[static_cast<std::size_t>(s) + 1];
    items.clear();
    for (std::int64_t i = begin; i < end; ++i) items.push_back(scan::convert<T>(in[i]));
    std::optional<T> init;
    if (const auto given = init_of_sequence(c, inits, s)) init = scan::convert<T>(*given);
    const auto results = scan_sequence<T>(c, items, init, op);
    for (std::int64_t i = begin; i < end; ++i) {
      out[i] = scan::convert<Out>(results.outputs[static_cast<std::size_t>(i - begin)]);
    }
    if (totals != nullptr) totals[s] = scan::convert<Out>(results.total);
  }
}

}  // namespace tests

#endif
