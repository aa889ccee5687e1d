// Stripe i/o: moves stripes of vectors between global memory and a warp's registers, at any
// alignment.
//
// Vectors are numbered as they are scanned from a boundary on, which is the start of the array or,
// where a scan is reversed, its end; a vector itself is always held as in memory. A warp has
// `stripes` stripes of 32 vectors that follow each other, of which the first `count` exist.
//
// Where vectors do not lie at multiples of their size, their elements are moved one by one, or, if
// they are many, memory is read and written in granules of a vector's size that do. A granule is
// made of the ends of two vectors, and a vector of the ends of two granules: each lane asks a
// neighbour for the other one.
#ifndef SCAN_DEVICE_MOVE_STRIPE_IO_CUH
#define SCAN_DEVICE_MOVE_STRIPE_IO_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a warp keeps in shared memory of granules that are not all its own.
struct alignas(16) granule_ends {
  unsigned char bytes[2][16];
};

/// Elements of `lone_bytes` bytes and more are moved one by one where they are misaligned.
template <class T, int vector_items, bool reversed, int stripes, int lone_bytes>
struct stripe_io {
  using items = vector_elements<T, vector_items, reversed>;
  using vector = typename items::packed;
  static constexpr int vector_bytes = static_cast<int>(sizeof(T)) * vector_items;
  /// Whether vectors anywhere are moved in granules, or element by element, which is faster where
  /// elements are wide, or few.
  static constexpr bool in_granules =
      (vector_bytes == 4 || vector_bytes == 8 || vector_bytes == 16) &&
      static_cast<int>(sizeof(T)) < lone_bytes;
  /// Whether an element may begin inside of a word.
  static constexpr bool within_words = alignof(T) < 4;

  /// Where vector `index` is.
  template <class Data>
  __device__ static Data at(Data boundary, std::int64_t index) {
    const std::int64_t offset = index * vector_items;
    return reversed ? boundary - vector_items - offset : boundary + offset;
  }
  /// The same vector of the stripe `stripe` stripes later.
  template <class Data>
  __device__ static Data at_stripe(Data mine, int stripe) {
    constexpr int stripe_items = warp_size * vector_items;
    return reversed ? mine - stripe * stripe_items : mine + stripe * stripe_items;
  }
  /// Whether the lane's vector of a stripe exists.
  __device__ static bool exists(int stripe, int count) {
    return stripe * warp_size + lane_index() < count;
  }

  // ---- vectors at multiples of their size ----

