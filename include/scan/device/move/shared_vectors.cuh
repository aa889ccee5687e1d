// Vectors in shared memory, at any alignment.
#ifndef SCAN_DEVICE_MOVE_SHARED_VECTORS_CUH
#define SCAN_DEVICE_MOVE_SHARED_VECTORS_CUH

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// How vectors are accessed that are not side by side.
enum class vector_access { whole, words, elements };

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
  static constexpr int unit_words = unit_bytes / 4;
  using unit = memory_word<unit_bytes>;

  // ---- vectors of different rows, which lie anywhere ----

  /// The best for vectors that are `stride` bytes apart, the first at `offset`.
  __device__ static vector_access access_of(unsigned offset, unsigned stride) {
    const unsigned off = offset | stride;
    return in_words && off % bytes == 0               ? vector_access::whole
           : in_words && within_words && off % 4 == 0 ? vector_access::words
                                                      : vector_access::elements;
  }
  __device__ static items read(const byte* memory, unsigned offset, vector_access access) {
    if constexpr (in_words) {
      if (access == vector_access::whole) {
        return items::unpack(*reinterpret_cast<const packed*>(memory + offset));
      }
    }
    if constexpr (in_words && within_words) {
      if (access == vector_access::words) {
        packed result;
#pragma unroll
        for (int i = 0; i < bytes / 4; ++i) {
          result.data[i] = reinterpret_cast<const unsigned*>(memory + offset)[i];
        }
        return items::unpack(result);
      }
    }
    return read_items(memory, offset, vector_items);
  }
  __device__ static void write(byte* memory, unsigned offset, const items& from,
                               vector_access access) {
    if constexpr (in_words) {
      if (access == vector_access::whole) {
        *reinterpret_cast<packed*>(memory + offset) = from.pack();
        return;
      }
    }
    if constexpr (in_words && within_words) {
      if (access == vector_access::words) {
        const packed words = from.pack();
#pragma unroll
        for (int i = 0; i < bytes / 4; ++i) {
          reinterpret_cast<unsigned*>(memory + offset)[i] = words.data[i];
        }
        return;
      }
    }
    write_items(memory, offset, vector_items, from);
  }
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

  // ---- vectors of lanes side by side; `aligned`: all at multiples of their size ----
  //
  // Where they are not, lanes would meet in the same banks if each began with its first word:
  // every (128 / bytes)-th has the same. So a group of so many lanes begins with another word than
  // the next group: in each step group g accesses the words whose address, in units, is g + step
  // modulo the units of a vector. That is free of conflicts wherever the vectors begin.

  __device__ static packed read_beside(const byte* memory, unsigned offset, bool aligned) {
    if (aligned) return *reinterpret_cast<const packed*>(memory + offset);
    const unsigned turn = turn_of(offset), off = within_words ? offset % 4 : 0;
    unit parts[units];
#pragma unroll
    for (int i = 0; i < units; ++i) {
      parts[i] = *reinterpret_cast<const unit*>(memory + (offset - off) +
                                                ((turn + i) % units) * unit_bytes);
    }
    rotate(parts, 0 - turn);
    unsigned words[bytes / 4 + 1];
#pragma unroll
    for (int i = 0; i < bytes / 4; ++i) words[i] = parts[i / unit_words].data[i % unit_words];
    words[bytes / 4] = 0;
    if (off != 0) {
      words[bytes / 4] = *reinterpret_cast<const unsigned*>(memory + (offset - off) + bytes);
    }
    packed result;
#pragma unroll
    for (int i = 0; i < bytes / 4; ++i) {
      result.data[i] = within_words ? __funnelshift_r(words[i], words[i + 1], off * 8) : words[i];
    }
    return result;
  }

  /// The first `num_valid` items, one at least. What vectors have of words that are not theirs
  /// alone is written by elements. If aligned, all items are valid.
  __device__ static void write_beside(byte* memory, unsigned offset, int num_valid,
                                      const packed& from, bool aligned) {
    if (aligned) {
      *reinterpret_cast<packed*>(memory + offset) = from;
    } else if (within_words && num_valid < vector_items) {
      write_items(memory, offset, num_valid, items::unpack(from));
    } else {
      write_units(memory, offset, num_valid, from);
    }
  }

  // ---- vectors anywhere ----

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
  __device__ static void write_units(byte* memory, unsigned offset, int num_valid,
                                     const packed& from) {
    const unsigned turn = turn_of(offset), off = within_words ? offset % 4 : 0;
    unit parts[units];
#pragma unroll
    for (int i = 0; i < bytes / 4; ++i) {
      const unsigned below = i > 0 ? from.data[i > 0 ? i - 1 : 0] : 0;
      parts[i / unit_words].data[i % unit_words] =
          within_words ? __funnelshift_l(below, from.data[i], off * 8) : from.data[i];
    }
    rotate(parts, turn);
#pragma unroll
    for (int i = 0; i < units; ++i) {
      const unsigned part = (turn + i) % units;
      const int valid_units = num_valid * bytes / vector_items / unit_bytes;
      const bool mine = within_words ? part > 0 || off == 0
                        : reversed   ? static_cast<int>(part) >= units - valid_units
                                     : static_cast<int>(part) < valid_units;
      if (mine) {
        *reinterpret_cast<unit*>(memory + (offset - off) + part * unit_bytes) = parts[i];
      }
    }
    if constexpr (within_words) write_ends(memory, offset, off, from);
  }
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

  __device__ static unsigned turn_of(unsigned offset) {
    constexpr unsigned lanes = 128 / bytes;
    return (threadIdx.x % warp_size / lanes - offset / unit_bytes) % units;
  }
  /// Part i becomes part (i + by) % units.
  __device__ static void rotate(unit (&parts)[units], unsigned by) {
#pragma unroll
    for (int step = 1; step < units; step *= 2) {
      unit from[units];
#pragma unroll
      for (int i = 0; i < units; ++i) from[i] = parts[i];
#pragma unroll
      for (int i = 0; i < units; ++i) {
#pragma unroll
        for (int k = 0; k < unit_words; ++k) {
          parts[i].data[k] = (by & step) != 0 ? from[(i + step) % units].data[k] : from[i].data[k];
        }
      }
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
