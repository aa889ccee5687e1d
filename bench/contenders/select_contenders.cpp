#include "bench/cells/scans.hpp"
#include "bench/contenders/contenders.hpp"
#include "bench/contenders/device_stage.hpp"
#include "bench/contenders/library.hpp"
#include "bench/data/select_data.hpp"
#include "bench/peers/select_peers.hpp"
#include "scan/compaction.hpp"

namespace bench {
namespace {

select_arrays arrays_of(const cell& what, const void* in_slot, void* out_slot) {
  const auto* const in = static_cast<const std::byte*>(in_slot);
  auto* const out = static_cast<std::byte*>(out_slot);
  return {in + what.in_offset * what.in_bytes(),
          in + what.flags_offset(),
          out + what.out_offset * what.out_bytes(),
          out + what.second_output_offset(),
          reinterpret_cast<std::int64_t*>(out + what.count_offset()),
          what.num_items};
}

template <class T>
scan::status enqueue_selection(const picks& what, const select_arrays& of,
                               const scan::select_options& options) {
  const auto* const in = static_cast<const T*>(of.in);
  auto* const out = static_cast<T*>(of.out);
  const std::int64_t n = of.num_items;
  const scan::flags bytes{static_cast<const std::uint8_t*>(of.flags)};
  switch (what.op) {
    case select_op::select:
      if (!what.bits) return scan::select(in, bytes, out, n, options);
      return scan::select(in, scan::flags{static_cast<const std::uint32_t*>(of.flags)}, out, n,
                          options);
    case select_op::partition:
      return scan::partition(in, bytes, out, static_cast<T*>(of.out_2), n, options);
    case select_op::indices:
      return scan::indices(bytes, static_cast<std::int32_t*>(of.out), n, options);
    case select_op::unique:
      return scan::unique(in, out, n, {}, options);
    default:
      return scan::runs(in, out, static_cast<std::int32_t*>(of.out_2), n, {}, options);
  }
}

enqueue_call library_selection(const cell& what) {
  const auto workspace = workspace_for(what);
  return call_of<suite_selected>(
      what.scan, [=]<class Scan>(Scan, const void* in, void* out, cudaStream_t stream) {
        const select_arrays of = arrays_of(what, in, out);
        scan::select_options options;
        options.stream = stream;
        options.workspace = workspace.get();
        options.count = of.count;
        // What lies in the slot behind those that are kept is not the output's.
        if (what.picked.op != select_op::partition) options.capacity = what.picked.num_kept;
        return enqueue_selection<typename Scan::In>(what.picked, of, options);
      });
}

enqueue_call peer_selection(const cell& what, cub_selection select) {
  return with_memory([=](cub_memory& memory, const void* in, void* out, cudaStream_t stream) {
    const select_arrays of = in == nullptr ? select_arrays{{}, {}, {}, {}, {}, what.num_items}
                                           : arrays_of(what, in, out);
    return select(memory, what.picked, static_cast<int>(what.in_bytes()), of, stream);
  });
}

}  // namespace

std::vector<contender> select_contenders(const cell& what,
                                         const std::shared_ptr<const gpu_memory>& memory) {
  const slot_data data{
      [=](std::byte* in, cudaStream_t stream) { return fill_selection(what, in, stream); }, {}};
  const auto on = std::make_shared<const device_stage>(what, memory, nullptr, data);
  const auto judged_by = [&](rejected_place rejected) {
    return [=](const device_stage& stage) {
      return stage.check_slots([&](const std::byte*, std::byte* out, unsigned long long* found) {
        return check_selection(what, out, rejected, found, stage.pool.stream());
      });
    };
  };
  std::vector<contender> all;
  all.push_back(
      in_graph(on, scan_name, library_selection(what), judged_by(rejected_place::second_output)));
  const std::vector<cub_peer> cubs = cub_peers(what.scan, false);
  const std::vector<cub_selection> selections = cub_selections();
  for (std::size_t i = 0; i < selections.size(); ++i) {
    all.push_back(in_graph(on, cub_prefix + cubs[i].version, peer_selection(what, selections[i]),
                           judged_by(rejected_place::behind_reversed)));
  }
  add_copies(all, on);
  return all;
}

}  // namespace bench
