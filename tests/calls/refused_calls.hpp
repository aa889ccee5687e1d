// What calls refuse before any CUDA call: which calls, what is wrong with their arguments, and the
// words that name it.
#ifndef SCAN_TESTS_REFUSED_CALLS_HPP
#define SCAN_TESTS_REFUSED_CALLS_HPP

#include <climits>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "tests/calls/good_call.hpp"

namespace tests {

enum way : unsigned { on_device = 1, on_host = 2, with_functions = 4 };
enum kind_of_scan : unsigned { inclusively = 8, exclusively = 16 };
inline constexpr unsigned in_every_way = 31, on_device_only = 31 - on_host - with_functions,
                          on_host_only = 31 - on_device, when_exclusive = 31 - inclusively,
                          when_inclusive = 31 - exclusively;

struct refusal {
  unsigned calls;
  std::function<void(good_call&)> spoil;
  const char* words;
  unsigned ways = in_every_way;
};

inline constexpr unsigned of_scans = of_any & ~of_recurrences,
                          of_runs_or_one = of_sequence | of_runs,
                          with_n = of_sequence | recurrence_of_sequence | of_runs,
                          with_values = of_any & ~of_runs,
                          of_scans_with_values = of_scans & ~of_runs;

inline std::vector<refusal> refused_numbers() {
  std::vector<refusal> all;
  const auto number = [&](unsigned calls, auto member, std::initializer_list<std::int64_t> values,
                          const char* words, unsigned ways = in_every_way) {
    for (const std::int64_t value : values) {
      all.push_back({calls, [=](good_call& c) { c.*member = value; }, words, ways});
    }
  };
  constexpr std::int64_t most = (std::int64_t{1} << 57) / 4, two_32 = std::int64_t{1} << 32,
                         two_62 = std::int64_t{1} << 62;
  number(with_n, &good_call::n, {-1, -4}, "n is negative");
  number(with_n, &good_call::n, {most + 1, two_62, INT64_MAX}, "n is too large: n elements exceed");
  const auto count = &good_call::num_segments;
  number(of_segments, count, {-1, INT64_MIN}, "segments.num_segments is negative");
  number(of_segments, count, {most, INT64_MAX}, "segments.num_segments is too large");
  number(of_segments, &good_call::n, {-2, INT64_MIN}, "segments.num_items is negative");
  number(of_segments, &good_call::n, {most + 1, INT64_MAX}, "segments.num_items is too large");
  // Nobody knows in time what the last offset on the device is.
  number(of_segments, &good_call::n, {scan::unsaid_items}, "segments.num_items is not given",
         on_device_only);
  number(of_any, &good_call::threads, {-1, -2}, "options.threads is negative", on_host_only);

  const auto extents = [&](const scan::extents& shape, const char* words) {
    all.push_back({of_extents, [=](good_call& c) { c.shape = shape; }, words});
  };
  extents({-1, 4, 4}, "extents.outer is negative");
  extents({INT64_MIN, 4, 4}, "extents.outer is negative");
  extents({4, -1, 4}, "extents.length is negative");
  extents({4, 4, -1}, "extents.inner is negative");
  extents({4, 4, 4, -16, 0}, "extents.in_pitch is negative");
  extents({4, 4, 4, 0, -16}, "extents.out_pitch is negative");
  extents({4, 4, 4, 15, 0}, "extents.in_pitch is less than length * inner");
  extents({1, 4, 4, 15, 0}, "extents.in_pitch is less than length * inner");
  extents({4, 4, 4, 0, 15}, "extents.out_pitch is less than a slab of outputs");
  for (const std::int64_t large : {most + 1, INT64_MAX}) {
    extents({large, 1, 1}, "extents.outer is too large: outer * inner sequences exceed");
    extents({large, 5, 2}, "extents.outer is too large: outer * inner sequences exceed");
    extents({1, large, 1}, "extents.length is too large: length * inner elements exceed");
    extents({2, large, 2}, "extents.length is too large: length * inner elements exceed");
    extents({1, 1, large}, "extents.inner is too large: it exceeds");
    extents({2, 5, large}, "extents.inner is too large: it exceeds");
  }
  extents({INT64_MAX, INT64_MAX, INT64_MAX}, "is too large");
  // Products that 64 bits wrap to something small.
  extents({two_32, two_32, 1}, "extents.outer is too large: the tensor exceeds");
  extents({1, two_32, two_32}, "extents.length is too large");
  extents({two_32, 1, two_32}, "extents.outer is too large");
  extents({1 << 22, 1 << 21, 1 << 21}, "extents.outer is too large");
  for (const std::int64_t pitch : {two_62, INT64_MAX}) {
    extents({3, 4, 4, pitch, 0}, "extents.in_pitch is too large: outer pitches exceed");
    extents({3, 4, 4, 0, pitch}, "extents.out_pitch is too large: outer pitches exceed");
  }
  return all;
}

/// Arrays that are null, or not aligned.
inline std::vector<refusal> refused_places() {
  std::vector<refusal> all;
  const auto null = [&](unsigned calls, char* any_call::*which, const char* words) {
    all.push_back({calls, [=](good_call& c) { c.*which = nullptr; }, words});
  };
  const auto shifted = [&](unsigned calls, char* any_call::*which,
                           std::initializer_list<int> shifts, const char* words) {
    for (const int num_bytes : shifts) {
      all.push_back({calls,
                     [=](good_call& c) {
                       if (c.*which == nullptr) c.*which = c.elsewhere();
                       c.*which += num_bytes;
                     },
                     words});
    }
  };
  const auto in = &any_call::in, out = &any_call::out, factors = &any_call::factors,
             heads = &any_call::heads;
  null(of_runs_or_one, in, "the input pointer is null but n > 0");
  null(of_segments, in, "the input pointer is null but n > 0");
  null(of_tensor, in, "the input pointer is null but there are elements");
  all.push_back({of_tensor,  // of one sequence, too, though that goes as such
                 [](good_call& c) {
                   c.shape = {1, 100, 1};
                   c.in = nullptr;
                 },
                 "the input pointer is null but there are elements"});
  null(of_recurrences, in, "recurrence: b is null but there are elements");
  null(of_any, out, "the output pointer is null but there are outputs to write");
  null(of_recurrences, factors, "recurrence: a, the factors, is null but there are elements");
  null(of_segments, heads, "segments.offsets is null but there are segments");
  null(by_keys, heads, "the pointer to keys is null but n > 0");
  null(by_flags, heads, "flags.heads is null but n > 0");
  all.push_back({of_sequence,  // one output of none
                 [](good_call& c) {
                   c.n = 0, c.opts.complete = true;
                   c.in = c.out = nullptr;
                 },
                 "the output pointer is null but there are outputs to write", when_exclusive});
  shifted(of_scans, in, {1, 2}, "the input pointer is not aligned to its element type");
  shifted(of_any, out, {1, 2}, "the output pointer is not aligned to its element type");
  shifted(of_recurrences, in, {1, 2}, "recurrence: b is not aligned to its element type");
  shifted(of_recurrences, factors, {1, 2}, "recurrence: a, the factors, is not aligned");
  shifted(of_segments, heads, {1, 2}, "segments.offsets is not aligned to its type");
  shifted(by_offsets, heads, {4}, "segments.offsets is not aligned to its type");
  shifted(by_keys, heads, {1}, "the pointer to keys is not aligned to their type");
  shifted(by_bits, heads, {1, 2}, "flags.heads is not aligned to its type");
  shifted(with_values, &any_call::total, {1}, "options.total is not aligned to its type");
  shifted(with_values, &any_call::init, {1}, "options.init_pointer is not aligned to its type");
  return all;
}

/// Arrays that share bytes: of outputs with anything else, of inits and totals with each other.
inline std::vector<refusal> refused_overlaps() {
  std::vector<refusal> all;
  const auto wrong = [&](unsigned calls, const char* words, auto spoil,
                         unsigned ways = in_every_way) {
    all.push_back({calls, spoil, words, ways});
  };
  const char* const of_h = "recurrence: the output, h, overlaps b and is not in place";
  // In either direction, by little and by all but one element.
  for (const int shift : {-396, -276, -196, -20, -4, 4, 20, 196, 276, 396}) {
    const auto overlap = [=](good_call& c) { c.out = (c.in = c.elsewhere()) + shift; };
    const bool in_tensors = shift >= -276 && shift <= 276;
    const unsigned except = in_tensors ? 0 : unsigned{of_extents};
    wrong(of_scans & ~except, "the output overlaps the input and is not in place", overlap);
    wrong(of_recurrences & ~except, of_h, overlap);
  }
  for (const int shift : {-84, -76, 76, 84}) {  // parts of each row of a buffer
    const auto overlap = [=](good_call& c) {
      c.shape = {3, 4, 5, 40, 40};
      c.out = (c.in = c.elsewhere()) + shift;
    };
    wrong(of_tensor, "the output overlaps the input and is not in place", overlap);
    wrong(recurrence_of_tensor, of_h, overlap);
  }
  wrong(of_extents, "extents: the output overlaps the input: in place both have one pitch",
        [](good_call& c) { c.out = c.in; });
  for (const int shift : {-80, 0, 80}) {
    wrong(of_recurrences, "recurrence: the output, h, overlaps a, the factors",
          [=](good_call& c) { c.out = c.factors + shift; });
  }
  // By 4 bytes: the last of `before` are the first of `behind`.
  const auto end_at = [](auto before, auto behind) {
    return [=](good_call& c) { c.end_at(before, c.*behind); };
  };
  const auto at_end = [](auto behind, auto before) {
    return [=](good_call& c) { c.*behind = c.last(before); };
  };
  const auto in = &any_call::in, out = &any_call::out, heads = &any_call::heads,
             init = &any_call::init, total = &any_call::total;
  wrong(of_segments, "the output overlaps segments.offsets", end_at(out, heads));
  wrong(of_segments, "the output overlaps segments.offsets", at_end(out, heads));
  wrong(of_runs, "the output overlaps the keys or flags", end_at(out, heads));
  wrong(of_runs, "the output overlaps the keys or flags", at_end(out, heads));
  wrong(of_scans_with_values, "options.total overlaps the input", end_at(total, in));
  wrong(of_scans_with_values, "options.total overlaps the input", at_end(total, in));
  wrong(of_recurrences, "options.total overlaps b", end_at(total, in));
  wrong(of_recurrences, "options.total overlaps a, the factors", end_at(total, &any_call::factors));
  wrong(with_values, "options.total overlaps the output", end_at(total, out));
  wrong(with_values, "options.total overlaps the output", at_end(total, out));
  wrong(of_segments, "options.total overlaps segments.offsets", at_end(total, heads));
  wrong(with_values, "options.init_pointer overlaps the output", end_at(init, out));
  wrong(with_values, "options.init_pointer overlaps the output", at_end(init, out));
  wrong(with_values, "options.init_pointer overlaps options.total, which may be written",
        [](good_call& c) {
          c.total = c.elsewhere();
          c.init = c.last(&any_call::total);
        });
  // Of n + 1 outputs the last overlaps what n do not.
  const auto complete = [](auto spoil) {
    return [=](good_call& c) {
      c.opts.complete = true;
      spoil(c);
    };
  };
  wrong(of_sequence, "options.total overlaps the output", complete(at_end(total, out)),
        when_exclusive);
  wrong(of_sequence, "the output overlaps the input", complete(at_end(in, out)), when_exclusive);
  return all;
}

/// Options that contradict each other, or are not for the call.
inline std::vector<refusal> refused_options() {
  static scan::workspace in_error(-1);
  std::vector<refusal> all;
  const auto wrong = [&](unsigned calls, const char* words, auto spoil,
                         unsigned ways = in_every_way) {
    all.push_back({calls, spoil, words, ways});
  };
  const auto complete = [](good_call& c) { c.opts.complete = true; };
  wrong(of_sequence | of_tensor, "options.complete is for exclusive scans", complete,
        when_inclusive);
  wrong(of_recurrences, "options.complete is for exclusive scans", complete);
  wrong(of_segments | of_runs, "options.complete is refused with segments, keys and flags",
        complete);
  wrong(
      of_tensor, "extents.out_pitch is less than a slab of outputs",  // of which 5 are more
      [](good_call& c) {
        c.opts.complete = true;
        c.shape.out_pitch = 24;
      },
      when_exclusive);
  wrong(of_any, "options.init and options.init_pointer are both given", [](good_call& c) {
    c.init = c.elsewhere();
    c.opts.init = 1.0f;
  });
  wrong(of_runs, "options.total is a value a segment, and of keys and flags nobody knows",
        [](good_call& c) { c.total = c.elsewhere(); });
  wrong(of_runs, "options.init_pointer is a value a segment, and of keys and flags nobody knows",
        [](good_call& c) { c.init = c.elsewhere(); });
  for (const int number : {9999, 39, 31, 5, -1, INT_MIN}) {
    for (const bool is_empty : {false, true}) {
      wrong(
          of_any, "options.algorithm is none of scan::algorithm",
          [=](good_call& c) {
            c.opts.algorithm = static_cast<scan::algorithm>(number);
            if (is_empty) c.n = c.shape.length = c.num_segments = 0;
          },
          on_device_only);
    }
  }
  for (const scan::extents& shape : {scan::extents{}, {3, 4, 5}, {200, 1, 1}, {1, 200, 1}}) {
    for (const std::int64_t n : {0, 10, 100000}) {
      wrong(
          of_sequence | of_tensor, "workspace: max_items",
          [=](good_call& c) {
            c.shape = shape;
            c.n = n;
            c.out = c.in;
            c.opts.workspace = &in_error;
          },
          on_device_only);
    }
  }
  return all;
}

}  // namespace tests

#endif
