// No more than five functions of the library are on the stack when CUDA is called to launch,
// whichever kernel it is. Prints them.
//
//   frames_test [a limit that each launch has to be found to exceed]
#include <cstdint>
#include <cstdlib>

#include "scan/scan.cuh"
#include "tests/calls/frames.hpp"

namespace {

using tests::array;
using number = tests::framed_number;
using add = tests::framed_sum;
using call = tests::framed_call;

struct key {
  std::int32_t value;
  __host__ __device__ bool operator==(const key& other) const { return value == other.value; }
};

const number* const in = array<const number>(0);
number* const out = array<number>(1);

call sequence(const char* what, const char* kernel, std::int64_t n,
              scan::algorithm algorithm = scan::algorithm::automatic) {
  return {what, {kernel}, [=] {
            scan::options<number> opts;
            opts.algorithm = algorithm;
            return scan::inclusive(in, out, n, add{}, opts);
          }};
}
call tensor(const char* what, const char* kernel, std::int64_t outer, std::int64_t length,
            std::int64_t inner) {
  return {what, {kernel}, [=] {
            scan::extents shape;
            shape.outer = outer;
            shape.length = length;
            shape.inner = inner;
            scan::options<number> opts;
            opts.init = number{1};
            opts.total = array<number>(2);
            return scan::inclusive(in, out, shape, add{}, opts);
          }};
}
call recurrence(const char* what, const char* kernel, std::int64_t outer, std::int64_t length,
                std::int64_t inner = 1) {
  return {what, {kernel}, [=] {
            scan::extents shape;
            shape.outer = outer;
            shape.length = length;
            shape.inner = inner;
            return scan::recurrence(array<const float>(0), array<const float>(1), array<float>(2),
                                    shape);
          }};
}
call segments(const char* what, const char* kernel, std::int64_t n, bool has_totals = false) {
  return {what, {kernel}, [=] {
            scan::options<number> opts;
            opts.init = number{1};
            if (has_totals) opts.total = array<number>(2);
            return scan::inclusive(in, out, scan::segments{array<const std::int64_t>(3), 10, n},
                                   add{}, opts);
          }};
}
call runs(const char* what, const char* kernel, std::int64_t n) {
  return {what, {kernel}, [=] {
            return scan::inclusive_by_key(array<const key>(3), in, out, n, add{});
          }};
}

call select(const char* what, const char* kernel, std::int64_t n) {
  return {what, {kernel}, [=] {
            scan::select_options opts;
            opts.count = array<std::int64_t>(2);
            return scan::select(array<const key>(0), scan::flags{array<const bool>(3)},
                                array<key>(1), n, opts);
          }};
}

constexpr std::int64_t many = 100000000;
const call calls[] = {
    sequence("one sequence, small", "cluster_kernel", 1000),
    sequence("one sequence, in a cluster", "cluster_kernel", 10000),
    sequence("one sequence, a wave", "wave_kernel", 200000),
    sequence("one sequence, by look-back", "look_back_kernel", many, scan::algorithm::look_back),
    sequence("one sequence, in the ring", "ring_kernel", many),
    tensor("one row", "cluster_kernel", 1, 1000, 1),
    tensor("short rows", "short_row_tile_kernel", 1000, 10, 1),
    tensor("short rows of whole vectors", "short_row_walk_kernel", 1000, 12, 1),
    tensor("few rows", "row_wave_kernel", 100, 1000, 1),
    tensor("many rows", "row_kernel", 10000, 1000, 1),
    tensor("long rows", "ring_kernel", 2, many, 1),
    tensor("columns", "column_kernel", 10, 1000, 10),
    tensor("columns of several tiles", "column_kernel", 2, 8000, 30),
    tensor("wide columns", "strip_ring_kernel", 2, many, 40),
    tensor("narrow columns", "column_ring_kernel", 10, many, 10),
    tensor("sequences of no elements", "empty_sequences_kernel", 10, 0, 10),
    recurrence("recurrences in short rows", "short_row_tile_kernel", 1000, 10),
    recurrence("recurrences in rows of a block", "held_row_kernel", 10000, 300),
    recurrence("recurrences in long rows", "row_round_kernel", 30, 100000),
    recurrence("recurrences in the ring", "ring_kernel", 10, many),
    recurrence("recurrences along short columns", "lane_column_kernel", 10, 10, 1000),
    recurrence("recurrences along columns in registers", "held_column_kernel", 10, 100, 20),
    segments("segments, one round", "segment_round_kernel", 1000),
    segments("segments, one round with states", "segment_round_kernel", 200000),
    segments("segments with totals", "segment_round_kernel", 1000, true),
    segments("segments with totals in the ring", "ring_kernel", many, true),
    segments("segments in the ring", "ring_kernel", many),
    runs("runs of keys, one round", "segment_round_kernel", 1000),
    runs("runs of keys in the ring", "ring_kernel", many),
    select("a selection in one block", "compaction_cluster_kernel", 1000),
    select("a selection", "compaction_kernel", 200000),
    select("a selection in the ring", "compaction_ring_kernel", many),
};

}  // namespace

int main(int argc, char** argv) {
  const tests::frame_limit limit = tests::limit_of(argc, argv);
  tests::cuda_calls.is_made_up = true;
  bool is_right = true;
  for (const call& given : calls) is_right &= tests::check(given, limit);
  return is_right ? 0 : 1;
}
