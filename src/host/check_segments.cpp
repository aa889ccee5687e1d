// Whether offsets are what scan::segments says they have to be: in host memory.
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "scan/host/segment/segment_walks.hpp"
#include "scan/host/workers.hpp"
#include "scan/segmented.hpp"
#include "src/device/wrong_offset.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {
namespace {

/// Thrown by who finds a wrong offset, to stop those who look elsewhere; never leaves this file.
struct wrong_offset_found {};

/// Whether entries [first, last] are not negative and rise, as does the first after its neighbour.
/// (No unsigned one of 64 bits is more than 2^63 - 1.)
template <class Offset>
bool rises(const Offset* offsets, std::int64_t first, std::int64_t last) {
  using U =
      std::conditional_t<std::is_signed_v<Offset>, std::make_unsigned_t<Offset>, std::uint64_t>;
  // The sign of each entry, and of each difference, which where no entry is negative is right.
  // (Wrapping, and vector code, which comparisons of 64 bits are not.)
  U signs = static_cast<U>(offsets[first]);
  if (first > 0 && offsets[first] < offsets[first - 1]) return false;
  for (std::int64_t k = first; k < last; ++k) {
    const U before = static_cast<U>(offsets[k]), next = static_cast<U>(offsets[k + 1]);
    signs = static_cast<U>(signs | next | (next - before));
  }
  return static_cast<std::make_signed_t<U>>(signs) >= 0;
}

template <class Offset>
status check(const Offset* offsets, std::int64_t num_segments, std::int64_t num_items,
             int threads) {
  constexpr std::int64_t entries = part_bytes / sizeof(Offset);
  const std::int64_t num_parts = num_segments / entries + 1;
  const std::int64_t num_bytes = (num_segments + 1) * std::int64_t{sizeof(Offset)};
  try {
    const auto part = [&](std::int64_t i) {
      const std::int64_t first = i * entries, last = std::min(first + entries - 1, num_segments);
      const bool fit = rises(offsets, first, last) && !exceeds(offsets[last], num_items);
      if (!fit) throw wrong_offset_found{};
    };
    run_parts(num_parts, worker_count(threads, num_parts, num_bytes, true), part);
  } catch (...) {  // (whatever it is: then all are looked at here)
    for (std::int64_t k = 0; k <= num_segments; ++k) {  // which is the first?
      const Offset before = k == 0 ? Offset{0} : offsets[k - 1];
      const wrong_offset what = what_is_wrong(before, offsets[k], k, num_items);
      if (what != wrong_offset::nothing) return status_of(what, k);
    }
  }
  return {};
}

}  // namespace

status check_offsets(const segment_heads& heads, int threads) noexcept {
  if (heads.num_segments == 0) return {};
  // (Where it is left to the last offset, those that rise do not exceed it.)
  const std::int64_t num_items = heads.num_items >= 0 ? heads.num_items : INT64_MAX;
  return with_offsets(heads, [&](const auto* offsets) {
    return check(offsets, heads.num_segments, num_items, threads);
  });
}

status resolve_heads(segment_heads& heads, int threads) noexcept {
  if (!has_offsets(heads)) return {};
  if (const status checked = validate_heads(heads, 1, true); !checked.ok()) return checked;
  if (const status checked = check_offsets(heads, threads); !checked.ok()) return checked;
  if (heads.num_segments > 0 && heads.num_items == unsaid_items) {
    heads.num_items = heads_walk(heads, false).end();
  }
  return {};
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan
