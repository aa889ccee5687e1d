#include <algorithm>
#include <utility>

#include "tests/fuzz/fuzzed_places.hpp"

namespace tests {
namespace {

constexpr std::int64_t null = fuzzed_call::null;
constexpr std::int64_t address_space = std::int64_t{1} << 57;

/// Whether the numbers are none that extents can have.
bool are_numbers_bad(const fuzzed_call& c, const fuzzed_kind& kind) {
  const wide most = address_space / std::max({kind.in.bytes, kind.out.bytes, kind.value.bytes});
  const wide length = c.shape.length, extra = c.extra();
  if (!c.of_extents) {
    const wide largest =
        std::max(kind.in.bytes, kind.recurrence ? kind.value.bytes : kind.out.bytes);
    return length < 0 || length > address_space / largest;
  }
  const wide outer = c.shape.outer, inner = c.shape.inner;
  const wide in_pitch = c.shape.in_pitch, out_pitch = c.shape.out_pitch;
  if (outer < 0 || length < 0 || inner < 0 || in_pitch < 0 || out_pitch < 0) return true;
  if (inner > most || (inner > 0 && (length + extra) * inner > most)) return true;
  const wide slab = length * inner, out_slab = slab + extra * inner;
  if ((in_pitch > 0 && in_pitch < slab) || (out_pitch > 0 && out_pitch < out_slab)) return true;
  if (outer * std::max<wide>(inner, 1) > most) return true;
  const auto exceeds = [&](wide pitch, wide items) {
    return items > 0 && (outer - 1) * (pitch > 0 ? pitch : items) + items > most;
  };
  return (outer > 1 && exceeds(in_pitch, slab)) || (outer > 1 && exceeds(out_pitch, out_slab));
}

bool is_misaligned(std::int64_t offset, const fuzzed_kind::type& type) {
  return offset != null && offset % type.alignment != 0;
}

/// Whether two places that must not meet do: `accepted` or `refused`, or `either`.
verdict of_pair(const placed& a, const placed& b, std::int64_t memory_bytes) {
  if (!a.spans_meet(b)) return verdict::accepted;
  if (a.within(memory_bytes) && b.within(memory_bytes)) {
    if (a.bytes_meet(b, memory_bytes)) return verdict::refused;
    const bool one_pitch = a.count > 1 && b.count > 1 && a.pitch_bytes == b.pitch_bytes;
    return one_pitch ? verdict::accepted : verdict::either;
  }
  return a.count < 2 && b.count < 2 ? verdict::refused : verdict::out_of_reach;
}

}  // namespace

verdict verdict_of(const fuzzed_call& c) {
  const fuzzed_kind& kind = fuzzed_kinds()[c.kind];
  if (c.threads < 0 || (c.init_by_value && c.init != null)) return verdict::refused;
  if (c.complete && (!c.exclusive || kind.recurrence)) return verdict::refused;
  if (are_numbers_bad(c, kind)) return verdict::refused;
  const call_places at(c, kind);
  const bool has_sequences = !c.of_extents || (c.shape.outer > 0 && c.shape.inner > 0);
  const bool start_is_seen =
      has_sequences && (c.shape.length > 0 ? c.exclusive : c.complete || c.total != null);
  if (start_is_seen && !c.init_by_value && c.init == null && !kind.has_identity) {
    return verdict::refused;
  }
  const auto bad = [](std::int64_t pointer, const placed& place, const fuzzed_kind::type& type) {
    return !place.empty() && (pointer == null || is_misaligned(pointer, type));
  };
  if (bad(c.in, at.in, kind.in) || bad(c.out, at.out, kind.out)) return verdict::refused;
  if (kind.recurrence && bad(c.factors, at.factors, kind.in)) return verdict::refused;
  verdict worst = verdict::accepted;
  for (const std::int64_t pointer : {c.total, c.init}) {
    if (!is_misaligned(pointer, kind.value)) continue;
    if (has_sequences) return verdict::refused;
    worst = verdict::either;
  }
  const bool in_place = c.in == c.out && kind.in.bytes == kind.out.bytes &&
                        (at.in.count < 2 || at.in.pitch_bytes == at.out.pitch_bytes);
  const std::pair<const placed*, const placed*> apart[] = {{&at.in, in_place ? nullptr : &at.out},
                                                           {&at.factors, &at.out},
                                                           {&at.total, &at.in},
                                                           {&at.total, &at.factors},
                                                           {&at.total, &at.out},
                                                           {&at.init, &at.out},
                                                           {&at.init, &at.total}};
  for (const auto& [a, b] : apart) {
    const verdict found = b == nullptr ? verdict::accepted : of_pair(*a, *b, c.memory_bytes);
    if (found == verdict::refused) return found;
    if (found == verdict::out_of_reach || worst == verdict::accepted) worst = found;
  }
  for (const placed& place : {at.in, at.factors, at.out, at.total, at.init}) {
    if (!place.within(c.memory_bytes)) return verdict::out_of_reach;
  }
  return worst;
}

}  // namespace tests
