// Batch invariance: the bits of a sequence do not depend on what else is in the call. Each sequence
// alone, first, last and among others, beside random numbers, NaN and infinities, with other
// pitches and alignments; rows also by the call for one sequence; and again and again beside a
// load.
//   tensor_batch_test [one shape in so many] [most elements] [repeats]
// Skipped, with exit code 77, where there is no GPU.
#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/plan_switches.hpp"
#include "tests/support/rounded_values.hpp"
#include "tests/support/run_tests.hpp"
#include "tests/tensors/tensor_placements.hpp"

namespace {

using tests::cuda_check;
using tests::device_memory;
using tests::most_elements;
using tests::one_in;
using tests::placement;
using tests::placements;
using variant = tests::sequence_variant;

int num_repeats = 20;

/// Sums (of `T`) or recurrences, with numbers that are rounded at nearly every step.
template <class T, bool recurrence>
class checker {
 public:
  using value = std::conditional_t<recurrence, scan::state_t<T>, T>;

  checker() {
    upload(tests::random_values<T>(tests::values::near_one, period), pool_items, factor_pool_);
    upload(tests::random_values<T>(tests::values::wide, period + 2), pool_items, pool_);
    upload(std::vector<T>(period, scan::convert<T>(std::numeric_limits<float>::infinity())),
           pool_items, infinities_);
    const auto inits = tests::random_values<value>(tests::values::uniform, 200000);
    init_ = inits[0];
    upload(inits, 200000, init_pool_);
  }

  /// Every slab of `length` x `inner` is the same wherever it lies; `turn` picks the variant.
  void check(std::int64_t length, std::int64_t inner, std::uint64_t turn) {
    const variant v = tests::sequence_variant_of(turn, recurrence);
    const std::int64_t slab = length * inner;
    INFO(sizeof(T), " bytes, length ", length, " inner ", inner, v.describe());
    std::int64_t most_outer = 1;
    for (const placement& p : placements()) {
      if (takes(p, slab, inner)) most_outer = std::max(most_outer, p.outer);
    }
    space_.emplace(scan::extents{most_outer, length, inner, 0, 0}, widest);
    const bits alone = scan_slab(length, inner, v, {}, turn);
    for (const placement& p : placements()) {
      if (!takes(p, slab, inner)) continue;
      INFO(p.describe());
      const bits among = scan_slab(length, inner, v, p, turn);
      REQUIRE(first_difference(among.outputs, alone.outputs) == -1);
      REQUIRE(first_difference(among.totals, alone.totals) == -1);
    }
    if (inner == 1) {
      const bits single = scan_one(length, v);
      REQUIRE(first_difference(single.outputs, alone.outputs) == -1);
      REQUIRE(first_difference(single.totals, alone.totals) == -1);
    } else {
      check_columns(length, inner, v, alone, turn);
    }
  }

  /// Another element shows, from where it is on.
  void check_notices() {
    space_.emplace(scan::extents{1, 1000, 1, 0, 0}, widest);
    const bits before = scan_slab(1000, 1, {}, {}, 0);
    copy(pool_.as<T>() + slab_place + 500, infinities_.as<T>(), 1);
    CHECK(first_difference(scan_slab(1000, 1, {}, {}, 0).outputs, before.outputs) == 500);
  }

  /// The same bits each time, beside whatever else is running.
  void check_repeats(std::int64_t outer, std::int64_t length, std::int64_t inner,
                     std::uint64_t turn) {
    const variant v = tests::sequence_variant_of(turn, recurrence);
    const std::int64_t count = outer * length * inner;
    INFO(sizeof(T), " bytes, ", outer, " x ", length, " x ", inner, v.describe());
    if (count > most_elements) return;
    const scan::extents shape{outer, length, inner, 0, 0};
    space_.emplace(shape, widest);
    lay_out(in_, pool_, count);
    lay_out(factors_, factor_pool_, count);
    std::vector<T> first, again;
    for (int run = 0; run <= num_repeats; ++run) {
      cuda_check(cudaMemsetAsync(out_.as<T>(), 0xEE, bytes(count), stream_));
      if (run > 0) start_load(run);
      REQUIRE(call(shape, v, in_.as<T>(), factors_.as<T>(), out_.as<T>(), run % 2 == 0).ok());
      stream_.wait();
      std::vector<T>& to = run == 0 ? first : again;
      to = downloaded(out_.as<T>(), count);
      INFO("run ", run);
      if (run > 0) REQUIRE(first_difference(again, first) == -1);
    }
    load_.wait();
  }

