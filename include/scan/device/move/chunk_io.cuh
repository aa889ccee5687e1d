// Chunk i/o: moves the part of a tile that one warp scans between global and shared memory, at any
// alignment. Copies are bulk ones wherever granules allow, or the lanes' own.
#ifndef SCAN_DEVICE_MOVE_CHUNK_IO_CUH
#define SCAN_DEVICE_MOVE_CHUNK_IO_CUH

#include <cstdint>

#include "scan/device/fold/warp.cuh"
#include "scan/device/move/async_copy.cuh"
#include "scan/device/move/vector.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `num_bytes` bytes at `data` in global memory, which belong at byte `offset` of a slot.
template <class T>
struct chunk {
  T* data;
  int num_bytes;
  int offset;

  __device__ std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(data); }
  __device__ T* end() const { return data + num_bytes / static_cast<int>(sizeof(T)); }

  /// Copies come in where granules put them, `shift` bytes above their place.
  __device__ int shift() const {
    return static_cast<int>(address() - static_cast<unsigned>(offset)) & (granule - 1);
  }
};

/// Bytes of a line, which slots begin that much is copied to: what lies otherwise in lines in
/// shared memory than in global memory, the L2 is asked for more than once. (bench/NOTES.md, "Lines
/// in shared memory", H200, 2026-11-28)
inline constexpr int copied_line = 128;

/// A place for a chunk of up to `chunk_bytes` bytes, in shared memory. Unless said otherwise, all
/// lanes of a warp call.
template <int chunk_bytes, int alignment = granule>
struct alignas(alignment) chunk_slot {
  static_assert(chunk_bytes % granule == 0);
  static constexpr int most_bytes = chunk_bytes;
  unsigned char bytes[(chunk_bytes + granule + alignment - 1) / alignment * alignment];

  /// The granules around a chunk that lie within the array from `begin` to `end`.
  template <class T>
  __device__ static bulk_part granules_of(const chunk<const T>& from, const T* begin,
                                          const T* end) {
    const granules whole(from, begin, end);
    return {whole.begin, static_cast<int>(whole.end - whole.begin), place(from, whole.begin),
            from.shift()};
  }
  /// The same of a chunk of which all granules around it lie within the array.
  template <class T>
  __device__ static bulk_part granules_inside(const chunk<const T>& from) {
    const int before = static_cast<int>(from.address()) & (granule - 1);
    const address begin = address_of(from.data) - before;
    return {begin, (before + from.num_bytes + granule - 1) & -granule, place(from, begin),
            from.shift()};
  }
  /// Starts loading them, one thread. `done` expects them already.
  __device__ void load_expected(const bulk_part& part, phase_barrier& done) {
    if (part.num_bytes > 0) load_bulk(bytes + part.place, part.from, part.num_bytes, done);
  }
  /// The same; `done` expects them. Returns what comes.
  template <class T>
  __device__ bulk_part load(const chunk<const T>& from, const T* begin, const T* end,
                            phase_barrier& done) {
    const bulk_part part = granules_of(from, begin, end);
    if (part.num_bytes > 0) done.expect(part.num_bytes);
    load_expected(part, done);
    return part;
  }

  /// Whether load() leaves something to load_rest().
  template <class T>
  __device__ static bool has_rest(const chunk<const T>& from, const T* begin, const T* end) {
    return has_rest(from, granules_of(from, begin, end));
  }
  template <class T>
  __device__ static bool has_rest(const chunk<const T>& from, const bulk_part& loaded) {
    return address_of(from.data) < loaded.from ||
           loaded.from + loaded.num_bytes < address_of(from.end());
  }
  /// Loads the elements at either end of the array that share a granule with what lies beyond. All
  /// lanes.
  template <class T>
  __device__ void load_rest(const chunk<const T>& from, const T* begin, const T* end) {
    const granules whole(from, begin, end);
    const auto* first = from.data + lane_index();
    if (address_of(first) < whole.begin) {
      store_element(bytes + place(from, address_of(first)), *first);
    }
    const auto* last = from.end() - 1 - lane_index();
    if (last >= from.data && address_of(last) >= whole.end) {
      store_element(bytes + place(from, address_of(last)), *last);
    }
  }

