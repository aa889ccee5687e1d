// A segmented scan as kernels take it: the scan of its values, and where segments begin.
//
// Items are numbered from the first segment's beginning on, in scan order, and the first one is a
// head. What kernels fold, publish and look back for are segment folds.
#ifndef SCAN_DEVICE_SEGMENT_SEGMENT_PROBLEM_CUH
#define SCAN_DEVICE_SEGMENT_SEGMENT_PROBLEM_CUH

#include <cstdint>
#include <type_traits>

#include "scan/call/problem.hpp"
#include "scan/call/recurrence_problem.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/device/fold/items.cuh"
#include "scan/device/fold/packed.cuh"
#include "scan/device/segment/any_boundaries.cuh"
#include "scan/device/segment/head_sources.cuh"
#include "scan/transform.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

/// `Values_` is a `problem` without init pointer, totals and the like; its init begins every
/// segment. `Heads_`: segment_heads or keyed_heads.
template <class Values_, class Heads_>
struct segment_problem : Values_ {
  using Values = Values_;
  using Heads = Heads_;
  using V = typename Values::T;
  using T = segment_fold<V>;
  using op_type = segmented<typename Values::op_type>;
  static constexpr bool has_heads = true;
  /// Whether heads may be offsets, of segments that have numbers.
  static constexpr bool has_numbers = std::is_same_v<Heads, segment_heads>;
  /// Whether every segment can be begun by an operand: by the identity of the library's own
  /// operators, of numbers, which it does not change by a bit. (A type of the caller's own may have
  /// limits, and equals of them that are not the same.) Others are given nothing but elements and
  /// their folds.
  static constexpr bool has_start =
      is_own_operator<typename Values::op_type> &&
      has_identity<typename bare<typename Values::op_type>::type, V> &&
      (is_number<V> || is_narrow_float<V> || Values::is_recurrence);

  op_type op;
  Heads heads;
  std::int64_t origin = 0;  // the element that segments begin at

  segment_problem(const Values& values, const Heads& where)
      : Values(values), op{values.op}, heads(where) {
    if (this->init.exists) this->first_output = this->init.value;
  }

  __device__ const Values& values() const { return *this; }

  /// The same, knowing where it is. Any thread, when the input may be read.
  __device__ segment_problem resolved() const {
    segment_problem here = *this;
    const item_range range = range_of(heads);
    here.move_by(range.first);
    here.num_items = range.count;
    here.origin = range.first;
    return here;
  }

  /// Of an element, or an item_of: an operand, or a step of a recurrence; an `Item` below.
  __device__ auto taken(const typename Values::in_type& element) const {
    return this->take(element);
  }
  __device__ auto taken(const item_of<Values>& item) const {
    return this->take_all(item.elements, item.common);
  }

  /// The fold of the first item of a run; `start`, here and below, begins a segment.
  template <class Item>
  __device__ V begin(const Item& item, bool head, const V& start) const {
    return head ? begin_segment(item, start) : run_of<V>(item, false);
  }
  template <class Item>
  __device__ V begin(const Item& item, bool head) const {
    return begin(item, head, this->first_output);
  }
  /// The fold of a run and the item after it.
  template <class Item>
  __device__ V follow(const V& earlier, const Item& item, bool head, const V& start) const {
    if constexpr (has_start) {
      return op.op(head ? start : earlier, item);
    } else {
      return head ? begin_segment(item, start) : op.op(earlier, item);
    }
  }
  template <class Item>
  __device__ V follow(const V& earlier, const Item& item, bool head) const {
    return follow(earlier, item, head, this->first_output);
  }
  /// One item's result; `running` goes from its exclusive to its inclusive prefix. Before a head it
  /// may be anything. `Elements`: an element, or an item_of. `shows`: whether a head's exclusive
  /// result is what begins the segment, not what comes before it.
  template <class Elements>
  __device__ typename Values::out_type scan_item(const Elements& elements, bool head, V& running,
                                                 const V& start, bool shows) const {
    const V before = shows ? start : running;
    running = follow(running, taken(elements), head, start);
    return this->give(this->exclusive ? before : running);
  }
  template <class Elements>
  __device__ typename Values::out_type scan_item(const Elements& elements, bool head,
                                                 V& running) const {
    return scan_item(elements, head, running, this->first_output, head);
  }

