// Segments of a user's own types, by offsets, flags and keys of any type: the layouts and the ways
// to call of their checks, and intervals of which no segment's may meet another's.
#ifndef SCAN_TESTS_OWN_SEGMENTS_HPP
#define SCAN_TESTS_OWN_SEGMENTS_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/segments/segment_call.hpp"
#include "tests/support/interval.hpp"
#include "tests/types/own_scan.hpp"

namespace tests {

/// Where segments begin as libscan.a has it: offsets, plain keys, flags.
struct own_segments : own_shape {
  using test_case = segment_case;
  static constexpr bool own_keys = false;

  static std::int64_t out_span(const test_case& c) { return c.num_items(); }
  static std::int64_t num_totals(const test_case& c) { return c.layout->num_segments(); }
  /// (Whether all are empty the device does not know, unless it is told so.)
  static bool wants_start(const test_case& c) {
    return ((c.exclusive && c.num_items() > 0) || c.with_total) && c.layout->num_segments() > 0;
  }
  static std::vector<unsigned char> beside(const test_case& c, std::uint64_t seed) {
    return heads_of(c, seed);
  }
  static std::int64_t beside_offset(const test_case& c) {
    return c.heads_offset * static_cast<std::int64_t>(traits_of(c.heads).bytes);
  }
  template <class Each>
  static void for_each_output(const test_case& c, const Each& each) {
    for (std::int64_t i = c.layout->begin(); i < c.layout->end(); ++i) each(i);
  }
  template <class T, class Op>
  static void scan_serially(const test_case& c, const T* in, T* out, const std::vector<T>& inits,
                            T* totals, Op op) {
    scan_segments_serially(c, in, out, inits, totals, op);
  }
  static void make_workspace(const test_case& c, int widest, std::optional<scan::workspace>& to) {
    to.emplace(c.num_items(), widest);
  }
  template <class Input, class Output, class Op, class Options, class... Where>
  static scan::status call(const test_case& c, const void* heads, Input in, Output out, Op op,
                           const Options& opts, Where... where) {
    return call_segments(c, heads, in, out, op, opts, where...);
  }
};

/// By keys of the type that `Maker` makes, `Maker::of(segment, i)`, with `equal`.
template <class Maker, class Equal = scan::equal_keys>
struct own_keys_of : own_segments {
  static inline Equal equal{};
  using key = decltype(Maker::of(0, 0));
  static constexpr bool own_keys = true;

  static std::vector<unsigned char> beside(const test_case& c, std::uint64_t) {
    std::vector<key> keys;
    for (std::int64_t s = 0; s < c.layout->num_segments(); ++s) {
      const auto at = static_cast<std::size_t>(s);
      for (std::int64_t i = c.layout->offsets[at]; i < c.layout->offsets[at + 1]; ++i) {
        keys.push_back(Maker::of(s, i));
      }
    }
    const auto* const first = reinterpret_cast<const unsigned char*>(keys.data());
    return {first, first + keys.size() * sizeof(key)};
  }
  static std::int64_t beside_offset(const test_case& c) {
    return c.heads_offset * static_cast<std::int64_t>(sizeof(key));
  }
  template <class Input, class Output, class Op, class Options, class... Where>
  static scan::status call(const test_case& c, const void* heads, Input in, Output out, Op op,
                           const Options& opts, Where... where) {
    const key* const keys = static_cast<const key*>(heads);
    return c.exclusive
               ? scan::exclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal)
               : scan::inclusive_by_key(where..., keys, in, out, c.num_items(), op, opts, equal);
  }
};

/// Layouts of every kind, of a few elements and of up to `most`.
inline std::vector<segment_layout> own_layouts(std::int64_t most) {
  std::vector<segment_layout> all = smallest_layouts();
  const auto add = [&](const std::vector<segment_layout>& more) {
    for (const segment_layout& one : more) {
      if (one.num_items <= most) all.push_back(one);
    }
  };
  add(layouts_of(3000));
  add(layouts_of(has_device_code() ? 150000 : 40000));
  for (const std::int64_t unit : {32, 224, 512, 4096}) add(layouts_of_edges(unit, 4));
  return all;
}

/// Calls `each` with cases of these layouts, a few of the variants of each in turn, and of all
/// those one in so many.
template <class Heads, class Each>
void for_each_segments(const std::vector<segment_layout>& layouts, bool can_be_in_place,
                       std::uint64_t one_in, const Each& each) {
  std::uint64_t turn = 0;
  for (const segment_layout& layout : layouts) {
    for (int i = 0; i < (layout.num_items < 10000 ? 6 : 2); ++i) {
      if (++turn % one_in != 0) continue;
      const std::uint64_t any = turn * 0x9e3779b97f4a7c15ull;
      segment_case c = segment_variant(layout, any >> 24, can_be_in_place);
      if (Heads::own_keys) {
        c.heads = scan::head_kind::keys_64;
        c.layout = std::make_shared<const segment_layout>(as_runs(layout));
        c.with_total = false;
        if (c.init == sequence_init::by_pointer) c.init = sequence_init::by_value;
      }
      place(c, any >> 30);
      each(c);
    }
  }
}

/// Where the intervals of segment `s` begin. Where all have one init those begin, or in reverse
/// end, at 0, and else apart from each other's.
inline std::int64_t first_interval(const segment_case& c, std::int64_t s) {
  const auto at = static_cast<std::size_t>(s);
  const std::int64_t begin = c.layout->offsets[at];
  if (c.init != sequence_init::by_value) return begin + s * 100;
  return c.reverse ? begin - c.layout->offsets[at + 1] : 0;
}
/// Intervals side by side within a segment; what is in no segment is nobody's neighbour.
template <class Number>
std::vector<interval_of<Number>> intervals(const segment_case& c) {
  std::vector<interval_of<Number>> items(static_cast<std::size_t>(c.num_items()), {-50, -60});
  for (std::int64_t s = 0; s < c.layout->num_segments(); ++s) {
    const std::int64_t begin = c.layout->offsets[static_cast<std::size_t>(s)];
    const std::int64_t end = c.layout->offsets[static_cast<std::size_t>(s) + 1];
    auto at = static_cast<Number>(first_interval(c, s));
    for (std::int64_t i = begin; i < end; ++i, ++at) {
      items[static_cast<std::size_t>(i)] = {at, at + 1};
    }
  }
  return items;
}
/// What is before the first of each segment, or after its last.
template <class Number>
std::vector<interval_of<Number>> inits_of_intervals(const segment_case& c) {
  std::vector<interval_of<Number>> inits;
  for (std::int64_t s = 0; s < c.num_inits(); ++s) {
    const auto at = static_cast<std::size_t>(s);
    const bool one = c.init == sequence_init::by_value || c.layout->num_segments() == 0;
    const auto begin = static_cast<Number>(one ? 0 : first_interval(c, s));
    const auto end =
        static_cast<Number>(one ? 0 : begin + c.layout->offsets[at + 1] - c.layout->offsets[at]);
    if (c.reverse) {
      inits.push_back({end, end + 40});
    } else {
      inits.push_back({begin - 40, begin});
    }
  }
  return inits;
}

}  // namespace tests

#endif
