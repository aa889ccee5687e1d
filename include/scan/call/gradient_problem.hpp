// The gradient of a recurrence along a sequence, which is a recurrence back:
//
//   g(i) = a(i+1) g(i+1) + grad_h(i)      grad_b(i) = g(i)      grad_a(i) = g(i) h(i-1)
//
// Of a and h a step reads what is beside it; what there is not, 1 stands for: the first step walked
// takes the gradient of the total as it is.
#ifndef SCAN_CALL_GRADIENT_PROBLEM_HPP
#define SCAN_CALL_GRADIENT_PROBLEM_HPP

#include <cstdint>

#include "scan/call/recurrence_problem.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// `data` is grad_h, `factors` a. h(-1) is `first`, or *first_pointer, or nothing.
template <class T>
struct gradient_input : recurrence_input<T> {
  const T* states;  // h
  prefix<state_t<T>> first;
  const state_t<T>* first_pointer;
};

/// A recurrence_problem, whose `init` is the gradient of the forward one's total, `total` that of
/// its init, and `out` grad_b.
template <class T_, bool reversed_>
struct gradient_problem : recurrence_problem<recurrence_input<T_>, T_, reversed_> {
  using base = recurrence_problem<recurrence_input<T_>, T_, reversed_>;
  using typename base::constants;
  using typename base::in_type;
  using typename base::out_type;
  using typename base::T;
  using typename base::value_type;
  static constexpr int num_inputs = 3, num_outputs = 2;
  static constexpr bool is_walked = true;

  const T_* states;  // h
  T_* of_factors;    // grad_a
  prefix<value_type> first;
  const value_type* first_pointer;
  std::int64_t last;  // where the last step walked is, from where the sequence begins

  gradient_problem(const base& walk, const gradient_input<T_>& in, T_* grad_a,
                   std::int64_t last_step)
      : base(walk),
        states(in.states),
        of_factors(grad_a),
        first(in.first),
        first_pointer(in.first_pointer),
        last(last_step) {}

  SCAN_HOST_DEVICE const in_type* input(int which) const {
    return which == 0 ? this->in.data : which == 1 ? this->in.factors : states;
  }
  SCAN_HOST_DEVICE out_type* output(int which) const {
    return which == 0 ? this->out.data : of_factors;
  }
  /// How many steps later in the walk the element is that a step reads.
  SCAN_HOST_DEVICE static constexpr int beside(int which) {
    return which == 0 ? 0 : which == 1 ? -1 : 1;
  }
  SCAN_HOST_DEVICE recurrence_step<value_type> take_all(const in_type (&elements)[3],
                                                        const constants& = {}) const {
    return {convert<value_type>(elements[1]), convert<value_type>(elements[0])};
  }
  /// grad_a of a step, from grad_b.
  SCAN_HOST_DEVICE out_type give_second(const T& result, const in_type (&elements)[3]) const {
    return convert<out_type>(result.offset * convert<value_type>(elements[2]));
  }
  /// The same of the last step.
  SCAN_HOST_DEVICE out_type last_second(const T& result) const {
    if (first_pointer == nullptr && !first.exists) return convert<out_type>(value_type(0));
    return convert<out_type>(result.offset *
                             (first_pointer != nullptr ? *first_pointer : first.value));
  }
  /// What a factor of 0 follows has no gradient, be g infinite or NaN.
  SCAN_HOST_DEVICE void write_end(const prefix<T>& end) const {
    if (this->total == nullptr) return;
    value_type gradient = end.exists ? end.value.offset : value_type(0);
    if (this->num_items > 0) {
      const auto factor = convert<value_type>(this->in.factors[last]);
      gradient = factor == 0 ? value_type(0) : factor * gradient;
    }
    *this->total = gradient;
  }

  auto forwards() const {
    gradient_input<T_> in{};
    in.states = states;
    in.first = first;
    in.first_pointer = first_pointer;
    return gradient_problem<T_, false>(base::forwards(), in, of_factors, last);
  }

  SCAN_HOST_DEVICE void move_to(std::int64_t in_offset, std::int64_t out_offset,
                                std::int64_t sequence) {
    base::move_to(in_offset, out_offset, sequence);
    states += in_offset;
    of_factors += out_offset;
    if (first_pointer != nullptr) first_pointer += sequence;
  }
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
