// The two passes of a CPU thread over one tile, several streams at a time.
//
// A tile is cut into equal streams, each reduced on its own: independent chains of operations that
// the processor overlaps and compilers turn into vector code. Where the operator is slow (an
// addition of floats takes 4 cycles) the streams are then scanned side by side too, each from its
// own exclusive prefix on, in steps of 4 x 4 elements. An operation on integers takes one cycle, no
// more than the store of its result: there, one chain through the tile is faster than four.
#ifndef SCAN_HOST_STREAMS_HPP
#define SCAN_HOST_STREAMS_HPP

#include <cstdint>
#include <type_traits>

#include "scan/protocol/prefix.hpp"

namespace scan::host_path {

/// Whether one chain of operations keeps up with memory.
template <class T>
inline constexpr bool one_chain = std::is_integral_v<T>;

template <class T>
inline constexpr int num_streams = one_chain<T> ? 8 : 4;
inline constexpr int step_items = 4;  // of each stream

/// Folds of a tile's streams, and of the items that the equal streams leave over at its end.
template <class T>
struct stream_aggregates {
  prefix<T> stream[num_streams<T>];
  prefix<T> rest;

  template <class Op>
  prefix<T> fold(Op op) const {
    prefix<T> all = stream[0];
    for (int s = 1; s < num_streams<T>; ++s) all = join(all, stream[s], op);
    return join(all, rest, op);
  }
};

template <class T, class In, class Op>
stream_aggregates<T> reduce_streams(const In* in, std::int64_t num_items, Op op) {
  constexpr int num_streams = host_path::num_streams<T>;
  const std::int64_t length = num_items / num_streams;
  stream_aggregates<T> result = {};
  if (length > 0) {
    T value[num_streams];
    for (int s = 0; s < num_streams; ++s) value[s] = static_cast<T>(in[s * length]);
    for (std::int64_t i = 1; i < length; ++i) {
      for (int s = 0; s < num_streams; ++s) {
        value[s] = op(value[s], static_cast<T>(in[s * length + i]));
      }
    }
    for (int s = 0; s < num_streams; ++s) result.stream[s] = {value[s], true};
  }
  for (std::int64_t i = num_streams * length; i < num_items; ++i) {
    result.rest = join(result.rest, {static_cast<T>(in[i]), true}, op);
  }
  return result;
}

/// Scans `num_items` items one after another from `running` on; returns the fold of all.
/// `first_output`: what an exclusive scan writes while nothing precedes.
template <bool exclusive, class In, class Out, class T, class Op>
prefix<T> scan_serial(const In* in, Out* out, std::int64_t num_items, prefix<T> running,
                      const T& first_output, Op op) {
  std::int64_t i = 0;
  if (!running.exists && num_items > 0) {
    running = {static_cast<T>(in[0]), true};
    out[0] = static_cast<Out>(exclusive ? first_output : running.value);
    i = 1;
  }
  T value = running.value;
  for (; i < num_items; ++i) {
    const T next = op(value, static_cast<T>(in[i]));
    out[i] = static_cast<Out>(exclusive ? value : next);
    value = next;
  }
  return {value, running.exists};
}

/// Steps of all streams at once; the running values exist.
template <bool exclusive, class In, class Out, class T, int num_streams, class Op>
void scan_step(const In* in, Out* out, std::int64_t length, T (&running)[num_streams], Op op) {
  T x[step_items][num_streams];
  for (int s = 0; s < num_streams; ++s) {
    for (int i = 0; i < step_items; ++i) x[i][s] = static_cast<T>(in[s * length + i]);
  }
  for (int i = 0; i < step_items; ++i) {
    for (int s = 0; s < num_streams; ++s) {
      const T next = op(running[s], x[i][s]);
      x[i][s] = exclusive ? running[s] : next;
      running[s] = next;
    }
  }
  for (int s = 0; s < num_streams; ++s) {
    for (int i = 0; i < step_items; ++i) out[s * length + i] = static_cast<Out>(x[i][s]);
  }
}

/// Scans a tile whose streams fold to `aggregates`, after `before`.
template <bool exclusive, class In, class Out, class T, class Op>
void scan_streams(const In* in, Out* out, std::int64_t num_items, prefix<T> before,
                  const stream_aggregates<T>& aggregates, const T& first_output, Op op) {
  constexpr int num_streams = host_path::num_streams<T>;
  const std::int64_t length = num_items / num_streams;
  std::int64_t done = 0;
  if (!one_chain<T> && length > 0) {
    T running[num_streams];
    for (int s = 0; s < num_streams; ++s) {
      // The stream's first item on its own: before the very first one nothing exists.
      const prefix<T> started =
          scan_serial<exclusive>(in + s * length, out + s * length, 1, before, first_output, op);
      running[s] = started.value;
      before = join(before, aggregates.stream[s], op);
    }
    std::int64_t i = 1;
    for (; i + step_items <= length; i += step_items) {
      scan_step<exclusive>(in + i, out + i, length, running, op);
    }
    for (int s = 0; s < num_streams; ++s) {
      scan_serial<exclusive>(in + s * length + i, out + s * length + i, length - i,
                             prefix<T>{running[s], true}, first_output, op);
    }
    done = num_streams * length;
  }
  scan_serial<exclusive>(in + done, out + done, num_items - done, before, first_output, op);
}

}  // namespace scan::host_path

#endif
