// A tensor whose sequences are slices of longer ones, as a rank of several GPUs holds them: what
// precedes them is known on the device alone, and whether they are scanned at all.
#ifndef SCAN_DEVICE_SLICE_SLICE_PROBLEM_CUH
#define SCAN_DEVICE_SLICE_SLICE_PROBLEM_CUH

#include <cstdint>
#include <type_traits>

#include "scan/abi.hpp"
#include "scan/device/slice/slice_message.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What a call for such a tensor is told besides; of a plain call there is none.
struct slice_part {
  const void* before;      // a prefix<T> a sequence, T being what the operator sees; device memory
  const bool* is_refused;  // device memory: then nothing is to be written
  bool is_long;            // in the order of sequences of any greater length, however long it is
  bool in_ring;            // rows are then in the ring's order
};

/// Marks problems that may turn out not to be scanned: see left_alone.
struct refusable {};

/// `Problem`, a sequence of such a tensor; of a plain call what it is without this.
template <class Problem>
struct sequence_part : Problem, refusable {
  using typename Problem::T;
  const prefix<T>* before = nullptr;  // the fold of its init and of the slices before this one
  const bool* refused = nullptr;

  /// See recurrence_problem.
  auto forwards() const {
    sequence_part<decltype(Problem::forwards())> same(Problem::forwards(), nullptr);
    same.before = before;
    same.refused = refused;
    return same;
  }

  sequence_part(const Problem& scan, const slice_part* part) : Problem(scan) {
    if (part == nullptr) return;
    before = static_cast<const prefix<T>*>(part->before);
    refused = part->is_refused;
  }
  SCAN_HOST_DEVICE void move_to(std::int64_t in_offset, std::int64_t out_offset,
                                std::int64_t sequence) {
    Problem::move_to(in_offset, out_offset, sequence);
    if (before != nullptr) before += sequence;
  }
  SCAN_HOST_DEVICE prefix<T> start() const {
    return before != nullptr ? *before : Problem::start();
  }
  SCAN_HOST_DEVICE bool is_refused() const { return refused != nullptr && *refused; }
};

/// Whether a problem's sequences are slices of longer ones.
template <class Problem>
SCAN_HOST_DEVICE bool is_part(const Problem& scan) {
  if constexpr (std::is_base_of_v<refusable, Problem>) {
    return scan.before != nullptr;
  } else {
    return false;
  }
}

// ---- A slice as the kernels scan it: what precedes it is read when it is known, on the device.

/// What the ranks before have told.
template <class T>
struct slice_start {
  prefix<T> before;  // the fold of init and of all slices before this one
  bool is_refused;   // then nothing is to be written
};
inline constexpr int most_start_bytes = 256;

/// Marks problems that are loaded and reduced while it is found out what precedes them, and whether
/// they are scanned. The kernel that finds that out has let in theirs when all before it had ended:
/// when its blocks begin, the input is there, and the tile states, and nothing else.
struct loaded_early {};
template <class Problem>
inline constexpr bool is_loaded_early = std::is_base_of_v<loaded_early, Problem>;

/// `Problem` as a slice of a longer one.
template <class Problem>
struct slice_problem : Problem, refusable, loaded_early {
  using typename Problem::T;
  static_assert(sizeof(slice_start<T>) <= most_start_bytes);
  const slice_start<T>* slice;

  slice_problem(const Problem& scan, const slice_start<T>* from) : Problem(scan), slice(from) {}
  SCAN_HOST_DEVICE prefix<T> start() const { return slice->before; }
  SCAN_HOST_DEVICE bool is_refused() const { return slice->is_refused; }
};

/// Whether nothing is to be written; after await_earlier_kernels. All blocks are told the same.
template <class Problem>
__device__ bool left_alone(const Problem& scan) {
  if constexpr (std::is_base_of_v<refusable, Problem>) {
    return scan.is_refused();
  } else {
    return false;
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
