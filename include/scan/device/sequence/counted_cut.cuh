// A sequence of which the device alone knows how many elements it has, as the look-back kernel
// takes it: that one's tiles are of one size whatever there is, so the grid and the states are
// those of as many elements as might be, and the order of operations is that of those that there
// are.
#ifndef SCAN_DEVICE_SEQUENCE_COUNTED_CUT_CUH
#define SCAN_DEVICE_SEQUENCE_COUNTED_CUT_CUH

#include <cstdint>

#include "scan/call/element_count.hpp"
#include "scan/device/move/vector.cuh"
#include "scan/device/sequence/look_back_kernel.cuh"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// On the host it knows how many items there may be; resolved() knows the rest.
template <class Tuned, class Problem>
struct counted_cut : register_cut<Tuned, Problem> {
  using base = register_cut<Tuned, Problem>;
  using typename base::T;

  const std::int64_t* counted;

  counted_cut(const Problem& scan, const std::int64_t* counted) : base(scan), counted(counted) {}

  /// Any thread, when the number may be read.
  __device__ counted_cut resolved() const {
    counted_cut here = *this;
    const std::int64_t n = items_counted(*counted, this->num_items);
    here.num_items = n;
    here.num_draws = (n + base::tile_items - 1) / base::tile_items + gridDim.x;
    if constexpr (Problem::reversed) {
      here.in_aligned = vector_aligned(here.boundary(this->in.data), base::vector_items);
      here.out_aligned = vector_aligned(here.boundary(this->out.data), base::vector_items);
    }
    if (this->end_output != nullptr) here.end_output = place_of_output(this->out.data, n);
    if (this->start_output != nullptr) here.start_output = place_of_output(this->out.data, n);
    return here;
  }

  /// Where there are no items this is the end of them, too, which no tile writes.
  __device__ void write_start(const prefix<T>& start) const {
    Problem::write_start(start);
    if (this->num_items == 0) Problem::write_end(start);
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
