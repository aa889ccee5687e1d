// Sums of segments in device memory whose elements and segments change between calls.
#ifndef SCAN_TESTS_RAGGED_SUMS_HPP
#define SCAN_TESTS_RAGGED_SUMS_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/segments/segment_call.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/rounded_values.hpp"

namespace tests {

/// As many segments in as many elements, cut anywhere, and often in one place.
inline segment_layout random_cuts(std::int64_t n, std::int64_t num_segments, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t fewest = 1 + random() % static_cast<std::uint64_t>(n + 1);
  segment_layout made{"random cuts", {}, n};
  for (std::int64_t s = 0; s <= num_segments; ++s) {
    const std::uint64_t within = s % 3 == 0 ? static_cast<std::uint64_t>(n + 1) : fewest;
    made.offsets.push_back(static_cast<std::int64_t>(random() % within));
  }
  std::sort(made.offsets.begin(), made.offsets.end());
  return made;
}

/// Sums of segments in device memory.
template <class T>
class ragged_sums {
 public:
  ragged_sums(head_kind heads, std::int64_t n, std::int64_t num_segments, std::uint64_t turn)
      : n_(n), num_segments_(num_segments) {
    c_.heads = heads;
    c_.with_total = c_.by_offsets();
    c_.exclusive = turn % 2 == 1;
    c_.reverse = turn / 2 % 2 == 1;
    cut(turn);
  }

  /// Other elements and other segments, whose results are then expected; outputs are cleared.
  void refill(std::uint64_t seed) {
    cut(seed);
    const std::vector<T> items = random_items<T>(n_, seed);
    upload(in_, items);
    clear();
    expected_ = cleared(n_);
    expected_totals_ = cleared(num_segments_);
    scan_segments_serially(c_, items.data(), expected_.data(), {},
                           c_.with_total ? expected_totals_.data() : nullptr, scan::plus{});
  }
  /// Numbers that are rounded at every step, of which nothing is expected.
  void fill_with_real_numbers(std::uint64_t seed) {
    cut(seed);
    upload(in_, random_values<T>(values::wide, n_));
  }
  void clear() const {
    cuda_check(cudaMemset(out_.as<void>(), 0xEE, bytes(n_)));
    cuda_check(cudaMemset(totals_.as<void>(), 0xEE, bytes(num_segments_)));
    cuda_check(cudaDeviceSynchronize());
  }
  scan::status call(cudaStream_t stream, scan::workspace* space) const {
    scan::options<T> opts;
    opts.stream = stream;
    opts.workspace = space;
    opts.reverse = c_.reverse;
    if (c_.with_total) opts.total = totals_.as<T>();
    return call_segments(c_, heads_.as<void>(), in_.as<const T>(), out_.as<T>(), scan::plus{},
                         opts);
  }
  std::vector<T> outputs() const { return downloaded(out_, n_); }
  std::vector<T> totals() const { return downloaded(totals_, num_segments_); }
  bool right() const { return same(outputs(), expected_) && same(totals(), expected_totals_); }
  bool untouched() const {
    return same(outputs(), cleared(n_)) && same(totals(), cleared(num_segments_));
  }
  static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
  }
  std::string describe() const { return c_.describe(); }
  std::int64_t num_items() const { return n_; }

 private:
  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(T);
  }
  static std::vector<T> cleared(std::int64_t count) {
    std::vector<T> items(static_cast<std::size_t>(count));
    std::memset(static_cast<void*>(items.data()), 0xEE, bytes(count));
    return items;
  }
  template <class U>
  static void upload(const device_memory& to, const std::vector<U>& from) {
    cuda_check(
        cudaMemcpy(to.as<void>(), from.data(), from.size() * sizeof(U), cudaMemcpyHostToDevice));
  }
  static std::vector<T> downloaded(const device_memory& from, std::int64_t count) {
    std::vector<T> items(static_cast<std::size_t>(count));
    cuda_check(cudaMemcpy(items.data(), from.as<void>(), bytes(count), cudaMemcpyDeviceToHost));
    return items;
  }
  void cut(std::uint64_t seed) {
    const segment_layout cuts = random_cuts(n_, num_segments_, seed);
    c_.layout = std::make_shared<const segment_layout>(c_.by_offsets() ? cuts : as_runs(cuts));
    upload(heads_, heads_of(c_, seed));
  }

  std::int64_t n_, num_segments_;
  segment_case c_;
  device_memory in_{bytes(n_)}, out_{bytes(n_)}, totals_{bytes(num_segments_)},
      heads_{static_cast<std::size_t>(std::max(n_, num_segments_ + 1)) * 8};
  std::vector<T> expected_, expected_totals_;
};

}  // namespace tests

#endif
