// Vectors in shared memory that a thread goes through one after another, at any alignment.
#ifndef SCAN_DEVICE_RUN_VECTORS_CUH
#define SCAN_DEVICE_RUN_VECTORS_CUH

#include "scan/device/row_io.cuh"
#include "scan/device/short_rows_vectors.cuh"

namespace scan::device {

/// `Vectors` are short_rows_vectors that are moved in words.
template <class Vectors>
struct run_vectors {
  using vector = typename Vectors::packed;

  /// A vector across two of the places of its size: a part of both.
  template <bool aligned>
  __device__ static vector read(const unsigned char* memory, int offset) {
    if (aligned) return *reinterpret_cast<const vector*>(memory + offset);
    const int off = offset % Vectors::bytes;
    const auto* const low = reinterpret_cast<const vector*>(memory + offset - off);
    return shifted<Vectors::within_words>(low[0], low[1], off);
  }
  template <bool aligned>
  __device__ static void write(unsigned char* memory, int offset, const vector& results) {
    if constexpr (aligned || Vectors::within_words) {
      Vectors::write_beside(memory, offset, Vectors::items::count, results, aligned);
    } else {
      // Lanes meet in the same banks here, which takes less than to avoid it.
      using unit = typename Vectors::unit;
      unit parts[Vectors::units];
      memcpy(&parts, &results, sizeof(parts));
#pragma unroll
      for (int i = 0; i < Vectors::units; ++i) {
        reinterpret_cast<unit*>(memory + offset)[i] = parts[i];
      }
    }
  }
};

}  // namespace scan::device

#endif
