// One scan across ranks of a tensor in slices: drawn, carried out, and compared with one GPU's.
#ifndef SCAN_TESTS_TENSOR_SLICES_HPP
#define SCAN_TESTS_TENSOR_SLICES_HPP

#include <cmath>
#include <cstring>
#include <numeric>

#include "scan/device/plan/column_ring_plan.hpp"
#include "scan/device/plan/strip_plan.hpp"
#include "tests/slices/ranks.hpp"
#include "tests/support/rounded_values.hpp"

namespace tests {

struct tensor_case {
  std::int64_t outer, inner;
  std::vector<std::int64_t> lengths;      // of each rank, in the order of ranks
  std::int64_t shift, more_in, more_out;  // elements before the first, and after each slab
  bool exclusive, reverse, complete, in_place, with_total;
  int init;  // 0: none; 1: by value; 2: by pointer

  std::int64_t sequences() const { return outer * inner; }
  std::int64_t offset(int rank) const {
    return std::accumulate(lengths.begin(), lengths.begin() + rank, std::int64_t{0});
  }
  std::int64_t length() const { return offset(static_cast<int>(lengths.size())); }
  /// Whether slices are as one GPU's bits want them.
  bool is_aligned(std::int64_t multiple) const {
    const std::size_t last = reverse ? 0 : lengths.size() - 1;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const bool is_right = i == last ? (lengths[i] == 0 && !complete) || lengths[i] >= multiple
                                      : lengths[i] % multiple == 0;
      if (!is_right) return false;
    }
    return true;
  }
  std::string describe() const {
    std::string text = std::to_string(outer) + " x (";
    for (const std::int64_t length : lengths) text += " " + std::to_string(length);
    return text + " ) x " + std::to_string(inner) + " shift " + std::to_string(shift) + " more " +
           std::to_string(more_in) + " " + std::to_string(more_out) +
           (exclusive ? " exclusive" : "") + (reverse ? " reverse" : "") +
           (complete ? " complete" : "") + (in_place ? " in place" : "") +
           (with_total ? " total" : "") + " init " + std::to_string(init);
  }
};

/// Everything but the extents.
inline void draw_options(std::mt19937_64& random, tensor_case& c) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  c.shift = below(2) * below(17);
  c.more_in = below(2) * below(40);
  c.more_out = below(2) * below(40);
  c.exclusive = below(2) == 1;
  c.reverse = below(2) == 1;
  c.complete = c.exclusive && below(3) == 0;
  c.in_place = below(2) == 1;
  c.with_total = below(2) == 1;
  c.init = below(3);
}

/// Rows and columns, short and long, few and many.
inline tensor_case draw_tensor(std::mt19937_64& random, int num_ranks) {
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  tensor_case c = {};
  std::int64_t most = 0;
  switch (below(5)) {
    case 0:
      c.outer = below(3000), c.inner = 1, most = 150;
      break;
    case 1:
      c.outer = 1 + below(4), c.inner = 1, most = 60'000;
      break;
    case 2:
      c.outer = 1 + below(3), c.inner = 2 + below(8), most = 12'000;
      break;
    case 3:
      c.outer = 1 + below(4), c.inner = 1 + below(300), most = 400;
      break;
    default:
      c.outer = 1 + below(200), c.inner = 2 + below(6), most = 100;
  }
  for (int i = 0; i < num_ranks; ++i) {
    c.lengths.push_back(below(6) == 0 ? 0 : below(most) >> below(6));
  }
  draw_options(random, c);
  return c;
}

