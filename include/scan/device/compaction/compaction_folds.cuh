// The part of a tile that a warp has of a compaction that folds runs: its keys and values are in
// shared memory, where the first key of each run and what the run folds to move together.
#ifndef SCAN_DEVICE_COMPACTION_COMPACTION_FOLDS_CUH
#define SCAN_DEVICE_COMPACTION_COMPACTION_FOLDS_CUH

#include <algorithm>
#include <cstdint>

#include "scan/call/segment_heads.hpp"
#include "scan/device/compaction/compaction_cut.cuh"
#include "scan/device/fold/warp.cuh"
#include "scan/device/move/chunk_io.cuh"
#include "scan/protocol/prefix.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Cut` is a compaction_cut or a compaction_tiles of folded_runs. All lanes of a warp call; each
/// takes `lane_items` consecutive elements in a step.
template <class Cut>
class compaction_folds {
 public:
  using Item = typename Cut::Item;
  using In = typename Cut::Results::given;
  using V = typename Cut::Results::value;
  using T = typename Cut::T;
  using tile_fold = typename Cut::tile_fold;
  static constexpr int lane_items = std::max(sizeof(Item), sizeof(In)) <= 8    ? 4
                                    : std::max(sizeof(Item), sizeof(In)) <= 16 ? 2
                                                                               : 1;
  static constexpr int part_items = Cut::most_rows * warp_size;
  /// Whether folds take the places of values.
  static constexpr bool in_place = Cut::Results::folds_in_place;
  template <class Element>
  using slot_of = chunk_slot<(part_items * static_cast<int>(sizeof(Element)) + granule - 1) /
                             granule * granule>;
  struct slots {
    slot_of<Item> kept;
    slot_of<In> values;
    std::conditional_t<in_place, chunk_slot<granule>, slot_of<V>> folds;
  };
  static_assert(alignof(In) <= granule && alignof(V) <= granule,
                "scan: values are aligned to 16 bytes at most");
  struct own_memory {};  // nothing
  /// What who gathers a part tells who stores it.
  struct note {
    tile_fold total;
    int begins_run;  // the part's first element does
  };

  __device__ compaction_folds(const Cut& scan, slots& memory, std::int64_t first, own_memory&)
      : scan_(scan),
        slots_(memory),
        first_(first),
        num_valid_(static_cast<int>(
            max(std::int64_t{0}, min(scan.num_items - first, std::int64_t{scan.warp_items()})))) {}

  /// What comes from memory: see compaction_marks.
  template <class Visit>
  __device__ void visit_slots(Visit visit) const {
    visit(slots_.kept, chunk_of(scan_.in), parts_at(scan_.in),
          parts_at(scan_.in + scan_.num_items));
    const In* const values = scan_.to.values;
    visit(slots_.values, chunk_of(values), parts_at(values), parts_at(values + scan_.num_items));
  }
  /// The key before its first one.
  __device__ Item ask_previous() const {
    Item previous;
    if (first_ > 0 && num_valid_ > 0) previous = scan_.in[first_ - 1];
    return previous;
  }

  /// Puts the k-th run's first key in place k of the keys, and in place k of the folds what the run
  /// before folds to: in place 0 what there is of it in this part, if anything. All has come.
  __device__ void mark(Item previous) {
    constexpr int step = warp_size * lane_items;
    int begin = 0;
    for (; begin + step <= num_valid_; begin += step) take_step<true>(begin, previous);
    if (begin < num_valid_) take_step<false>(begin, previous);
  }
  __device__ void keep(note& to) const {
    if (lane_index() == 0) to = {fold(), begins_run_};
  }
  __device__ void take(const note& from) {
    count_ = from.total.num_kept();
    begins_run_ = from.begins_run;
  }
  __device__ void compact() const {}  // done
  __device__ tile_fold fold() const {
    return num_valid_ > 0 ? tile_fold{count_, running_.value} : tile_fold::none();
  }

  /// Stores the results; `before`: of all elements before.
  __device__ void store(const T& before) const {
    if (count_ == 0) return;
    const std::int64_t place = before.num_kept();
    store_from(slots_.kept, chunk_of(scan_.in).shift(), scan_.to.kept, place, count_);
    if (lane_index() == 0 && before.has_any()) {
      scan_.write_fold(place - 1,
                       begins_run_ != 0 ? before.open : scan_.to.op(before.open, *folds()));
    }
    store_folds(place, count_ - 1);
  }

 private:
  /// A lane's elements, of which there are `count`, and which of these begin runs.
  struct lane_part {
    Item keys[lane_items];
    In values[lane_items];
    int count;
    unsigned heads;
  };

  template <class Element>
  __device__ auto chunk_of(const Element* array) const {
    using part = std::remove_pointer_t<decltype(parts_at(array))>;
    return chunk<part>{parts_at(array + first_), num_valid_ * static_cast<int>(sizeof(Element)), 0};
  }
  __device__ int folds_offset() const { return in_place ? chunk_of(scan_.to.values).shift() : 0; }
  __device__ V* folds() const {
    if constexpr (in_place) {
      return reinterpret_cast<V*>(slots_.values.bytes + folds_offset());
    } else {
      return reinterpret_cast<V*>(slots_.folds.bytes);
    }
  }

