// As tests/calls/frames_test.cu, of scans across GPUs: each of a call's kernels, and those of a
// rank that refuses.
//
//   slices_frames_test [a limit that each launch has to be found to exceed]
#include <cstdint>
#include <cstdlib>

#include "scan/nccl.cuh"
#include "tests/calls/frames.hpp"
#include "tests/slices/faulty_nccl.hpp"

namespace {

using tests::array;
using number = tests::framed_number;
using add = tests::framed_sum;
using call = tests::framed_call;

constexpr std::int64_t n = 1000000;

call sequence(const char* what, std::vector<std::string> kernels, scan::across& ranks,
              scan::algorithm algorithm, bool has_total) {
  return {what, std::move(kernels), [&ranks, algorithm, has_total] {
            scan::options<number> opts;
            opts.algorithm = algorithm;
            if (has_total) opts.total = array<number>(2);
            return scan::inclusive(ranks, array<const number>(0), array<number>(1), n, add{}, opts);
          }};
}
call tensor(const char* what, std::vector<std::string> kernels, scan::across& ranks,
            const scan::extents& shape, bool has_total) {
  return {what, std::move(kernels), [&ranks, shape, has_total] {
            scan::options<number> opts;
            if (has_total) opts.total = array<number>(2);
            return scan::inclusive(ranks, array<const number>(0), array<number>(1), shape, add{},
                                   opts);
          }};
}

/// A call that is refused, which says so to the other ranks; it is to fail.
call refused(scan::across& ranks) {
  return {"refused", {"send_refusal", "find_refusals"}, [&ranks] {
            const scan::status why =
                scan::inclusive(ranks, array<const number>(0), array<number>(1), -1, add{});
            return why.ok() ? scan::status{cudaErrorUnknown, "not refused"} : scan::status{};
          }};
}

}  // namespace

int main(int argc, char** argv) {
  const tests::frame_limit limit = tests::limit_of(argc, argv);
  tests::cuda_calls.is_made_up = tests::cuda_calls.copies = true;
  const ncclComm_t comm = tests::some_communicator();
  constexpr scan::extents rows{4, n, 1}, short_rows{1000, 10, 1}, columns{2, n, 3};
  scan::across one(comm, n), of_rows(comm, rows, 8, true), of_short_rows(comm, short_rows),
      of_columns(comm, columns);
  tests::nccl_calls.num_ranks = 1;
  scan::across alone(comm, n);
  tests::nccl_calls.num_ranks = 2;
  using scan::algorithm;
  const call calls[] = {
      sequence("a slice, ring", {"fold_ring_shares", "write_message", "find_start", "ring_kernel"},
               one, algorithm::automatic, false),
      sequence("a slice, look-back, with a total",
               {"fold_register_shares", "write_message", "find_start", "look_back_kernel",
                "write_total"},
               one, algorithm::look_back, true),
      tensor("rows in slices, with totals",
             {"fold_row_shares", "fold_row_batches", "find_tensor_starts", "ring_kernel",
              "copy_from_last"},
             of_rows, rows, true),
      tensor("short rows in slices",
             {"fold_row_shares", "fold_row_batches", "find_tensor_starts", "short_row_tile_kernel"},
             of_short_rows, short_rows, false),
      tensor("columns in slices",
             {"fold_column_tiles", "fold_column_spans", "find_tensor_starts", "column_kernel"},
             of_columns, columns, false),
      sequence("a rank alone", {"wave_kernel"}, alone, algorithm::automatic, false),
      refused(one)};
  bool is_right = true;
  for (const call& given : calls) is_right &= tests::check(given, limit);
  return is_right ? 0 : 1;
}
