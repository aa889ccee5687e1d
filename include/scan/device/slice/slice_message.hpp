// What the ranks of a scan across several GPUs tell each other: one message each, gathered once.
//
// A message says what the rank was called for, so that all find out when one was refused or called
// for something else, and holds the folds of the batches of tiles of its slice. From the messages
// before its own a rank has what one GPU would have there: P of include/scan/README.md, which goes
// on from batch to batch.
//
//   header | ends | folds of batches (room for as many as wanted)
//
// All of it is for both sides: tests run it on the host with threads as ranks.
#ifndef SCAN_DEVICE_SLICE_SLICE_MESSAGE_HPP
#define SCAN_DEVICE_SLICE_SLICE_MESSAGE_HPP

#include <climits>
#include <cstddef>
#include <cstdint>

#include "scan/abi.hpp"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// What every message begins with, whatever is scanned.
struct slice_header {
  std::uint64_t call;  // the same number on all ranks, or they do not scan the same: call_number
  std::int64_t num_items;  // of the rank's slice
  std::int32_t refusal;    // the cudaError_t that the rank refuses its arguments with, or 0
  std::int32_t has_init;
};

/// The parts that the fold up to a slice's last item is made of, besides P of the last batch:
/// (((P + before_tile) + before_warp) + before_run) + items, one by one. `run_items`: the items
/// that a thread folds one after another.
template <class T, int run_items>
struct slice_ends {
  T init;
  prefix<T> before_tile;  // of the last batch's tiles but the last
  prefix<T> before_warp;  // of that tile's warps but the last
  prefix<T> before_run;   // of that warp's runs but the last
  std::int32_t num_items;
  T items[std::size_t{run_items}];
};

/// Where the parts of a message begin: aligned for every type of up to 64 bytes.
inline constexpr std::size_t slice_ends_offset = 64, slice_folds_offset = 1024;
static_assert(sizeof(slice_header) <= slice_ends_offset);

/// Batches of a slice; none of an empty one.
SCAN_HOST_DEVICE constexpr std::int64_t batches_of(std::int64_t num_items,
                                                   std::int64_t batch_items) {
  return (num_items + batch_items - 1) / batch_items;
}

/// The parts of one message of values of type T.
template <class T, int run_items>
struct slice_message {
  using ends_type = slice_ends<T, run_items>;
  static_assert(slice_ends_offset + sizeof(ends_type) <= slice_folds_offset && alignof(T) <= 64);
  unsigned char* memory;

  SCAN_HOST_DEVICE slice_header& header() const { return *reinterpret_cast<slice_header*>(memory); }
  SCAN_HOST_DEVICE ends_type& ends() const {
    return *reinterpret_cast<ends_type*>(memory + slice_ends_offset);
  }
  SCAN_HOST_DEVICE T* folds() const { return reinterpret_cast<T*>(memory + slice_folds_offset); }
};

/// Why no rank writes its output: `rank` refused its arguments with `code`, or, if that is 0, was
/// called for something else than rank 0. A rank of -1: everything is right.
struct SCAN_SHOWN slice_refusal {
  std::int32_t rank;
  std::int32_t code;
};

/// All messages, one after another.
struct gathered {
  unsigned char* memory;
  std::int64_t message_bytes;
  int num_ranks;

  SCAN_HOST_DEVICE unsigned char* message(int rank) const { return memory + message_bytes * rank; }
  SCAN_HOST_DEVICE const slice_header& header(int rank) const {
    return *reinterpret_cast<const slice_header*>(message(rank));
  }
};

/// A thread that does alone what a warp does together: folding_warp of warp.cuh.
struct lone_lane {
  static constexpr int count = 1;
  SCAN_HOST_DEVICE int index() const { return 0; }
  SCAN_HOST_DEVICE int least(int value) const { return value; }