 private:
  static constexpr std::int64_t pool_items = 14'000'000, period = 1'000'003;
  static constexpr std::int64_t slab_place = 1234;  // of the slab in the pool
  struct bits {
    std::vector<T> outputs;
    std::vector<value> totals;
  };

  static constexpr int widest = static_cast<int>(std::max(sizeof(T), sizeof(value)));
  static bool takes(const placement& p, std::int64_t slab, std::int64_t inner) {
    return p.outer * (slab + std::max(p.in_gap, p.out_gap)) + 8 <= most_elements &&
           p.outer * inner <= 199000;
  }
  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(T);
  }
  /// `count` elements: those of `from` again and again.
  template <class U>
  static void upload(const std::vector<U>& from, std::int64_t count, const device_memory& to) {
    for (std::int64_t done = 0, step = std::ssize(from); done < count; done += step) {
      cuda_check(cudaMemcpy(to.as<U>() + done, from.data(),
                            static_cast<std::size_t>(std::min(step, count - done)) * sizeof(U),
                            cudaMemcpyHostToDevice));
    }
  }
  template <class U>
  static std::int64_t first_difference(const std::vector<U>& a, const std::vector<U>& b) {
    if (std::memcmp(a.data(), b.data(), a.size() * sizeof(U)) == 0) return -1;
    std::size_t i = 0;
    while (std::memcmp(&a[i], &b[i], sizeof(U)) == 0) ++i;
    return static_cast<std::int64_t>(i);
  }
  template <class U>
  std::vector<U> downloaded(const U* from, std::int64_t count) {
    std::vector<U> items(static_cast<std::size_t>(count));
    cuda_check(cudaMemcpyAsync(items.data(), from, items.size() * sizeof(U), cudaMemcpyDeviceToHost,
                               stream_));
    stream_.wait();
    return items;
  }
  void copy(T* to, const T* from, std::int64_t count) {
    cuda_check(cudaMemcpyAsync(to, from, bytes(count), cudaMemcpyDeviceToDevice, stream_));
  }
  void lay_out(const device_memory& to, const device_memory& pool, std::int64_t count) {
    copy(to.as<T>(), pool.as<T>(), count);
  }
  /// NaN, or infinities, in turn.
  void fill_unlike_numbers(T* to, std::int64_t count) {
    if (++fills_ % 2 == 0) {
      copy(to, infinities_.as<T>(), count);
    } else {
      cuda_check(cudaMemsetAsync(to, 0xFF, bytes(count), stream_));
    }
  }
  /// Copies and scans of random length in another stream.
  void start_load(int run) {
    const std::int64_t count = pool_items / (1 + run % 5);
    scan::options<float> opts;
    opts.stream = load_;
    for (int i = 0; i < 1 + run % 3; ++i) {
      cuda_check(cudaMemcpyAsync(load_memory_.as<T>(), pool_.as<T>(), bytes(count),
                                 cudaMemcpyDeviceToDevice, load_));
      REQUIRE(scan::inclusive(load_memory_.as<float>(), load_memory_.as<float>(),
                              count * static_cast<std::int64_t>(sizeof(T)) / 4, scan::plus{}, opts)
                  .ok());
    }
  }

  scan::status call(const scan::extents& shape, const variant& v, const T* in, const T* factors,
                    T* out, bool with_workspace) {
    scan::options<value> opts;
    opts.stream = stream_;
    opts.reverse = v.reverse;
    opts.total = totals_.as<value>();
    if (v.with_init) opts.init_pointer = inits_.as<value>();
    if (with_workspace) opts.workspace = &*space_;
    if constexpr (recurrence) {
      return scan::recurrence(factors, in, out, shape, opts);
    } else {
      static_cast<void>(factors);
      return v.exclusive ? scan::exclusive(in, out, shape, scan::plus{}, opts)
                         : scan::inclusive(in, out, shape, scan::plus{}, opts);
    }
  }

