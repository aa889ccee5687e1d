// A tile of whole rows: a block loads them into shared memory, scans them and stores the results.
//
// A row's results depend on the order of operations of the wave kernel's single tile
// (include/scan/README.md) and on nothing else; who does what is a matter of speed:
//
// * rows of whole vectors have these beside each other, and so have others where few lanes remain
//   idle; and rows of which some are a vector together.
// * other rows of several vectors are scanned across.
// * rows of less than a vector: one a thread.
#ifndef SCAN_DEVICE_SHORT_ROWS_TILE_CUH
#define SCAN_DEVICE_SHORT_ROWS_TILE_CUH

#include "scan/device/short_rows_across.cuh"
#include "scan/device/short_rows_beside.cuh"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Problem` is a short_rows_problem.
template <class Problem>
class short_rows_tile : short_rows_block<Problem> {
  using block = short_rows_block<Problem>;

 public:
  using block::load;
  using block::store;
  using typename block::shared;

  using block::block;

  /// All threads, between barriers.
  __device__ void scan() {
    const Problem& scan = this->scan_;
    short_rows_beside<Problem> beside(*this);
    short_rows_across<Problem> across(*this);
    constexpr bool in_words = block::in_vectors::in_words && block::out_vectors::in_words;
    if constexpr (block::vector_items == 1) {
      beside.template scan<false>(this->num_rows_);
    } else if (scan.group_rows > 0) {
      this->access_groups();
      const int groups = this->num_rows_ / scan.group_rows;
      beside.template scan<true>(groups);
      across.scan_parts(groups * scan.group_rows);
    } else if (scan.vectors_per_row == 1 && !(this->all_whole() && scan.whole_vectors)) {
      across.scan_parts(0);
    } else if (scan.whole_vectors || (in_words && scan.beside)) {
      beside.template scan<false>(this->num_rows_);
    } else {
      across.scan();
    }
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
