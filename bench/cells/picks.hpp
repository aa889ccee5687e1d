// Compactions as they are measured: which call, and how many elements it keeps.
#ifndef SCAN_BENCH_CELLS_PICKS_HPP
#define SCAN_BENCH_CELLS_PICKS_HPP

#include <cstdint>
#include <string>

#include "scan/abi.hpp"

namespace bench {

enum class select_op { select, partition, indices, unique, runs, sums };
inline constexpr select_op all_select_ops[] = {select_op::select,  select_op::partition,
                                               select_op::indices, select_op::unique,
                                               select_op::runs,    select_op::sums};
SCAN_HOST_DEVICE constexpr bool reads_flags(select_op op) { return op <= select_op::indices; }
/// Whether there is a number (int32) of each run that is kept: its length, or the sum of its
/// values.
SCAN_HOST_DEVICE constexpr bool has_numbers(select_op op) {
  return op == select_op::runs || op == select_op::sums;
}

/// Of unique, runs and sums what is kept are the elements that differ from the one before.
struct picks {
  select_op op = select_op::select;
  bool bits = false;  // flags are bits, not bytes; of select alone
  int percent = 50;   // kept
  int log_run = 0;    // 2^log_run neighbours are kept or not together: 0 is at random
  std::uint32_t seed = 0;
  int flag_shift = 0;         // flags, or words, that these are off 256 bytes
  std::int64_t num_kept = 0;  // by data/pick_pattern.hpp, of as many as the cell has

  /// "select", "runs", ...
  const char* op_name() const;
  /// "50 % kept in runs of 8, flag bits"
  std::string name() const;
  /// What results are told apart by: "select, flag bits", "unique".
  std::string class_name() const;
  /// "flag bytes", "flag bits", "no flags"
  const char* flags_name() const;
  /// Of flags; of sums, of values, which lie where flags do.
  std::int64_t flag_bytes(std::int64_t num_items) const {
    if (op == select_op::sums) return 4 * num_items;
    return !reads_flags(op) ? 0 : bits ? (num_items + 31) / 32 * 4 : num_items;
  }
};

}  // namespace bench

#endif
