// Keys of a user's own, an equality that sees what it is asked about, and an iterator over an array
// that nobody can know to be one.
#ifndef SCAN_TESTS_OWN_KEYS_HPP
#define SCAN_TESTS_OWN_KEYS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tests/support/watched.hpp"

namespace tests {

/// Keys that rise in memory, by little within a run and by more between runs.
struct rising_keys {
  static constexpr std::uint32_t step = 10, jump = 100;
  static std::uint32_t of(std::int64_t segment, std::int64_t i) {
    return static_cast<std::uint32_t>(i * step + segment * (jump - step));
  }
};
/// Of 32 bytes, and never without a value.
struct wide_key {
  std::uint64_t part[4];
  explicit wide_key(std::uint32_t height) : part{7, 8, height, 9} {}
};
struct wide_keys {
  static wide_key of(std::int64_t segment, std::int64_t i) {
    return wide_key(rising_keys::of(segment, i));
  }
};
SCAN_HOST_DEVICE inline std::uint32_t height(std::uint32_t key) { return key; }
SCAN_HOST_DEVICE inline std::uint32_t height(const wide_key& key) {
  return static_cast<std::uint32_t>(key.part[2]);
}
/// Whether a key is little above the one before it in memory. Counts the pairs that are no
/// neighbours: swapped, a key and itself, or bits that are no keys of the call. (Not const: workers
/// copy it.)
struct little_above {
  shared_count::handle strangers;
  template <class Key>
  SCAN_HOST_DEVICE bool operator()(const Key& earlier, const Key& later) {
    const std::uint32_t step = height(later) - height(earlier);
    if (step != rising_keys::step && step != rising_keys::jump) strangers.add();
    return step < 50;
  }
};

/// Zeros of both signs, which are alike.
struct float_keys {
  static float of(std::int64_t segment, std::int64_t i) {
    return segment % 2 == 0 ? (i % 2 == 0 ? 0.0f : -0.0f) : 1.5f;
  }
};

template <class T>
struct elsewhere {
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  T* at;
  SCAN_HOST_DEVICE elsewhere operator+(std::ptrdiff_t i) const { return {at + i}; }
  SCAN_HOST_DEVICE T& operator*() const { return *at; }
};

}  // namespace tests

#endif