  /// The slab's bits, of a call in which it lies so.
  bits scan_slab(std::int64_t length, std::int64_t inner, const variant& v, const placement& p,
                 std::uint64_t turn) {
    const std::int64_t slab = length * inner;
    const std::int64_t out_gap = p.in_place ? p.in_gap : p.out_gap;
    const std::int64_t in_pitch = slab + p.in_gap, out_pitch = slab + out_gap;
    T* const in = in_.as<T>() + p.in_offset;
    T* const factors = factors_.as<T>() + p.out_offset;
    T* const out = p.in_place ? in : out_.as<T>() + p.out_offset;
    const std::int64_t span = p.outer * in_pitch;
    if (p.beside_nan) {
      fill_unlike_numbers(in, span);
      fill_unlike_numbers(factors, span);
    } else {
      copy(in, pool_.as<T>() + 7, span);
      copy(factors, factor_pool_.as<T>() + 7, span);
    }
    copy(in + p.position * in_pitch, pool_.as<T>() + slab_place, slab);
    copy(factors + p.position * in_pitch, factor_pool_.as<T>() + slab_place, slab);
    set_inits(p.position * inner, inner, p.outer * inner);
    const scan::status status = call({p.outer, length, inner, in_pitch, out_pitch}, v, in, factors,
                                     out, (turn + static_cast<std::uint64_t>(p.outer)) % 2 == 0);
    REQUIRE(std::string(status.message()) == "success");
    return {downloaded(out + p.position * out_pitch, slab),
            downloaded(totals_.as<value>() + p.position * inner, inner)};
  }

  /// The inits of the slab's sequences are the pool's first, whatever comes before and after.
  void set_inits(std::int64_t first, std::int64_t count, std::int64_t of) {
    const auto copy_values = [&](std::int64_t to, std::int64_t from, std::int64_t n) {
      cuda_check(cudaMemcpyAsync(inits_.as<value>() + to, init_pool_.as<value>() + from,
                                 static_cast<std::size_t>(n) * sizeof(value),
                                 cudaMemcpyDeviceToDevice, stream_));
    };
    copy_values(0, 501, of);
    copy_values(first, 0, count);
  }

  /// The call for one sequence, on the slab's elements.
  bits scan_one(std::int64_t length, const variant& v) {
    const T* const in = pool_.as<T>() + slab_place;
    scan::options<value> opts;
    opts.stream = stream_;
    opts.reverse = v.reverse;
    opts.total = totals_.as<value>();
    if (v.with_init) opts.init = init_;
    scan::status status;
    if constexpr (recurrence) {
      status = scan::recurrence(factor_pool_.as<T>() + slab_place, in, out_.as<T>(), length, opts);
    } else {
      status = v.exclusive ? scan::exclusive(in, out_.as<T>(), length, scan::plus{}, opts)
                           : scan::inclusive(in, out_.as<T>(), length, scan::plus{}, opts);
    }
    REQUIRE(status.ok());
    return {downloaded(out_.as<T>(), length), downloaded(totals_.as<value>(), 1)};
  }

  /// Column k of the slab as it is in `from`, and NaN or an infinity for all others.
  void copy_column(const device_memory& to, const device_memory& from, std::int64_t length,
                   std::int64_t inner, std::int64_t k) {
    const auto pitch = bytes(inner);
    fill_unlike_numbers(to.as<T>(), length * inner);
    cuda_check(cudaMemcpy2DAsync(to.as<T>() + k, pitch, from.as<T>() + slab_place + k, pitch,
                                 sizeof(T), static_cast<std::size_t>(length),
                                 cudaMemcpyDeviceToDevice, stream_));
  }

  /// A column's bits when all others are NaN or infinite: the first, one in the middle and the
  /// last.
  void check_columns(std::int64_t length, std::int64_t inner, const variant& v, const bits& alone,
                     std::uint64_t turn) {
    for (const std::int64_t k : {std::int64_t{0}, inner / 2, inner - 1}) {
      INFO("column ", k, " beside NaN and infinities");
      copy_column(in_, pool_, length, inner, k);
      copy_column(factors_, factor_pool_, length, inner, k);
      set_inits(0, inner, inner);
      REQUIRE(call({1, length, inner, 0, 0}, v, in_.as<T>(), factors_.as<T>(), out_.as<T>(),
                   turn % 2 == 0)
                  .ok());
      const std::vector<T> among = downloaded(out_.as<T>(), length * inner);
      for (std::int64_t i = 0; i < length; ++i) {
        const auto at = static_cast<std::size_t>(i * inner + k);
        if (std::memcmp(&among[at], &alone.outputs[at], sizeof(T)) == 0) continue;
        FAIL("element ", i);
      }
    }
  }

