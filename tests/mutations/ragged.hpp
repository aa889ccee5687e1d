// What the probes of scans of segments share: layouts, and scans of segments whose concatenation
// tells whenever operands are not neighbours, as in probe.hpp.
#ifndef SCAN_TESTS_MUTATIONS_RAGGED_HPP
#define SCAN_TESTS_MUTATIONS_RAGGED_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "scan/operators.hpp"
#include "tests/mutations/probe.hpp"

namespace probe {

/// Lengths of segments, `lead` elements before the first and `tail` behind the last.
struct layout {
  std::int64_t lead, tail;
  std::vector<std::int64_t> lengths;

  std::int64_t num_segments() const { return static_cast<std::int64_t>(lengths.size()); }
  std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> all{lead};
    for (const std::int64_t length : lengths) all.push_back(all.back() + length);
    return all;
  }
  std::int64_t num_items() const { return offsets().back() + tail; }
};

/// Of some `n` elements in all: long and short segments, empty ones at either end and between, one
/// that is all, all of one element. Keys and flags leave nothing over and know no empty ones.
inline std::vector<layout> layouts(std::int64_t n, bool by_elements) {
  std::vector<layout> all{{0, 0, {n}}, {0, 0, std::vector<std::int64_t>(n / 10, 1)}};
  const auto mixed = [&](std::uint32_t seed, std::int64_t most, std::int64_t share) {
    layout drawn{by_elements ? 0 : 5, by_elements ? 0 : 7, {}};
    std::uint32_t state = seed;
    std::int64_t left = n;
    if (!by_elements) drawn.lengths = {0, 0};
    while (left > 0) {
      state = state * 1664525u + 1013904223u;
      const std::uint32_t bits = state >> 8;
      std::int64_t length = bits % 4 == 0 ? bits / 4 % (n / share) : bits / 4 % most;
      if (by_elements && length == 0) length = 1;
      drawn.lengths.push_back(length < left ? length : left);
      left -= drawn.lengths.back();
    }
    if (!by_elements) drawn.lengths.insert(drawn.lengths.end(), {0, 0, 0});
    return drawn;
  };
  all.push_back(mixed(1, 5, 40));
  all.push_back(mixed(2, 100, 3));
  all.push_back(mixed(3, 3000, 2));
  return all;
}

/// Scans of the segments [i, i + 1) of every segment of `given`, after an init of its own, or one
/// for all where there are none: `launch(in, out, offsets, inits, totals, op, exclusive)`; inits
/// and totals may be null. `how` as in check_tensor.
template <class Segment, class Memory, class Launch>
void check_ragged(const layout& given, int how, bool reverse, bool numbered, Launch launch) {
  const bool exclusive = how & exclusive_bit, in_place = how & in_place_bit;
  const std::int64_t offset = how & misaligned_bit ? 1 : 0, n = given.num_items();
  const bool has_init = numbered && (exclusive || !(how & no_init_bit));
  const std::int32_t before = has_init ? 7 : 0;
  const std::vector<std::int64_t> begins = given.offsets();
  array<Segment, Memory> in(n, offset), out(n, in_place ? offset : 2 * offset + 1);
  array<Segment, Memory> totals(given.num_segments(), 0), inits(given.num_segments(), 0);
  array<std::int64_t, Memory> offsets(given.num_segments() + 1, 0);
  array<int, Memory> strangers(1, 0);
  const auto base_of = [&](std::int64_t s) {
    return static_cast<std::int32_t>(100 + begins[s] + 20 * s);
  };
  const auto each = [&](auto visit) {
    for (std::int64_t s = 0; s < given.num_segments(); ++s) {
      for (std::int64_t i = begins[s]; i < begins[s + 1]; ++i) {
        visit(i, base_of(s), static_cast<std::int32_t>(i - begins[s]),
              static_cast<std::int32_t>(given.lengths[s]));
      }
    }
  };
  auto& from = in_place ? out : in;
  for (std::int64_t i = 0; i < n; ++i) from[i] = {-5, -6};  // in no segment
  each([&](std::int64_t i, std::int32_t base, std::int32_t k, std::int32_t) {
    from[i] = {base + k, base + k + 1};
  });
  for (std::int64_t s = 0; s < given.num_segments(); ++s) {
    const std::int32_t begin = base_of(s),
                       end = begin + static_cast<std::int32_t>(given.lengths[s]);
    inits[s] = reverse ? Segment{end, end + 7} : Segment{begin - 7, begin};
  }
  for (std::int64_t s = 0; s <= given.num_segments(); ++s) offsets[s] = begins[s];
  strangers[0] = 0;
  in.upload(), out.upload(), totals.upload(), inits.upload(), offsets.upload(), strangers.upload();
  const scan::status status =
      launch(static_cast<const Segment*>(from.data()), out.data(),
             static_cast<const std::int64_t*>(offsets.data()), has_init ? inits.data() : nullptr,
             has_init ? totals.data() : nullptr, concatenate{strangers.data()}, exclusive);
  expect(status.ok(), status.message(), n, how);
  each([&](std::int64_t i, std::int32_t base, std::int32_t k, std::int32_t length) {
    const std::int32_t own = exclusive ? 0 : 1;
    out[i] = reverse ? Segment{base + k + 1 - own, base + length + before}
                     : Segment{base - before, base + k + own};
  });
  for (std::int64_t s = 0; s < given.num_segments() && has_init; ++s) {
    const auto length = static_cast<std::int32_t>(given.lengths[s]);
    totals[s] = reverse ? Segment{base_of(s), base_of(s) + length + before}
                        : Segment{base_of(s) - before, base_of(s) + length};
  }
  expect(in.same(), "the input", n, how);
  expect(out.same(), "the output", n, how);
  expect(totals.same(), "the totals", n, how);
  expect(offsets.same(), "the offsets", n, how);
  expect(strangers.same(), "what the operator was shown", n, how);
}

