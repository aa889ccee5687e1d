// What ranks of a scan across GPUs tell each other and make of it, on the host: threads as ranks,
// and an all-gather between them. The folds that they tell are the model's (association.hpp), so
// are the scans after what precedes a slice; between them is the library's code. Where slices are
// multiples of a batch of tiles the results have to be the model's of one sequence, to the bit.
#include <doctest/doctest.h>

#include <barrier>
#include <cstring>
#include <set>

#include "scan/call/call_types.hpp"
#include "scan/call/slice_call.hpp"
#include "scan/device/plan/slice_plan.hpp"
#include "scan/device/slice/slice_message.hpp"
#include "tests/sequences/association.hpp"
#include "tests/support/in_threads.hpp"
#include "tests/support/rounded_values.hpp"

namespace {

using scan::device::gathered;
using scan::device::lone_lane;
using scan::device::slice_header;
using scan::device::slice_refusal;

// A shape with few elements, so that there are many batches: v = 4, R = 2, w = 3, W = 5.
constexpr int run_items = 4;
constexpr scan::device::tuning shape{96, 1, 2, run_items};
constexpr int batch_tiles = 5;
constexpr std::int64_t tile_items = shape.tile_items(), batch_items = batch_tiles * tile_items;

using sequence = scan::device::slice_sequence<float, run_items>;
using message = scan::device::slice_message<float, run_items>;

scan::device::launch_plan plan_of_shape() {
  scan::device::launch_plan plan{};
  plan.kernel = scan::algorithm::look_back;
  plan.tile = shape;
  plan.tile_items = tile_items;
  plan.batch_tiles = batch_tiles;
  return plan;
}

/// Each rank's copy of all messages, and how it gets there.
class stand_in {
 public:
  stand_in(int num_ranks, std::int64_t most_items)
      : num_ranks_(num_ranks),
        bytes_(static_cast<std::int64_t>(scan::device::slice_folds_offset) +
               scan::device::batches_of(most_items, batch_items) *
                   static_cast<std::int64_t>(sizeof(float))),
        all_(num_ranks),
        memory_(static_cast<std::size_t>(num_ranks)) {
    for (auto& copy : memory_) copy.resize(static_cast<std::size_t>(bytes_ * num_ranks) / 8 + 1);
  }
  gathered of(int rank) {
    auto* const begin = memory_[static_cast<std::size_t>(rank)].data();
    return {reinterpret_cast<unsigned char*>(begin), bytes_, num_ranks_};
  }
  void gather(int rank) {
    all_.arrive_and_wait();
    for (int from = 0; from < num_ranks_; ++from) {
      if (from == rank) continue;
      std::memcpy(of(rank).message(from), of(from).message(from), static_cast<std::size_t>(bytes_));
    }
    all_.arrive_and_wait();
  }