  /// Elements from `first` on, of those in a slot that lie `shift` bytes behind its beginning.
  /// (Those that fill granules come by whole ones, whatever the shift: who loads them one by one
  /// has the same bank as others.)
  template <bool full, class Element, class Slot>
  __device__ static void load_some(const Slot& from, int shift, int first, int count,
                                   Element (&to)[lane_items]) {
    constexpr int size = static_cast<int>(sizeof(Element));
    const unsigned char* const at = from.bytes + first * size;
    if constexpr (full && lane_items * size % granule == 0) {
      constexpr int num_granules = lane_items * size / granule;
      const auto* const granules = reinterpret_cast<const uint4*>(at);
      uint4 some[num_granules + 1];
#pragma unroll
      for (int i = 0; i < num_granules; ++i) some[i] = granules[i];
      if (shift != 0) {
        some[num_granules] = granules[num_granules];
#pragma unroll
        for (int i = 0; i < num_granules; ++i) some[i] = funnel(some[i], some[i + 1], shift);
      }
      memcpy(static_cast<void*>(to), some, num_granules * sizeof(uint4));
    } else {
#pragma unroll
      for (int i = 0; i < lane_items; ++i) {
        if (full || i < count) to[i] = reinterpret_cast<const Element*>(at + shift)[i];
      }
    }
  }
  template <bool full>
  __device__ lane_part load(int first, const Item& previous) const {
    lane_part part;
    part.count = full ? lane_items : max(min(num_valid_ - first, lane_items), 0);
    part.heads = 0;
    load_some<full>(slots_.kept, chunk_of(scan_.in).shift(), first, part.count, part.keys);
    load_some<full>(slots_.values, chunk_of(scan_.to.values).shift(), first, part.count,
                    part.values);
    Item before = shuffle_up(part.keys[lane_items - 1], 1);
    if (lane_index() == 0) before = previous;
#pragma unroll
    for (int i = 0; i < lane_items; ++i) {
      if (!full && i >= part.count) break;
      const bool is_first = i == 0 && first_ + first == 0;
      const Item& one_before = i == 0 ? before : part.keys[i > 0 ? i - 1 : 0];
      if (is_first || scan_.marks.keeps(one_before, part.keys[i])) part.heads |= 1u << i;
    }
    return part;
  }

  /// The elements of all lanes from `begin` on; `full`: as many as lanes take.
  template <bool full>
  __device__ void take_step(int begin, Item& previous) {
    const lane_part mine = load<full>(begin + lane_index() * lane_items, previous);
    const int num_lanes = full ? warp_size : (num_valid_ - begin + lane_items - 1) / lane_items;
    previous = shuffle(mine.keys[lane_items - 1], warp_size - 1);
    const unsigned with_heads = __ballot_sync(all_lanes, mine.heads != 0);
    if (begin == 0) begins_run_ = __shfl_sync(all_lanes, mine.heads, 0) & 1;
    const prefix<V> folded = visit_runs<full>(mine, {{}, false}, [](int, const prefix<V>&) {});
    const segment_fold<V> up_to = warp_segment_scan(
        segment_fold<V>{folded.value, mine.heads != 0 ? 1u : 0u}, num_lanes, scan_.to.op);
    if (with_heads != 0) {
      prefix<V> before{shuffle_up(up_to.value, 1), lane_index() > 0};
      if ((with_heads & lanes_below()) == 0) before = join(running_, before, scan_.to.op);
      gather<full>(mine, before);
    }
    const prefix<V> last{shuffle(up_to.value, num_lanes - 1), true};
    running_ = with_heads != 0 ? last : join(running_, last, scan_.to.op);
  }

  /// Puts what begins, and what ends, in its place. `before`: the fold of the run that goes on.
  template <bool full>
  __device__ void gather(const lane_part& mine, const prefix<V>& before) {
    int rank = count_;
#pragma unroll
    for (int i = 0; i < lane_items; ++i) {
      const unsigned lanes = __ballot_sync(all_lanes, (mine.heads >> i & 1) != 0);
      rank += __popc(lanes & lanes_below());
      count_ += __popc(lanes);
    }
    __syncwarp();
    // All have read: what is written lies where their elements are, or before.
    auto* const keys = reinterpret_cast<Item*>(slots_.kept.bytes + chunk_of(scan_.in).shift());
    visit_runs<full>(mine, before, [&](int i, const prefix<V>& ended) {
      keys[rank] = mine.keys[i];
      if (ended.exists) folds()[rank] = ended.value;
      ++rank;
    });
    __syncwarp();
  }

  /// visit(i, what the run before folds to) of each element that begins one; returns what the last
  /// one does. `before`: what the one that goes on does up to here.
  template <bool full, class Visit>
  __device__ prefix<V> visit_runs(const lane_part& part, prefix<V> before, Visit visit) const {
#pragma unroll
    for (int i = 0; i < lane_items; ++i) {
      if (!full && i >= part.count) break;
      if ((part.heads >> i & 1) != 0) {
        visit(i, before);
        before.exists = false;
      }
      before = join(before, {convert<V>(part.values[i]), true}, scan_.to.op);
    }
    return before;
  }

  template <class Slot, class Element>
  __device__ void store_from(const Slot& from, int offset, Element* to, std::int64_t place,
                             int wanted) const {
    const int count = static_cast<int>(scan_.room(place, wanted));
    using part = std::remove_pointer_t<decltype(parts_at(to))>;
    if (count == 0) return;
    from.store_by_lanes(
        chunk<part>{parts_at(to + place), count * static_cast<int>(sizeof(Element)), offset});
  }
  /// Folds from the second on.
  __device__ void store_folds(std::int64_t place, int wanted) const {
    if constexpr (in_place) {
      store_from(slots_.values, folds_offset() + static_cast<int>(sizeof(V)), scan_.to.folds, place,
                 wanted);
    } else {
      for (int i = lane_index(); i < wanted; i += warp_size) {
        scan_.write_fold(place + i, folds()[1 + i]);
      }
      __syncwarp();  // others will be put here
    }
  }

  const Cut& scan_;
  slots& slots_;
  std::int64_t first_;
  int num_valid_;
  int count_ = 0, begins_run_ = 0;
  prefix<V> running_{{}, false};  // from the last run's beginning on
};

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
