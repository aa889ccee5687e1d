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
    case select_op::sums:
      if constexpr (sizeof(T) > 1) {
        return scan::reduce_by_key(in, static_cast<const std::int32_t*>(of.flags), out,
                                   static_cast<std::int32_t*>(of.out_2), n, scan::plus{}, options);
      }
      return {cudaErrorNotSupported, "no cell has sums by keys of one byte"};
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

/// `count`: in the host's memory, of a peer that writes it there.
enqueue_call peer_selection(const cell& what, cub_selection select,
                            const std::shared_ptr<std::int64_t>& count = {}) {
  return with_memory([=](cub_memory& memory, const void* in, void* out, cudaStream_t stream) {
    select_arrays of = in == nullptr ? select_arrays{{}, {}, {}, {}, {}, what.num_items}
                                     : arrays_of(what, in, out);
    if (count) of.count = count.get();
    return select(memory, what.picked, static_cast<int>(what.in_bytes()), of, stream);
  });
}

cudaError_t copy_count(const std::int64_t* from, std::int64_t* to, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, sizeof(*to), cudaMemcpyDefault, stream);
}

/// The library's call as Thrust has it: the caller waits, and knows the count.
contender waiting_library(const shared_stage& on, const slots_check& check) {
  const enqueue_call select = library_selection(on->what);
  const auto waits = [=](const void* in, void* out, cudaStream_t stream) {
    check_cuda(select(in, out, stream), "selecting");
    std::int64_t count = 0;
    check_cuda(copy_count(arrays_of(on->what, in, out).count, &count, stream), "reading a count");
    return cudaStreamSynchronize(stream);
  };
  return in_stream(on, waiting_scan_name, waits, check);
}

/// Where it is verified its count is put beside its outputs; that is not timed.
contender waiting_thrust(const shared_stage& on, const slots_check& check) {
  const auto count = std::make_shared<std::int64_t>();
  const enqueue_call select = peer_selection(on->what, select_with_thrust, count);
  const auto told = [=](const void* in, void* out, cudaStream_t stream) {
    check_cuda(select(in, out, stream), "selecting with Thrust");
    return copy_count(count.get(), arrays_of(on->what, in, out).count, stream);
  };
  contender thrust = in_stream(on, thrust_prefix + thrust_version() + waiting, told, check);
  thrust.time_us = [=] { return stream_time_us(on->pool, select); };
  return thrust;
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
  const slots_check by_second_output = judged_by(rejected_place::second_output);
  all.push_back(waiting_library(on, by_second_output));
  // Bits are not a stencil.
  if (!what.picked.bits) all.push_back(waiting_thrust(on, by_second_output));
  return all;
}

}  // namespace bench
