// What profilers show of a call on the device: an NVTX range in the domain "scan", from when the
// call begins to when it returns, as "inclusive<float, float, scan::plus> n=4096".
#ifndef SCAN_CALL_CALL_RANGE_HPP
#define SCAN_CALL_CALL_RANGE_HPP

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "scan/call/entries.hpp"
#include "scan/call/range_offsets.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/extents.hpp"
#include "scan/operands/type_name.hpp"
#include "scan/options.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// How much a call scans: one sequence, a tensor, segments, or runs of keys.
struct call_size {
  enum class kind { sequence, tensor, segments, keys } what;
  std::int64_t num_items;
  std::int64_t outer = 1, length = 0, inner = 1;  // of a tensor
  std::int64_t num_segments = 0;

  call_size(std::int64_t n) noexcept : what(kind::sequence), num_items(n) {}
  call_size(const count& n) noexcept : what(kind::sequence), num_items(n.capacity) {}
  call_size(const extents& shape) noexcept
      : what(kind::tensor),
        num_items(product(product(shape.outer, shape.length), shape.inner)),
        outer(shape.outer),
        length(shape.length),
        inner(shape.inner) {}
  call_size(const segment_heads& heads) noexcept
      : what(has_offsets(heads) ? kind::segments : kind::keys),
        num_items(heads.num_items < 0 ? 0 : heads.num_items),  // which may not have been given
        num_segments(heads.num_segments) {}
  call_size(const range_offsets& where) noexcept
      : what(kind::segments), num_items(where.num_items), num_segments(where.num_segments) {}
  template <class Keys, class Equal>
  call_size(const keyed_heads<Keys, Equal>& heads) noexcept
      : what(kind::keys), num_items(heads.num_items) {}

 private:
  /// (Nobody has looked at these numbers yet.)
  static std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};

namespace device {

/// Whether a tool listens to the domain "scan"; asked once, never of a build without NVTX.
bool is_profiled() noexcept;
void open_range(const char* function, const std::string_view* types, int num_types,
                const call_size& size) noexcept;
void close_range() noexcept;

/// The range of a call, for as long as its scope.
template <class... Types>
class call_range {
 public:
  /// `size`: what makes a `call_size`.
  template <class Size>
  call_range(const char* function, const Size& size) noexcept : is_open_(is_profiled()) {
    if (is_open_) open(function, size);
  }
  ~call_range() {
    if (is_open_) close_range();
  }
  call_range(const call_range&) = delete;
  call_range& operator=(const call_range&) = delete;

 private:
  static void open(const char* function, const call_size& size) noexcept {
    static constexpr std::string_view types[] = {type_name<Types>()...};
    open_range(function, types, static_cast<int>(sizeof...(Types)), size);
  }
  const bool is_open_;
};

inline const char* name_of_scan(bool exclusive) noexcept {
  return exclusive ? "exclusive" : "inclusive";
}

}  // namespace device

struct not_shown {
  template <class Shape>
  not_shown(const char*, const Shape&) noexcept {}
  ~not_shown() {}
};
/// The range of a call `Where`: none on CPU threads.
template <class Where, class... Types>
using shown = std::conditional_t<std::is_same_v<Where, host_path::on_host>, not_shown,
                                 device::call_range<Types...>>;

}  // namespace SCAN_ABI
}  // namespace scan

#endif