  /// All of a chunk by the lanes' own loads, all under way at once: the chunk is there then. All
  /// lanes, who are through with the slot. `is_last`: nobody will look for it in the L2.
  template <class T>
  __device__ void load_now(const chunk<const T>& from, const T* begin, const T* end, bool is_last) {
    constexpr int most = (chunk_bytes / granule + warp_size) / warp_size;
    const granules whole(from, begin, end);
    const int num_granules = static_cast<int>(whole.end - whole.begin) / granule;
    const auto* const source = reinterpret_cast<const uint4*>(whole.begin);
    uint4 moved[most];
#pragma unroll
    for (int i = 0; i < most; ++i) {
      const int at = i * warp_size + lane_index();
      if (at < num_granules) moved[i] = is_last ? __ldcs(source + at) : source[at];
    }
    if (has_rest(from, begin, end)) load_rest(from, begin, end);
    auto* const to = reinterpret_cast<uint4*>(bytes + place(from, whole.begin));
#pragma unroll
    for (int i = 0; i < most; ++i) {
      const int at = i * warp_size + lane_index();
      if (at < num_granules) to[at] = moved[i];
    }
    __syncwarp();
  }

  /// Moves a loaded chunk to its place. All lanes.
  __device__ void align(int shift) {
    if (uniform(shift == 0)) return;
    auto* granules = reinterpret_cast<uint4*>(bytes);
    for (int first = 0; first < chunk_bytes / granule; first += warp_size) {
      const int i = first + lane_index();
      const bool inside = i < chunk_bytes / granule;
      uint4 moved = {};
      if (inside) moved = funnel(granules[i], granules[i + 1], shift);
      __syncwarp();  // all have read: what is written is not read again
      if (inside) granules[i] = moved;
    }
    __syncwarp();
  }

  /// Stores a chunk that the lanes have written, by the lanes' own stores: these wait for nothing,
  /// and the slot is free when they are on their way.
  template <class T>
  __device__ void store_now(const chunk<T>& to) const {
    publish_to_bulk();  // a bulk copy will load where the lanes have read
    store_by_lanes(to);
  }
  /// The same of a slot that no bulk copy knows, on any GPU.
  template <class T>
  __device__ void store_by_lanes(const chunk<T>& to) const {
    __syncwarp();
    if (in_granules(to)) {
      store_granules(to);
    } else {
      store_shifted(to);
    }
    __syncwarp();
  }
  /// The same behind a barrier, and once: nobody will write here.
  template <class T>
  __device__ void store_at_once(const chunk<T>& to) const {
    const int head = min(-static_cast<int>(to.address()) & (granule - 1), to.num_bytes);
    const int num_bulk = (to.num_bytes - head) & -granule;
    const auto source = static_cast<unsigned>(to.offset + head);
    const auto* const from = granules_at(source / granule);
    store_all(reinterpret_cast<unsigned char*>(to.data) + head, num_bulk, [&](int at) {
      return shifted<sizeof(T) % 4 != 0>(from[at], from[at + 1], source % granule);
    });
    store_ends(to, head, num_bulk);
  }
  /// The same of whole granules, whose places are.
  template <class T>
  __device__ void store_granules(const chunk<T>& to) const {
    const auto* const from = granules_at(static_cast<unsigned>(to.offset) / granule);
    store_all(to.data, to.num_bytes, [&](int at) { return from[at]; });
  }

  /// Stores a chunk that the lanes have written. Each call closes one group of bulk copies.
  template <class T>
  __device__ void store(const chunk<T>& to) const {
    // Also where no bulk copy stores: one will load here.
    publish_to_bulk();
    __syncwarp();
    if ((to.address() - static_cast<unsigned>(to.offset)) % granule == 0) {
      store_in_phase(to);
    } else {
      store_shifted(to);
    }
    if (lane_index() == 0) commit_bulk();
  }

