// The scan on CPU threads: the workers of the look-back protocol are threads, their tiles fit L2.
// Included by itself, it lets any C++17 compiler scan types and operators of the user's own.
//
// With A(t) = fold of tile t's streams in order, and of what they leave over, the result is
// associated as P(t + 1) = P(t) op A(t), and inside a stream one element after another, whatever
// the number of threads. Integers, where it does not show, are scanned serially by a single thread.
#ifndef SCAN_HOST_HOST_SCAN_HPP
#define SCAN_HOST_HOST_SCAN_HPP

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "scan/host/streams.hpp"
#include "scan/host/workers.hpp"
#include "scan/problem.hpp"
#include "scan/protocol/look_back.hpp"
#include "scan/protocol/tile_states.hpp"
#include "scan/scan.hpp"

namespace scan::host_path {

/// Thrown out of a wait when another worker has abandoned the scan; never leaves the library.
struct scan_abandoned {};

/// A CPU thread as the lanes of a look-back: a batch is one tile.
template <class T>
struct thread_lanes {
  static constexpr int count = 1;
  static constexpr int batches_at_once = 1;
  const tile_states<T>* states;

  int index() const { return 0; }
  template <class Op>
  T fold(const T& value, int /*num_valid*/, Op) const {
    return value;
  }
  bool all(bool ready) const { return ready; }
  void back_off(int /*attempt*/) const {
    if (states->abandoned()) throw scan_abandoned{};
    std::this_thread::yield();
  }
};

/// Items of a tile. Input and output of a tile stay in an L2 of 1 MiB between the two passes. A
/// little less than a power of two: streams 64 KiB apart would meet in the same sets of the L1
/// (half the speed).
template <class In, class Out>
inline constexpr std::int64_t tile_items = std::int64_t{254 * 1024} /
                                           static_cast<std::int64_t>(std::max(sizeof(In),
                                                                              sizeof(Out)));

/// One scan, as its workers share it.
template <class Problem>
struct job {
  using T = typename Problem::T;
  static constexpr std::int64_t tile_items =
      host_path::tile_items<typename Problem::in_type, typename Problem::out_type>;

  const Problem& scan;
  void* states_memory = nullptr;
  std::size_t states_bytes = 0;
  std::mutex failing{};
  std::exception_ptr failure{};  // the first one, under `failing`

  std::int64_t num_tiles() const { return (scan.num_items - 1) / tile_items + 1; }

  stream_aggregates<T> reduce_tile(std::int64_t tile) const {
    return reduce_streams(scan, from(tile), items_of(tile));
  }
  void scan_tile(std::int64_t tile, const prefix<T>& before,
                 const stream_aggregates<T>& aggregates) const {
    const std::int64_t n = items_of(tile);
    finish(tile, scan.exclusive
                     ? scan_streams<true>(scan, from(tile), to(tile), n, before, aggregates)
                     : scan_streams<false>(scan, from(tile), to(tile), n, before, aggregates));
  }
  void scan_serially() const {
    const std::int64_t n = scan.num_items;
    finish(num_tiles() - 1, scan.exclusive
                                ? scan_serial<true>(scan, from(0), to(0), n, scan.start())
                                : scan_serial<false>(scan, from(0), to(0), n, scan.start()));
  }

