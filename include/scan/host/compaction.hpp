// Compaction on CPU threads: tiles of elements, whose counts are the aggregates of the look-back.
#ifndef SCAN_HOST_COMPACTION_HPP
#define SCAN_HOST_COMPACTION_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "scan/call/compaction_call.hpp"
#include "scan/host/sequence_scan.hpp"
#include "scan/host/workers.hpp"
#include "scan/protocol/running_prefix.hpp"
#include "scan/protocol/tile_states.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// One compaction, as its workers share it.
template <class Problem>
struct compaction_job {
  using T = typename Problem::T;
  using moved = typename Problem::Results::moved;
  /// Of which flags and elements stay in a core's caches from the counting to the moving.
  static constexpr std::int64_t tile_items = 64 * 1024 / static_cast<std::int64_t>(sizeof(moved));

  const Problem& scan;
  void* states_memory = nullptr;
  std::size_t states_bytes = 0;
  kept_failure failure{};
  std::int64_t next_tile = 0;  // the caller's next one while it is alone
  T before = T::none();

  std::int64_t num_tiles() const { return (scan.num_items - 1) / tile_items + 1; }
  std::int64_t first_of(std::int64_t tile) const { return tile * tile_items; }
  std::int64_t end_of(std::int64_t tile) const {
    return std::min(first_of(tile + 1), scan.num_items);
  }

  bool keeps(std::int64_t i) const {
    if constexpr (!Problem::Marks::of_items) {
      return scan.marks.keeps(i);
    } else if constexpr (Problem::Marks::of_two) {
      return i == 0 || scan.marks.keeps(scan.in[i - 1], scan.in[i]);
    } else {
      return scan.marks.keeps(scan.in[i]);
    }
  }
  T count_tile(std::int64_t tile) const {
    T counted = T::none();
    for (std::int64_t i = first_of(tile); i < end_of(tile); ++i) {
      counted = scan.join()(counted, fold_of(i, keeps(i)));
    }
    return counted;
  }
  /// Moves a tile's results after `running`; returns the tile's fold. (In place, too: place k is
  /// written for element k or a later one, so what an element is compared with is still there.)
  T move_tile(std::int64_t tile, T running) const {
    T folded = T::none();
    for (std::int64_t i = first_of(tile); i < end_of(tile); ++i) {
      const bool is_kept = keeps(i);
      if (is_kept) {
        const std::int64_t place = running.num_kept();
        if (place < scan.capacity) scan.to.kept[place] = value(i);
        if constexpr (Problem::Results::has_lengths) scan.write_length(place - 1, running.open);
        if constexpr (Problem::Results::has_folds) scan.write_fold(place - 1, running.open);
      } else if constexpr (Problem::Results::has_rejected) {
        const std::int64_t place = i - running.num_kept();
        if (place < scan.capacity) scan.to.rejected[place] = value(i);
      }
      const T mine = fold_of(i, is_kept);
      running = scan.join()(running, mine);
      folded = scan.join()(folded, mine);
    }
    if (tile == num_tiles() - 1) scan.write_end(running);
    return folded;
  }
  /// The caller's next tile, in one pass; false when it was the last. (What precedes the next one
  /// is joined tile by tile, as those who look back do it: when they come must not matter.)
  bool advance() {
    before = scan.join()(before, move_tile(next_tile, before));
    return ++next_tile < num_tiles();
  }

 private:
  T fold_of(std::int64_t i, bool is_kept) const {
    if constexpr (Problem::Results::has_folds) {
      return T::of(is_kept, convert<typename Problem::Results::value>(scan.to.values[i]));
    } else {
      return T::of(is_kept);
    }
  }
  moved value(std::int64_t i) const {
    if constexpr (Problem::moves_items) {
      return scan.in[i];
    } else {
      return static_cast<moved>(i);
    }
  }
};

/// A worker's life, for run_workers: see scan_together of sequence_scan.hpp.
template <class Problem>
void compact_together(void* context) {
  using T = typename Problem::T;
  auto& work = *static_cast<compaction_job<Problem>*>(context);
  tile_states<T> states(work.states_memory, work.states_bytes);
  thread_lookers<T> lookers{&states};
  try {
    const auto join = work.scan.join();
    running_prefix<T, std::decay_t<decltype(join)>, thread_lookers<T>> earlier_tiles(
        {work.before, true}, join);
    const std::int64_t first = work.next_tile, last = work.num_tiles() - first;
    for (;;) {
      const ticket drawn = states.claim(INT64_MAX);  // no last one: the states die with the call
      if (drawn.tile >= last) return;
      states.enter(drawn.epoch);
      states.publish(drawn.tile, work.count_tile(first + drawn.tile));
      work.move_tile(first + drawn.tile,
                     earlier_tiles.exclusive_prefix(states, lookers, drawn.tile).value);
    }
  } catch (const scan_abandoned&) {  // the one who threw has kept the reason
  } catch (...) {
    states.abandon();
    work.failure.keep();
  }
}

/// The calls of compaction.hpp in host memory. In place one thread works: another's elements might
/// be overwritten between the counting and the moving.
template <class Problem>
status compact(on_host, const Problem& given, const host_select_options& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  Problem scan = given;
  if (scan.num_items_pointer != nullptr) {
    scan.num_items = items_counted(*scan.num_items_pointer, scan.num_items);
  }
  if (scan.num_items == 0) {
    scan.write_end(Problem::T::none());
    return {};
  }
  compaction_job<Problem> work{scan};
  bool in_place = false;
  if constexpr (Problem::moves_items) in_place = scan.in == scan.to.kept;
  const std::int64_t num_bytes = scan.num_items * static_cast<std::int64_t>(sizeof(*scan.to.kept));
  const int num_workers = worker_count(in_place ? 1 : opts.threads, work.num_tiles(), num_bytes);
  if (num_workers == 1) {
    while (work.advance()) {
    }
    return {};
  }
  work.states_bytes = tile_states<typename Problem::T>::required_bytes(work.num_tiles());
  const std::size_t num_words = work.states_bytes / sizeof(std::uint64_t);
  const std::unique_ptr<std::uint64_t[]> words(new (std::nothrow) std::uint64_t[num_words]());
  if (words == nullptr) return {cudaErrorMemoryAllocation, "no memory for the tile states"};
  work.states_memory = words.get();
  run_workers(num_workers, advance_alone<compaction_job<Problem>>, compact_together<Problem>,
              &work);
  work.failure.rethrow();
  return {};
}

}  // namespace host_path
struct host_compactions {};  // they are here: see compaction_call.hpp
}  // namespace SCAN_ABI
}  // namespace scan

#endif
