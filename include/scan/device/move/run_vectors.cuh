// Vectors in shared memory that a thread goes through one after another, at any alignment.
#ifndef SCAN_DEVICE_MOVE_RUN_VECTORS_CUH
#define SCAN_DEVICE_MOVE_RUN_VECTORS_CUH

#include "scan/device/move/shared_vectors.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Vectors` are shared_vectors that are moved in words.
template <class Vectors>
struct run_vectors {
  using vector = typename Vectors::packed;

  using byte = unsigned char;

  /// A place of a vector's size, at a multiple of it. (Kept, or words would be read one by one,
  /// depending on which are asked for.)
  __device__ static vector granule(const byte* from) {
    vector whole = *reinterpret_cast<const vector*>(from);
    whole.keep_packed();
    return whole;
  }
  /// A vector across two of these, `off` bytes off them: a part of both.
  __device__ static vector joined(const vector& low, const vector& high, int off) {
    return shifted<Vectors::within_words>(low, high, off);
  }
  /// The vector at `from`, `off` bytes off its granule.
  __device__ static vector read(const byte* from, int off) {
    return joined(granule(from - off), granule(from - off + Vectors::bytes), off);
  }
  /// The same; of an `end` of a run nothing is read that others may be writing.
  __device__ static vector read_own(const byte* from, int off, bool end) {
    return end ? Vectors::read_items(from, 0, Vectors::items::count).pack() : read(from, off);
  }
  /// Lanes meet in the same banks here, which takes less than to avoid it.
  __device__ static void write(byte* to, int off, const vector& results) {
    if constexpr (Vectors::within_words) {
      Vectors::write_words(to, static_cast<unsigned>(off) % 4, results);
    } else {
      using unit = typename Vectors::unit;
      unit parts[Vectors::units];
      memcpy(&parts, &results, sizeof(parts));
#pragma unroll
      for (int i = 0; i < Vectors::units; ++i) reinterpret_cast<unit*>(to)[i] = parts[i];
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