 private:
  std::int64_t items_of(std::int64_t tile) const {
    return std::min(tile_items, scan.num_items - tile * tile_items);
  }
  auto from(std::int64_t tile) const { return items(scan.in.data) + tile * tile_items; }
  auto to(std::int64_t tile) const { return items(scan.out.data) + tile * tile_items; }
  template <class U>
  auto items(U* data) const {
    if constexpr (Problem::reversed) {
      return std::reverse_iterator<U*>(data + scan.num_items);
    } else {
      return data;
    }
  }
  void finish(std::int64_t tile, const prefix<T>& end) const {
    if (tile != num_tiles() - 1) return;
    scan.write_start(scan.start());
    scan.write_end(end);
  }
};

/// All tiles one after another on the calling thread; what the operator throws passes through.
template <class Problem, class T = typename Problem::T>
void scan_alone(const job<Problem>& work) {
  if constexpr (one_chain<T>) {  // exact: the order of operations does not show
    work.scan_serially();
  } else {
    prefix<T> before = work.scan.start();
    for (std::int64_t tile = 0; tile < work.num_tiles(); ++tile) {
      const stream_aggregates<T> aggregates = work.reduce_tile(tile);
      work.scan_tile(tile, before, aggregates);
      before = join(before, aggregates.fold(work.scan.op), work.scan.op);
    }
  }
}

/// A worker's life: claim, reduce, publish, look back, scan. The states die with the call, so no
/// one retires them. What the operator throws is kept for the caller, after those who may wait for
/// the worker's tile have been told.
template <class Problem, class T = typename Problem::T>
void scan_together(void* context) {
  auto& work = *static_cast<job<Problem>*>(context);
  tile_states<T> states(work.states_memory, work.states_bytes);
  thread_lanes<T> lanes{&states};
  try {
    look_back<T, typename Problem::op_type, thread_lanes<T>> earlier_tiles(work.scan.start(),
                                                                           work.scan.op);
    const auto claim = [&] {
      const ticket drawn = states.claim(INT64_MAX);  // no last one: the states die with the call
      states.join(drawn.epoch);
      return drawn.tile;
    };
    for (std::int64_t tile = claim(); tile < work.num_tiles(); tile = claim()) {
      const stream_aggregates<T> aggregates = work.reduce_tile(tile);
      states.publish(tile, aggregates.fold(work.scan.op).value);
      work.scan_tile(tile, earlier_tiles.exclusive_prefix(states, lanes, tile), aggregates);
    }
  } catch (const scan_abandoned&) {  // the one who threw has kept the reason
  } catch (...) {
    states.abandon();
    const std::lock_guard<std::mutex> lock(work.failing);
    if (!work.failure) work.failure = std::current_exception();
  }
}

/// Runs a described scan on `threads` CPU threads.
template <class Problem>
status run(const Problem& scan, int threads) {
  if (scan.num_items == 0) {
    scan.write_start(scan.start());
    scan.write_end(scan.start());
    return {};
  }
  job<Problem> work{scan};
  const int num_workers = worker_count(threads, work.num_tiles());
  if (num_workers == 1) {
    scan_alone(work);
    return {};
  }
  work.states_bytes = tile_states<typename Problem::T>::required_bytes(work.num_tiles());
  const std::size_t num_words = work.states_bytes / sizeof(std::uint64_t);
  const std::unique_ptr<std::uint64_t[]> words(new (std::nothrow) std::uint64_t[num_words]());
  if (words == nullptr) return {cudaErrorMemoryAllocation, "no memory for the tile states"};
  work.states_memory = words.get();
  run_workers(num_workers, scan_together<Problem>, &work);
  if (work.failure) std::rethrow_exception(work.failure);
  return {};
}

/// A scan in host memory: `inclusive` and `exclusive` of scan.hpp.
template <class Input, class Output, class Op>
status scan_host(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                 const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  if (const status checked = validate_scan<Op>(exclusive, in, out, n, opts.init.has_value(), opts);
      !checked.ok()) {
    return checked;
  }
  return opts.reverse ? run(describe<true>(exclusive, in, out, n, op, opts), opts.threads)
                      : run(describe<false>(exclusive, in, out, n, op, opts), opts.threads);
}

}  // namespace scan::host_path

namespace scan {

struct host_scans {};  // they are here: see prebuilt.hpp

/// The scans of scan.hpp with a function applied on the way in, on the way out, or both: `in` is a
/// `transform_input`, `out` a `transform_output`, or one of them a pointer.
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out>>
[[nodiscard]] status inclusive(host_t, const In& in, const Out& out, std::int64_t n, Op op = {},
                               const host_options<typename Types::value>& opts = {}) {
  return host_path::scan_host(false, as_input(in), as_output(out), n, op, opts);
}
template <class In, class Out, class Op = plus, class Types = transformed_types<In, Out>>
[[nodiscard]] status exclusive(host_t, const In& in, const Out& out, std::int64_t n, Op op = {},
                               const host_options<typename Types::value>& opts = {}) {
  return host_path::scan_host(true, as_input(in), as_output(out), n, op, opts);
}

}  // namespace scan

#endif
