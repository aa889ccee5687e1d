// A tensor whose sequences are slices of longer ones, as a rank of several GPUs holds them: what
// precedes them is known on the device alone, and whether they are scanned at all.
#ifndef SCAN_SLICE_PART_HPP
#define SCAN_SLICE_PART_HPP

#include <cstdint>
#include <type_traits>

#include "scan/host_device.hpp"
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
  bool is_to_come;         // the call loads its kernels and is made again, after a gather
};

/// Marks problems that may turn out not to be scanned: see left_alone.
struct refusable {};

/// `Problem`, a sequence of such a tensor; of a plain call what it is without this.
template <class Problem>
struct sequence_part : Problem, refusable {
  using typename Problem::T;
  const prefix<T>* before = nullptr;  // the fold of its init and of the slices before this one
  const bool* refused = nullptr;

  sequence_part(const Problem& scan, const slice_part* part) : Problem(scan) {
    if (part == nullptr) return;
    before = static_cast<const prefix<T>*>(part->before);
    refused = part->is_refused;
  }
  SCAN_HOST_DEVICE sequence_part moved(std::int64_t in_offset, std::int64_t out_offset,
                                       std::int64_t sequence) const {
    sequence_part other = *this;
    static_cast<Problem&>(other) = Problem::moved(in_offset, out_offset, sequence);
    if (before != nullptr) other.before += sequence;
    return other;
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

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
