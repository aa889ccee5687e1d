#include "bench/suite_contenders.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bench/call_graph.hpp"
#include "bench/cub_scan.hpp"
#include "bench/gpu_calls.hpp"
#include "bench/gpu_peers.hpp"
#include "bench/ladders.hpp"
#include "bench/suite_data.hpp"
#include "bench/suite_library.hpp"

namespace bench {
namespace {

constexpr std::int64_t small_bytes = std::int64_t{16} << 10;

/// What all contenders of a cell share.
struct stage {
  cell what;
  gpu_pool pool;
  device_buffer first_wrong{sizeof(unsigned long long)};

  stage(const cell& what, const std::shared_ptr<const gpu_memory>& memory)
      : what(what), pool(what.slot_bytes(), memory) {
    for (int slot = 0; slot < pool.num_slots(); ++slot) fill(pool.in(slot));
    pool.wait("writing the input");
  }

  std::int64_t in_offset() const { return what.offset ? what.in_bytes() : 0; }
  std::int64_t out_offset() const { return what.offset ? what.out_bytes() : 0; }

  void fill(std::byte* slot) const {
    check_cuda(fill_input(what.scan, slot + in_offset(), what.num_items, pool.stream()),
               "writing the input");
  }

  /// Looks at all outputs: `check(in, out, found)` enqueues the check of a slot.
  std::int64_t check_slots(const auto& check) const {
    auto* const found = reinterpret_cast<unsigned long long*>(first_wrong.data());
    check_cuda(cudaMemsetAsync(found, 0xff, sizeof(*found), pool.stream()), "checking an output");
    for (int slot = 0; slot < pool.num_slots(); ++slot) {
      check_cuda(check(pool.in(slot), pool.out(slot), found), "checking an output");
    }
    std::int64_t index = 0;  // ~0, which no check has lowered, is all_right
    check_cuda(cudaMemcpyAsync(&index, found, sizeof(index), cudaMemcpyDeviceToHost, pool.stream()),
               "checking an output");
    pool.wait("checking an output");
    return index;
  }

  std::int64_t check_scans() const {
    return check_slots([&](const std::byte*, const std::byte* out, unsigned long long* found) {
      return check_output(what.scan, out + out_offset(), what.num_items, what.exclusive, found,
                          pool.stream());
    });
  }

  std::int64_t check_slices_of_blocks() const {
    return check_slots([&](const std::byte* in, const std::byte* out, unsigned long long* found) {
      return check_slices(in, out, what.num_items, found, pool.stream());
    });
  }

