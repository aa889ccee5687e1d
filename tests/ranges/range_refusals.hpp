// What calls with segments that lie anywhere refuse before they touch anything.
#ifndef SCAN_TESTS_RANGE_REFUSALS_HPP
#define SCAN_TESTS_RANGE_REFUSALS_HPP

#include <cstdint>
#include <vector>

#include "scan/segment_ranges.hpp"
#include "tests/ranges/range_case.hpp"
#include "tests/support/check_refused.hpp"

namespace tests {

/// An offset as the caller means it; of 64 bits without a sign at most 2^63 - 1.
inline std::int64_t offset_in(const std::vector<unsigned char>& image, head_kind kind,
                              std::int64_t s) {
  std::uint64_t bits = 0;
  const std::size_t bytes = offset_bytes(kind);
  std::memcpy(&bits, image.data() + static_cast<std::size_t>(s) * bytes, bytes);
  if (kind == head_kind::offsets_32) return static_cast<std::int32_t>(bits);
  if (kind == head_kind::offsets_u64 && bits > INT64_MAX) return INT64_MAX;
  return static_cast<std::int64_t>(bits);
}

/// Of offsets as they are called: the first segment that does not lie within; -1: all do.
inline std::int64_t first_wrong_segment(const range_case& c, const range_images& images) {
  const auto value = [&](const std::vector<unsigned char>& image, std::int64_t s) {
    return offset_in(image, c.kind, s);
  };
  for (std::int64_t s = 0; s < c.layout.num_segments(); ++s) {
    const std::int64_t begin = value(images.begins, s), end = value(images.ends, s);
    if (end <= begin) continue;
    const bool is_read = begin >= 0 && end <= c.layout.num_items;
    if (!is_read) return s;
    const std::int64_t to = c.layout.has_out_begins ? value(images.out_begins, s) : begin;
    if (to < 0 || to > c.layout.num_out_items || c.layout.num_out_items - to < end - begin) {
      return s;
    }
  }
  return -1;
}

/// Arguments of a call that is right, of which a test spoils one.
struct range_arguments {
  std::vector<float> in = std::vector<float>(40, 1), out = std::vector<float>(40, 9),
                     values = std::vector<float>(8, 2);
  // (So large that an output in one of them is in no other.)
  std::vector<std::int64_t> begins = roomy(0, 3), ends = roomy(3, 9), places = roomy(20, 30);
  const float* from = in.data();
  float* to = out.data();
  scan::segment_ranges<std::int64_t> given{begins.data(), ends.data(), 2, 30, places.data(), 40};

  static std::vector<std::int64_t> roomy(std::int64_t first, std::int64_t second) {
    std::vector<std::int64_t> offsets(40);
    offsets[0] = first, offsets[1] = second;
    return offsets;
  }
};

/// `call(in, out, ranges, op, options)` is an exclusive call; in host memory or not, of addresses
/// nothing but what they are is looked at.
template <class Options, class Call>
void check_range_refusals(const Call& call) {
  const auto refused = [&](const char* words, const auto& spoil) {
    range_arguments a;
    Options opts;
    spoil(a, opts);
    CAPTURE(words);
    check_refused(call(a.from, a.to, a.given, scan::plus{}, opts), words);
    CHECK(a.out == std::vector<float>(40, 9));
  };
  using A = range_arguments;
  using O = Options;
  const auto float_at = [](auto* place, int bytes) {
    return reinterpret_cast<float*>(reinterpret_cast<char*>(place) + bytes);
  };
  refused("num_segments is negative", [](A& a, O&) { a.given.num_segments = -1; });
  refused("num_segments is too large", [](A& a, O&) { a.given.num_segments = INT64_MAX; });
  refused("num_items is negative", [](A& a, O&) { a.given.num_items = -1; });
  refused("num_items is too large", [](A& a, O&) { a.given.num_items = INT64_MAX; });
  refused("num_out_items is negative", [](A& a, O&) { a.given.num_out_items = -2; });
  refused("num_out_items is too large", [](A& a, O&) { a.given.num_out_items = INT64_MAX; });
  refused("segment_ranges.begins is null", [](A& a, O&) { a.given.begins = nullptr; });
  refused("segment_ranges.ends is null", [](A& a, O&) { a.given.ends = nullptr; });
  const auto off = [](const auto& offsets) {
    return reinterpret_cast<const std::int64_t*>(reinterpret_cast<const char*>(offsets.data) + 4);
  };
  refused("begins is not aligned", [&](A& a, O&) { a.given.begins = off(a.given.begins); });
  refused("ends is not aligned", [&](A& a, O&) { a.given.ends = off(a.given.ends); });
  refused("out_begins is not aligned",
          [&](A& a, O&) { a.given.out_begins = off(a.given.out_begins); });
  refused("the input pointer is null", [](A& a, O&) { a.from = nullptr; });
  refused("the output pointer is null", [](A& a, O&) { a.to = nullptr; });
  refused("the input pointer is not aligned", [&](A& a, O&) { a.from = float_at(a.in.data(), 2); });
  refused("the output pointer is not aligned", [&](A& a, O&) { a.to = float_at(a.out.data(), 2); });
  refused("out_begins there is no in place", [](A& a, O&) { a.from = a.to; });
  refused("overlaps the input and is not in place", [](A& a, O&) {
    a.given.out_begins = nullptr, a.given.num_out_items = 30;
    a.from = a.to + 10;
  });
  refused("the output overlaps segment_ranges.begins",
          [&](A& a, O&) { a.to = float_at(a.begins.data(), 0); });
  refused("the output overlaps segment_ranges.ends",
          [&](A& a, O&) { a.to = float_at(a.ends.data(), 0); });
  refused("the output overlaps segment_ranges.out_begins",
          [&](A& a, O&) { a.to = float_at(a.places.data(), 0); });
  refused("options.total overlaps segment_ranges.begins",
          [&](A& a, O& o) { o.total = float_at(a.begins.data(), 12); });
  refused("options.total overlaps segment_ranges.ends",
          [&](A& a, O& o) { o.total = float_at(a.ends.data(), 12); });
  refused("options.total overlaps segment_ranges.out_begins",
          [&](A& a, O& o) { o.total = float_at(a.places.data(), 12); });
  refused("options.total overlaps the input", [](A& a, O& o) { o.total = a.in.data() + 29; });
  refused("options.total overlaps the output", [](A& a, O& o) { o.total = a.out.data() + 39; });
  refused("options.total is not aligned",
          [&](A& a, O& o) { o.total = float_at(a.values.data(), 1); });
  refused("options.init_pointer is not aligned",
          [&](A& a, O& o) { o.init_pointer = float_at(a.values.data(), 1); });
  refused("options.init_pointer overlaps the output",
          [](A& a, O& o) { o.init_pointer = a.out.data() + 1; });
  refused("options.init_pointer overlaps options.total", [](A& a, O& o) {
    o.init_pointer = a.values.data();
    o.total = a.values.data() + 1;
  });
  refused("options.init and options.init_pointer are both given", [](A& a, O& o) {
    o.init = 3.f;
    o.init_pointer = a.values.data();
  });
  refused("options.complete is refused", [](A&, O& o) { o.complete = true; });
}

}  // namespace tests

#endif
