// The scan on CPU threads: the workers of the look-back protocol are threads, their tiles fit L2.
//
// With A(t) = fold of tile t's streams in order, and of what they leave over, the result is
// associated as P(t + 1) = P(t) op A(t), and inside a stream one element after another, whatever
// the number of threads. Integers, where it does not show, are scanned serially by a single thread.
#ifndef SCAN_HOST_HOST_SCAN_HPP
#define SCAN_HOST_HOST_SCAN_HPP

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "scan/accumulator.hpp"
#include "scan/host/streams.hpp"
#include "scan/host/workers.hpp"
#include "scan/protocol/look_back.hpp"
#include "scan/protocol/tile_states.hpp"
#include "scan/scan.hpp"
#include "scan/scan_start.hpp"
#include "scan/validate.hpp"

namespace scan::host_path {

/// Thrown out of a wait when another worker has abandoned the scan; never leaves the library.
struct scan_abandoned {};

/// A CPU thread as the lanes of a look-back: a batch is one tile.
template <class T>
struct thread_lanes {
  static constexpr int count = 1;
  const tile_states<T>* states;

  int index() const { return 0; }
  template <class Op>
  T fold(const T& value, int /*num_valid*/, Op) const {
    return value;
  }
  void back_off(int /*attempt*/) const {
    if (states->abandoned()) throw scan_abandoned{};
    std::this_thread::yield();
  }
};

/// One scan, as its workers share it. T is the accumulator.
template <class In, class Out, class T, class Op>
struct problem {
  // Input and output of a tile stay in an L2 of 1 MiB between the two passes. A little less than a
  // power of two: streams 64 KiB apart would meet in the same sets of the L1 (half the speed).
  static constexpr std::int64_t tile_bytes = 254 * 1024;
  static constexpr std::int64_t tile_items =
      tile_bytes / static_cast<std::int64_t>(std::max(sizeof(In), sizeof(Out)));

  const In* in;
  Out* out;
  std::int64_t num_items;
  Op op;
  bool exclusive;
  scan_start<T> start{};

  void* states_memory = nullptr;
  std::size_t states_bytes = 0;
  std::mutex failing;
  std::exception_ptr failure;  // the first one, under `failing`

  std::int64_t num_tiles() const { return (num_items - 1) / tile_items + 1; }

  stream_aggregates<T> reduce_tile(std::int64_t tile) const {
    return reduce_streams<T>(in + tile * tile_items, items_of(tile), op);
  }
  void scan_tile(std::int64_t tile, const prefix<T>& before,
                 const stream_aggregates<T>& aggregates) const {
    const In* from = in + tile * tile_items;
    Out* to = out + tile * tile_items;
    if (exclusive) {
      scan_streams<true>(from, to, items_of(tile), before, aggregates, start.first_output, op);
    } else {
      scan_streams<false>(from, to, items_of(tile), before, aggregates, start.first_output, op);
    }
  }
  void scan_serially(const prefix<T>& before) const {
    if (exclusive) {
      scan_serial<true>(in, out, num_items, before, start.first_output, op);
    } else {
      scan_serial<false>(in, out, num_items, before, start.first_output, op);
    }
  }

 private:
  std::int64_t items_of(std::int64_t tile) const {
    return std::min(tile_items, num_items - tile * tile_items);
  }
};

/// All tiles one after another on the calling thread; what the operator throws passes through.
template <class In, class Out, class T, class Op>
void scan_alone(const problem<In, Out, T, Op>& scan) {
  if constexpr (one_chain<T>) {  // exact: the order of operations does not show
    scan.scan_serially(scan.start.init);
  } else {
    prefix<T> before = scan.start.init;
    for (std::int64_t tile = 0; tile < scan.num_tiles(); ++tile) {
      const stream_aggregates<T> aggregates = scan.reduce_tile(tile);
      scan.scan_tile(tile, before, aggregates);
      before = join(before, aggregates.fold(scan.op), scan.op);
    }
  }
}

/// A worker's life: claim, reduce, publish, look back, scan. The states die with the call, so no
/// one retires them. What the operator throws is kept for the caller, after those who may wait for
/// the worker's tile have been told.
template <class In, class Out, class T, class Op>
void scan_together(void* context) {
  auto& scan = *static_cast<problem<In, Out, T, Op>*>(context);
  tile_states<T> states(scan.states_memory, scan.states_bytes);
  thread_lanes<T> lanes{&states};
  try {
    look_back<T, Op, thread_lanes<T>> earlier_tiles(scan.start.init, scan.op);
    for (std::int64_t tile = states.claim(); tile < scan.num_tiles(); tile = states.claim()) {
      const stream_aggregates<T> aggregates = scan.reduce_tile(tile);
      states.publish(tile, aggregates.fold(scan.op).value);
      scan.scan_tile(tile, earlier_tiles.exclusive_prefix(states, lanes, tile), aggregates);
    }
  } catch (const scan_abandoned&) {  // the one who threw has kept the reason
  } catch (...) {
    states.abandon();
    const std::lock_guard<std::mutex> lock(scan.failing);
    if (!scan.failure) scan.failure = std::current_exception();
  }
}

/// A scan in host memory: `inclusive` and `exclusive` of scan.hpp.
template <class In, class Out, class Op>
status scan_host(bool exclusive, const In* in, Out* out, std::int64_t n, Op op,
                 const host_options<Out>& opts) {
  using T = accumulator_t<In, Out>;
  if (const status checked = validate(in, out, n); !checked.ok() || n == 0) return checked;
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};

  problem<In, Out, T, Op> scan{in, out, n, op, exclusive, {}, nullptr, 0, {}, {}};
  if (const status checked = validate_start<Op>(exclusive, opts.init, scan.start); !checked.ok()) {
    return checked;
  }

  const int num_workers = worker_count(opts.threads, scan.num_tiles());
  if (num_workers == 1) {
    scan_alone(scan);
    return {};
  }
  scan.states_bytes = tile_states<T>::required_bytes(scan.num_tiles());
  const std::size_t num_words = scan.states_bytes / sizeof(std::uint64_t);
  const std::unique_ptr<std::uint64_t[]> words(new (std::nothrow) std::uint64_t[num_words]());
  if (words == nullptr) return {cudaErrorMemoryAllocation, "no memory for the tile states"};
  scan.states_memory = words.get();
  run_workers(num_workers, scan_together<In, Out, T, Op>, &scan);
  if (scan.failure) std::rethrow_exception(scan.failure);
  return {};
}

}  // namespace scan::host_path

namespace scan {

template <class In, class Out, class Op>
status inclusive(host_t, const In* in, Out* out, std::int64_t n, Op op,
                 const host_options<Out>& opts) noexcept(nothrow_operator<Op, Out>) {
  return host_path::scan_host(false, in, out, n, op, opts);
}

template <class In, class Out, class Op>
status exclusive(host_t, const In* in, Out* out, std::int64_t n, Op op,
                 const host_options<Out>& opts) noexcept(nothrow_operator<Op, Out>) {
  return host_path::scan_host(true, in, out, n, op, opts);
}

}  // namespace scan

#endif
