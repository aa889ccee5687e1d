// Streams of a block with segments in it, of an operator that may be applied to any two values and
// thrown away: no branch that lengths decide, and vector code. In the order of streams.hpp.
#ifndef SCAN_HOST_SEGMENT_CHOICE_HPP
#define SCAN_HOST_SEGMENT_CHOICE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "scan/host/segment_walks.hpp"
#include "scan/protocol/prefix.hpp"
#include "scan/segment_fold.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Operands and flags of a block.
template <class V, class Op>
class chosen_streams {
  static_assert(sizeof(V) <= 8);
  static constexpr int num_streams = 4, step_items = 4;
  using fold = segment_fold<V>;

 public:
  chosen_streams(const Op& op, const V* values, const std::uint8_t* flags, std::int64_t count)
      : op_(op), values_(values), flags_(flags), count_(count), length_(count / num_streams) {
    if (length_ > 0) reduce();
    for (std::int64_t i = num_streams * length_; i < count_; ++i) {
      rest_ = join(rest_, prefix<fold>{item(i), true}, operation());
    }
  }

  fold all() const {
    if (length_ == 0) return rest_.value;
    fold joined = folds_[0];
    for (int s = 1; s < num_streams; ++s) joined = operation()(joined, folds_[s]);
    return rest_.exists ? operation()(joined, rest_.value) : joined;
  }

  /// The inclusive results after `before`.
  void scan(prefix<fold> before, V* results) const {
    if (length_ > 0) scan_streams(before, results);
    for (std::int64_t i = num_streams * length_; i < count_; ++i) {
      before = join(before, prefix<fold>{item(i), true}, operation());
      results[i] = before.value.value;
    }
  }

 private:
  using bits = std::conditional_t<sizeof(V) <= 2,
                                  std::conditional_t<sizeof(V) == 1, std::uint8_t, std::uint16_t>,
                                  std::conditional_t<sizeof(V) <= 4, std::uint32_t, std::uint64_t>>;

  fold item(std::int64_t i) const { return {values_[i], flags_[i]}; }
  segmented<Op> operation() const { return {op_}; }

  /// The value that follows `earlier`: `later` alone where the flag is 1.
  V follow(const V& earlier, const V& later, std::uint8_t flag) const {
    V joined = op_(earlier, later);
    bits joined_bits, later_bits;
    std::memcpy(&joined_bits, std::addressof(joined), sizeof(V));
    std::memcpy(&later_bits, std::addressof(later), sizeof(V));
    const auto mask = static_cast<bits>(bits{0} - flag);
    joined_bits = static_cast<bits>((joined_bits & static_cast<bits>(~mask)) | (later_bits & mask));
    std::memcpy(static_cast<void*>(std::addressof(joined)), &joined_bits, sizeof(V));
    return joined;
  }

  /// From the first item that matters to one of the streams: what is before a stream's last head
  /// does not to it.
  void reduce() {
    V value[num_streams];
    std::int64_t first = length_ - 1;
    for (int s = 0; s < num_streams; ++s) {
      const std::int64_t last = last_flag(flags_ + s * length_, length_);
      folds_[s].has_head = last < 0 ? 0 : 1;
      first = std::min(first, std::max<std::int64_t>(last, 0));
    }
    for (int s = 0; s < num_streams; ++s) value[s] = values_[s * length_ + first];
    for (std::int64_t i = first + 1; i < length_; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        const std::int64_t at = s * length_ + i;
        value[s] = follow(value[s], values_[at], flags_[at]);
      }
    }
    for (int s = 0; s < num_streams; ++s) folds_[s].value = value[s];
  }

  /// Leaves what precedes the rest in `before`.
  void scan_streams(prefix<fold>& before, V* results) const {
    V running[num_streams];
    for (int s = 0; s < num_streams; ++s) {
      running[s] = join(before, prefix<fold>{item(s * length_), true}, operation()).value.value;
      results[s * length_] = running[s];
      before = join(before, prefix<fold>{folds_[s], true}, operation());
    }
    std::int64_t i = 1;
    for (; i + step_items <= length_; i += step_items) scan_step(i, running, results);
    for (; i < length_; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        const std::int64_t at = s * length_ + i;
        results[at] = running[s] = follow(running[s], values_[at], flags_[at]);
      }
    }
  }
  void scan_step(std::int64_t first, V (&running)[num_streams], V* results) const {
    V x[step_items][num_streams];
    std::uint8_t flags[step_items][num_streams];
    for (int s = 0; s < num_streams; ++s) {
      for (int i = 0; i < step_items; ++i) {
        x[i][s] = values_[s * length_ + first + i];
        flags[i][s] = flags_[s * length_ + first + i];
      }
    }
    for (int i = 0; i < step_items; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        x[i][s] = running[s] = follow(running[s], x[i][s], flags[i][s]);
      }
    }
    for (int s = 0; s < num_streams; ++s) {
      for (int i = 0; i < step_items; ++i) results[s * length_ + first + i] = x[i][s];
    }
  }

  Op op_;
  const V* values_;
  const std::uint8_t* flags_;
  std::int64_t count_, length_;
  fold folds_[num_streams];
  prefix<fold> rest_{};
};

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
