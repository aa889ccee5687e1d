// Where a call that was made of bytes reads and writes.
#ifndef SCAN_TESTS_FUZZED_PLACES_HPP
#define SCAN_TESTS_FUZZED_PLACES_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/fuzz/fuzzed_call.hpp"

namespace tests {

/// Of products of numbers that nobody has checked.
__extension__ using wide = __int128;

/// Bytes [begin, end) of memory, in slabs.
struct placed {
  std::int64_t begin = 0;
  wide pitch_bytes = 0, slab_bytes = 0, count = 0;

  bool empty() const { return slab_bytes == 0 || count == 0; }
  wide end() const { return empty() ? begin : begin + (count - 1) * pitch_bytes + slab_bytes; }
  bool within(std::int64_t memory_bytes) const {
    return empty() || (begin >= 0 && end() <= memory_bytes);
  }
  bool spans_meet(const placed& other) const {
    return !empty() && !other.empty() && begin < other.end() && other.begin < end();
  }
  /// Of what lies in memory: byte by byte.
  void mark(std::vector<bool>& bytes) const {
    for (wide slab = 0; !empty() && slab < count; ++slab) {
      const auto first = static_cast<std::int64_t>(begin + slab * pitch_bytes);
      std::fill_n(bytes.begin() + first, static_cast<std::int64_t>(slab_bytes), true);
    }
  }
  bool bytes_meet(const placed& other, std::int64_t memory_bytes) const {
    if (!spans_meet(other)) return false;
    std::vector<bool> mine(static_cast<std::size_t>(memory_bytes)), its(mine);
    mark(mine);
    other.mark(its);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] && its[i]) return true;
    }
    return false;
  }
};

/// Where a call reads and writes.
struct call_places {
  placed in, factors, out, total, init;

  call_places(const fuzzed_call& c, const fuzzed_kind& kind) {
    const scan::extents shape = c.of_extents ? c.shape : scan::extents{1, c.shape.length, 1, 0, 0};
    const wide inner = shape.inner, slab = shape.length * inner;
    const wide out_slab = slab + c.extra() * inner;
    const auto side = [&](std::int64_t begin, wide pitch, wide items, std::int64_t bytes) {
      const wide dense = pitch > 0 ? pitch : items;
      return placed{begin == fuzzed_call::null ? 0 : begin, dense * bytes, items * bytes,
                    shape.outer};
    };
    const auto values = [&](std::int64_t begin) {
      if (begin == fuzzed_call::null) return placed{};
      const wide bytes = kind.value.bytes * wide{shape.outer} * inner;
      return placed{begin, bytes, bytes, 1};
    };
    in = side(c.in, shape.in_pitch, slab, kind.in.bytes);
    if (kind.recurrence) factors = side(c.factors, shape.in_pitch, slab, kind.in.bytes);
    out = side(c.out, shape.out_pitch, out_slab, kind.out.bytes);
    total = values(c.total);
    init = values(c.init);
  }
};

}  // namespace tests

#endif