  std::int64_t check_copies() const {
    return check_slots([&](const std::byte* in, const std::byte* out, unsigned long long* found) {
      return check_copy(in, out, what.bytes_per_side(), found, pool.stream());
    });
  }
};

static_assert(all_right == -1);

using shared_stage = std::shared_ptr<const stage>;

/// A scan with the cell's pointers: off by an element, in place.
enqueue_call placed(const cell& what, enqueue_call scan) {
  const std::int64_t in_offset = what.offset ? what.in_bytes() : 0;
  const std::int64_t out_offset = what.offset ? what.out_bytes() : 0;
  const bool in_place = what.in_place;
  return [=](const void* in, void* out, cudaStream_t stream) {
    void* const to = static_cast<std::byte*>(out) + out_offset;
    return scan(in_place ? to : static_cast<const std::byte*>(in) + in_offset, to, stream);
  };
}

enqueue_call library_call(const cell& what) {
  const auto workspace = std::make_shared<scan::workspace>(
      what.num_items, static_cast<int>(std::max(what.in_bytes(), what.out_bytes())));
  if (!workspace->error().ok()) throw std::runtime_error(workspace->error().message());
  return [=](const void* in, void* out, cudaStream_t stream) -> cudaError_t {
    const scan::status status =
        library_scan(what.scan, what.exclusive, in, out, what.num_items, stream, *workspace);
    if (!status.ok()) throw std::runtime_error(std::string("scan: ") + status.message());
    return status;
  };
}

/// Verified as it is timed, as a whole: the graph's outputs. In place that would be a scan of scans
/// where the graph goes round the slots more than once, so there it is one call for each; and what
/// is timed scans whatever the calls before have left (integers: nothing overflows or slows down).
contender scan_in_graph(const shared_stage& on, std::string name, const enqueue_call& enqueue,
                        bool in_place) {
  const auto graph = std::make_shared<call_graph>(on->pool, enqueue);
  const auto verify = [=] {
    on->pool.spoil();
    if (in_place) {
      for (int slot = 0; slot < on->pool.num_slots(); ++slot) on->fill(on->pool.out(slot));
      enqueue_calls(on->pool, enqueue, on->pool.num_slots());
    } else {
      graph->run();
    }
    return on->check_scans();
  };
  // `on` goes with the closure: the graph refers to its pool.
  return {std::move(name), verify, [on, graph] { return graph->time_us(); }};
}

contender in_graph(const shared_stage& on, std::string name, enqueue_call enqueue,
                   std::int64_t (stage::*check)() const) {
  const auto graph = std::make_shared<call_graph>(on->pool, std::move(enqueue));
  const auto verify = [=] {
    on->pool.spoil();
    graph->run();
    return ((*on).*check)();
  };
  return {std::move(name), verify, [on, graph] { return graph->time_us(); }};
}

using measure_calls = double (*)(const gpu_pool&, const enqueue_call&);

/// The library beside an empty kernel, both measured by `time`.
void add_launches(std::vector<contender>& all, const shared_stage& on, const std::string& of_scan,
                  const std::string& of_empty, measure_calls time) {
  const enqueue_call scan = placed(on->what, library_call(on->what));
  const auto verify = [=] {
    on->pool.spoil();
    enqueue_calls(on->pool, scan, on->pool.num_slots());
    return on->check_scans();
  };
  const enqueue_call empty = [](const void*, void*, cudaStream_t stream) {
    return launch_empty_kernel(stream);
  };
  all.push_back({of_scan, verify, [=] { return time(on->pool, scan); }});
  all.push_back({of_empty, [] { return all_right; }, [=] { return time(on->pool, empty); }});
}

/// The library's scan by each baseline, all in one workspace: they take turns.
void add_baselines(std::vector<contender>& all, const shared_stage& on) {
  const cell& what = on->what;
  const auto workspace = std::make_shared<scan::workspace>(
      what.num_items, static_cast<int>(what.out_bytes()), scan::algorithm::blelloch);
  if (!workspace->error().ok()) throw std::runtime_error(workspace->error().message());
  for (const named_baseline& baseline : named_baselines) {
    const enqueue_call enqueue = [=, which = baseline.which](const void* in, void* out,
                                                             cudaStream_t stream) -> cudaError_t {
      const scan::status status = library_scan(what.scan, what.exclusive, in, out, what.num_items,
                                               stream, *workspace, which);
      if (!status.ok()) throw std::runtime_error(std::string("scan: ") + status.message());
      return status;
    };
    all.push_back(in_graph(on, baseline.name, enqueue, &stage::check_scans));
  }
}

void add_fan_rungs(std::vector<contender>& all, const shared_stage& on) {
  const std::int64_t n = on->what.num_items;
  const auto scratch = std::make_shared<device_buffer>(fan_scratch_bytes(n));
  for (const fan_rung& rung : fan_rungs()) {
    const enqueue_call enqueue = [=](const void* in, void* out, cudaStream_t stream) {
      return rung.enqueue(in, out, n, scratch->data(), stream);
    };
    all.push_back(in_graph(on, rung.name, enqueue, &stage::check_scans));
  }
}

void add_block_rungs(std::vector<contender>& all, const shared_stage& on) {
  const std::int64_t n = on->what.num_items;
  for (const block_rung& rung : block_rungs()) {
    const enqueue_call enqueue = [=](const void* in, void* out, cudaStream_t stream) {
      return rung.enqueue(in, out, n, stream);
    };
    all.push_back(in_graph(on, rung.name, enqueue, &stage::check_slices_of_blocks));
  }
}

}  // namespace

std::vector<contender> suite_contenders(const cell& what,
                                        const std::shared_ptr<const gpu_memory>& memory) {
  const auto on = std::make_shared<const stage>(what, memory);
  std::vector<contender> all;
  all.push_back(scan_in_graph(on, scan_name, placed(what, library_call(what)), what.in_place));
  if (what.in_place) {
    all.push_back(scan_in_graph(on, out_of_place_name, library_call(what), false));
  }
  if (what.rivals == cell_rivals::ladder) {
    add_baselines(all, on);
    add_fan_rungs(all, on);
  }
  if (what.rivals == cell_rivals::blocks) add_block_rungs(all, on);
  for (const cub_peer& cub : cub_peers(what.scan, what.exclusive)) {
    for (const cub_scan& scan : cub.scans) {
      all.push_back(scan_in_graph(on, cub_prefix + cub.version,
                                  placed(what, cub_call(scan, what.num_items)), what.in_place));
    }
  }
  const std::int64_t copied = what.bytes_per_side();
  all.push_back(in_graph(on, copy_kernel_name, copy_kernel_call(copied), &stage::check_copies));
  all.push_back(in_graph(on, memcpy_name, memcpy_call(copied), &stage::check_copies));
  const bool plain = !what.in_place && !what.offset && what.rivals == cell_rivals::cub;
  if (plain && what.bytes_per_side() <= small_bytes) {
    add_launches(all, on, stream_scan_name, stream_empty_name, stream_time_us);
  }
  if (plain && what.host_time) {
    add_launches(all, on, host_scan_name, host_empty_name, host_time_us);
  }
  return all;
}

}  // namespace bench