/// Sums of small whole numbers, with an init for all or none: `scan(in, out, init, exclusive)`.
template <class T, class Memory, class Scan>
void check_sums(const layout& given, int how, bool reverse, Scan scan) {
  const bool exclusive = how & exclusive_bit, in_place = how & in_place_bit;
  const std::int64_t n = given.num_items(), offset = how & misaligned_bit ? 1 : 0;
  std::optional<T> init;
  if (!(how & no_init_bit)) init = T{3};
  array<T, Memory> in(n, offset), out(n, in_place ? offset : 2 * offset + 1);
  const auto item = [](std::int64_t i) { return static_cast<T>(i * 7 % 17 - 8); };
  auto& from = in_place ? out : in;
  for (std::int64_t i = 0; i < n; ++i) from[i] = item(i);
  in.upload(), out.upload();
  const ::scan::status status =
      scan(static_cast<const T*>(from.data()), out.data(), init, exclusive);
  expect(status.ok(), status.message(), n, how);
  const std::vector<std::int64_t> begins = given.offsets();
  for (std::int64_t s = 0; s < given.num_segments(); ++s) {
    T sum = init.value_or(::scan::plus::identity<T>());
    for (std::int64_t k = 0; k < given.lengths[s]; ++k) {
      const std::int64_t i = reverse ? begins[s + 1] - 1 - k : begins[s] + k;
      const T next = static_cast<T>(sum + item(i));
      out[i] = exclusive ? sum : next;
      sum = next;
    }
  }
  expect(in.same(), "the input of sums", n, how);
  expect(out.same(), "the sums", n, how);
}

/// What says the same of elements: a key that changes, a flag.
inline std::vector<std::int32_t> keys_of(const layout& given) {
  std::vector<std::int32_t> keys;
  for (std::size_t s = 0; s < given.lengths.size(); ++s) {
    keys.insert(keys.end(), static_cast<std::size_t>(given.lengths[s]),
                static_cast<std::int32_t>(s % 3));
  }
  return keys;
}
/// `always`: of element 0, for which it does not matter.
inline std::vector<std::uint8_t> flags_of(const layout& given, bool always) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(given.num_items()));
  std::int64_t place = 0;
  for (const std::int64_t length : given.lengths) {
    if (length > 0) all[static_cast<std::size_t>(place)] = place == 0 ? always : 1;
    place += length;
  }
  return all;
}
inline std::vector<std::uint32_t> bits_of(const std::vector<std::uint8_t>& flags) {
  std::vector<std::uint32_t> words((flags.size() + 31) / 32);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    words[i / 32] |= std::uint32_t{flags[i]} << i % 32;
  }
  return words;
}

}  // namespace probe

#endif