/// Slices that are multiples of a batch of tiles, but for the last, which ends anywhere; so many
/// that one GPU has tiles of full height, too.
template <class In, class Out>
tensor_case draw_batches(std::mt19937_64& random, int num_ranks, std::int64_t inner,
                         const scan::across& ranks) {
  tensor_case c = {};
  c.inner = inner;
  c.outer = inner == 1 ? 2 : 1;
  draw_options(random, c);
  const std::int64_t batch = scan::slice_multiple<In, Out>(ranks, {c.outer, 1, c.inner});
  for (int i = 0; i < num_ranks; ++i) {
    const auto batches = static_cast<std::int64_t>(random() % (num_ranks < 4 ? 3 : 2));
    c.lengths.push_back(batches * batch);
  }
  const std::size_t last = c.reverse ? 0 : c.lengths.size() - 1;
  if (c.lengths[last] > 0) c.lengths[last] += static_cast<std::int64_t>(random() % 5000);
  return c;
}

/// Scans of one row of types and operator. `expected` is rank 0's business, and seen by all.
template <class In, class Out, class Op>
class tensor_row {
 public:
  static constexpr std::int64_t guard = 64;
  static constexpr bool is_exact =
      scan::numbers_of<Out> == scan::numbers::integers || !std::is_same_v<Op, scan::plus>;

  tensor_row(const rank_of& here, std::vector<Out>& expected) : here_(here), expected_(expected) {}

  /// What is wrong, or "".
  std::string check(scan::across& ranks, tensor_case c) {
    if (c.in_place && sizeof(In) != sizeof(Out)) c.in_place = false;
    if (c.in_place) c.more_out = c.more_in;
    const std::int64_t all = c.sequences() * c.length();
    if (static_cast<std::int64_t>(elements_.size()) < all) {
      elements_ = any_values<In>(2 * all);
    }
    return compared(
        here_, c, [&] { expect(ranks, c); }, [&] { return scan_and_compare(ranks, c); });
  }

  /// Whether a sum of floats has one GPU's bits.
  bool is_promised(const scan::across& ranks, const tensor_case& c) const {
    const scan::extents whole{c.outer, c.length(), c.inner};
    if (c.sequences() == 0 || c.length() == 0) return false;
    if (!c.is_aligned(scan::slice_multiple<In, Out>(ranks, whole))) return false;
    const bool has_ring = scan::device::team_of(ranks).has_ring();
    if (c.inner == 1) return has_ring;  // see expect()
    if (has_ring && scan::device::column_ring_takes(sizeof(In), sizeof(Out), 4, 1) &&
        (scan::device::goes_in_column_ring(c.length(), c.inner, sizeof(In), sizeof(Out)) ||
         scan::device::goes_in_strips(c.length(), c.inner, sizeof(In), 1))) {
      return false;
    }
    constexpr auto shape = scan::device::column_tuning_for(
        {sizeof(In), sizeof(Out), sizeof(scan::accumulator_t<In, Out>), 1});
    const auto one = scan::device::cut_columns(shape, c.outer, c.length(), c.inner);
    const auto many = scan::device::cut_long_columns(shape, c.outer, c.length(), c.inner);
    return one.tile_rows == many.tile_rows && one.group_rows == many.group_rows;
  }

