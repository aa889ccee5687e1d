#include <algorithm>

#include "bench/cells/scans.hpp"
#include "bench/contenders/contenders.hpp"
#include "bench/contenders/device_stage.hpp"
#include "bench/contenders/library.hpp"
#include "bench/data/segment_data.hpp"
#include "bench/peers/segment_peers.hpp"
#include "scan/scan.hpp"

namespace bench {
namespace {

/// Of the cell's segments, or of what tells by each element where they begin: `by_segments(parts)`,
/// `by_runs(keys or flags)`.
template <class BySegments, class ByRuns>
scan::status enqueue_by(const cell& what, const void* heads, const BySegments& by_segments,
                        const ByRuns& by_runs) {
  const std::int64_t n = what.num_items, num_segments = what.segments.num_segments;
  switch (what.segments.heads) {
    case head_words::offsets_32: {
      const auto* const offsets = static_cast<const std::int32_t*>(heads);
      return by_segments(scan::segments{offsets, num_segments, n});
    }
    case head_words::offsets_64: {
      const auto* const offsets = static_cast<const std::int64_t*>(heads);
      return by_segments(scan::segments{offsets, num_segments, n});
    }
    case head_words::flag_bytes:
      return by_runs(scan::flags{static_cast<const std::uint8_t*>(heads)});
    case head_words::flag_bits:
      return by_runs(scan::flags{static_cast<const std::uint32_t*>(heads)});
    default:
      return by_runs(static_cast<const std::uint32_t*>(heads));
  }
}

/// With the cell's pointers, and what tells where segments begin.
template <class T>
scan::status enqueue_scan(const cell& what, const void* heads, const T* in, T* out,
                          const scan::options<T>& options) {
  return enqueue_by(
      what, heads,
      [&](const auto& parts) { return scan::inclusive(in, out, parts, scan::plus{}, options); },
      [&](const auto& by) {
        return scan::inclusive_by_key(by, in, out, what.num_items, scan::plus{}, options);
      });
}
template <class T>
scan::status enqueue_recurrence(const cell& what, const void* heads, const T* offsets, T* states,
                                const scan::options<scan::state_t<T>>& options) {
  const T* const factors = offsets + what.factors_offset() / static_cast<std::int64_t>(sizeof(T));
  return enqueue_by(
      what, heads,
      [&](const auto& parts) { return scan::recurrence(factors, offsets, states, parts, options); },
      [&](const auto& by) {
        return scan::recurrence_by_key(by, factors, offsets, states, what.num_items, options);
      });
}

using shared_buffer = std::shared_ptr<const device_buffer>;
template <class T>
shared_buffer device_copy(const std::vector<T>& of) {
  const std::size_t num_bytes = of.size() * sizeof(T);
  auto held = std::make_shared<const device_buffer>(static_cast<std::int64_t>(num_bytes));
  check_cuda(cudaMemcpy(held->data(), of.data(), num_bytes, cudaMemcpyHostToDevice),
             "writing offsets");
  // Of memory that is not pinned it may still be on its way, and the pool's stream does not wait.
  check_cuda(cudaStreamSynchronize(nullptr), "writing offsets");
  return held;
}

/// Of segments by offsets: values of each, or none.
struct segment_values {
  shared_buffer totals, inits;

