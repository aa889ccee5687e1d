#include <utility>

#include "bench/contenders/contenders.hpp"
#include "bench/contenders/device_stage.hpp"
#include "bench/contenders/library.hpp"
#include "bench/ladders/ladders.hpp"
#include "bench/peers/gpu_peers.hpp"

namespace bench {
namespace {

/// The baselines of the library, by the names that they are reported under.
struct named_baseline {
  const char* name;
  scan::algorithm which;
};
constexpr named_baseline named_baselines[] = {
    {"A1 bit_layers", scan::algorithm::bit_layers},
    {"A2 bit_three_kernel", scan::algorithm::bit_three_kernel},
    {"A3 bit_two_kernel", scan::algorithm::bit_two_kernel},
    {"B blelloch", scan::algorithm::blelloch},
    {"C scan_then_fan", scan::algorithm::scan_then_fan},
    {"D1 reduce_then_scan", scan::algorithm::reduce_then_scan},
    {"D2 reduce_then_scan_two_pass", scan::algorithm::reduce_then_scan_two_pass}};

/// A scan in a graph, of the cell's pointers. In place the graph would scan scans where it goes
/// round the slots more than once, so what is verified there is one call for each; and what is
/// timed scans whatever the calls before have left (no value takes longer than another).
contender scan_in_graph(const shared_stage& on, std::string name, const enqueue_call& scan) {
  const enqueue_call enqueue = placed(on->what, scan);
  contender in_cell = in_graph(on, std::move(name), enqueue, &device_stage::check_scans);
  if (on->what.in_place) {
    in_cell.first_wrong = [=] {
      on->pool.spoil();
      for (int slot = 0; slot < on->pool.num_slots(); ++slot) on->fill(on->pool.out(slot));
      enqueue_calls(on->pool, enqueue, on->pool.num_slots());
      return on->check_scans();
    };
  }
  return in_cell;
}

using measure_calls = double (*)(const gpu_pool&, const enqueue_call&);

/// The library beside an empty kernel, both measured by `time`.
void add_launches(std::vector<contender>& all, const shared_stage& on, const std::string& of_scan,
                  const std::string& of_empty, measure_calls time) {
  const enqueue_call scan = placed(on->what, library_call(on->what, workspace_for(on->what)));
  all.push_back(in_stream(on, of_scan, scan, &device_stage::check_scans));
  all.back().time_us = [=] { return time(on->pool, scan); };
  const enqueue_call empty = [](const void*, void*, cudaStream_t stream) {
    return launch_empty_kernel(stream);
  };
  all.push_back({of_empty, [] { return all_right; }, [=] { return time(on->pool, empty); }});
}

/// The library's scan by each baseline, all in one workspace: they take turns.
void add_baselines(std::vector<contender>& all, const shared_stage& on) {
  const auto workspace = workspace_for(on->what, scan::algorithm::blelloch);
  for (const named_baseline& baseline : named_baselines) {
    all.push_back(in_graph(on, baseline.name, library_call(on->what, workspace, baseline.which),
                           &device_stage::check_scans));
  }
}

void add_rungs(std::vector<contender>& all, const shared_stage& on, const std::vector<rung>& rungs,
               const slots_check& check) {
  const std::int64_t n = on->what.num_items;
  const auto scratch = std::make_shared<device_buffer>(fan_scratch_bytes(n));
  for (const rung& one : rungs) {
    const enqueue_call enqueue = [=](const void* in, void* out, cudaStream_t stream) {
      return one.enqueue(in, out, n, scratch->data(), stream);
    };
    all.push_back(in_graph(on, one.name, enqueue, check));
  }
}

/// Every CUB; none where it would be wrong: its minimum and maximum of floats forget a NaN or keep
/// it, depending on the order of tiles.
void add_cub(std::vector<contender>& all, const shared_stage& on) {
  const cell& what = on->what;
  if (on->file != nullptr && on->file->has_nan && what.operator_name() != "plus") return;
  for (const auto& [name, call] : cub_calls(what)) all.push_back(scan_in_graph(on, name, call));
}

}  // namespace

void add_copies(std::vector<contender>& all, const shared_stage& on) {
  const std::int64_t num_bytes = on->what.bytes_per_side();
  const enqueue_call by_kernel = [=](const void* in, void* out, cudaStream_t stream) {
    return copy_with_kernel(in, out, num_bytes, stream);
  };
  const enqueue_call by_cuda = [=](const void* in, void* out, cudaStream_t stream) {
    return cudaMemcpyAsync(out, in, static_cast<std::size_t>(num_bytes), cudaMemcpyDeviceToDevice,
                           stream);
  };
  all.push_back(in_graph(on, copy_kernel_name, by_kernel, &device_stage::check_copies));
  all.push_back(in_graph(on, memcpy_name, by_cuda, &device_stage::check_copies));
}

contender in_graph(const shared_stage& on, std::string name, enqueue_call enqueue,
                   const slots_check& check) {
  const auto graph = std::make_shared<call_graph>(on->pool, std::move(enqueue));
  const auto verify = [=] {
    on->pool.spoil();
    graph->run();
    return check(*on);
  };
  // `on` goes with the closure: the graph refers to its pool.
  return {std::move(name), verify, [on, graph] { return graph->time_us(); }};
}

contender in_stream(const shared_stage& on, std::string name, const enqueue_call& enqueue,
                    const slots_check& check) {
  const auto verify = [=] {
    on->pool.spoil();
    enqueue_calls(on->pool, enqueue, on->pool.num_slots());
    return check(*on);
  };
  return {std::move(name), verify, [=] { return stream_time_us(on->pool, enqueue); }};
}

std::vector<contender> gpu_contenders(const cell& what,
                                      const std::shared_ptr<const gpu_memory>& memory,
                                      const dataset* file) {
  const auto on = std::make_shared<const device_stage>(what, memory, file);
  if (what.rivals == cell_rivals::chain) return chain_contenders(on);
  std::vector<contender> all;
  const auto library = [&] { return library_call(what, workspace_for(what)); };
  all.push_back(scan_in_graph(on, scan_name, library()));
  if (what.in_place) {
    cell apart = what;
    apart.in_place = false;
    all.push_back(
        in_graph(on, out_of_place_name, placed(apart, library()), &device_stage::check_scans));
  }
  if (what.rivals == cell_rivals::ladder) {
    add_baselines(all, on);
    add_rungs(all, on, fan_rungs(), &device_stage::check_scans);
  }
  if (what.rivals == cell_rivals::blocks) {
    add_rungs(all, on, block_rungs(), &device_stage::check_block_scans);
  }
  if (what.rivals != cell_rivals::none) add_cub(all, on);
  add_copies(all, on);
  if (what.stream_time) add_launches(all, on, stream_scan_name, stream_empty_name, stream_time_us);
  if (what.host_time) add_launches(all, on, host_scan_name, host_empty_name, host_time_us);
  return all;
}

}  // namespace bench