  // ---- Of segments by offsets, which have numbers: those of the caller.

  using boundaries_type = any_boundaries<Values::reversed>;
  __device__ boundaries_type boundaries() const {
    if constexpr (std::is_same_v<Heads, segment_heads>) {
      return {static_cast<const std::uint32_t*>(heads.data),
              are_wide_offsets(heads.kind) ? 1 : 0,
              heads.num_segments,
              {origin, this->num_items}};
    } else {
      return {};
    }
  }
  /// What begins a segment.
  __device__ V init_of(std::int64_t segment) const {
    return this->init_pointer == nullptr ? this->first_output
                                         : this->as_operand(this->init_pointer[segment]);
  }
  __device__ void write_total(std::int64_t segment, const V& value) const {
    if (this->total != nullptr) this->total[segment] = this->as_value(value);
  }

  /// Writes the totals of the block's share of the segments without items; by `num_threads`
  /// threads.
  template <class Boundaries>
  __device__ void write_empty_totals(const Boundaries& boundary, int num_threads) const {
    const std::int64_t step = std::int64_t{gridDim.x} * num_threads;
    std::int64_t j = std::int64_t{blockIdx.x} * num_threads + threadIdx.x;
    for (; j < boundary.num_segments; j += step) {
      if (boundary(j) == boundary(j + 1)) {
        write_total(boundary.segment(j), init_of(boundary.segment(j)));
      }
    }
  }

  // There is no start and no end of the whole.
  __device__ prefix<T> start() const { return {{}, false}; }
  __device__ void write_start(const prefix<T>&) const {}
  __device__ void write_end(const prefix<T>&) const {}

 private:
  template <class Item>
  __device__ V begin_segment(const Item& item, const V& start) const {
    if (has_start || this->has_init()) return static_cast<V>(op.op(start, item));
    return run_of<V>(item, true);
  }
};

/// Whether a total has the bits of a result.
template <class Values>
inline constexpr bool are_totals_results =
    std::is_same_v<typename Values::out_type, typename Values::value_type>&&
        std::is_same_v<std::decay_t<decltype(Values::out.function)>, as_is>;
template <class Input, class Out, bool reversed>
inline constexpr bool are_totals_results<recurrence_problem<Input, Out, reversed>> =
    std::is_same_v<Out, state_t<Out>>;

/// The same of the segments of a segment_problem, by offsets: who has the results writes the
/// totals.
template <class Segments>
inline constexpr bool gives_totals = std::is_same_v<typename Segments::Heads, segment_heads>&&
    are_totals_results<typename Segments::Values>;

/// Values for those who keep them as results, and make results of them when they store: so a total
/// is the last result of a segment here, too.
template <class Values>
struct unrounded : Values {
  using stored_type = typename Values::out_type;
  using out_type = typename Values::value_type;
  SCAN_HOST_DEVICE out_type give(const typename Values::T& result) const {
    return this->as_value(result);
  }
  __device__ stored_type stored(const out_type& value) const {
    if constexpr (Values::is_recurrence) {
      return convert<stored_type>(value);
    } else {
      return convert<stored_type>(this->out.function(value));
    }
  }
};
template <class Values>
inline constexpr bool is_unrounded = false;
template <class Values>
inline constexpr bool is_unrounded<unrounded<Values>> = true;
/// What is stored: of unrounded ones the result of those that they are made of.
template <class Values>
struct stored_result {
  using type = typename Values::out_type;
};
template <class Values>
struct stored_result<unrounded<Values>> {
  using type = typename Values::out_type;
};
template <class Segments>
auto giving_totals(const Segments& scan) {
  using Values = typename Segments::Values;
  if constexpr (gives_totals<Segments>) {
    return scan;
  } else {
    using problem = segment_problem<unrounded<Values>, typename Segments::Heads>;
    return problem({static_cast<const Values&>(scan)}, scan.heads);
  }
}

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan

#endif