  template <class T>
  scan::options<T> options(cudaStream_t stream, scan::workspace* space) const {
    scan::options<T> opts{.init = {}, .stream = stream, .workspace = space};
    if (totals) opts.total = reinterpret_cast<T*>(totals->data());
    if (inits) opts.init_pointer = reinterpret_cast<const T*>(inits->data());
    return opts;
  }
};
enqueue_call segments_call(const cell& what, const segment_values& values = {}) {
  const auto workspace = workspace_for(what);
  return call_of<suite_segment_sums>(
      what.scan, [=]<class Scan>(Scan, const void* in_slot, void* out_slot, cudaStream_t stream) {
        using T = typename Scan::Out;
        const void* const heads = static_cast<const std::byte*>(in_slot) + what.heads_offset();
        const T* const in = static_cast<const T*>(in_slot) + what.in_offset;
        T* const out = static_cast<T*>(out_slot) + what.out_offset;
        if constexpr (is_among<Scan, suite_recurrences>) {
          if (what.recurrence) {
            return enqueue_recurrence<T>(what, heads, in, out,
                                         values.options<scan::state_t<T>>(stream, workspace.get()));
          }
        }
        return enqueue_scan<T>(what, heads, in, out, values.options<T>(stream, workspace.get()));
      });
}

/// The same elements as one sequence.
enqueue_call plain_call(const cell& what) {
  const auto workspace = workspace_for(what);
  return call_of<suite_segment_sums>(
      what.scan, [=]<class Scan>(Scan, const void* in_slot, void* out_slot, cudaStream_t stream) {
        using T = typename Scan::Out;
        return scan::inclusive(
            static_cast<const T*>(in_slot) + what.in_offset,
            static_cast<T*>(out_slot) + what.out_offset, what.num_items, scan::plus{},
            scan::options<T>{.init = {}, .stream = stream, .workspace = workspace.get()});
      });
}

/// The same segments by where each begins and ends, as if there might be gaps; or from their
/// begins to other `ends`.
enqueue_call ranges_call(const cell& what, const shared_buffer& ends = {}) {
  return call_of<suite_range_sums>(
      what.scan, [=]<class Scan>(Scan, const void* in_slot, void* out_slot, cudaStream_t stream) {
        using T = typename Scan::Out;
        const auto* const offsets = reinterpret_cast<const std::int32_t*>(
            static_cast<const std::byte*>(in_slot) + what.heads_offset());
        const auto* const end =
            ends ? reinterpret_cast<const std::int32_t*>(ends->data()) : offsets + 1;
        const scan::segment_ranges ranges{offsets, end, what.segments.num_segments, what.num_items};
        const scan::options<T> options{.init = {}, .stream = stream};
        return scan::inclusive(static_cast<const T*>(in_slot) + what.in_offset,
                               static_cast<T*>(out_slot) + what.out_offset, ranges, scan::plus{},
                               options);
      });
}
/// (A giant takes a block as long as all others together.)
bool goes_by_ranges(const cell& what) {
  const auto places = places_of<suite_range_sums>();
  const ragged& of = what.segments;
  return of.heads == head_words::offsets_32 && !what.recurrence &&
         std::find(places.begin(), places.end(), what.scan) != places.end() &&
         (of.law == length_law::alike || (of.law == length_law::weighted && of.quarters <= 4));
}

enqueue_call peer_call(const cell& what, const segment_scan& scan) {
  return with_memory([=, enqueue = scan.enqueue](cub_memory& memory, const void* in_slot,
                                                 void* out_slot, cudaStream_t stream) {
    peer_segments of{nullptr, what.segments.num_segments, what.num_items};
    if (memory.data == nullptr) return enqueue(memory, nullptr, nullptr, of, stream);
    const auto* const in = static_cast<const std::byte*>(in_slot);
    of.heads = in + what.heads_offset();
    return enqueue(memory, in + what.in_offset * what.in_bytes(),
                   static_cast<std::byte*>(out_slot) + what.out_offset * what.out_bytes(), of,
                   stream);
  });
}

const std::int32_t* as_offsets(const shared_buffer& held) {
  return reinterpret_cast<const std::int32_t*>(held->data());
}
slot_data segment_data(const cell& what, const shared_buffer& held) {
  const std::int32_t* const offsets = as_offsets(held);
  return {
      [=, keep = held](std::byte* in, cudaStream_t stream) {
        return fill_segments(what, offsets, in, stream);
      },
      [=, keep = held](const std::byte* out, unsigned long long* first_wrong, cudaStream_t stream) {
        return check_segments(what, offsets, out, first_wrong, stream);
      }};
}

shared_buffer values_of(const cell& what) {
  const std::int64_t each = what.recurrence ? sizeof(float) : what.out_bytes();
  return std::make_shared<const device_buffer>(what.segments.num_segments * each);
}

/// As README shows it. All slots have the same elements, and so the same totals.
contender with_totals(const shared_stage& on, const shared_buffer& offsets) {
  const auto totals = values_of(on->what);
  return in_graph(
      on, totals_name, segments_call(on->what, {totals, {}}), [=](const device_stage& stage) {
        const std::int64_t wrong = stage.check_scans();
        if (wrong != all_right) return wrong;
        return stage.check_slots([&](const std::byte*, std::byte* out, unsigned long long* found) {
          return check_totals(stage.what, as_offsets(offsets), out, totals->data(), found,
                              stage.pool.stream());
        });
      });
}
/// Judged by check_segments.
slots_check checked_with(const shared_buffer& offsets, const segment_extras& extras) {
  return [=](const device_stage& stage) {
    return stage.check_slots([&](const std::byte*, std::byte* out, unsigned long long* found) {
      return check_segments(stage.what, as_offsets(offsets), out, found, stage.pool.stream(),
                            extras);
    });
  };
}
contender with_inits(const shared_stage& on, const shared_buffer& offsets) {
  const auto inits = values_of(on->what);
  check_cuda(fill_inits(on->what, as_offsets(offsets), inits->data(), on->pool.stream()),
             "writing inits");
  on->pool.wait("writing inits");
  return in_graph(on, inits_name, segments_call(on->what, {{}, inits}),
                  checked_with(offsets, {.inits = inits->data()}));
}
contender with_gaps(const shared_stage& on, const std::vector<std::int32_t>& offsets,
                    const shared_buffer& held) {
  std::vector<std::int32_t> ends(offsets.size() - 1);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i] = end_before_gap(offsets[i], offsets[i + 1]);
  }
  return in_graph(on, gaps_name, ranges_call(on->what, device_copy(ends)),
                  checked_with(held, {.have_gaps = true}));
}
/// Judged as any single sequence.
contender without_segments(const shared_stage& on) {
  return in_graph(on, one_sequence_name, plain_call(on->what), [](const device_stage& stage) {
    return stage.check_slots([&](const std::byte*, std::byte* out, unsigned long long* found) {
      return check_output(stage.what.scan, out + stage.out_offset(), stage.what.num_items,
                          stage.what.exclusive, found, stage.pool.stream());
    });
  });
}

}  // namespace

