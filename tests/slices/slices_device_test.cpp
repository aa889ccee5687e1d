// Scans across ranks against one GPU's scan of the whole: every output, bit for bit where that is
// promised. With the stand-in's ranks, or NCCL's.
//
// usage: slices_device_test [CALLS [RANKS [SEED [ONE_IN [MOST]]]]]
// ONE_IN: of the cases that are not random one in so many; MOST: elements of all slices together.
// (Sanitizers want few of both.)
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "tests/slices/slice_case.hpp"

namespace {

using tests::rank_of;
using tests::slice_case;

template <class In, class Out>
inline constexpr int order_bytes = static_cast<int>(std::max(sizeof(In), sizeof(Out)));

struct asked {
  int calls;  // random ones a row
  std::uint64_t seed, one_in;
  std::int64_t most;
};

/// Cases around the ends of runs, shares, tiles and batches, and random ones.
template <class In, class Out, class Op>
std::string check_row(const rank_of& here, scan::across& ranks, const asked& wanted) {
  static std::vector<Out> expected;
  const scan::device::slice_order order =
      scan::device::order_of<scan::transform_input<In>, scan::transform_output<Out>>(
          scan::device::team_of(ranks).has_ring());
  const std::int64_t batch = order.batch_items();
  const std::int64_t long_batch = scan::device::look_back_order(order_bytes<In, Out>).batch_items();
  const std::int64_t most =
      std::min(std::max((here.num_ranks + 6) * batch, long_batch + 3 * batch), wanted.most);
  tests::slice_row<In, Out, Op> row(here, most, expected);
  scan::workspace space(most, sizeof(Out));
  std::mt19937_64 random(wanted.seed);
  std::string wrong;
  const std::int64_t tile = order.tile_items(), share = order.share_items();
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, share, tile + share + 1,
                               batch - tile, batch, batch + 5, 2 * batch + tile + 3}) {
    for (int variant = 0; variant < 6 && wrong.empty(); ++variant) {
      slice_case c = tests::draw_slices(random, here.num_ranks, most, batch);
      const bool look_back = random() % 5 == 0;
      if (look_back) c.algorithm = scan::algorithm::look_back;
      for (std::int64_t& slice : c.slices) slice = look_back ? 0 : batch;
      if (look_back) (c.reverse ? c.slices.back() : c.slices.front()) = long_batch;
      if (!look_back && variant % 2 == 1) c.slices[random() % c.slices.size()] = 0;
      (c.reverse ? c.slices.front() : c.slices.back()) = n;
      if (c.n() > most) {
        for (std::int64_t& slice : c.slices) slice %= most / here.num_ranks;
      }
      if (random() % wanted.one_in != 0) continue;
      wrong = row.check(ranks, c, space);
    }
  }
  for (int call = 0; call < wanted.calls && wrong.empty(); ++call) {
    slice_case c = tests::draw_slices(random, here.num_ranks, most, batch);
    if (call % 8 == 0) c.algorithm = scan::algorithm::look_back;
    wrong = row.check(ranks, c, space);
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (!tests::gpu_present()) return std::puts("no GPU: skipped"), 77;
  const auto argument = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int calls = argument(1, 200), gpus = tests::gpu_count();
  const int num_ranks = tests::is_stand_in() ? argument(2, 3) : argument(2, gpus);
  const asked wanted{calls / 8 + 1, static_cast<std::uint64_t>(argument(3, 1)),
                     static_cast<std::uint64_t>(std::max(argument(4, 1), 1)),
                     std::max(argument(5, INT_MAX), num_ranks)};
  if (!tests::is_stand_in() && gpus < num_ranks) return std::puts("too few GPUs: skipped"), 77;
  // A row that finds something wrong stops on the rank that found it, which leaves the others
  // waiting: whoever has found something says so and ends the process.
  const std::string wrong = tests::with_ranks(num_ranks, [&](const rank_of& here) -> std::string {
    scan::across ranks(here.comm, std::int64_t{1} << 24);
    if (!ranks.error().ok()) return ranks.error().message();
    const auto end_if = [&](const char* name, const std::string& found) {
      if (!found.empty()) {
        std::printf("%s: %s\n", name, found.c_str());
        std::fflush(stdout);
        std::_Exit(1);
      }
      if (here.rank == 0) std::printf("%s\n", name), std::fflush(stdout);
    };
    using scan::plus;
    end_if("float plus", check_row<float, float, plus>(here, ranks, wanted));
    end_if("int32 minimum",
           check_row<std::int32_t, std::int32_t, scan::minimum>(here, ranks, wanted));
    end_if("uint64 plus", check_row<std::uint64_t, std::uint64_t, plus>(here, ranks, wanted));
    end_if("half plus", check_row<__half, __half, plus>(here, ranks, wanted));
    end_if("bfloat16 plus", check_row<__nv_bfloat16, __nv_bfloat16, plus>(here, ranks, wanted));
    end_if("double plus", check_row<double, double, plus>(here, ranks, wanted));
    end_if("uint8 to uint32 plus",
           check_row<std::uint8_t, std::uint32_t, plus>(here, ranks, wanted));
    end_if("float maximum", check_row<float, float, scan::maximum>(here, ranks, wanted));
    return "";
  });
  if (!wrong.empty()) return std::printf("%s\n", wrong.c_str()), 1;
  std::printf("%d ranks, %d random calls a row: as one GPU\n", num_ranks, wanted.calls);
}
