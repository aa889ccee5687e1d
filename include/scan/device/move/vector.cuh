// Vectors: a few consecutive elements that travel as one word.
#ifndef SCAN_DEVICE_MOVE_VECTOR_CUH
#define SCAN_DEVICE_MOVE_VECTOR_CUH

#include <cstdint>
#include <type_traits>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `bytes` bytes in as few registers as they need; 16, 8, 4, 2 and 1 of them travel in
/// one instruction.
template <int bytes>
struct alignas(bytes % 16 == 0  ? 16
               : bytes % 8 == 0 ? 8
                                : 4) memory_word {
  unsigned data[(bytes + 3) / 4];

  /// Keeps the compiler from holding the bytes of a word in registers of their own, from where they
  /// are filled or were unpacked before to where they are unpacked again.
  __device__ void keep_packed() {
#pragma unroll
    for (unsigned& part : data) asm("" : "+r"(part));
  }
};
template <>
struct memory_word<2> {
  unsigned short data;
  __device__ void keep_packed() {}
};
template <>
struct memory_word<1> {
  unsigned char data;
  __device__ void keep_packed() {}
};

/// The elements of a vector, unpacked; held as in memory, so element 0 of a reversed one is its
/// last.
template <class T, int count_, bool reversed>
struct vector_elements {
  static constexpr int count = count_;
  using packed = memory_word<static_cast<int>(sizeof(T)) * count>;
  T element[count];

  __device__ T& operator[](int i) { return element[reversed ? count - 1 - i : i]; }
  __device__ const T& operator[](int i) const { return element[reversed ? count - 1 - i : i]; }

  /// From memory that may lie anywhere, and back.
  __device__ static packed read(const T* from) {
    vector_elements result;
#pragma unroll
    for (int i = 0; i < count; ++i) result.element[i] = from[i];
    return result.pack();
  }
  __device__ static void write(T* to, const packed& from) {
    const vector_elements elements = unpack(from);
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = elements.element[i];
  }

  __device__ static vector_elements unpack(packed word) {
    word.keep_packed();
    vector_elements result;
    memcpy(&result, &word, sizeof(result));
    return result;
  }
  __device__ packed pack() const {
    packed word;
    memcpy(&word, this, sizeof(*this));
    return word;
  }
};

/// Vectors in an array that begins at a multiple of 16 bytes: each a word, if it fills that.
template <class T, int count>
struct vector_array {
  using elements = vector_elements<T, count, false>;
  using word = typename elements::packed;
  static constexpr bool fill_words = sizeof(word) == sizeof(T) * count;
  T* data;

  __device__ elements get(int vector) const {
    if constexpr (fill_words) return elements::unpack(reinterpret_cast<const word*>(data)[vector]);
    if constexpr (!fill_words) return elements::unpack(elements::read(data + vector * count));
  }
  __device__ void put(int vector, const elements& from) const {
    if constexpr (fill_words) {
      reinterpret_cast<word*>(data)[vector] = from.pack();
    } else {
      elements::write(data + vector * count, from.pack());
    }
  }
};

// ---- Granules of 16 bytes, in which memory is moved that lies anywhere, and bytes across two of
// them.

inline constexpr int granule = 16;

/// What of an element of type T lies in one granule, wherever the element does: one that is aligned
/// to less than its size may begin in one granule and end in the next.
template <int alignment>
struct alignas(alignment) element_part {
  unsigned char bytes[alignment];
};
template <class T>
using part_of =
    std::conditional_t<alignof(T) == sizeof(T), T, element_part<static_cast<int>(alignof(T))>>;
template <class T>
__device__ part_of<T>* parts_at(T* data) {
  return reinterpret_cast<part_of<T>*>(data);
}
template <class T>
__device__ const part_of<T>* parts_at(const T* data) {
  return reinterpret_cast<const part_of<T>*>(data);
}

/// `num_bytes` bytes of `low` and, after it, `high`, from byte `offset` on. `within_words`: that
/// may be inside of a word.
template <bool within_words, int num_bytes>
__device__ memory_word<num_bytes> shifted(const memory_word<num_bytes>& low,
                                          const memory_word<num_bytes>& high, unsigned offset) {
  constexpr int num_words = num_bytes / 4;
  unsigned words[2 * num_words];
#pragma unroll
  for (int i = 0; i < num_words; ++i) {
    words[i] = low.data[i];
    words[num_words + i] = high.data[i];
  }
#pragma unroll
  for (int step = num_words / 2, most = 2 * num_words; step > 0; step /= 2) {
    most -= step;
#pragma unroll
    for (int i = 0; i < most; ++i) words[i] = (offset / 4 & step) != 0 ? words[i + step] : words[i];
  }
  memory_word<num_bytes> result;
#pragma unroll
  for (int i = 0; i < num_words; ++i) {
    result.data[i] =
        within_words ? __funnelshift_r(words[i], words[i + 1], offset % 4 * 8) : words[i];
  }
  result.keep_packed();
  return result;
}

/// `Items`, a vector_elements, that lie beside others, of the two granules of their size that they
/// are in.
template <class Items, class T>
__device__ typename Items::packed read_beside_others(const T* from) {
  using vector = typename Items::packed;
  constexpr int bytes = static_cast<int>(sizeof(vector)), alignment = static_cast<int>(alignof(T));
  if constexpr ((bytes == 4 || bytes == 8 || bytes == 16) &&
                (alignment >= 4 || alignment == sizeof(T))) {
    const int off = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % bytes);
    const auto* const granules =
        reinterpret_cast<const vector*>(reinterpret_cast<const unsigned char*>(from) - off);
    vector low = granules[0], high = granules[1];
    low.keep_packed();
    high.keep_packed();
    return shifted<(alignment < 4)>(low, high, off);
  } else {
    return Items::read(from);
  }
}

/// The same of 16 bytes, `shift` below 16.
__device__ inline uint4 funnel(const uint4& low, const uint4& high, int shift) {
  unsigned word[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) word[i] = shift & 8 ? word[i + 2] : word[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) word[i] = shift & 4 ? word[i + 1] : word[i];
  const int bits = shift % 4 * 8;
  return {__funnelshift_r(word[0], word[1], bits), __funnelshift_r(word[1], word[2], bits),
          __funnelshift_r(word[2], word[3], bits), __funnelshift_r(word[3], word[4], bits)};
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
