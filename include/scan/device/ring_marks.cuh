// What says where segments begin, on its way through a ring block: slices of keys, flags or offsets
// come into slots of shared memory by bulk copies, and warps make the bits of heads of them.
#ifndef SCAN_DEVICE_RING_MARKS_CUH
#define SCAN_DEVICE_RING_MARKS_CUH

#include <cstdint>

#include "scan/device/chunk_io.cuh"
#include "scan/device/head_bits.cuh"
#include "scan/device/head_sources.cuh"
#include "scan/device/ring_problem.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Warps of a block that make bits of marks.
inline constexpr int num_mark_warps = 6;

/// Elements [first, first + count) of the marks; `last` of its tile; of boundaries, whether the
/// tile has only a `few`.
struct mark_slice {
  std::int64_t first;
  int count;
  bool last;
  bool few = false;
};

/// The slots of a block: of each marking warp its own, `depth` of them, used in turn. A row of
/// slices, one for each of these warps, is loaded together; all of a tile's last row are `last`.
struct mark_slots {
  static constexpr int least_bytes = 256, most_bytes = 3072, depth = 2;
  struct alignas(granule) shared {
    mark_slice slices[num_mark_warps][depth];
    phase_barrier full[depth], empty[depth];  // of a row
  };
  shared& memory;
  unsigned char* bytes;
  int slot_bytes;  // of elements; a multiple of 16

  /// Slots for tiles with so many bytes of marks. What they do not take is left for stages, of
  /// which the more the better.
  static constexpr int bytes_for(double tile_bytes) {
    const double of_warp = tile_bytes / num_mark_warps;
    if (of_warp >= most_bytes) return most_bytes;
    return of_warp <= least_bytes ? least_bytes : (static_cast<int>(of_warp) + 63) / 16 * 16;
  }
  static constexpr int required_bytes(int slot_bytes) {
    return num_mark_warps * depth * (slot_bytes + granule) + 2 * granule;  // see byte_marks
  }
  __device__ void initialise() const {
    for (int i = threadIdx.x; i < depth; i += blockDim.x) {
      memory.full[i].initialise(warp_size);
      memory.empty[i].initialise(num_mark_warps * warp_size);
    }
  }

  /// Loads a row, by a warp, of whose lanes the first have a slice each of the array of elements
  /// [0, array_items). All wait, before any loads: bulk copies of lanes that have parted go wrong;
  /// and all arrive, for what they have read to know their slices.
  template <class Element>
  __device__ void load(const ring_position& at, const Element* array, std::int64_t array_items,
                       const mark_slice& slice) const {
    const int lane = lane_index();
    memory.empty[at.stage].wait(at.parity ^ 1);
    if (lane < num_mark_warps) {
      memory.slices[lane][at.stage] = slice;
      slot(lane, at).load_alone(chunk_of(array, slice), parts_at(array),
                                parts_at(array + array_items), memory.full[at.stage]);
    }
    __syncwarp();
    memory.full[at.stage].arrive();
  }
  /// Waits for the slice of a marking warp.
  __device__ mark_slice await(int warp, const ring_position& at) const {
    memory.full[at.stage].wait(at.parity);
    return memory.slices[warp][at.stage];
  }
  /// Its elements.
  template <class Element>
  __device__ const Element* elements(int warp, const ring_position& at,
                                     const Element* array) const {
    const int shift = chunk_of(array, memory.slices[warp][at.stage]).shift();
    return reinterpret_cast<const Element*>(slot(warp, at).bytes + shift);
  }
  /// Has its slot free for another; all lanes.
  __device__ void pass(const ring_position& at) const {
    publish_to_bulk();  // a bulk copy will load where lanes have read
    memory.empty[at.stage].arrive();
  }

 private:
  __device__ chunk_slot<most_bytes>& slot(int warp, const ring_position& at) const {
    unsigned char* const first =
        bytes + (at.stage * num_mark_warps + warp) * (slot_bytes + granule);
    return *reinterpret_cast<chunk_slot<most_bytes>*>(first);
  }
  template <class Element>
  __device__ static auto chunk_of(const Element* array, const mark_slice& slice) {
    const auto* const begin = parts_at(array + slice.first);
    return chunk<std::remove_pointer_t<decltype(begin)>>{
        begin, slice.count * static_cast<int>(sizeof(Element)), 0};
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
