// Tile i/o: moves one full or partial tile between global memory and registers, at any alignment.
//
// A thread's share of a tile is `rows` vectors: row r of warp w starts at item
// w * warp_items + r * row_items, and lane l holds the vector_items items from l * vector_items on.
// Tiles are passed as the address of their first item; where a scan is reversed the others lie
// below it, and a vector is turned around on its way.
#ifndef SCAN_DEVICE_TILE_IO_CUH
#define SCAN_DEVICE_TILE_IO_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/tuning.hpp"
#include "scan/device/vector.cuh"
#include "scan/device/warp.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// True when vectors of `vector_items` elements, counted from `boundary` up or down, can be read
/// and written whole.
template <class T>
__host__ __device__ bool vector_aligned(T* boundary, int vector_items) {
  const std::size_t bytes = sizeof(T) * vector_items;
  const bool power_of_two = (bytes & (bytes - 1)) == 0;
  return power_of_two && bytes <= 16 && reinterpret_cast<std::uintptr_t>(boundary) % bytes == 0;
}

/// Never, through an iterator.
template <class Cursor>
__host__ __device__ bool vector_aligned(const Cursor&, int) {
  return false;
}

/// Where each warp turns rows of up to `row_bytes` bytes from vectors to consecutive elements and
/// back; one per block.
template <int num_warps, int row_bytes>
struct alignas(16) row_staging {
  static_assert(row_bytes % 16 == 0);
  unsigned char bytes[num_warps][row_bytes];

  /// The warp's own, for `count` elements.
  template <class T, int count>
  __device__ T* row() {
    static_assert(count * static_cast<int>(sizeof(T)) <= row_bytes);
    return reinterpret_cast<T*>(bytes[warp_index()]);
  }
};

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

  /// First item of this thread's vector in row `row`, counted from the tile's start.
  __device__ static int first_item(int row) {
    return warp_index() * warp_items + row * row_items + lane_index() * vector_items;
  }

  /// Where item `item` of a tile is.
  template <class Data>
  __device__ static Data at(Data tile, int item) {
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
  /// see vector_aligned; `Data` is a pointer, or a cursor (iterators.hpp). All threads; may return
  /// with the loads in flight. `mostly_partial`: look at each vector of a partial tile, which pays
  /// where that is the only tile and costs registers where it is the last.
  template <bool mostly_partial, class Data, class Staging>
  __device__ static void load(Data tile, int num_valid, bool aligned, share& to, Staging& stage) {
    if constexpr (std::is_pointer_v<Data>) {
      if (aligned && num_valid == tile_items) {
#pragma unroll
        for (int row = 0; row < rows; ++row) to.row[row] = load_vector(tile, first_item(row));
        return;
      }
    }
    // (Where registers are short this spills, and costs aligned tiles more than it gains.)
    if constexpr (vector_items > 1 && mostly_partial) {
      if (!aligned) {
        load_striped(tile, num_valid, to, stage);
        return;
      }
    }
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      if constexpr (mostly_partial) {
        if (first_item(row) >= num_valid) continue;
        if (aligned && first_item(row) + vector_items <= num_valid) {
          to.row[row] = load_vector(tile, first_item(row));
          continue;
        }
      }
      // Consecutive lanes are a vector apart here, but a warp row is read by consecutive
      // instructions and all but the first hit L1.
      items unpacked;
      // (They share a word: bits of the ones that are not loaded may turn up in the others.)
      if constexpr (sizeof(T) < 4) memset(&unpacked, 0, sizeof(unpacked));
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
  template <bool mostly_partial, class Data, class Staging>
  __device__ static void store_row(Data tile, int num_valid, bool aligned, int row,
                                   const vector& results, Staging& stage) {
    const bool whole = mostly_partial
                           ? first_item(row) - lane_index() * vector_items + row_items <= num_valid
                           : num_valid == tile_items;
    if constexpr (std::is_pointer_v<Data>) {
      if (aligned && whole) {
        *vector_at<vector>(tile, first_item(row)) = results;
        return;
      }
      if (mostly_partial && aligned) {  // all lanes but one have whole vectors, or nothing
        const items from = items::unpack(results);
        const int num_mine = num_valid - first_item(row);
        if (num_mine >= vector_items) *vector_at<vector>(tile, first_item(row)) = results;
#pragma unroll
        for (int i = 0; i < vector_items; ++i) {
          if (num_mine < vector_items && i < num_mine) *at(tile, first_item(row) + i) = from[i];
        }
        return;
      }
    }
    T* const staged = stage.template row<T, row_items>();
    __syncwarp();  // the previous row has been read
    put_vector(staged, results);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      const int item = striped_item(row, i);
      if (item < num_valid) *at(tile, item) = staged[striped_place(i)];
    }
  }

 private:
  /// The item of this lane where consecutive lanes take consecutive items of a row: its i-th.
  __device__ static int striped_item(int row, int i) {
    return first_item(row) + lane_index() * (1 - vector_items) + i * warp_size;
  }
  /// Where that is in a staged row, which is in memory's order.
  __device__ static int striped_place(int i) {
    const int item = i * warp_size + lane_index();
    return reversed ? row_items - 1 - item : item;
  }
  /// Where the lane's vector is in a staged row. (Whole, or the banks of its elements collide.)
  template <class U>
  __device__ static U* place_of_vector(U* staged) {
    return staged + (reversed ? warp_size - 1 - lane_index() : lane_index()) * vector_items;
  }
  static constexpr bool fills_word = sizeof(vector) == vector_items * sizeof(T);
  __device__ static void put_vector(T* staged, const vector& from) {
    if constexpr (fills_word) {
      *reinterpret_cast<vector*>(place_of_vector(staged)) = from;
    } else {
      memcpy(place_of_vector(staged), &from, vector_items * sizeof(T));
    }
  }
  __device__ static vector get_vector(const T* staged) {
    vector to;
    if constexpr (fills_word) {
      to = *reinterpret_cast<const vector*>(place_of_vector(staged));
    } else {
      memcpy(&to, place_of_vector(staged), vector_items * sizeof(T));
    }
    to.keep_packed();
    return to;
  }

  /// Loads elements of all rows, consecutive lanes consecutive elements, which asks for each sector
  /// once, and then turns them to vectors row by row.
  template <class Staging>
  __device__ static void load_striped(const T* tile, int num_valid, share& to, Staging& stage) {
    T striped[rows][vector_items];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        if (striped_item(row, i) < num_valid) striped[row][i] = *at(tile, striped_item(row, i));
      }
    }
    T* const staged = stage.template row<T, row_items>();
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      __syncwarp();  // the previous row has been read
#pragma unroll
      for (int i = 0; i < vector_items; ++i) staged[striped_place(i)] = striped[row][i];
      __syncwarp();
      to.row[row] = get_vector(staged);
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