  /// The same where granules have other places than in memory, or not all are the chunk's; behind a
  /// barrier.
  template <class T>
  __device__ void store_shifted(const chunk<T>& to) const {
    constexpr int size = static_cast<int>(sizeof(T));
    const int head = min(-static_cast<int>(to.address()) & (granule - 1), to.num_bytes);
    const int num_granules = (to.num_bytes - head) / granule;
    store_ends(to, head, num_granules * granule);
    const int source = to.offset + head;
    auto* const aligned = reinterpret_cast<uint4*>(to.data + head / size);
    const auto* granules = reinterpret_cast<const uint4*>(bytes) + source / granule;
    for (int i = lane_index(); i < num_granules; i += warp_size) {
      aligned[i] = funnel(granules[i], granules[i + 1], source % granule);
    }
  }

 private:
  using address = const unsigned char*;
  using word = memory_word<granule>;
  __device__ auto granules_at(unsigned i) const { return reinterpret_cast<const word*>(bytes) + i; }
  /// Granules that `read` gives by their number, all of them before the first is stored.
  template <class Read>
  __device__ static void store_all(void* to, int num_bytes, Read read) {
    constexpr int most = (chunk_bytes / granule + warp_size - 1) / warp_size;
    auto* const aligned = static_cast<word*>(to);
    word moved[most];
#pragma unroll
    for (int i = 0; i < most; ++i) {
      const int at = i * warp_size + lane_index();
      if (at * granule < num_bytes) moved[i] = read(at);
    }
#pragma unroll
    for (int i = 0; i < most; ++i) {
      const int at = i * warp_size + lane_index();
      if (at * granule < num_bytes) aligned[at] = moved[i];
    }
  }
  template <class T>
  __device__ static address address_of(const T* element) {
    return reinterpret_cast<address>(element);
  }

  /// The granules that a bulk copy moves. At the ends of an array there may be none: then the range
  /// is empty and lies at the chunk's end.
  struct granules {
    address begin, end;

    template <class T>
    __device__ granules(const chunk<const T>& from, const T* array_begin, const T* array_end) {
      const address first = address_of(from.data), last = address_of(from.end());
      begin = first - from.address() % granule;
      end = last + (-(from.address() + from.num_bytes)) % granule;
      if (begin < address_of(array_begin)) begin += granule;
      if (end > address_of(array_end)) end -= granule;
      if (from.num_bytes == 0 || begin >= end) begin = end = last;
    }
  };

  /// Where in the slot the byte at `at` comes in.
  template <class T>
  __device__ static int place(const chunk<const T>& from, address at) {
    return from.offset + from.shift() + static_cast<int>(at - address_of(from.data));
  }
  template <class T>
  __device__ static void store_element(unsigned char* to, const T& element) {
    *reinterpret_cast<T*>(to) = element;
  }

  template <class T>
  __device__ static bool in_granules(const chunk<T>& to) {
    return (static_cast<int>(to.address()) | to.num_bytes | to.offset) % granule == 0;
  }

  /// Granules have the places that they have in memory: bulk copies, but for what is at the ends.
  template <class T>
  __device__ void store_in_phase(const chunk<T>& to) const {
    constexpr int size = static_cast<int>(sizeof(T));
    const int head = min(-static_cast<int>(to.address()) & (granule - 1), to.num_bytes);
    const int num_bulk = (to.num_bytes - head) & -granule;
    if (lane_index() == 0 && num_bulk > 0) {
      store_bulk(to.data + head / size, bytes + to.offset + head, num_bulk);
    }
    store_ends(to, head, num_bulk);
  }
  /// The elements of a chunk before and after its whole granules.
  template <class T>
  __device__ void store_ends(const chunk<T>& to, int head_bytes, int granule_bytes) const {
    constexpr int size = static_cast<int>(sizeof(T));
    const T* elements = reinterpret_cast<const T*>(bytes + to.offset);
    if (lane_index() < head_bytes / size) to.data[lane_index()] = elements[lane_index()];
    const int tail = (head_bytes + granule_bytes) / size + lane_index();
    if (tail < to.num_bytes / size) to.data[tail] = elements[tail];
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
