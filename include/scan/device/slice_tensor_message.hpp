// What the ranks tell each other of a tensor whose sequences are slices of longer ones: per
// sequence what slice_message.hpp has of one, but for the parts of a slice's end.
//
//   header | inits, a value a sequence | folds: a value a sequence, batch by batch
//
// All of it is for both sides: tests run it on the host with threads as ranks.
#ifndef SCAN_DEVICE_SLICE_TENSOR_MESSAGE_HPP
#define SCAN_DEVICE_SLICE_TENSOR_MESSAGE_HPP

#include <cstddef>
#include <cstdint>

#include "scan/device/slice_message.hpp"
#include "scan/host_device.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// Which inits a message has: `has_init` of its header.
enum slice_inits : std::int32_t { no_init = 0, one_init = 1, init_each = 2 };

/// The parts of one message of values of type T. Folds of a batch follow each other.
template <class T>
struct slice_tensor_message {
  static_assert(alignof(T) <= slice_ends_offset);
  unsigned char* memory;
  std::int64_t num_sequences;

  SCAN_HOST_DEVICE slice_header& header() const { return *reinterpret_cast<slice_header*>(memory); }
  SCAN_HOST_DEVICE T* inits() const { return reinterpret_cast<T*>(memory + slice_ends_offset); }
  SCAN_HOST_DEVICE T* folds() const { return inits() + num_sequences; }
};

/// The messages in the order of the scan, and what precedes each slice of a sequence.
template <class T>
struct slice_tensor_sequence {
  using message = slice_tensor_message<T>;
  gathered all;
  bool reversed;
  std::int64_t batch_items;  // along a sequence
  std::int64_t num_sequences;

  SCAN_HOST_DEVICE int rank_at(int place) const {
    return reversed ? all.num_ranks - 1 - place : place;
  }
  SCAN_HOST_DEVICE message at(int place) const {
    return {all.message(rank_at(place)), num_sequences};
  }
  SCAN_HOST_DEVICE std::int64_t batches_at(int place) const {
    return batches_of(at(place).header().num_items, batch_items);
  }
  /// The init, which is rank 0's in either direction.
  SCAN_HOST_DEVICE prefix<T> start(std::int64_t sequence) const {
    const message first{all.message(0), num_sequences};
    if (first.header().has_init == no_init) return {T{}, false};
    return {first.inits()[first.header().has_init == init_each ? sequence : 0], true};
  }

  /// The fold of init and of all slices before `place`; by `Lanes` together, as lone_lane does.
  SCAN_CALLS_EITHER_SIDE
  template <class Op, class Lanes>
  SCAN_HOST_DEVICE prefix<T> before(int place, std::int64_t sequence, Op op,
                                    const Lanes& lanes) const {
    prefix<T> running = start(sequence);
    for (int i = 0; i < place; ++i) {
      const T* const folds = at(i).folds() + sequence;
      running = lanes.fold(running, folds, batches_at(i), op, num_sequences);
    }
    return running;
  }

  /// The rank whose slices are the last that have items, in the order of the scan; 0 if none have.
  SCAN_HOST_DEVICE int last_rank() const {
    for (int place = all.num_ranks - 1; place >= 0; --place) {
      if (at(place).header().num_items > 0) return rank_at(place);
    }
    return 0;
  }
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
