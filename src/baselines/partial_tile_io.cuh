// Tile i/o of kernels that hold one tile, which is partial more often than not: each vector is
// looked at, and misaligned elements go by way of shared memory. (In the look-back kernel both
// would cost registers, and whole aligned tiles more than is gained.)
#ifndef SCAN_BASELINES_PARTIAL_TILE_IO_CUH
#define SCAN_BASELINES_PARTIAL_TILE_IO_CUH

#include <cstdint>
#include <type_traits>

#include "scan/device/move/tile_io.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace baselines {

/// As device::tile_io. (Not derived from it, and branches kept that are never taken: of less nvcc
/// makes other code.)
template <class T, class Tuned, bool reversed>
struct partial_tile_io {
  static constexpr bool mostly_partial = true;
  static constexpr int stripes = Tuned::tile.stripes;
  static constexpr int vector_items = Tuned::tile.vector_items;
  static constexpr int stripe_items = Tuned::tile.stripe_items();
  static constexpr int warp_items = Tuned::tile.warp_items();
  static constexpr int tile_items = Tuned::tile.tile_items();
  static constexpr int num_warps = Tuned::tile.warps_per_block();
  using items = device::vector_elements<T, vector_items, reversed>;
  using vector = typename items::packed;

  /// A thread's part of a tile, packed as in memory: narrow elements share registers.
  struct part {
    vector stripe[stripes];

    __device__ items unpack(int i) const { return items::unpack(stripe[i]); }
  };

  /// First item of this thread's vector in stripe `stripe`, counted from the tile's start.
  __device__ static int first_item(int stripe) {
    return device::warp_index() * warp_items + stripe * stripe_items +
           device::lane_index() * vector_items;
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
  /// with the loads in flight.
  template <class Data, class Staging>
  __device__ static void load(Data tile, int num_valid, bool aligned, part& to, Staging& stage) {
    if constexpr (std::is_pointer_v<Data>) {
      if (aligned && num_valid == tile_items) {
#pragma unroll
        for (int stripe = 0; stripe < stripes; ++stripe)
          to.stripe[stripe] = load_vector(tile, first_item(stripe));
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
    for (int stripe = 0; stripe < stripes; ++stripe) {
      if constexpr (mostly_partial) {
        if (first_item(stripe) >= num_valid) continue;
        if (aligned && first_item(stripe) + vector_items <= num_valid) {
          to.stripe[stripe] = load_vector(tile, first_item(stripe));
          continue;
        }
      }
      // Consecutive lanes are a vector apart here, but a stripe is read by consecutive
      // instructions and all but the first hit L1.
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
      if constexpr (sizeof(T) < 4 && !mostly_partial) __syncwarp();
    }
  }

  /// Stores this thread's vector of stripe `stripe`, items [0, num_valid) of the tile only. The
  /// whole warp calls. Unaligned stripes go through `stage`, so that lanes write consecutive
  /// elements: L1 does not gather writes.
  template <class Data, class Staging>
  __device__ static void store_stripe(Data tile, int num_valid, bool aligned, int stripe,
                                      const vector& results, Staging& stage) {
    const bool whole =
        mostly_partial
            ? first_item(stripe) - device::lane_index() * vector_items + stripe_items <= num_valid
            : num_valid == tile_items;
    if constexpr (std::is_pointer_v<Data>) {
      if (aligned && whole) {
        *vector_at<vector>(tile, first_item(stripe)) = results;
        return;
      }
      if (mostly_partial && aligned) {  // all lanes but one have whole vectors, or nothing
        const items from = items::unpack(results);
        const int num_mine = num_valid - first_item(stripe);
        if (num_mine >= vector_items) *vector_at<vector>(tile, first_item(stripe)) = results;
#pragma unroll
        for (int i = 0; i < vector_items; ++i) {
          if (num_mine < vector_items && i < num_mine) *at(tile, first_item(stripe) + i) = from[i];
        }
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
  /// The item of this lane where consecutive lanes take consecutive items of a stripe: its i-th.
  __device__ static int striped_item(int stripe, int i) {
    return first_item(stripe) + device::lane_index() * (1 - vector_items) + i * device::warp_size;
  }
  /// Where that is in a staged stripe, which is in memory's order.
  __device__ static int striped_place(int i) {
    const int item = i * device::warp_size + device::lane_index();
    return reversed ? stripe_items - 1 - item : item;
  }
  /// Where the lane's vector is in a staged stripe. (Whole, or the banks of its elements collide.)
  template <class U>
  __device__ static U* place_of_vector(U* staged) {
    return staged +
           (reversed ? device::warp_size - 1 - device::lane_index() : device::lane_index()) *
               vector_items;
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

  /// Loads elements of all stripes, consecutive lanes consecutive elements, which asks for each
  /// sector once, and then turns them to vectors stripe by stripe.
  template <class Staging>
  __device__ static void load_striped(const T* tile, int num_valid, part& to, Staging& stage) {
    T striped[stripes][vector_items];
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
#pragma unroll
      for (int i = 0; i < vector_items; ++i) {
        if (striped_item(stripe, i) < num_valid)
          striped[stripe][i] = *at(tile, striped_item(stripe, i));
      }
    }
    T* const staged = stage.template stripe<T, stripe_items>();
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      __syncwarp();  // the previous stripe has been read
#pragma unroll
      for (int i = 0; i < vector_items; ++i) staged[striped_place(i)] = striped[stripe][i];
      __syncwarp();
      to.stripe[stripe] = get_vector(staged);
    }
  }
};

}  // namespace baselines
}  // namespace SCAN_ABI
}  // namespace scan

#endif