  /// L(running, values[0], values[stride], ..), `num_values` of them: several are under way at
  /// once.
  SCAN_CALLS_EITHER_SIDE
  template <class T, class Op>
  SCAN_HOST_DEVICE prefix<T> fold(prefix<T> running, const T* values, std::int64_t num_values,
                                  Op op, std::int64_t stride = 1) const {
    constexpr int at_once = sizeof(T) <= 8 ? 8 : 2;
    for (std::int64_t first = 0; first < num_values; first += at_once) {
      T loaded[std::size_t{at_once}];
      SCAN_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const std::int64_t at = first + i < num_values ? first + i : num_values - 1;
        loaded[i] = values[at * stride];
      }
      SCAN_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (first + i < num_values) running = join(running, {loaded[i], true}, op);
      }
    }
    return running;
  }
};

/// The first refusal, in the order of ranks, before the first call that differs: every rank finds
/// the same. The lanes share the ranks among them.
template <class Lanes>
SCAN_HOST_DEVICE slice_refusal find_refusal(const gathered& all, const Lanes& lanes) {
  const std::uint64_t call = all.header(0).call;
  int first = INT_MAX;
  for (int rank = lanes.index(); rank < all.num_ranks; rank += Lanes::count) {
    const slice_header& header = all.header(rank);
    const int found = header.refusal != 0   ? rank
                      : header.call != call ? all.num_ranks + rank
                                            : INT_MAX;
    if (found < first) first = found;
  }
  first = lanes.least(first);
  if (first == INT_MAX) return {-1, 0};
  if (first >= all.num_ranks) return {first - all.num_ranks, 0};
  return {first, all.header(first).refusal};
}

/// The messages in the order of the scan, and what precedes each slice.
template <class T, int run_items>
struct slice_sequence {
  using message = slice_message<T, run_items>;
  gathered all;
  bool reversed;
  std::int64_t batch_items;

  /// The message that is the `place`-th in the order of the scan.
  SCAN_HOST_DEVICE message at(int place) const {
    return {all.message(reversed ? all.num_ranks - 1 - place : place)};
  }
  SCAN_HOST_DEVICE std::int64_t batches_at(int place) const {
    return batches_of(at(place).header().num_items, batch_items);
  }

  /// The init, which is rank 0's in either direction.
  SCAN_HOST_DEVICE prefix<T> start() const {
    const message first{all.message(0)};
    if (first.header().has_init == 0) return {T{}, false};
    return {first.ends().init, true};
  }

  /// The fold of init and of all slices before `place`.
  SCAN_CALLS_EITHER_SIDE
  template <class Op, class Lanes>
  SCAN_HOST_DEVICE prefix<T> before(int place, Op op, const Lanes& lanes) const {
    prefix<T> running = start();
    for (int i = 0; i < place; ++i) {
      running = lanes.fold(running, at(i).folds(), batches_at(i), op);
    }
    return running;
  }

  /// The fold of init and of everything, as an inclusive scan writes it last.
  SCAN_CALLS_EITHER_SIDE
  template <class Op, class Lanes>
  SCAN_HOST_DEVICE prefix<T> total(Op op, const Lanes& lanes) const {
    int last = all.num_ranks - 1;
    while (last >= 0 && batches_at(last) == 0) --last;
    if (last < 0) return start();
    prefix<T> running = before(last, op, lanes);
    running = lanes.fold(running, at(last).folds(), batches_at(last) - 1, op);
    const auto& ends = at(last).ends();
    running = join(running, ends.before_tile, op);
    running = join(running, ends.before_warp, op);
    running = join(running, ends.before_run, op);
    for (int i = 0; i < ends.num_items; ++i) running = join(running, {ends.items[i], true}, op);
    return running;
  }
};

// ---- What the ranks tell each other of a tensor whose sequences are slices of longer ones: per
// sequence what slice_message.hpp has of one, but for the parts of a slice's end.
//
//   header | inits, a value a sequence | folds: a value a sequence, batch by batch
//
// All of it is for both sides: tests run it on the host with threads as ranks.

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
