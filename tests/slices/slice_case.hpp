// One scan across ranks of a test: drawn, carried out, and compared with one GPU's.
#ifndef SCAN_TESTS_SLICE_CASE_HPP
#define SCAN_TESTS_SLICE_CASE_HPP

#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/slices/ranks.hpp"
#include "tests/support/rounded_values.hpp"

namespace tests {

struct slice_case {
  std::vector<std::int64_t> slices;  // elements of each rank, in the order of ranks
  std::int64_t shift;                // elements before the first: misaligns it
  bool exclusive, reverse, complete, in_place, with_total;
  int init;  // 0: none; 1: by value; 2: by pointer
  scan::algorithm algorithm;

  std::int64_t n() const { return std::accumulate(slices.begin(), slices.end(), std::int64_t{0}); }
  std::int64_t offset(int rank) const {
    return std::accumulate(slices.begin(), slices.begin() + rank, std::int64_t{0});
  }
  /// Whether one GPU's bits are promised.
  bool is_aligned(std::int64_t multiple) const {
    const int last = reverse ? 0 : static_cast<int>(slices.size()) - 1;
    for (int i = 0; i < static_cast<int>(slices.size()); ++i) {
      if (i != last && slices[static_cast<std::size_t>(i)] % multiple != 0) return false;
    }
    return true;
  }
  std::string describe() const {
    std::string text = "slices";
    for (const std::int64_t slice : slices) text += " " + std::to_string(slice);
    return text + " shift " + std::to_string(shift) + (exclusive ? " exclusive" : "") +
           (reverse ? " reverse" : "") + (complete ? " complete" : "") +
           (in_place ? " in place" : "") + (with_total ? " total" : "") + " init " +
           std::to_string(init) + " algorithm " + std::to_string(static_cast<int>(algorithm));
  }
};

/// Slices of up to `most` elements in all: multiples of one GPU's batch of tiles as often as not.
inline slice_case draw_slices(std::mt19937_64& random, int num_ranks, std::int64_t most,
                              std::int64_t multiple) {
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  const auto coin = [&] { return below(2) == 1; };
  slice_case c = {};
  c.slices.resize(static_cast<std::size_t>(num_ranks));
  const std::int64_t share = most / num_ranks;
  c.reverse = coin();
  const bool aligned = coin() && multiple <= share;
  for (int i = 0; i < num_ranks; ++i) {
    std::int64_t slice = below(8) == 0 ? 0 : 1 + below(std::int64_t{1} << below(40));
    if (slice > share) slice = 1 + below(share);
    const bool is_last = i == (c.reverse ? 0 : num_ranks - 1);
    if (aligned && !is_last) slice = below(share / multiple + 1) * multiple;
    c.slices[static_cast<std::size_t>(i)] = slice;
  }
  c.shift = coin() ? 0 : below(17);
  c.exclusive = coin();
  c.complete = c.exclusive && below(3) == 0;
  c.in_place = coin();
  c.with_total = coin();
  c.init = static_cast<int>(below(3));
  return c;
}

/// Scans of one row of types and operator: elements of one GPU's call, and memory for both.
template <class In, class Out, class Op>
class slice_row {
 public:
  static constexpr std::int64_t guard = 64;

  /// `expected` is rank 0's business, and seen by all.
  slice_row(const rank_of& here, std::int64_t most, std::vector<Out>& expected)
      : here_(here),
        in_(static_cast<std::size_t>(most + 32) * sizeof(In)),
        out_(static_cast<std::size_t>(most + 32 + 2 * guard) * sizeof(Out)),
        one_(4 * sizeof(Out)),
        expected_(expected) {
    elements_ = any_values<In>(most + 32);
    // (Initcheck knows nothing of what bulk stores write, and the guards are copied back, too.)
    cuda_check(cudaMemsetAsync(out_.as<void>(), 0x5a, bytes(most + 32 + 2 * guard), here.in));
    cuda_check(cudaMemsetAsync(one_.as<void>(), 0x5a, bytes(4), here.in));
    cuda_check(cudaMemcpyAsync(in_.as<In>(), elements_.data(), elements_.size() * sizeof(In),
                               cudaMemcpyHostToDevice, here.in));
    const Out init = some_init();
    cuda_check(
        cudaMemcpyAsync(one_.as<Out>(), &init, sizeof(Out), cudaMemcpyHostToDevice, here.in));
    cuda_check(cudaStreamSynchronize(here.in));
  }

  /// What is wrong, or "".
  std::string check(scan::across& ranks, slice_case c, scan::workspace& space) {
    if (c.in_place && sizeof(In) != sizeof(Out)) c.in_place = false;
    return compared(
        here_, c, [&] { expect(c, scan::device::team_of(ranks).has_ring(), space); },
        [&] { return scan_and_compare(ranks, c); });
  }

 private:
  static Out some_init() { return scan::convert<Out>(scan::is_integer<Out> ? 11.0f : 0.1f); }
  scan::options<Out> options_of(const slice_case& c) const {
    scan::options<Out> opts;
    if (c.init == 1) opts.init = some_init();
    if (c.init == 2) opts.init_pointer = one_.as<Out>();
    opts.stream = here_.in;
    opts.reverse = c.reverse;
    opts.complete = c.complete;
    opts.algorithm = c.algorithm;
    return opts;
  }
  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(Out);
  }

