// The scan on CPU threads: the workers of the look-back protocol are threads, their tiles fit L2.
// Included by itself, it lets any C++17 compiler scan types and operators of the user's own.
//
// With A(t) = fold of tile t, the result is associated as P(t + 1) = P(t) op A(t), and inside a
// tile as blocks.hpp (sums and the like) or streams.hpp (everything else) say, whatever the number
// of threads. Where the order does not show, in the library's operations on integers, a single
// thread goes straight on.
#ifndef SCAN_HOST_SEQUENCE_SCAN_HPP
#define SCAN_HOST_SEQUENCE_SCAN_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>

#include "scan/call/entries.hpp"
#include "scan/call/problem.hpp"
#include "scan/call/tensor_problem.hpp"
#include "scan/host/lane_tiles.hpp"
#include "scan/host/streams.hpp"
#include "scan/host/workers.hpp"
#include "scan/iterators.hpp"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Thrown out of a wait when another worker has abandoned the scan; never leaves the library.
struct scan_abandoned {};

/// A CPU thread as who looks back: a batch is one tile.
template <class T>
struct thread_lookers {
  static constexpr int count = 1;
  static constexpr int batches_at_once = 1;
  const tile_states<T>* states;

  int index() const { return 0; }
  bool looks(int) const { return true; }
  template <class U, class Op>
  U fold(const U& value, int /*num_valid*/, Op) const {
    return value;
  }
  bool all(bool ready) const { return ready; }
  int last(bool says) const { return says ? 0 : -1; }
  void back_off(int /*attempt*/) const {
    if (states->abandoned()) throw scan_abandoned{};
    std::this_thread::yield();
  }
};

/// How tiles are reduced and scanned.
template <class Problem, bool lanes = in_lanes<typename Problem::op_type, typename Problem::T>>
struct tile_scan_for {
  using type = stream_tiles<Problem>;
};
#ifdef SCAN_HAS_LANES
template <class Problem>
struct tile_scan_for<Problem, true> {
  using type = lane_tiles<Problem>;
};
#endif

/// Whether both begin at one address. (An iterator may lead there as well: then outputs go past
/// caches that would have helped.)
template <class In, class Out>
bool same_place(const In* in, Out* out) {
  return static_cast<const void*>(in) == out;
}
template <class From, class To>
bool same_place(const From&, const To&) {
  return false;
}

/// Bytes of output from which on input and output are not expected in the caches: input is fetched
/// ahead (where it is there already, that costs a tenth), and output goes past them. A store to a
/// line that is in no cache reads it first, which is a third of all traffic.
inline constexpr std::int64_t cached_bytes = std::int64_t{32} << 20;

/// One scan, as its workers share it.
template <class Problem>
struct job {
  using T = typename Problem::T;
  using tiles = typename tile_scan_for<Problem>::type;
  /// A thread that works alone fetches 16 KiB ahead.
  static constexpr std::int64_t fetch_items =
      std::max<std::int64_t>(1, 16 * 1024 / sizeof(typename Problem::in_type));

  const Problem& scan;
  const std::int64_t tile_items = tiles::tile_items(scan.num_items);
  const bool uncached =
      scan.num_items >= cached_bytes / std::int64_t{sizeof(typename Problem::out_type)};
  /// Outputs then go to lines that have just been read.
  const bool in_place = same_place(scan.in.data, scan.out.data);
  void* states_memory = nullptr;
  std::size_t states_bytes = 0;
  kept_failure failure{};
  /// How far the caller has come alone: the next tile, and the fold of all before.
  std::int64_t next_tile = 0;
  prefix<T> before = scan.start();

  /// Of operands.
  std::int64_t num_bytes() const { return scan.num_items * std::int64_t{sizeof(T)}; }
  std::int64_t num_tiles() const { return (scan.num_items - 1) / tile_items + 1; }

  auto reduce_tile(std::int64_t tile) const { return tiles::reduce(scan, place(tile, 0)); }
  /// While it scans, the input of tile `next` is fetched.
  void scan_tile(std::int64_t tile, std::int64_t next, const prefix<T>& before_tile,
                 const typename tiles::aggregates& folds) const {
    finish(tile, tiles::scan(scan, place(tile, (next - tile) * tile_items), before_tile, folds));
  }
  /// The caller's next tile, in one pass; false when it was the last.
  bool advance() {
    before = scan_tile_on(next_tile, before);
    return ++next_tile < num_tiles();
  }
  /// Scans without a reduction that others wait for; returns what precedes the next tile.
  prefix<T> scan_tile_on(std::int64_t tile, const prefix<T>& before_tile) const {
    const scanned_tile<T> scanned = tiles::scan_on(scan, place(tile, fetch_items), before_tile);
    finish(tile, scanned.last);
    return scanned.next;
  }