 private:
  int num_ranks_;
  std::int64_t bytes_;
  std::barrier<> all_;
  std::vector<std::vector<std::uint64_t>> memory_;
};

scan::prefix<float> as_prefix(const std::optional<float>& value) {
  return {value.value_or(0), value.has_value()};
}

/// The message of a slice, from the formulas.
template <class Op>
void write_slice(const message& to, const std::vector<float>& x, Op op) {
  std::vector<float> batch;
  float* folds = to.folds();
  for (std::size_t tile = 0; tile < x.size(); tile += tile_items) {
    if (batch.size() == batch_tiles) {
      *folds++ = *tests::fold_batch(batch, op);
      batch.clear();
    }
    const std::size_t tile_end = std::min<std::size_t>(tile + tile_items, x.size());
    const auto [shares, warps] = tests::parts_of_tile(x, tile, tile_end, plan_of_shape(), op);
    if (tile_end == x.size()) {
      auto& ends = to.ends();
      ends.before_tile = as_prefix(tests::fold_batch(batch, op));
      ends.before_warp = as_prefix(warps.before.back());
      ends.before_run = as_prefix(shares.back().before.back());
      const std::size_t last_run = (x.size() - 1) / run_items * run_items;
      ends.num_items = static_cast<std::int32_t>(x.size() - last_run);
      std::copy(x.begin() + static_cast<std::ptrdiff_t>(last_run), x.end(), ends.items);
    }
    batch.push_back(*warps.all);
  }
  if (!batch.empty()) *folds = *tests::fold_batch(batch, op);
}

struct slices_case {
  std::vector<std::int64_t> slices;  // in the order of ranks
  bool exclusive, with_init, reversed;
};

using scanned = tests::associated<float>;  // in memory's order

/// The model's scan of `x`, which is in memory's order, from `before` on.
template <class Op>
scanned model(const std::vector<float>& x, const slices_case& c, const std::optional<float>& before,
              Op op) {
  return tests::in_memory_order(x, c.reversed, op, [&](const auto& in_order, auto ordered) {
    return tests::device_association(in_order, ordered, plan_of_shape(), c.exclusive, before, 0.0f);
  });
}

/// What rank `rank` does; its results, and the total that it is told.
template <class Op>
scanned scan_slice(stand_in& exchange, const slices_case& c, int rank, std::vector<float> x,
                   Op op) {
  const gathered all = exchange.of(rank);
  const message mine{all.message(rank)};
  mine.header() = {1, static_cast<std::int64_t>(x.size()), 0, c.with_init ? 1 : 0};
  mine.ends().init = rank == 0 ? 0.1f : 1000.0f;  // the others' means nothing
  const auto ordered = [&](float a, float b) { return c.reversed ? op(b, a) : op(a, b); };
  std::vector<float> in_order = x;
  if (c.reversed) std::reverse(in_order.begin(), in_order.end());
  write_slice(mine, in_order, ordered);
  exchange.gather(rank);
  const slice_refusal found = scan::device::find_refusal(all, lone_lane{});
  if (found.rank >= 0) throw std::runtime_error("refused");
  const sequence slices{all, c.reversed, batch_items};
  const int place = c.reversed ? all.num_ranks - 1 - rank : rank;
  const scan::prefix<float> before = slices.before(place, ordered, lone_lane{});
  const scan::prefix<float> total = slices.total(ordered, lone_lane{});
  scanned own = model(x, c, before.exists ? std::optional(before.value) : std::nullopt, op);
  own.total = total.exists ? std::optional(total.value) : std::nullopt;
  return own;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The ranks' results one after another, and each one's total.
template <class Op>
std::pair<std::vector<float>, std::vector<std::optional<float>>> scan_slices(
    const slices_case& c, const std::vector<float>& x, Op op) {
  const int num_ranks = static_cast<int>(c.slices.size());
  stand_in exchange(num_ranks, static_cast<std::int64_t>(x.size()));
  std::vector<scanned> of_ranks(c.slices.size());
  const std::string wrong =
      tests::in_threads(c.slices.size(), [&](std::size_t rank, tests::findings&) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < rank; ++i) first += c.slices[i];
        const auto begin = x.begin() + first;
        of_ranks[rank] = scan_slice(exchange, c, static_cast<int>(rank),
                                    std::vector<float>(begin, begin + c.slices[rank]), op);
      });
  REQUIRE(wrong.empty());
  std::vector<float> results;
  std::vector<std::optional<float>> totals;
  for (const scanned& own : of_ranks) {
    results.insert(results.end(), own.results.begin(), own.results.end());
    totals.push_back(own.total);
  }
  return {results, totals};
}

const auto sum = [](float a, float b) { return a + b; };
const auto second = [](float, float b) { return b; };  // minds the order

