// One scan of segments that lie anywhere, and what is expected of it.
#ifndef SCAN_TESTS_RANGE_CASE_HPP
#define SCAN_TESTS_RANGE_CASE_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "scan/call/range_offsets.hpp"
#include "scan/scan.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

using scan::head_kind;

inline constexpr head_kind offset_kinds[] = {head_kind::offsets_32, head_kind::offsets_u32,
                                             head_kind::offsets_64, head_kind::offsets_u64};

struct range_place {
  std::int64_t in_begin, out_begin, length;
};
/// Where segments are. Of an empty one the offsets may be anything.
struct range_layout {
  std::vector<range_place> places;
  std::int64_t num_items = 0, num_out_items = 0;
  bool has_out_begins = false;

  std::int64_t num_segments() const { return static_cast<std::int64_t>(places.size()); }
};

/// Lengths of all paths: less than a vector, some a warp, several chunks, several tiles.
inline std::int64_t random_length(std::mt19937_64& random, std::int64_t most) {
  constexpr std::int64_t bounds[] = {3, 20, 60, 140, 300, 1100, 9000, 40000};
  const std::int64_t bound = std::min(bounds[random() % 8], most);
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound + 1));
}

/// Outputs one after another with gaps, numbered in any order; inputs in the same places, or, with
/// `own_places`, anywhere, where they overlap.
inline range_layout random_ranges(std::mt19937_64& random, std::int64_t most, bool own_places) {
  range_layout layout;
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() %
                                     static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1)));
  };
  const bool alike = random() % 4 == 0, dense = random() % 4 == 0;
  const std::int64_t usual = random_length(random, most);
  std::int64_t at = below(10);
  while (at < most && layout.places.size() < 20000) {
    const std::int64_t length = std::min(alike ? usual : random_length(random, most), most - at);
    layout.places.push_back({at, at, length});
    at += length + (dense ? 0 : below(random() % 20 == 0 ? 500 : 6));
    if (length == 0 && random() % 8 == 0) at += 1;
  }
  if (random() % 3 > 0) std::shuffle(layout.places.begin(), layout.places.end(), random);
  layout.num_items = layout.num_out_items = at + below(10);
  layout.has_out_begins = own_places;
  if (!own_places) return layout;
  std::int64_t longest = 0;
  for (const range_place& place : layout.places) longest = std::max(longest, place.length);
  layout.num_items = longest + below(most + 1);
  for (range_place& place : layout.places) {
    place.in_begin = below(layout.num_items - place.length + 1);
  }
  return layout;
}

struct range_case : sequence_case {
  range_layout layout;
  head_kind kind = head_kind::offsets_32;
  std::int64_t in_offset = 0, out_offset = 0, offsets_offset = 0, values_offset = 0;

  std::int64_t num_inits() const {
    return init == sequence_init::by_pointer ? layout.num_segments() : 1;
  }
  std::string describe() const {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    return (exclusive ? "exclusive, kind " : "inclusive, kind ") + number(static_cast<int>(kind)) +
           ", " + number(layout.num_segments()) + " of " + number(layout.num_items) +
           (layout.has_out_begins ? " to places of their own" : "") + describe_options() +
           " offsets " + number(in_offset) + ", " + number(out_offset);
  }
};

inline range_case random_range_case(std::mt19937_64& random, std::int64_t most) {
  range_case c;
  c.layout = random_ranges(random, most, random() % 2 == 0);
  c.kind = offset_kinds[random() % 4];
  c.exclusive = random() % 2 == 0;
  c.reverse = random() % 2 == 0;
  c.with_total = random() % 2 == 0;
  c.in_place = !c.layout.has_out_begins && random() % 2 == 0;
  c.init = static_cast<sequence_init>(random() % 3);
  c.in_offset = static_cast<std::int64_t>(random() % 8);
  c.out_offset = random() % 2 == 0 ? c.in_offset : static_cast<std::int64_t>(random() % 8);
  c.offsets_offset = static_cast<std::int64_t>(random() % 3);
  c.values_offset = static_cast<std::int64_t>(random() % 2);
  return c;
}

