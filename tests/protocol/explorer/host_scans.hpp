// The life of a CPU thread in a scan, scan_together() and do_parts_together() as they stand in the
// library, on tiles of one made-up element whose outputs are written past the caches.
#ifndef SCAN_TESTS_EXPLORER_HOST_SCANS_HPP
#define SCAN_TESTS_EXPLORER_HOST_SCANS_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/protocol/explorer/scans.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
/// In place of the processor's, for the library's headers that follow.
#define _mm_sfence() explorer::store_fence()
#endif
namespace explorer {

/// Whether an operator has thrown in the call, after its end.
template <class Failure>
bool has_failed(const Failure& failure) {
  try {
    failure.rethrow();
  } catch (...) {
    return true;
  }
  return false;
}
/// Whether store fences are left out.
inline bool no_store_fence = false;
inline void store_fence() {
  if (!no_store_fence) running->finish_stores();
}
}  // namespace explorer

#include "scan/host/host_scan.hpp"
#include "scan/host/workers.hpp"

namespace explorer {

#ifdef __SSE2__
inline constexpr bool writes_past_caches = true;
#else
inline constexpr bool writes_past_caches = false;
#endif

/// Where an operator throws.
enum class throws { never, in_reduction, in_scan };
struct operator_failed {};

/// A scan of `num_items` segments, a tile each.
struct segments_problem {
  using in_type = char;
  using out_type = char;
  using T = segment<std::int16_t>;
  using op_type = concatenate_segments;
  static constexpr bool reversed = false;
  struct input {
    const char* data;
  } in;
  struct output {
    char* data;
  } out;
  std::int64_t num_items;
  throws when;
  std::int64_t where;
  int first_cell;
  op_type op{};

  scan::prefix<T> start() const { return {{-5, 0}, true}; }
  void write_start(const scan::prefix<T>&) const {}
  void write_end(const scan::prefix<T>& end) const {
    if (!(end.value == T{-5, static_cast<std::int16_t>(num_items)})) running->fail("a wrong total");
  }
};

/// How the segments are reduced and scanned.
struct segment_tiles {
  using T = segments_problem::T;
  struct aggregates {
    T value;
    const aggregates& fold(concatenate_segments) const { return *this; }
  };

  static std::int64_t tile_items(std::int64_t) { return 1; }
  template <class Place>
  static aggregates reduce(const segments_problem& scan, const Place& at) {
    const auto tile = static_cast<std::int16_t>(at.from - scan.in.data);
    if (scan.when == throws::in_reduction && scan.where == tile) throw operator_failed{};
    return {{tile, static_cast<std::int16_t>(tile + 1)}};
  }
  template <class Place>
  static scan::prefix<T> scan(const segments_problem& scan, const Place& at,
                              const ::scan::prefix<T>& before, const aggregates& folds) {
    const auto tile = static_cast<std::int16_t>(at.from - scan.in.data);
    if (scan.when == throws::in_scan && scan.where == tile) throw operator_failed{};
    if (!(before.value == T{-5, tile})) running->fail("a prefix is wrong");
    running->access_cell(scan.first_cell + tile, true, writes_past_caches);
    ++*at.to;
    return ::scan::join(before, {folds.value, true}, scan.op);
  }
  template <class Place>
  static ::scan::host_path::scanned_tile<T> scan_on(const segments_problem&, const Place&,
                                                    const ::scan::prefix<T>&);
};

}  // namespace explorer

template <>
struct scan::host_path::tile_scan_for<explorer::segments_problem, false> {
  using type = explorer::segment_tiles;
};

namespace explorer {

class host_scan : public program {
 public:
  using states_type = scan::tile_states<segments_problem::T>;
  using job = scan::host_path::job<segments_problem>;

  host_scan(std::int64_t num_tiles, int num_workers, throws when = throws::never,
            std::int64_t where = -1)
      : num_workers_(num_workers),
        words_(states_type::required_bytes(num_tiles) / sizeof(std::uint64_t)),
        in_(static_cast<std::size_t>(num_tiles)),
        out_(static_cast<std::size_t>(num_tiles)),
        scan_{{in_.data()}, {out_.data()}, num_tiles, when, where, 0} {}

  void reset() override {
    std::fill(words_.begin(), words_.end(), 0);
    std::fill(out_.begin(), out_.end(), 0);
  }
  int num_workers(int) const override { return num_workers_; }
  void begin(int) override {
    share_states<states_type>(words_);
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const int cell = running->share_cell();
      if (i == 0) scan_.first_cell = cell;
    }
    job_.reset(new job{scan_});
    job_->states_memory = words_.data();
    job_->states_bytes = words_.size() * sizeof(std::uint64_t);
  }
  void work(int, int) override { scan::host_path::scan_together<segments_problem>(job_.get()); }
  void end(int) override {
    if (has_failed(job_->failure) != (scan_.when != throws::never))
      running->fail("an exception got lost, or came from nowhere");
    const auto once = std::count(out_.begin(), out_.end(), 1);
    if (scan_.when == throws::never && once != scan_.num_items)
      running->fail("an output is missing");
  }

 private:
  int num_workers_;
  std::vector<std::uint64_t> words_;
  std::vector<char> in_, out_;
  segments_problem scan_;
  std::unique_ptr<job> job_;
};

/// Parts that do not depend on each other.
class host_parts : public program {
 public:
  host_parts(std::int64_t num_parts, int num_workers, std::int64_t throws_at = -1)
      : num_workers_(num_workers),
        part_{this, throws_at},
        out_(static_cast<std::size_t>(num_parts)) {}

  void reset() override { std::fill(out_.begin(), out_.end(), 0); }
  int num_workers(int) const override { return num_workers_; }
  void begin(int) override {
    job_.reset(new job{part_, static_cast<std::int64_t>(out_.size())});
    running->share(job_->tickets.tickets, "tickets");
    running->share(job_->tickets.abandoned, "abandoned");
    first_cell_ = -1;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const int cell = running->share_cell();
      if (i == 0) first_cell_ = cell;
    }
  }
  void work(int, int) override { scan::host_path::do_parts_together<part>(job_.get()); }
  void end(int) override {
    if (has_failed(job_->failure) != (part_.throws_at >= 0)) running->fail("an exception got lost");
    const auto once = std::count(out_.begin(), out_.end(), 1);
    if (part_.throws_at < 0 && once != static_cast<std::int64_t>(out_.size()))
      running->fail("a part is missing, or done twice");
  }

 private:
  struct part {
    host_parts* all;
    std::int64_t throws_at;
    void operator()(std::int64_t i) const {
      if (i == throws_at) throw operator_failed{};
      running->access_cell(all->first_cell_ + static_cast<int>(i), true, writes_past_caches);
      ++all->out_[static_cast<std::size_t>(i)];
    }
  };
  using job = scan::host_path::parts_job<part>;

  int num_workers_;
  part part_;
  std::vector<char> out_;
  int first_cell_ = 0;
  std::unique_ptr<job> job_;
};

}  // namespace explorer

#endif