  const tests::stream stream_, load_;
  std::optional<scan::workspace> space_;  // for the outer extents of a check
  device_memory pool_{bytes(pool_items)}, factor_pool_{bytes(pool_items)}, in_{bytes(pool_items)},
      factors_{bytes(pool_items)}, out_{bytes(pool_items)}, load_memory_{bytes(pool_items)},
      infinities_{bytes(pool_items)};
  std::uint64_t fills_ = 0;
  device_memory init_pool_{200000 * sizeof(value)}, inits_{200000 * sizeof(value)},
      totals_{200000 * sizeof(value)};
  value init_;
};

/// Rows of every length at which the plan of one sequence changes, and one more and less.
template <class T>
std::vector<std::int64_t> row_lengths() {
  std::vector<std::int64_t> lengths{1,  2,   3,   5,   8,    16,   31,    32,     33,
                                    64, 100, 129, 500, 2000, 9001, 77777, 300001, 1081345};
  const auto limits = tests::limits_here();
  for (const std::int64_t n : tests::plan_switches(sizeof(T), limits, most_elements / 2)) {
    lengths.insert(lengths.end(), {n - 1, n});
  }
  // A few tiles of the ring, and elements that are left.
  const std::int64_t ring = scan::device::most_wave_items(sizeof(T), true) + 12345;
  if (ring < most_elements / 2) lengths.push_back(ring);
  return lengths;
}

template <class T, bool recurrence>
void check_all() {
  checker<T, recurrence> check;
  std::uint64_t turn = 0;
  const auto check_one = [&](std::int64_t length, std::int64_t inner) {
    ++turn;
    if (length * inner > most_elements || turn % one_in != 0) return;
    check.check(length, inner, turn / one_in);
    if (length * inner < 20000) check.check(length, inner, turn / one_in + 5);
  };
  check.check(170, 68, 1);  // (so many columns that lanes walk them, of two tiles)
  for (const std::int64_t length : row_lengths<T>()) check_one(length, 1);
  for (const std::int64_t inner : {2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 129, 1000}) {
    for (const std::int64_t length : {1, 2, 7, 33, 100, 511, 513, 529, 1000, 4097, 50000}) {
      if (length * inner <= 1'000'000) check_one(length, inner);
    }
  }
}

template <class T, bool recurrence>
void check_repeats() {
  checker<T, recurrence> check;
  std::uint64_t turn = sizeof(T);
  for (const scan::extents& shape : std::vector<scan::extents>{{3, 1, 1, 0, 0},
                                                               {100000, 33, 1, 0, 0},
                                                               {1000, 2177, 1, 0, 0},
                                                               {60, 20000, 1, 0, 0},
                                                               {5, 400003, 1, 0, 0},
                                                               {2, 4330001, 1, 0, 0},
                                                               {1, 100000, 64, 0, 0},
                                                               {1, 3000, 1000, 0, 0},
                                                               {50, 511, 128, 0, 0},
                                                               {300, 1000, 7, 0, 0},
                                                               {1, 500000, 3, 0, 0}}) {
    check.check_repeats(shape.outer, shape.length, shape.inner, turn++);
  }
}

}  // namespace

TEST_SUITE("tensor batch") {
  TEST_CASE("one other element is noticed") { checker<float, false>().check_notices(); }
  TEST_CASE("sums of float") { check_all<float, false>(); }
  TEST_CASE("sums of double") { check_all<double, false>(); }
  TEST_CASE("sums of half") { check_all<__half, false>(); }
  TEST_CASE("sums of bfloat16") { check_all<__nv_bfloat16, false>(); }
  TEST_CASE("recurrences of float") { check_all<float, true>(); }
  TEST_CASE("recurrences of double") { check_all<double, true>(); }
  TEST_CASE("recurrences of half") { check_all<__half, true>(); }
  TEST_CASE("recurrences of bfloat16") { check_all<__nv_bfloat16, true>(); }

  TEST_CASE("the same bits every time beside a load") {
    check_repeats<float, false>();
    check_repeats<double, false>();
    check_repeats<__half, false>();
    check_repeats<float, true>();
    check_repeats<double, true>();
    check_repeats<__nv_bfloat16, true>();
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv, 13'500'000);
  if (argc > 3 && std::atoi(argv[3]) > 0) num_repeats = std::atoi(argv[3]);
  return tests::run_device_tests(argc, argv);
}