template <class Op>
void check(const slices_case& c, Op op) {
  std::int64_t n = 0;
  for (const std::int64_t slice : c.slices) n += slice;
  const std::vector<float> x = tests::random_values<float>(tests::values::wide, n);
  const auto init = c.with_init ? std::optional(0.1f) : std::nullopt;
  const scanned expected = n == 0 ? scanned{{}, init} : model(x, c, init, op);
  const auto [results, totals] = scan_slices(c, x, op);
  INFO(c.slices.size(), " ranks, n=", n, c.exclusive ? " exclusive" : "",
       c.with_init ? " init" : "", c.reversed ? " reversed" : "");
  REQUIRE(same(results, expected.results));
  for (const std::optional<float>& total : totals) {
    REQUIRE(total.has_value() == expected.total.has_value());
    REQUIRE((!total || std::memcmp(&*total, &*expected.total, sizeof(float)) == 0));
  }
}

}  // namespace

TEST_CASE("slices that are multiples of a batch have one sequence's bits") {
  constexpr std::int64_t b = batch_items, t = tile_items;
  for (int bits = 0; bits < 8; ++bits) {
    for (const std::int64_t last :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{4}, std::int64_t{5}, std::int64_t{257},
          t - 1, t, t + 1, b - t, b - 1, b, b + 1, 2 * b + 3 * t + 300}) {
      for (std::vector<std::int64_t> slices : {std::vector<std::int64_t>{b, last},
                                               {0, 3 * b, 0, b, last},
                                               {0, last},
                                               {2 * b, 0, 0, last},
                                               {last}}) {
        slices_case c{slices, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
        if (c.reversed) std::reverse(c.slices.begin(), c.slices.end());
        check(c, sum);
        check(c, second);
      }
    }
  }
}

TEST_CASE("other slices are right, and every time the same") {
  // Of integers, small enough for float, each order gives the same bits.
  for (int bits = 0; bits < 8; ++bits) {
    const slices_case c{{1, 0, 700, 3841, 5, 0, 12345}, (bits & 1) != 0, false, (bits & 4) != 0};
    check(c, second);
    std::vector<float> ones(1 + 700 + 3841 + 5 + 12345, 1.0f);
    const scanned expected = model(ones, c, std::nullopt, sum);
    const auto [results, totals] = scan_slices(c, ones, sum);
    REQUIRE(same(results, expected.results));
    REQUIRE(totals.front() == expected.total);
    const std::vector<float> x = tests::random_values<float>(tests::values::wide, 16892);
    REQUIRE(same(scan_slices(c, x, sum).first, scan_slices(c, x, sum).first));
  }
}

TEST_CASE("every rank finds the same refusal, the first, and before any that differ") {
  constexpr int num_ranks = 5;
  const auto told = [](const std::vector<int>& codes, const std::vector<std::uint64_t>& calls) {
    stand_in exchange(num_ranks, 1);
    std::vector<slice_refusal> found(num_ranks);
    const std::string wrong = tests::in_threads(num_ranks, [&](std::size_t i, tests::findings&) {
      const int rank = static_cast<int>(i);
      const gathered all = exchange.of(rank);
      message{all.message(rank)}.header() = {calls[i], 0, codes[i], 0};
      exchange.gather(rank);
      found[i] = scan::device::find_refusal(all, lone_lane{});
    });
    REQUIRE(wrong.empty());
    for (const slice_refusal& other : found) {
      REQUIRE(other.rank == found[0].rank);
      REQUIRE(other.code == found[0].code);
    }
    return found[0];
  };
  const std::vector<std::uint64_t> alike(num_ranks, 7);
  REQUIRE(told({0, 0, 0, 0, 0}, alike).rank == -1);
  for (int rank = 0; rank < num_ranks; ++rank) {
    std::vector<int> codes(num_ranks, 0);
    codes[static_cast<std::size_t>(rank)] = 11;
    codes.back() = codes.back() == 0 ? 12 : 11;
    const slice_refusal found = told(codes, {7, 8, 7, 7, 9});
    REQUIRE(found.rank == rank);
    REQUIRE(found.code == 11);
  }
  const slice_refusal differs = told({0, 0, 0, 0, 0}, {7, 7, 7, 8, 9});
  REQUIRE(differs.rank == 3);
  REQUIRE(differs.code == 0);
  REQUIRE(told({0, 0, 0, 0, 0}, {8, 7, 7, 7, 7}).rank == 1);
}

