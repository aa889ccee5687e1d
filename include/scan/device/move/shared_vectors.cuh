// Vectors in shared memory, at any alignment.
#ifndef SCAN_DEVICE_MOVE_SHARED_VECTORS_CUH
#define SCAN_DEVICE_MOVE_SHARED_VECTORS_CUH

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Vectors of `vector_items` elements, each read and written by one lane; a vector's offset is that
/// of the element with the lowest address.
template <class T, int vector_items, bool reversed>
struct shared_vectors {
  using byte = unsigned char;
  using items = vector_elements<T, vector_items, reversed>;
  using packed = typename items::packed;
  static constexpr int item_bytes = static_cast<int>(sizeof(T)), bytes = item_bytes * vector_items;
  /// Whether vectors are moved in words, and, if not aligned, which. (No element lies across two.)
  static constexpr bool in_words =
      (bytes == 4 || bytes == 8 || bytes == 16) && (alignof(T) >= 4 || alignof(T) == sizeof(T));
  static constexpr bool within_words = alignof(T) < 4;
  static constexpr int unit_bytes = alignof(T) >= 16 ? 16 : alignof(T) >= 8 ? 8 : 4;
  static constexpr int units = in_words ? bytes / unit_bytes : 1;
  using unit = memory_word<unit_bytes>;

  /// The first `num_valid` in scan order, one at least.
  __device__ static items read_items(const byte* memory, unsigned offset, int num_valid) {
    const T* const elements = reinterpret_cast<const T*>(memory + offset);
    items result;
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      if (i == 0 || i < num_valid) result[i] = elements[reversed ? vector_items - 1 - i : i];
    }
    return result;
  }
  __device__ static void write_items(byte* memory, unsigned offset, int num_valid,
                                     const items& from) {
    T* const elements = reinterpret_cast<T*>(memory + offset);
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      if (i == 0 || i < num_valid) elements[reversed ? vector_items - 1 - i : i] = from[i];
    }
  }

  /// All items, `off` bytes off a word, of elements that may begin inside of one.
  __device__ static void write_words(byte* to, unsigned off, const packed& from) {
    unsigned* const words = reinterpret_cast<unsigned*>(to - off);
    if (off == 0) words[0] = from.data[0];
#pragma unroll
    for (int i = 1; i < bytes / 4; ++i) {
      words[i] = __funnelshift_l(from.data[i - 1], from.data[i], off * 8);
    }
    write_ends(to, 0, off, from);
  }

 private:
  /// What a vector has of its first and last words, where these are not its alone.
  __device__ static void write_ends(byte* memory, unsigned offset, unsigned off,
                                    const packed& from) {
    const auto elements = vector_elements<T, vector_items, false>::unpack(from);
    T* const to = reinterpret_cast<T*>(memory + offset);
#pragma unroll
    for (int i = 0; i < 4 / item_bytes - 1; ++i) {
      constexpr int last = vector_items - 1;
      if (off > 0 && i * item_bytes + off < 4) to[i] = elements[i];
      if (i * item_bytes < static_cast<int>(off)) to[last - i] = elements[last - i];
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