std::vector<contender> segment_contenders(const cell& what,
                                          const std::shared_ptr<const gpu_memory>& memory) {
  const std::vector<std::int32_t> host_offsets = ragged_offsets(what.segments, what.num_items);
  const shared_buffer offsets = device_copy(host_offsets);
  const auto on =
      std::make_shared<const device_stage>(what, memory, nullptr, segment_data(what, offsets));
  std::vector<contender> all;
  all.push_back(in_graph(on, scan_name, segments_call(what), &device_stage::check_scans));
  const head_words heads = what.segments.heads;
  const bool by_offsets = heads == head_words::offsets_32 || heads == head_words::offsets_64;
  if (by_offsets) {
    all.push_back(with_totals(on, offsets));
    all.push_back(with_inits(on, offsets));
  }
  if (goes_by_ranges(what)) {
    all.push_back(in_graph(on, ranges_name, ranges_call(what), &device_stage::check_scans));
    all.push_back(with_gaps(on, host_offsets, offsets));
  }
  if (!what.recurrence) all.push_back(without_segments(on));
  for (const segment_scan& scan : segment_peers(what.scan, what.segments.heads)) {
    if (what.recurrence) break;  // (which nobody else has)
    all.push_back(in_graph(on, scan.name, peer_call(what, scan), &device_stage::check_scans));
  }
  add_copies(all, on);
  return all;
}

}  // namespace bench