 private:
  /// While a tile is scanned, what lies `ahead` items further on is fetched.
  auto place(std::int64_t tile, std::int64_t ahead) const {
    const std::int64_t first = tile * tile_items;
    const auto from = in_walk_order<Problem::reversed>(scan.in.data, scan.num_items) + first;
    const auto to = in_walk_order<Problem::reversed>(scan.out.data, scan.num_items) + first;
    const bool fetch = uncached && first + ahead + tile_items <= scan.num_items;
    return tile_place<decltype(from), decltype(to)>{from,
                                                    to,
                                                    std::min(tile_items, scan.num_items - first),
                                                    uncached && !in_place,
                                                    fetch ? ahead : 0,
                                                    first};
  }
  void finish(std::int64_t tile, const prefix<T>& end) const {
    if (tile != num_tiles() - 1) return;
    scan.write_start(scan.start());
    scan.write_end(end);
  }
};

/// A worker's life, for run_workers: claim, reduce, publish, look back, scan. Tiles of the states
/// are counted from the one at which the caller was no longer alone. The states die with the call,
/// so no one retires them. What the operator throws is kept for the caller, after those who may
/// wait for the worker's tile have been told.
template <class Problem, class T = typename Problem::T>
void scan_together(void* context) {
  auto& work = *static_cast<job<Problem>*>(context);
  tile_states<T> states(work.states_memory, work.states_bytes);
  thread_lookers<T> lookers{&states};
  const stores_to_finish before_others_know;
  try {
    running_prefix<T, typename Problem::op_type, thread_lookers<T>> earlier_tiles(work.before,
                                                                                  work.scan.op);
    const std::int64_t first = work.next_tile, last = work.num_tiles() - first;
    const auto claim = [&] {
      const ticket drawn = states.claim(INT64_MAX);  // no last one: the states die with the call
      states.enter(drawn.epoch);
      return drawn.tile;
    };
    for (std::int64_t tile = claim(); tile < last;) {
      const auto folds = work.reduce_tile(first + tile);
      states.publish(tile, folds.fold(work.scan.op).value);
      const prefix<T> before = earlier_tiles.exclusive_prefix(states, lookers, tile);
      const std::int64_t next = claim();  // after the wait: a tile's holder never waits
      work.scan_tile(first + tile, first + next, before, folds);
      tile = next;
    }
  } catch (const scan_abandoned&) {  // the one who threw has kept the reason
  } catch (...) {
    states.abandon();
    work.failure.keep();
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
  const int num_workers = worker_count(threads, work.num_tiles(), work.num_bytes());
  if (num_workers == 1) {  // what the operator throws passes through
    const stores_to_finish before_others_know;
    while (work.advance()) {
    }
    return {};
  }
  work.states_bytes = tile_states<typename Problem::T>::required_bytes(work.num_tiles());
  const std::size_t num_words = work.states_bytes / sizeof(std::uint64_t);
  const std::unique_ptr<std::uint64_t[]> words(new (std::nothrow) std::uint64_t[num_words]());
  if (words == nullptr) return {cudaErrorMemoryAllocation, "no memory for the tile states"};
  work.states_memory = words.get();
  run_workers(num_workers, advance_alone<job<Problem>>, scan_together<Problem>, &work);
  work.failure.rethrow();
  return {};
}

/// Describes a scan whose arguments have been checked; reads the init.
template <bool reversed, class Input, class Output, class Op, class Options>
auto describe_in_host_memory(bool exclusive, const Input& in, const Output& out, std::int64_t n,
                             Op op, const Options& opts) {
  auto scan = describe<reversed>(exclusive, in, out, n, op, opts);
  const bool init_is_seen = n > 0 || opts.complete || opts.total != nullptr;
  if (opts.init_pointer != nullptr && init_is_seen) {
    scan.init = {scan.as_operand(*opts.init_pointer), true};
  }
  return scan;
}

/// A scan in host memory: `inclusive` and `exclusive` of scan.hpp.
template <class Input, class Output, class Op>
status scan_shape(on_host, bool exclusive, const Input& in, const Output& out, std::int64_t n,
                  Op op, const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  if (const status checked = validate_scan<Op>(exclusive, in, out, n, opts); !checked.ok()) {
    return checked;
  }
  return opts.reverse
             ? run(describe_in_host_memory<true>(exclusive, in, out, n, op, opts), opts.threads)
             : run(describe_in_host_memory<false>(exclusive, in, out, n, op, opts), opts.threads);
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
