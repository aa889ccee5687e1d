// Test data: random inputs, and buffers that notice a write outside of their elements.
#ifndef SCAN_TESTS_GUARDED_HPP
#define SCAN_TESTS_GUARDED_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace tests {

inline constexpr std::size_t guard_bytes = 256;
inline constexpr unsigned char guard_value = 0xA5;
inline constexpr unsigned char poison_value = 0x5C;  // what an output holds before the call

/// Room for `n` elements `offset` elements past a 256-byte boundary, with guards on both sides. The
/// image of a device buffer, or a host buffer itself.
template <class T>
class guarded {
 public:
  explicit guarded(std::int64_t n, std::int64_t offset = 0)
      : begin_(guard_bytes + static_cast<std::size_t>(offset) * sizeof(T)),
        num_bytes_(static_cast<std::size_t>(n) * sizeof(T)),
        bytes_(begin_ + num_bytes_ + guard_bytes + 256, guard_value),
        // new[] aligns to 16; offsets are meant from a boundary that every vector shares
        shift_((256 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 256) % 256) {
    if (num_bytes_ > 0) std::memset(static_cast<void*>(data()), poison_value, num_bytes_);
  }

  T* data() { return reinterpret_cast<T*>(bytes_.data() + shift_ + begin_); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + shift_ + begin_); }

  /// The whole image, guards included, for copies to and from a device.
  unsigned char* image() { return bytes_.data() + shift_; }
  std::size_t image_bytes() const { return begin_ + num_bytes_ + guard_bytes; }
  std::size_t begin() const { return begin_; }

  bool guards_intact() const {
    return all_are(guard_value, 0, begin_) &&
           all_are(guard_value, begin_ + num_bytes_, image_bytes());
  }
  bool untouched() const {
    return all_are(poison_value, begin_, begin_ + num_bytes_) && guards_intact();
  }

 private:
  /// Bytes [from, to) of the image.
  bool all_are(unsigned char value, std::size_t from, std::size_t to) const {
    const unsigned char* const image = bytes_.data() + shift_;
    return std::all_of(image + from, image + to,
                       [value](unsigned char byte) { return byte == value; });
  }

  std::size_t begin_;
  std::size_t num_bytes_;
  std::vector<unsigned char> bytes_;
  std::size_t shift_;
};

/// Random integers of the type's whole range; for floating-point types small ones of both signs,
/// whose sums are exact, so that every order of addition gives the same bits.
template <class T>
std::vector<T> random_items(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) {
    if constexpr (std::is_integral_v<T>) {
      item = static_cast<T>(random());
    } else {
      item = static_cast<T>(static_cast<int>(random() % 17) - 8);
    }
  }
  return items;
}

}  // namespace tests

#endif