  __device__ static void load(const T* boundary, std::int64_t first, int count,
                              vector (&to)[stripes]) {
    const T* const mine = at(boundary, first + lane_index());
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      if (!exists(stripe, count)) continue;
      to[stripe] = *reinterpret_cast<const vector*>(at_stripe(mine, stripe));
      to[stripe].keep_packed();
    }
  }
  __device__ static void store(T* boundary, std::int64_t first, int count, int stripe,
                               const vector& from) {
    T* const mine = at(boundary, first + lane_index());
    if (exists(stripe, count)) *reinterpret_cast<vector*>(at_stripe(mine, stripe)) = from;
  }

  // ---- vectors anywhere, element by element ----

  /// (Also where `Data` is a cursor.)
  template <class Data>
  __device__ static void load_elements(Data boundary, std::int64_t first, int count,
                                       vector (&to)[stripes]) {
    const auto mine = at(boundary, first + lane_index());
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      if (!exists(stripe, count)) continue;
      vector_elements<T, vector_items, false> elements;
#pragma unroll
      for (int i = 0; i < vector_items; ++i) elements[i] = at_stripe(mine, stripe)[i];
      to[stripe] = elements.pack();
      to[stripe].keep_packed();
    }
  }
  template <class Data>
  __device__ static void store_elements(Data boundary, std::int64_t first, int count, int stripe,
                                        const vector& from) {
    const auto mine = at(boundary, first + lane_index());
    const auto elements = vector_elements<T, vector_items, false>::unpack(from);
    if (!exists(stripe, count)) return;
#pragma unroll
    for (int i = 0; i < vector_items; ++i) at_stripe(mine, stripe)[i] = elements[i];
  }

  // ---- vectors anywhere, in granules ----

  using byte = unsigned char;
  /// How far a vector is off the granule that it begins in.
  __device__ static int offset_of(const T* boundary) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(boundary) % vector_bytes);
  }
  /// (As words: of the vectors themselves it would be their addresses that are chosen.)
  __device__ static vector chosen(bool first, const vector& a, const vector& b) {
    vector result;
#pragma unroll
    for (int i = 0; i < vector_bytes / 4; ++i) result.data[i] = first ? a.data[i] : b.data[i];
    return result;
  }
  /// The value of the lane before, in the order of the scan (reversed: in memory, too); lane 0 gets
  /// what the last lane has in `of_last`.
  __device__ static vector from_before(const vector& mine, const vector& of_last) {
    return shuffle(chosen(lane_index() == warp_size - 1, of_last, mine),
                   (lane_index() + warp_size - 1) % warp_size);
  }
  /// The value of the lane after; the last lane gets what lane 0 has in `of_first`.
  __device__ static vector from_after(const vector& mine, const vector& of_first) {
    return shuffle(chosen(lane_index() == 0, of_first, mine), (lane_index() + 1) % warp_size);
  }

  /// Of an array of `num_items` elements at `array`. Each lane loads the granule that its vector
  /// begins in; what follows that in memory begins the vector of the lane after, or before.
  __device__ static void load_granules(const T* array, std::int64_t num_items, std::int64_t first,
                                       int count, vector (&to)[stripes], granule_ends& ends) {
    const T* const boundary = reversed ? array + num_items : array;
    const int offset = offset_of(boundary);
    const byte* const array_begin = reinterpret_cast<const byte*>(array);
    const byte* const array_end = reinterpret_cast<const byte*>(array + num_items);
    const byte* const mine =
        reinterpret_cast<const byte*>(at(boundary, first + lane_index())) - offset;
    const auto granule_at = [&](int stripe) {
      constexpr int stripe_bytes = warp_size * vector_bytes;
      return reversed ? mine - stripe * stripe_bytes : mine + stripe * stripe_bytes;
    };
    const auto inside = [&](const byte* granule) {
      return granule >= array_begin && granule + vector_bytes <= array_end;
    };
    // One granule more than vectors, beyond the last in memory.
    vector granule[stripes + 1];
    bool all_inside = true;
#pragma unroll
    for (int i = 0; i <= stripes; ++i) {
      const int stripe = reversed ? i - 1 : i;
      const bool wanted = stripe < 0
                              ? count > 0 && lane_index() == warp_size - 1
                              : stripe * warp_size + lane_index() < count + (reversed ? 0 : 1) &&
                                    count > 0 && (stripe < stripes || lane_index() == 0);
      if (wanted && inside(granule_at(stripe))) {
        granule[i] = *reinterpret_cast<const vector*>(granule_at(stripe));
      }
      all_inside = all_inside && (!wanted || inside(granule_at(stripe)));
    }
    if (!__all_sync(all_lanes, all_inside)) {
      load_ends(array_begin, array_end, offset, ends);
#pragma unroll
      for (int i = 0; i <= stripes; ++i) {
        const byte* const at = granule_at(reversed ? i - 1 : i);
        if (!inside(at))
          granule[i] = *reinterpret_cast<const vector*>(ends.bytes[at < array_begin ? 0 : 1]);
      }
    }
#pragma unroll
    for (int stripe = 0; stripe < stripes; ++stripe) {
      const vector& low = granule[reversed ? stripe + 1 : stripe];
      const vector high =
          reversed ? from_before(low, granule[stripe]) : from_after(low, granule[stripe + 1]);
      to[stripe] = shifted<within_words>(low, high, offset);
    }
  }

  /// Stores stripe after stripe: a lane stores the granule that its vector has in common with the
  /// one before it. What of the warp's first and last vectors is in granules of other warps, too,
  /// is stored by bytes.
  struct granule_store {
    T* boundary;
    std::int64_t first;
    int count;
    granule_ends& ends;
    vector last_stripe;

    __device__ void store(int stripe, const vector& from) {
      const int offset = offset_of(boundary);
      const vector before = from_before(from, last_stripe);
      const vector granule = reversed ? shifted<within_words>(from, before, vector_bytes - offset)
                                      : shifted<within_words>(before, from, vector_bytes - offset);
      T* const mine = at_stripe(at(boundary, first + lane_index()), stripe);
      byte* const begin = reinterpret_cast<byte*>(mine) - offset + (reversed ? vector_bytes : 0);
      const int index = stripe * warp_size + lane_index();
      if (index > 0 && index < count) *reinterpret_cast<vector*>(begin) = granule;
      if (index == 0) *reinterpret_cast<vector*>(ends.bytes[0]) = from;
      if (index == count - 1) *reinterpret_cast<vector*>(ends.bytes[1]) = from;
      last_stripe = from;
    }
    /// After all stripes.
    __device__ void store_ends() {
      __syncwarp();
      if (count <= 0) return;
      const int is_last = lane_index() / 16, place = lane_index() % 16;
      const int offset = offset_of(boundary);
      // Forward, the first granule has the vector's bytes that fill it up, the last one the others.
      const bool upper = place >= vector_bytes - offset;
      if (place >= vector_bytes || upper != (reversed ? is_last == 0 : is_last == 1)) return;
      byte* const to = reinterpret_cast<byte*>(at(boundary, first + (is_last ? count - 1 : 0)));
      to[place] = ends.bytes[is_last][place];
    }
  };

 private:
  /// Of the granules in which an array begins and ends, what is inside of it; by all lanes.
  __device__ static void load_ends(const byte* array_begin, const byte* array_end, int offset,
                                   granule_ends& ends) {
    const int is_last = lane_index() / 16, place = lane_index() % 16;
    const auto past = reinterpret_cast<std::uintptr_t>(is_last ? array_end : array_begin);
    const byte* const from = (is_last ? array_end : array_begin) - past % vector_bytes + place;
    if (place < vector_bytes && from >= array_begin && from < array_end) {
      ends.bytes[is_last][place] = *from;
    }
    __syncwarp();
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