/// begins, ends, and out_begins or none, of so many bytes.
struct range_images {
  std::vector<unsigned char> begins, ends, out_begins;
};
inline std::size_t offset_bytes(head_kind kind) { return scan::are_wide_offsets(kind) ? 8 : 4; }
inline void put_offset(std::vector<unsigned char>& image, head_kind kind, std::int64_t s,
                       std::int64_t value) {
  const std::size_t bytes = offset_bytes(kind);
  std::memcpy(image.data() + static_cast<std::size_t>(s) * bytes, &value, bytes);
}
/// Empty segments are inverted now and then, and lie anywhere.
inline range_images images_of(const range_case& c, std::mt19937_64& random) {
  const std::size_t bytes = offset_bytes(c.kind) * c.layout.places.size();
  range_images images{std::vector<unsigned char>(bytes), std::vector<unsigned char>(bytes),
                      std::vector<unsigned char>(c.layout.has_out_begins ? bytes : 0)};
  for (std::int64_t s = 0; s < c.layout.num_segments(); ++s) {
    const range_place& place = c.layout.places[static_cast<std::size_t>(s)];
    std::int64_t begin = place.in_begin, out_begin = place.out_begin;
    std::int64_t end = begin + place.length;
    if (place.length == 0 && random() % 2 == 0) {
      begin += static_cast<std::int64_t>(random() % 100);
      end = begin - static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(begin + 1));
      out_begin = static_cast<std::int64_t>(random() % 1000000);
      // (The same number to those with a sign and those without: both are larger than any place.)
      if (random() % 2 == 0) begin = end = 0x7fffffff;
    }
    put_offset(images.begins, c.kind, s, begin);
    put_offset(images.ends, c.kind, s, end);
    if (c.layout.has_out_begins) put_offset(images.out_begins, c.kind, s, out_begin);
  }
  return images;
}

/// The call of the case with offsets at these places; `where` is scan::host, or nothing.
template <class In, class Out, class Op, class Options, class... Where>
scan::status call_ranges(const range_case& c, const void* begins, const void* ends,
                         const void* out_begins, In in, Out out, Op op, const Options& opts,
                         Where... where) {
  const auto with = [&](auto offset) {
    using pointer = const decltype(offset)*;
    const scan::segment_ranges given{
        static_cast<pointer>(begins),
        static_cast<pointer>(ends),
        c.layout.num_segments(),
        c.layout.num_items,
        static_cast<pointer>(c.layout.has_out_begins ? out_begins : nullptr),
        c.layout.num_out_items};
    return c.exclusive ? scan::exclusive(where..., in, out, given, op, opts)
                       : scan::inclusive(where..., in, out, given, op, opts);
  };
  switch (c.kind) {
    case head_kind::offsets_32:
      return with(std::int32_t{});
    case head_kind::offsets_u32:
      return with(std::uint32_t{});
    case head_kind::offsets_u64:
      return with(std::uint64_t{});
    default:
      return with(std::int64_t{});
  }
}

/// Scans every segment of `in` into `out`, whose other elements stay what they are; `totals`: one a
/// segment, or null.
template <class In, class Out, class Op>
void scan_ranges_serially(const range_case& c, const std::vector<In>& in, std::vector<Out>& out,
                          const std::vector<Out>& inits, std::vector<Out>* totals, Op op) {
  using T = scan::accumulator_t<In, Out>;
  for (std::int64_t s = 0; s < c.layout.num_segments(); ++s) {
    const range_place& place = c.layout.places[static_cast<std::size_t>(s)];
    std::vector<T> items;
    for (std::int64_t i = 0; i < place.length; ++i) {
      items.push_back(scan::convert<T>(in[static_cast<std::size_t>(place.in_begin + i)]));
    }
    std::optional<T> init;
    if (const auto given = init_of_sequence(c, inits, s)) init = scan::convert<T>(*given);
    const auto results = scan_sequence<T>(c, items, init, op);
    for (std::int64_t i = 0; i < place.length; ++i) {
      out[static_cast<std::size_t>(place.out_begin + i)] =
          scan::convert<Out>(results.outputs[static_cast<std::size_t>(i)]);
    }
    if (totals != nullptr) {
      (*totals)[static_cast<std::size_t>(s)] = scan::convert<Out>(results.total);
    }
  }
}

}  // namespace tests

#endif
