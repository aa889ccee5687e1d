// How many elements a call has: a number, or one in memory that is read when the call runs.
#ifndef SCAN_CALL_ELEMENT_COUNT_HPP
#define SCAN_CALL_ELEMENT_COUNT_HPP

#include <algorithm>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/call/validate.hpp"
#include "scan/options.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Those of a count, which `counted` holds: at least none, at most its capacity.
SCAN_HOST_DEVICE constexpr std::int64_t items_counted(std::int64_t counted,
                                                      std::int64_t capacity) noexcept {
  return counted < 0 ? 0 : counted < capacity ? counted : capacity;
}

class element_count {
 public:
  element_count(std::int64_t n) noexcept : most_(n) {}
  element_count(const scan::count& of) noexcept
      : most_(of.capacity), pointer_(of.n), is_counted_(true) {}

  std::int64_t most() const noexcept { return most_; }
  const std::int64_t* pointer() const noexcept { return pointer_; }
  bool is_counted() const noexcept { return is_counted_; }

  /// Whether the number can be read.
  status checked() const noexcept {
    if (!is_counted_) return {};
    if (pointer_ == nullptr) return {cudaErrorInvalidValue, "scan::count is null"};
    if (!element_aligned(pointer_)) {
      return {cudaErrorInvalidValue, "scan::count is not aligned to its type"};
    }
    return {};
  }
  /// Of a count in host memory, which has been checked: the number itself. (A capacity that cannot
  /// be is left to those who check numbers.)
  std::int64_t read() const noexcept {
    return is_counted_ && most_ > 0 ? items_counted(*pointer_, most_) : most_;
  }

 private:
  std::int64_t most_;
  const std::int64_t* pointer_ = nullptr;
  bool is_counted_ = false;
};

/// `scan` of the number, which in host memory is read at once.
template <class Scan>
status read_first(const element_count& n, const Scan& scan) {
  if (const status checked = n.checked(); !checked.ok()) return checked;
  return scan(n.read());
}

/// Blocks that start late read the number late, which may be null: nothing is written there.
inline status validate_counted(const std::int64_t* n, const memory_range& written,
                               const memory_range& total = {no_array{}, 0}) noexcept {
  const memory_range read(n, n != nullptr ? 1 : 0);
  if (read.overlaps(written)) return {cudaErrorInvalidValue, "scan::count overlaps the output"};
  if (read.overlaps(total)) return {cudaErrorInvalidValue, "scan::count overlaps options.total"};
  return {};
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
