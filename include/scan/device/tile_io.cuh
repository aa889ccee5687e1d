// Tile i/o: moves one full or partial tile between global memory and registers, at any alignment.
//
// A thread's share of a tile is `rows` vectors: row r of warp w starts at item
// w * warp_items + r * row_items, and lane l holds the vector_items items from l * vector_items on.
// Tiles are passed as the address of their first item; where a scan is reversed the others lie
// below it, and a vector is turned around on its way.
#ifndef SCAN_DEVICE_TILE_IO_CUH
#define SCAN_DEVICE_TILE_IO_CUH

#include <cstdint>

#include "scan/device/tuning.hpp"
#include "scan/device/vector.cuh"
#include "scan/device/warp.cuh"

namespace scan::device {

/// True when vectors of `vector_items` elements, counted from `boundary` up or down, can be read
/// and written whole.
template <class T>
__host__ __device__ bool vector_aligned(const T* boundary, int vector_items) {
  const std::size_t bytes = sizeof(T) * vector_items;
  const bool power_of_two = (bytes & (bytes - 1)) == 0;
  return power_of_two && bytes <= 16 && reinterpret_cast<std::uintptr_t>(boundary) % bytes == 0;
}

template <class T, class Tuned, bool reversed>
struct tile_io {
  static constexpr int rows = Tuned::shape.rows;
  static constexpr int vector_items = Tuned::shape.vector_items;
  static constexpr int row_items = Tuned::shape.row_items();
  static constexpr int warp_items = Tuned::shape.warp_items();
  static constexpr int tile_items = Tuned::shape.tile_items();
  static constexpr int num_warps = Tuned::shape.warps_per_block();
  using items = vector_elements<T, vector_items, reversed>;
  using vector = typename items::packed;

  /// A thread's share of a tile, packed as in memory: narrow elements share registers.
  struct share {
    vector row[rows];

    __device__ items unpack(int i) const { return items::unpack(row[i]); }
  };

  /// Where a warp turns its vectors into consecutive elements; one per block.
  struct alignas(16) staging {
    unsigned char bytes[num_warps][row_items * sizeof(T)];
  };

  /// First item of this thread's vector in row `row`, counted from the tile's start.
  __device__ static int first_item(int row) {
    return warp_index() * warp_items + row * row_items + lane_index() * vector_items;
  }

  /// Where item `item` of a tile is.
  template <class U>
  __device__ static U* at(U* tile, int item) {
    return reversed ? tile - item : tile + item;
  }

  /// Where the vector of items from `item` on is.
  template <class V, class U>
  __device__ static V* vector_at(U* tile, int item) {
    return reinterpret_cast<V*>(reversed ? tile - item - (vector_items - 1) : tile + item);
  }
  __device__ static vector load_vector(const T* tile, int item) {
    vector word = *vector_at<const vector>(tile, item);
    word.keep_packed();
    return word;
  }

  /// Loads items [0, num_valid) of the tile at `tile`; the rest of `to` means nothing. `aligned`:
  /// see vector_aligned. Returns with the loads in flight. `mostly_partial`: look at each vector of
  /// a partial tile, which pays where that is the only tile and costs registers where it is the
  /// last.
  template <bool mostly_partial>
  __device__ static void load(const T* tile, int num_valid, bool aligned, share& to) {
    if (aligned && num_valid == tile_items) {
#pragma unroll
      for (int row = 0; row < rows; ++row) to.row[row] = load_vector(tile, first_item(row));
      return;
    }
    // Consecutive lanes are a vector apart here, but a warp row is read by consecutive instructions
    // and all but the first hit L1.
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      if (mostly_partial && aligned && first_item(row) + vector_items <= num_valid) {
        to.row[row] = load_vector(tile, first_item(row));
        continue;
      }
      items unpacked;
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        if (first_item(row) + i < num_valid) unpacked[i] = *at(tile, first_item(row) + i);
      }
      to.row[row] = unpacked.pack();
      to.row[row].keep_packed();
      // Narrow elements row after row: those of all rows at once would not fit the registers.
      if constexpr (sizeof(T) < 4 && !mostly_partial) __syncwarp();
    }
  }

  /// Stores this thread's vector of row `row`, items [0, num_valid) of the tile only. The whole
  /// warp calls. Unaligned rows go through `stage`, so that lanes write consecutive elements: L1
  /// does not gather writes.
  template <bool mostly_partial>
  __device__ static void store_row(T* tile, int num_valid, bool aligned, int row, const items& from,
                                   staging& stage) {
    const bool whole = mostly_partial
                           ? first_item(row) - lane_index() * vector_items + row_items <= num_valid
                           : num_valid == tile_items;
    if (aligned && whole) {
      *vector_at<vector>(tile, first_item(row)) = from.pack();
      return;
    }
    T* staged = reinterpret_cast<T*>(stage.bytes[warp_index()]);
    const int row_start = first_item(row) - lane_index() * vector_items;
    __syncwarp();  // the previous row has been read
#pragma unroll
    for (int i = 0; i < vector_items; ++i) staged[lane_index() * vector_items + i] = from[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      const int item = i * warp_size + lane_index();
      if (row_start + item < num_valid) *at(tile, row_start + item) = staged[item];
    }
  }
};

}  // namespace scan::device

#endif
