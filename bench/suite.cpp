#include "bench/suite.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <ostream>

#include "bench/cub_scan.hpp"
#include "bench/data.hpp"
#include "bench/gpu_contenders.hpp"
#include "bench/gpu_pool.hpp"
#include "bench/ladder_report.hpp"
#include "bench/suite_contenders.hpp"

namespace bench {
namespace {

constexpr std::int64_t headroom_bytes = std::int64_t{1} << 30;  // CUB's memory, CUDA's own

std::int64_t side_bytes(const cell& what) { return gpu_pool::side_bytes(what.slot_bytes()); }

/// Moves the cells that do not fit the device's memory to `run.skipped`.
std::vector<cell> cells_that_fit(suite_report& run, std::vector<cell> cells) {
  std::size_t free_bytes = 0, all_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for the device's free memory");
  const auto fits = [&](const cell& what) {
    // the baselines' workspace holds another copy of the elements
    const std::int64_t scratch =
        what.rivals == cell_rivals::ladder ? what.num_items * what.out_bytes() : 0;
    return gpu_memory::num_bytes(side_bytes(what)) + scratch + headroom_bytes <=
           static_cast<std::int64_t>(free_bytes);
  };
  const auto rest = std::stable_partition(cells.begin(), cells.end(), fits);
  run.skipped.assign(rest, cells.end());
  cells.erase(rest, cells.end());
  return cells;
}

std::vector<cell> chosen_cells(const settings& chosen) {
  std::vector<cell> cells = suite_cells(chosen.suite);
  std::erase_if(cells, [&](const cell& what) { return !chosen.only.takes(what); });
  if (cells.empty()) throw usage_error("--suite " + chosen.suite + ": no cell is of that kind");
  return cells;
}

cell_result measure_cell(const cell& what, int num_rounds,
                         const std::shared_ptr<const gpu_memory>& memory) {
  cell_result result{what, {}, {}};
  try {
    result.measurements = measure(suite_contenders(what, memory), num_rounds, [] {});
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

}  // namespace

suite_report run_suite(const settings& chosen, std::ostream& table) {
  const std::vector<cell> wanted = chosen_cells(chosen);
  const gpu_description gpu = describe_gpu();
  if (!gpu.present) throw usage_error("--suite measures a GPU: " + gpu.why_not);
  suite_report run{chosen.suite, gpu.name, chosen.num_rounds, {}, {}, {}};
  for (const cub_peer& cub : cub_peers(0, false)) run.cub_versions.push_back(cub.version);
  print_suite_heading(table, run);

  const std::vector<cell> cells = cells_that_fit(run, wanted);
  std::int64_t most_bytes = 0;
  for (const cell& what : cells) most_bytes = std::max(most_bytes, side_bytes(what));
  const auto memory = std::make_shared<const gpu_memory>(most_bytes);
  for (const cell& what : cells) {
    run.cells.push_back(measure_cell(what, chosen.num_rounds, memory));
    print_cell(table, run.cells.back(),
               std::to_string(run.cells.size()) + "/" + std::to_string(cells.size()));
    // After an illegal access, say, every call fails: nothing more can be learned.
    if (cudaDeviceSynchronize() != cudaSuccess) break;
  }
  if (run.suite == "ladder") {
    print_ladder(table, run);
  } else if (run.suite == "blocks") {
    print_blocks(table, run);
  } else {
    print_summary(table, run);
  }
  return run;
}

}  // namespace bench
