// A scan as the kernels take it that hold tiles in registers.
#ifndef SCAN_DEVICE_REGISTER_PROBLEM_CUH
#define SCAN_DEVICE_REGISTER_PROBLEM_CUH

#include <algorithm>
#include <cstdint>

#include "scan/device/block_scan.cuh"
#include "scan/device/tile_io.cuh"
#include "scan/device/tuning.hpp"
#include "scan/problem.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// One scan with one launch shape. Item numbers are those of `problem`.
template <class Tuned, class Problem>
struct register_problem : Problem {
  using typename Problem::in_type;
  using typename Problem::out_type;
  using typename Problem::T;
  static constexpr int tile_items = Tuned::shape.tile_items();
  static constexpr int num_warps = Tuned::shape.warps_per_block();
  static constexpr int rows = Tuned::shape.rows;
  static constexpr int vector_items = Tuned::shape.vector_items;
  using io_in = tile_io<in_type, Tuned, Problem::reversed>;
  using io_out = tile_io<out_type, Tuned, Problem::reversed>;
  using blocks = block_scan<T, typename Problem::op_type, Tuned>;
  using lanes = block_lanes<T, look_back_warps>;
  static constexpr int widest = static_cast<int>(std::max(sizeof(in_type), sizeof(out_type)));
  using staging = row_staging<num_warps, Tuned::shape.row_items() * widest>;

  std::int64_t num_draws = 0;  // of tickets, see tile_states::claim
  bool in_aligned;             // see vector_aligned
  bool out_aligned;

  explicit register_problem(const Problem& scan)
      : Problem(scan),
        in_aligned(vector_aligned(boundary(scan.in.data), vector_items)),
        out_aligned(vector_aligned(boundary(scan.out.data), vector_items)) {}

  /// Items of the tile of `most` items, or whole, that starts at item `first`.
  __device__ int valid_items(std::int64_t first, int most = tile_items) const {
    return valid_of(this->num_items - first, most);
  }

  __device__ auto input(std::int64_t first) const { return item(this->in.data, first); }
  __device__ auto output(std::int64_t first) const { return item(this->out.data, first); }

 private:
  template <class Data>
  __device__ Data item(Data data, std::int64_t index) const {
    return Problem::reversed ? data + (this->num_items - 1 - index) : data + index;
  }
  template <class Data>
  Data boundary(Data data) const {  // tiles are counted from here
    return Problem::reversed ? data + this->num_items : data;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
