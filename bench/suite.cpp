#include "bench/suite.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>

#include "bench/contenders/contenders.hpp"
#include "bench/measure/gpu_pool.hpp"
#include "bench/measure/progress.hpp"
#include "bench/peers/gpu_peers.hpp"

namespace bench {
namespace {

constexpr std::int64_t headroom_bytes = std::int64_t{1} << 30;  // CUB's memory, CUDA's own

// ---- before anything is measured ----

/// The file, if there is one, and a cell for each size.
void plan_sizes(suite_plan& plan) {
  const settings& chosen = plan.chosen;
  cell what{.scan = chosen.scan, .exclusive = chosen.exclusive};
  for (const std::int64_t n : chosen.sizes) require_host_memory(n, what.in_bytes());
  if (!chosen.input.empty()) {
    plan.file = file_data(chosen.input, chosen.scan);
    what.num_items = plan.file->num_items;
    what.from_file = true;
    plan.cells.push_back(what);
    what.from_file = false;
    if (plan.file->num_bytes_left_out > 0) {
      std::cerr << chosen.input << ": bytes at the end that fill no element, left out: "
                << plan.file->num_bytes_left_out << '\n';
    }
  }
  std::vector<std::int64_t> sizes = chosen.sizes;
  if (sizes.empty()) {
    sizes = {1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26};
    if (plan.gpu.present) sizes.push_back(1 << 28);
  }
  for (const std::int64_t n : sizes) {
    what.num_items = n;
    plan.cells.push_back(what);
  }
}

// ---- measuring ----

std::int64_t side_bytes(const cell& what) { return gpu_pool::side_bytes(what.slot_bytes()); }

/// Moves the cells that do not fit the device's memory to `skipped`.
void keep_what_fits(std::vector<cell>& cells, std::vector<cell>& skipped) {
  std::size_t free_bytes = 0, all_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for the device's free memory");
  const auto fits = [&](const cell& what) {
    // The baselines' workspace holds another copy of the elements; and of all offsets there is one.
    const std::int64_t scratch =
        what.rivals == cell_rivals::ladder
            ? what.num_items * what.out_bytes()
            : what.segments.num_segments * static_cast<std::int64_t>(sizeof(std::int32_t));
    return gpu_memory::num_bytes(side_bytes(what)) + scratch + headroom_bytes <=
           static_cast<std::int64_t>(free_bytes);
  };
  const auto rest = std::stable_partition(cells.begin(), cells.end(), fits);
  skipped.assign(rest, cells.end());
  cells.erase(rest, cells.end());
  if (cells.empty()) throw usage_error("nothing of that fits the GPU's memory");
}

/// Of all cells, for the largest of them.
std::shared_ptr<const gpu_memory> memory_for(const std::vector<cell>& cells) {
  std::int64_t most_bytes = 0;
  for (const cell& what : cells) most_bytes = std::max(most_bytes, side_bytes(what));
  return std::make_shared<const gpu_memory>(most_bytes);
}

/// `memory` is null on the CPU.
cell_result measure_cell(const cell& what, const suite_plan& plan,
                         const std::shared_ptr<const gpu_memory>& memory,
                         gpu_contenders_of contenders_of, progress& shown) {
  cell_result result{what, {}, {}};
  if (what.from_file) result.input = plan.file->file;
  const auto measure_all = [&](const std::vector<contender>& all) {
    result.measurements = measure(all, plan.chosen.num_rounds, [&] { shown.step(); });
  };
  try {
    if (memory != nullptr) {
      measure_all(contenders_of(what, memory, what.from_file ? &*plan.file : nullptr));
    } else if (what.from_file) {
      measure_all(cpu_contenders(what, *plan.file, plan.chosen.num_threads));
    } else {
      const dataset data = synthetic_data(what.scan, what.num_items);
      measure_all(cpu_contenders(what, data, plan.chosen.num_threads));
    }
  } catch (const usage_error&) {
    throw;
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

void print_end(std::ostream& table, const suite_report& run) {
  if (run.suite == "ladder") {
    print_ladder(table, run);
  } else if (run.suite == "blocks") {
    print_blocks(table, run);
  } else if (run.suite == random_suite) {
    print_random(table, run);
  } else if (program_of(run.suite) == shapes_program) {
    print_shapes(table, run);
  } else if (run.suite.empty() || run.suite == "edges" || run.suite == "chain") {
    print_skipped(table, run);  // summary.py tells the rest
  } else {
    print_summary(table, run);
  }
}

}  // namespace

suite_plan plan_suite(const settings& chosen) {
  suite_plan plan{chosen, {}, suite_cells(chosen.suite, chosen.draw), {}};
  std::erase_if(plan.cells, [&](const cell& what) { return !chosen.only.takes(what); });
  if (plan.cells.empty() && !chosen.suite.empty()) {
    throw usage_error("--suite " + chosen.suite + ": no cell is of that kind");
  }
  plan.gpu = find_gpu(chosen.device);
  if (chosen.suite.empty()) {
    plan_sizes(plan);
  } else if (!plan.gpu.present) {
    throw usage_error("--suite measures a GPU: " + plan.gpu.why_not);
  }
  return plan;
}

suite_report run_suite(suite_plan plan, std::ostream& table, gpu_contenders_of contenders_of) {
  const bool plain = plan.chosen.suite.empty();
  suite_report run{plan.chosen.suite,       plan.gpu.name,   plan.chosen.num_rounds, {}, {}, {},
                   plan.chosen.num_threads, plan.chosen.draw};
  std::shared_ptr<const gpu_memory> memory;
  if (plan.gpu.present) {
    for (const cub_peer& cub : cub_peers(0, false)) run.cub_versions.push_back(cub.version);
    keep_what_fits(plan.cells, run.skipped);
    memory = memory_for(plan.cells);
  }
  progress shown(plan.cells.size(), plain);
  if (plain) print_place(table, plan.chosen.device, run.on_gpu(), run.num_threads);
  print_heading(table, run, plan.cells.front());
  for (const cell& what : plan.cells) {
    run.cells.push_back(measure_cell(what, plan, memory, contenders_of, shown));
    shown.clear();
    const cell_result& result = run.cells.back();
    if (plain) {
      print_contenders(table, result);
    } else {
      print_cell(table, result,
                 std::to_string(run.cells.size()) + "/" + std::to_string(plan.cells.size()));
    }
    shown.finish_size();
    if (what.from_file) plan.file.reset();
    // After an illegal access, say, every call fails: nothing more can be learned.
    if (memory != nullptr && cudaDeviceSynchronize() != cudaSuccess) break;
  }
  print_end(table, run);
  return run;
}

}  // namespace bench