  /// One GPU's outputs and total, with the kernel whose order is promised.
  void expect(const slice_case& c, bool has_ring, scan::workspace& space) {
    scan::options<Out> opts = options_of(c);
    const bool rings = has_ring && scan::device::ring_takes(sizeof(In), sizeof(Out),
                                                            sizeof(scan::accumulator_t<In, Out>));
    // (A rank alone makes the plain call.)
    if (c.algorithm == scan::algorithm::automatic && here_.num_ranks > 1) {
      opts.algorithm = rings ? scan::algorithm::ring : scan::algorithm::look_back;
    }
    opts.workspace = &space;
    opts.total = one_.as<Out>() + 1;
    const In* const from = in_.as<In>() + c.shift;
    Out* const to = out_.as<Out>();
    const scan::status done = c.exclusive ? scan::exclusive(from, to, c.n(), Op{}, opts)
                                          : scan::inclusive(from, to, c.n(), Op{}, opts);
    if (!done.ok()) throw std::runtime_error(done.message());
    expected_.resize(static_cast<std::size_t>(c.n() + 2));
    copy_back(expected_.data(), to, c.n() + 1);
    copy_back(&expected_.back(), one_.as<Out>() + 1, 1);
    cuda_check(cudaStreamSynchronize(here_.in));
  }
  void copy_back(Out* to, const Out* from, std::int64_t count) const {
    cuda_check(cudaMemcpyAsync(to, from, bytes(count), cudaMemcpyDeviceToHost, here_.in));
  }

  std::string scan_and_compare(scan::across& ranks, const slice_case& c) {
    const std::int64_t n = c.slices[static_cast<std::size_t>(here_.rank)];
    const std::int64_t offset = c.offset(here_.rank), room = n + 2 * guard + 1;
    scan::options<Out> opts = options_of(c);
    if (here_.rank > 0) give_no_init(opts);
    if (c.with_total) opts.total = one_.as<Out>() + 2;
    const In* from = in_.as<In>() + c.shift + offset;
    Out* const to = out_.as<Out>() + guard + (c.in_place ? c.shift : 0);
    cuda_check(cudaMemsetAsync(to - guard, 0x5a, bytes(room), here_.in));
    cuda_check(cudaMemsetAsync(one_.as<Out>() + 2, 0x5a, bytes(1), here_.in));
    if (c.in_place) {
      cuda_check(cudaMemcpyAsync(to, from, bytes(n), cudaMemcpyDeviceToDevice, here_.in));
      from = reinterpret_cast<const In*>(to);
    }
    const scan::status done = c.exclusive ? scan::exclusive(ranks, from, to, n, Op{}, opts)
                                          : scan::inclusive(ranks, from, to, n, Op{}, opts);
    std::vector<Out> all(static_cast<std::size_t>(room)), total(1);
    copy_back(all.data(), to - guard, room);
    copy_back(total.data(), one_.as<Out>() + 2, 1);
    cuda_check(cudaStreamSynchronize(here_.in));
    if (!done.ok()) return done.message();
    if (const scan::status later = ranks.error(); !later.ok()) return later.message();
    const bool is_last = here_.rank == here_.num_ranks - 1;
    const std::int64_t outputs = n + (c.complete && is_last ? 1 : 0);
    return compare(c, all, total[0], offset, outputs, ranks);
  }

  std::string compare(const slice_case& c, const std::vector<Out>& all, const Out& total,
                      std::int64_t offset, std::int64_t outputs, const scan::across& ranks) const {
    constexpr bool is_exact =
        scan::numbers_of<Out> == scan::numbers::integers || !std::is_same_v<Op, scan::plus>;
    const std::int64_t multiple =
        scan::device::order_of<scan::transform_input<In>, scan::transform_output<Out>>(
            scan::device::team_of(ranks).has_ring() && c.algorithm != scan::algorithm::look_back)
            .batch_items();
    const bool to_the_bit = is_exact || c.is_aligned(multiple);
    std::vector<unsigned char> untouched(sizeof(Out), 0x5a);
    for (std::int64_t i = -guard; i < static_cast<std::int64_t>(all.size()) - guard; ++i) {
      const Out& actual = all[static_cast<std::size_t>(i + guard)];
      const bool is_output = i >= 0 && i < outputs;
      const void* wanted = is_output ? static_cast<const void*>(&expected_at(offset + i))
                                     : static_cast<const void*>(untouched.data());
      // (In place there are inputs up to where the outputs end.)
      if (std::memcmp(&actual, wanted, sizeof(Out)) == 0) continue;
      if (is_output && !to_the_bit && is_near(actual, expected_at(offset + i))) continue;
      return "output " + std::to_string(i) + " of " + std::to_string(outputs);
    }
    const void* wanted = c.with_total ? static_cast<const void*>(&expected_.back())
                                      : static_cast<const void*>(untouched.data());
    if (std::memcmp(&total, wanted, sizeof(Out)) == 0) return "";
    return c.with_total && !to_the_bit && is_near(total, expected_.back()) ? "" : "the total";
  }
  const Out& expected_at(std::int64_t i) const { return expected_[static_cast<std::size_t>(i)]; }
  static bool is_near(const Out& a, const Out& b) {
    const auto x = scan::convert<double>(a), y = scan::convert<double>(b);
    return std::abs(x - y) <= (sizeof(Out) == 2 ? 1e-2 : 1e-5) * (1 + std::abs(y));
  }

  const rank_of& here_;
  device_memory in_, out_, one_;
  std::vector<In> elements_;
  std::vector<Out>& expected_;
};

}  // namespace tests

#endif