namespace {
struct my_sum {
  float operator()(float a, float b) const { return a + b; }
};
struct other_sum {
  float operator()(float a, float b) const { return a + b; }
};
template <class In, class Out, class Op>
std::uint64_t number(bool exclusive = false, const scan::options<Out>& opts = {}) {
  return scan::device::call_number<scan::transform_input<In>, scan::transform_output<Out>, Op>(
      exclusive, opts);
}
}  // namespace

TEST_CASE("calls of other types, operators or options have other numbers") {
  scan::options<float> reverse, complete, look_back, unlike;
  reverse.reverse = true;
  complete.complete = true;
  look_back.algorithm = scan::algorithm::look_back;
  unlike.init = 3.0f;
  using scan::plus;
  const std::vector<std::uint64_t> all = {number<float, float, plus>(),
                                          number<float, float, plus>(true),
                                          number<float, float, plus>(false, reverse),
                                          number<float, float, plus>(true, complete),
                                          number<float, float, plus>(false, look_back),
                                          number<float, float, scan::multiplies>(),
                                          number<float, float, scan::minimum>(),
                                          number<float, float, scan::maximum>(),
                                          number<float, float, my_sum>(),
                                          number<float, float, other_sum>(),
                                          number<float, double, plus>(),
                                          number<double, double, plus>(),
                                          number<int, int, plus>(),
                                          number<unsigned, unsigned, plus>(),
                                          number<std::int64_t, std::int64_t, plus>(),
                                          number<std::uint8_t, std::uint32_t, plus>(),
                                          number<std::uint8_t, std::int32_t, plus>(),
                                          number<int, int, scan::bit_and>(),
                                          number<int, int, scan::bit_or>(),
                                          number<int, int, scan::bit_xor>(),
                                          number<bool, bool, scan::bit_or>(),
                                          number<std::uint8_t, std::uint8_t, scan::bit_or>(),
                                          number<__half, __half, plus>(),
                                          number<__nv_bfloat16, __nv_bfloat16, plus>()};
  REQUIRE(std::set<std::uint64_t>(all.begin(), all.end()).size() == all.size());
  REQUIRE(number<long, long, plus>() == number<long long, long long, plus>());
  REQUIRE(number<float, float, plus>(false, unlike) == number<float, float, plus>());
}

TEST_CASE("memory for the most elements is enough for fewer and narrower ones") {
  using namespace scan::device;
  for (const std::int64_t most : {std::int64_t{1}, std::int64_t{1} << 20, std::int64_t{1} << 31}) {
    for (const int bytes : {1, 2, 4, 8, 16, 24, 64}) {
      const slice_bytes room = most_slice_bytes(most, bytes);
      for (const int narrower : {1, 2, 3, 4, 8, 12, 16, 24, 64}) {
        if (narrower > bytes) continue;
        for (const std::int64_t n : {most, most / 2, most / 3}) {
          for (const slice_order& order : {ring_order(narrower, false), ring_order(narrower, true),
                                           look_back_order(narrower)}) {
            const slice_bytes wanted = bytes_of(n, order, std::max(narrower, 4));
            REQUIRE(wanted.shares <= room.shares);
            REQUIRE(wanted.batches <= room.batches);
          }
        }
      }
    }
  }
}

TEST_CASE("the batch is that of the widest type, and of what is computed in") {
  using namespace scan::device;
  using in = scan::transform_input<float>;
  using plain = scan::transform_output<float>;
  using in_double =
      scan::pointer_call<float, float, decltype(scan::accumulate_in<double>())>::output_type;
  REQUIRE(order_of<in, plain>(true).batch_items() == ring_order(4, false).batch_items());
  REQUIRE(order_of<in, in_double>(true).batch_items() == ring_order(8, false).batch_items());
  REQUIRE(order_of<in, in_double>(false).batch_items() == look_back_order(8).batch_items());
  REQUIRE(ring_order(4, false).batch_items() != ring_order(8, false).batch_items());
}
