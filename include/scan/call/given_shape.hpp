// What entries take of what callers say of the shape, and whether spans have as much.
#ifndef SCAN_CALL_GIVEN_SHAPE_HPP
#define SCAN_CALL_GIVEN_SHAPE_HPP

#include <cstdint>
#include <type_traits>

#include "scan/call/element_count.hpp"
#include "scan/call/entries.hpp"
#include "scan/call/room.hpp"
#include "scan/extents.hpp"
#include "scan/options.hpp"
#include "scan/segments.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Runs of equal keys, or what flags say, among `n` elements: see inclusive_by_key.
template <class By, class Equal>
struct runs_of {
  By by;
  element_count n;
  Equal equal;
};

inline std::int64_t shape_of(std::int64_t n) noexcept { return n; }
inline const count& shape_of(const count& given) noexcept { return given; }
inline const extents& shape_of(const extents& given) noexcept { return given; }
template <class Offset>
segment_heads shape_of(const segments<Offset>& given) noexcept {
  return heads_of_segments(given);
}
template <class By, class Equal>
auto shape_of(const runs_of<By, Equal>& given) noexcept {
  auto heads = heads_of_runs(given.by, given.n.most(), given.equal);
  heads.counted = given.n.pointer();
  return heads;
}

/// Whether offsets, keys or flags are as many as are read.
template <class Offset>
status validate_heads_of(const segments<Offset>& given, const segment_heads& heads) noexcept {
  return validate_heads_room(given, heads);
}
template <class By, class Equal, class Heads>
status validate_heads_of(const runs_of<By, Equal>& given, const Heads& heads) noexcept {
  if (const status checked = given.n.checked(); !checked.ok()) return checked;
  return validate_heads_room(given.by, heads);
}
/// The shape by which room is asked for: in host memory offsets may say how many elements there
/// are.
template <class Where, class Shape>
decltype(auto) counted_by(const Shape& shape) noexcept {
  if constexpr (std::is_same_v<Where, host_path::on_host> && is_segmented<Shape>) {
    return counted(shape);
  } else {
    return (shape);
  }
}

/// Whether spans are as long as the call needs them. (Of pointers nobody knows.)
template <class Where, class In, class Out, class Given, class Shape>
status validate_rooms(const In& in, const Out& out, const Given& given, const Shape& shape,
                      bool complete) noexcept {
  if constexpr (is_segmented<Shape> || is_ranges<Shape>) {
    if (const status checked = validate_heads_of(given, shape); !checked.ok()) return checked;
  }
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) {
    return {};
  } else {
    return validate_room(in, out, room_for(counted_by<Where>(shape), complete));
  }
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
