#include "bench/cells/scans.hpp"
#include "bench/contenders/contenders.hpp"
#include "bench/contenders/device_stage.hpp"
#include "bench/contenders/library.hpp"
#include "bench/data/shape_data.hpp"
#include "bench/peers/gpu_peers.hpp"
#include "bench/peers/row_recurrences.hpp"
#include "scan/scan.hpp"

namespace bench {
namespace {

template <class T>
scan::status recur(const cell& what, const T* offsets, T* states,
                   const scan::options<scan::state_t<T>>& options) {
  const T* const factors = offsets + what.factors_offset() / static_cast<std::int64_t>(sizeof(T));
  return scan::recurrence(factors, offsets, states, what.shape, options);
}

/// With the cell's pointers. The plain call of a sum: `plain`.
template <class In, class Out>
scan::status enqueue_tensor(const cell& what, bool plain, const void* in_slot, void* out_slot,
                            cudaStream_t stream, scan::workspace* workspace,
                            scan::algorithm which) {
  const In* const in = static_cast<const In*>(in_slot) + what.in_offset;
  Out* const out = static_cast<Out*>(out_slot) + what.out_offset;
  if constexpr (is_among<scan_of<In, Out, scan::plus>, suite_recurrences>) {
    if (what.recurrence) {
      return recur(what, in, out,
                   {.init = {}, .stream = stream, .workspace = workspace, .algorithm = which});
    }
  }
  const scan::options<Out> options{
      .init = {}, .stream = stream, .workspace = workspace, .algorithm = which};
  return plain ? scan::inclusive(in, out, what.num_items, scan::plus{}, options)
               : scan::inclusive(in, out, what.shape, scan::plus{}, options);
}

enqueue_call tensor_call(const cell& what, bool plain,
                         scan::algorithm which = scan::algorithm::automatic) {
  // (For the plain call: one sequence of as many elements.)
  const scan::extents shape = plain ? scan::extents{1, what.num_items, 1} : what.shape;
  const auto workspace = std::make_shared<scan::workspace>(shape);
  require_success(workspace->error());
  return call_of<suite_tensor_sums>(
      what.scan, [=]<class Scan>(Scan, const void* in, void* out, cudaStream_t stream) {
        return enqueue_tensor<typename Scan::In, typename Scan::Out>(what, plain, in, out, stream,
                                                                     workspace.get(), which);
      });
}

void fill_slots(const device_stage& on, const cell& what) {
  for (int slot = 0; slot < on.pool.num_slots(); ++slot) {
    check_cuda(fill_tensor(what, on.pool.in(slot), on.pool.stream()), "writing the input");
  }
}

/// Sums one after another would not be exact in bfloat16 if they went on from row to row: so the
/// inputs that are verified are those of one sequence, and then the tensor's again.
contender one_sequence(const shared_stage& on) {
  const cell row = on->what.as_one_sequence();
  const auto graph = std::make_shared<call_graph>(on->pool, tensor_call(row, true));
  const auto verify = [=] {
    fill_slots(*on, row);
    on->pool.spoil();
    graph->run();
    const std::int64_t wrong =
        on->check_slots([&](const std::byte*, const std::byte* out, unsigned long long* found) {
          return check_tensor(row, out, found, on->pool.stream());
        });
    fill_slots(*on, on->what);
    return wrong;
  };
  return {one_sequence_name, verify, [on, graph] { return graph->time_us(); }};
}

/// Whether the cell is compared with the plain call: a goal says how.
bool has_plain_call(const cell& what) {
  const std::int64_t num_bytes = what.bytes_per_side();
  const bool small = num_bytes >= (256 << 10) && num_bytes <= (16 << 20);
  return small || (what.is_single_row() && !what.recurrence);
}

/// A single row is not one for these: DeviceScan has it to itself.
void add_cub_rows(std::vector<contender>& all, const shared_stage& on) {
  const cell& what = on->what;
  if (what.recurrence || what.shape.inner > 1 || what.shape.outer == 1) return;
  const scan::tensor_shape of = what.resolved_shape();
  const cub_rows rows{of.outer, of.length, of.in_pitch, of.out_pitch};
  for (const cub_row_scan& scan : cub_row_scans(what.scan, rows)) {
    const enqueue_call call =
        with_memory([=](cub_memory& memory, const void* in, void* out, cudaStream_t stream) {
          return scan.enqueue(memory, in, out, rows, stream);
        });
    all.push_back(in_graph(on, scan.name, placed(what, call), &device_stage::check_scans));
  }
}

/// Dense rows of recurrences alone.
void add_accelerated_scan(std::vector<contender>& all, const shared_stage& on) {
  if constexpr (BENCH_HAS_ACCELERATED_SCAN) {
    const cell& what = on->what;
    const scan::tensor_shape of = what.resolved_shape();
    const bool dense = of.in_pitch == of.length && of.out_pitch == of.length;
    const bool are_bfloat16 = what.in_bytes() == 2;
    if (!what.recurrence || of.inner > 1 || !dense) return;
    if (!is_accelerated(of.outer, of.length, are_bfloat16)) return;
    const enqueue_call call = [=](const void* in, void* out, cudaStream_t stream) {
      const auto* const offsets = static_cast<const std::byte*>(in) + on->in_offset();
      const row_recurrence rows{offsets + what.factors_offset(),
                                offsets,
                                static_cast<std::byte*>(out) + on->out_offset(),
                                of.outer,
                                of.length,
                                are_bfloat16};
      return accelerated_scan(rows, stream);
    };
    all.push_back(in_graph(on, accelerated_name, call, &device_stage::check_scans));
  }
}

std::vector<contender> shape_contenders(const cell& what,
                                        const std::shared_ptr<const gpu_memory>& memory) {
  const slot_data data{
      [=](std::byte* in, cudaStream_t stream) { return fill_tensor(what, in, stream); },
      [=](const std::byte* out, unsigned long long* first_wrong, cudaStream_t stream) {
        return check_tensor(what, out, first_wrong, stream);
      }};
  const auto on = std::make_shared<const device_stage>(what, memory, nullptr, data);
  std::vector<contender> all;
  all.push_back(in_graph(on, scan_name, tensor_call(on->what, false), &device_stage::check_scans));
  if (!on->what.is_single_row()) {  // (which one block would have)
    all.push_back(in_graph(on, walk_name, tensor_call(on->what, false, scan::algorithm::walk),
                           &device_stage::check_scans));
  }
  if (has_plain_call(on->what)) all.push_back(one_sequence(on));
  add_cub_rows(all, on);
  add_accelerated_scan(all, on);
  add_copies(all, on);
  return all;
}

}  // namespace

std::vector<contender> many_contenders(const cell& what,
                                       const std::shared_ptr<const gpu_memory>& memory,
                                       const dataset*) {
  if (what.is_selection()) return select_contenders(what, memory);
  return what.is_ragged() ? segment_contenders(what, memory) : shape_contenders(what, memory);
}

}  // namespace bench