 private:
  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(Out);
  }
  static Out init_of(std::int64_t sequence) {
    return scan::convert<Out>(0.1f + static_cast<float>(sequence % 7));
  }
  /// `inits`: a value a sequence.
  scan::options<Out> options_of(const tensor_case& c, const device_memory& inits) const {
    std::vector<Out> values;
    for (std::int64_t i = 0; i < c.sequences(); ++i) {
      values.push_back(init_of(i));
    }
    cuda_check(cudaMemcpyAsync(inits.as<Out>(), values.data(), values.size() * sizeof(Out),
                               cudaMemcpyHostToDevice, here_.in));
    cuda_check(cudaStreamSynchronize(here_.in));
    scan::options<Out> opts;
    if (c.init == 1) opts.init = init_of(here_.rank);
    if (c.init == 2) opts.init_pointer = inits.as<Out>();
    opts.stream = here_.in;
    opts.reverse = c.reverse;
    opts.complete = c.complete;
    return opts;
  }
  template <class T>
  std::vector<T> back(const T* from, std::int64_t count) const {
    std::vector<T> all(static_cast<std::size_t>(count));
    cuda_check(cudaMemcpyAsync(all.data(), from, all.size() * sizeof(T), cudaMemcpyDeviceToHost,
                               here_.in));
    cuda_check(cudaStreamSynchronize(here_.in));
    return all;
  }

  /// One GPU's outputs and totals. Of rows, where there are batches, by the kernel whose order is
  /// promised, which `automatic` takes of longer ones.
  void expect(const scan::across& ranks, const tensor_case& c) {
    const std::int64_t length = c.length(), outputs = length + (c.complete ? 1 : 0);
    const std::int64_t row = length * c.inner, out_row = outputs * c.inner;
    const device_memory in(bytes(c.outer * row + 1)), out(bytes(c.outer * out_row + 1)),
        totals(bytes(c.sequences() + 1)), inits(bytes(c.sequences() + 1));
    cuda_check(cudaMemcpyAsync(in.as<In>(), elements_.data(),
                               static_cast<std::size_t>(c.outer * row) * sizeof(In),
                               cudaMemcpyHostToDevice, here_.in));
    scan::options<Out> opts = options_of(c, inits);
    opts.total = totals.as<Out>();
    const auto scan_one = [&](const auto& size, std::int64_t first) {
      const In* const from = in.as<In>() + first * row;
      Out* const to = out.as<Out>() + first * out_row;
      const scan::status done = c.exclusive ? scan::exclusive(from, to, size, Op{}, opts)
                                            : scan::inclusive(from, to, size, Op{}, opts);
      if (!done.ok()) throw std::runtime_error(done.message());
    };
    if (c.inner == 1 && is_promised(ranks, c)) {
      opts.algorithm = scan::algorithm::ring;
      for (std::int64_t i = 0; i < c.outer; ++i) {
        scan_one(length, i);
        ++opts.total;
        if (opts.init_pointer != nullptr) ++opts.init_pointer;
      }
    } else {
      scan_one(scan::extents{c.outer, length, c.inner}, 0);
    }
    expected_ = back(out.as<Out>(), c.outer * out_row);
    const std::vector<Out> ends = back(totals.as<Out>(), c.sequences());
    expected_.insert(expected_.end(), ends.begin(), ends.end());
  }

  std::string scan_and_compare(scan::across& ranks, const tensor_case& c) {
    const std::int64_t n = c.lengths[static_cast<std::size_t>(here_.rank)];
    const bool is_last = here_.rank == here_.num_ranks - 1;
    const std::int64_t outputs = n + (c.complete && is_last ? 1 : 0);
    scan::extents local{c.outer, n, c.inner};
    local.in_pitch = (c.in_place ? outputs : n) * c.inner + c.more_in;
    local.out_pitch = outputs * c.inner + c.more_out;
    const std::int64_t in_span = c.outer * local.in_pitch, out_span = c.outer * local.out_pitch;
    const std::int64_t room = c.shift + out_span + 2 * guard;
    std::vector<In> slice(static_cast<std::size_t>(in_span));
    const std::int64_t whole = c.length() * c.inner, first = c.offset(here_.rank) * c.inner;
    for (std::int64_t o = 0; o < c.outer; ++o) {
      std::copy_n(elements_.begin() + (o * whole + first), n * c.inner,
                  slice.begin() + o * local.in_pitch);
    }
    const device_memory in(static_cast<std::size_t>(c.shift + in_span + 1) * sizeof(In)),
        out(bytes(room)), totals(bytes(c.sequences() + 1)), inits(bytes(c.sequences() + 1));
    Out* const to = out.as<Out>() + guard + c.shift;
    cuda_check(cudaMemsetAsync(out.as<void>(), 0x5a, bytes(room), here_.in));
    cuda_check(cudaMemsetAsync(totals.as<void>(), 0x5a, bytes(c.sequences() + 1), here_.in));
    In* const from = c.in_place ? reinterpret_cast<In*>(to) : in.as<In>() + c.shift;
    for (std::int64_t o = 0; o < c.outer && n > 0; ++o) {  // (what lies between stays as it is)
      if (!c.in_place && o > 0) break;
      const std::int64_t count = c.in_place ? n * c.inner : in_span;
      cuda_check(cudaMemcpyAsync(from + o * local.in_pitch, slice.data() + o * local.in_pitch,
                                 static_cast<std::size_t>(count) * sizeof(In),
                                 cudaMemcpyHostToDevice, here_.in));
    }
    scan::options<Out> opts = options_of(c, inits);
    if (here_.rank > 0) give_no_init(opts);
    if (c.with_total) opts.total = totals.as<Out>();
    const scan::status done = c.exclusive ? scan::exclusive(ranks, from, to, local, Op{}, opts)
                                          : scan::inclusive(ranks, from, to, local, Op{}, opts);
    const std::vector<Out> all = back(out.as<Out>(), room);
    const std::vector<Out> ends = back(totals.as<Out>(), c.sequences() + 1);
    if (!done.ok()) return done.message();
    if (const scan::status later = ranks.error(); !later.ok()) return later.message();
    return compare(c, all, ends, local, outputs, is_exact || is_promised(ranks, c));
  }

  std::string compare(const tensor_case& c, const std::vector<Out>& all,
                      const std::vector<Out>& ends, const scan::extents& local,
                      std::int64_t outputs, bool to_the_bit) const {
    std::vector<unsigned char> untouched(sizeof(Out), 0x5a);
    const std::int64_t begin = guard + c.shift, slab = outputs * c.inner;
    const std::int64_t whole = (c.length() + (c.complete ? 1 : 0)) * c.inner;
    const std::int64_t first = c.offset(here_.rank) * c.inner;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(all.size()); ++i) {
      const std::int64_t at = i - begin;
      const std::int64_t o = local.out_pitch > 0 && at >= 0 ? at / local.out_pitch : 0;
      const std::int64_t in_slab = at - o * local.out_pitch;
      const bool is_output = at >= 0 && o < c.outer && in_slab < slab;
      const void* wanted = untouched.data();
      if (is_output) wanted = &expected_[static_cast<std::size_t>(o * whole + first + in_slab)];
      if (!agrees(all[static_cast<std::size_t>(i)], wanted, is_output && !to_the_bit)) {
        return "output " + std::to_string(in_slab) + " of slab " + std::to_string(o) +
               (to_the_bit ? "" : ", to rounding");
      }
    }
    for (std::int64_t i = 0; i <= c.sequences(); ++i) {
      const bool is_total = c.with_total && i < c.sequences();
      const void* wanted = untouched.data();
      if (is_total) wanted = &expected_[static_cast<std::size_t>(c.outer * whole + i)];
      if (!agrees(ends[static_cast<std::size_t>(i)], wanted, is_total && !to_the_bit)) {
        return "the total of sequence " + std::to_string(i);
      }
    }
    return "";
  }
  static bool agrees(const Out& actual, const void* wanted, bool nearly) {
    if (std::memcmp(&actual, wanted, sizeof(Out)) == 0) return true;
    if (!nearly) return false;
    Out other;
    std::memcpy(&other, wanted, sizeof(Out));
    const auto x = scan::convert<double>(actual), y = scan::convert<double>(other);
    if (!std::isfinite(x) || !std::isfinite(y)) return std::min(x, y) > 6.4e4;  // of half
    return std::abs(x - y) <= (sizeof(Out) == 2 ? 1e-2 : 1e-5) * (1 + std::abs(y));
  }

  const rank_of& here_;
  std::vector<In> elements_;
  std::vector<Out>& expected_;
};

}  // namespace tests

#endif
