// Tile i/o: moves one full or partial tile between global memory and registers, at any alignment.
//
// A thread's part of a tile is `stripes` vectors: stripe r of warp w starts at item
// w * warp_items + r * stripe_items, and lane l holds the vector_items items from l * vector_items
// on. Tiles are passed as the address of their first item; where a scan is reversed the others lie
// below it, and a vector is turned around on its way.
#ifndef SCAN_DEVICE_MOVE_TILE_IO_CUH
#define SCAN_DEVICE_MOVE_TILE_IO_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/vector.cuh"
#include "scan/device/plan/tuning.hpp"

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

/// Where each warp turns stripes of up to `stripe_bytes` bytes from vectors to consecutive elements
/// and back; one per block.
template <int num_warps, int stripe_bytes>
struct alignas(16) stripe_staging {
  static_assert(stripe_bytes % 16 == 0);
  unsigned char bytes[num_warps][stripe_bytes];

  /// The warp's own, for `count` elements.
  template <class T, int count>
  __device__ T* stripe() {
    static_assert(count * static_cast<int>(sizeof(T)) <= stripe_bytes);
    return reinterpret_cast<T*>(bytes[warp_index()]);
  }
};

template <class T, class Tuned, bool reversed>
struct tile_io {
  static constexpr int stripes = Tuned::tile.stripes;
  static constexpr int vector_items = Tuned::tile.vector_items;
  static constexpr int stripe_items = Tuned::tile.stripe_items();
  static constexpr int warp_items = Tuned::tile.warp_items();
  static constexpr int tile_items = Tuned::tile.tile_items();
  static constexpr int num_warps = Tuned::tile.warps_per_block();
  using items = vector_elements<T, vector_items, reversed>;
  using vector = typename items::packed;

  /// A thread's part of a tile, packed as in memory: narrow elements share registers.
  struct part {
    vector stripe[stripes];

    __device__ items unpack(int i) const { return items::unpack(stripe[i]); }
  };

  /// First item of this thread's vector in stripe `stripe`, counted from the tile's start.
  __device__ static int first_item(int stripe) {
    return warp_index() * warp_items + stripe * stripe_items + lane_index() * vector_items;
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
  /// with the loads in flight. (To look at each vector of a partial tile costs registers, where it
  /// is the last of many.)
  template <class Data, class Staging>
  __device__ static void load(Data tile, int num_valid, bool aligned, part& to, Staging& stage) {
    if constexpr (std::is_pointer_v<Data>) {
      if (aligned && num_valid == tile_items) {
#pragma unroll
        for (int stripe = 0; stripe < stripes; ++stripe)
          to.stripe[stripe] = load_vector(tile, first_item(stripe));
        return;
      }
    } else if (num_valid == tile_items) {
      return load_whole(tile, to, stage);
    }
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      // Consecutive lanes are a vector apart here, but a stripe is read by consecutive instructions
      // and all but the first hit L1.
      items unpacked;
      // (They share a word: bits of the ones that are not loaded may turn up in the others.)
      if constexpr (sizeof(T) < 4) memset(&unpacked, 0, sizeof(unpacked));
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        if (first_item(stripe) + i < num_valid) unpacked[i] = *at(tile, first_item(stripe) + i);
      }
      to.stripe[stripe] = unpacked.pack();
      to.stripe[stripe].keep_packed();
      // Narrow elements stripe after stripe: those of all stripes at once would not fit the
      // registers.
      if constexpr (sizeof(T) < 4) __syncwarp();
    }
  }

  /// Stores this thread's vector of stripe `stripe`, items [0, num_valid) of the tile only. The
  /// whole warp calls. Unaligned stripes go through `stage`, so that lanes write consecutive
  /// elements: L1 does not gather writes.
  template <class Data, class Staging>
  __device__ static void store_stripe(Data tile, int num_valid, bool aligned, int stripe,
                                      const vector& results, Staging& stage) {
    if constexpr (std::is_pointer_v<Data>) {
      if (aligned && num_valid == tile_items) {
        *vector_at<vector>(tile, first_item(stripe)) = results;
        return;
      }
    }
    T* const staged = stage.template stripe<T, stripe_items>();
    __syncwarp();  // the previous stripe has been read
    put_vector(staged, results);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < vector_items; ++i) {
      const int item = striped_item(stripe, i);
      if (item < num_valid) *at(tile, item) = staged[striped_place(i)];
    }
  }

 private:
  /// A whole tile through a cursor: lanes read consecutive elements, all of some stripes at once.
  template <class Data, class Staging>
  __device__ static void load_whole(Data tile, part& to, Staging& stage) {
    if constexpr (vector_items == 1) {
#pragma unroll
      for (int stripe = 0; stripe < stripes; ++stripe) {
        items one;
        one[0] = *at(tile, first_item(stripe));
        to.stripe[stripe] = one.pack();
      }
      return;
    }
    constexpr int at_once = vector_items * stripes <= 32 ? stripes : 32 / vector_items;
    T* const staged = stage.template stripe<T, stripe_items>();
#pragma unroll
    for (int first = 0; first < stripes; first += at_once) {
      T held[at_once][vector_items];
      const Data mine = at(tile, striped_item(first, 0));
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
#pragma unroll
        for (int i = 0; i < vector_items; ++i) {
          held[k][i] = *at(mine, k * stripe_items + i * warp_size);
        }
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        __syncwarp();  // the previous stripe has been read
#pragma unroll
        for (int i = 0; i < vector_items; ++i) staged[striped_place(i)] = held[k][i];
        __syncwarp();
        to.stripe[first + k] = get_vector(staged);
        to.stripe[first + k].keep_packed();
      }
    }
  }
  /// The item of this lane where consecutive lanes take consecutive items of a stripe: its i-th.
  __device__ static int striped_item(int stripe, int i) {
    return first_item(stripe) + lane_index() * (1 - vector_items) + i * warp_size;
  }
  /// Where that is in a staged stripe, which is in memory's order.
  __device__ static int striped_place(int i) {
    const int item = i * warp_size + lane_index();
    return reversed ? stripe_items - 1 - item : item;
  }
  /// Where the lane's vector is in a staged stripe. (Whole, or the banks of its elements collide.)
  template <class U>
  __device__ static U* place_of_vector(U* staged) {
    return staged + (reversed ? warp_size - 1 - lane_index() : lane_index()) * vector_items;
  }
  static constexpr bool fills_word = sizeof(vector) == vector_items * sizeof(T);
  __device__ static vector get_vector(const T* staged) {
    if constexpr (fills_word) {
      return *reinterpret_cast<const vector*>(place_of_vector(staged));
    } else {
      vector result;
      memcpy(&result, place_of_vector(staged), vector_items * sizeof(T));
      return result;
    }
  }
  __device__ static void put_vector(T* staged, const vector& from) {
    if constexpr (fills_word) {
      *reinterpret_cast<vector*>(place_of_vector(staged)) = from;
    } else {
      memcpy(place_of_vector(staged), &from, vector_items * sizeof(T));
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
