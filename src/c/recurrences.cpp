// Recurrences that libscan.a holds, and their gradients, by the codes of their types.
#include <cstring>

#include "scan/recurrence.hpp"
#include "scan/recurrence_gradient.hpp"
#include "src/c/codes.hpp"
#include "src/c/given.hpp"
#include "src/c/held_calls.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {
namespace {

template <class T, int code = 1>
constexpr std::int32_t code_of() {
  if constexpr (std::is_same_v<type_of<code>, T>) {
    return code;
  } else {
    return code_of<T, code + 1>();
  }
}

template <class Where, class In, class Out>
status recur_through(const scan_recurrence_operands& given, const extents& shape,
                     const scan_options& opts) {
  using S = state_t<Out>;
  const auto recur = [&](const auto& a) {
    return recur_by(Where{}, a, static_cast<const In*>(given.b), static_cast<Out*>(given.h), shape,
                    options_of<S>(Where{}, opts, -1));
  };
  if (given.factors == SCAN_FACTOR_A_STEP) return recur(static_cast<const In*>(given.a));
  if (given.factors == SCAN_FACTOR_A_SEQUENCE) {
    return recur(factor_each<S>{static_cast<const S*>(given.a)});
  }
  if (given.a == nullptr) return refused("operands.a is null: there is no factor");
  factor<S> one;
  std::memcpy(&one.value, given.a, sizeof(S));
  return recur(one);
}

template <class S>
void take_memory(gradient_options<S>& opts, const scan_options& given) noexcept {
  opts.stream = static_cast<cudaStream_t>(given.stream);
  opts.workspace = given.workspace != nullptr ? &given.workspace->held : nullptr;
  opts.memory_resource = resource_of(given);
}
template <class S>
void take_memory(host_gradient_options<S>& opts, const scan_options& given) noexcept {
  opts.threads = given.threads;
}

template <class Where, class T>
status differentiate_through(const scan_gradient_operands& given, const extents& shape,
                             const scan_options& options) {
  using S = state_t<T>;
  std::conditional_t<std::is_same_v<Where, on_host>, host_gradient_options<S>, gradient_options<S>>
      opts;
  opts.init = init_of<S>(options, -1);
  opts.init_pointer = static_cast<const S*>(options.init_pointer);
  opts.grad_total = static_cast<const S*>(given.grad_total);
  opts.grad_init = static_cast<S*>(given.grad_init);
  opts.reverse = options.reverse != 0;
  take_memory(opts, options);
  return gradient_by(Where{}, static_cast<const T*>(given.a), static_cast<const T*>(given.h),
                     static_cast<const T*>(given.grad_h), static_cast<T*>(given.grad_a),
                     static_cast<T*>(given.grad_b), shape, opts);
}

}  // namespace

template <class Where>
recurrence_function* find_recurrence(std::int32_t type, std::int32_t output_type) noexcept {
#define SCAN_FIND(In, Out, Factors)                             \
  if (type == code_of<In>() && output_type == code_of<Out>()) { \
    return recur_through<Where, In, Out>;                       \
  }
  SCAN_RECURRENCES_HELD(SCAN_FIND)
#undef SCAN_FIND
  return nullptr;
}
template recurrence_function* find_recurrence<device::on_device>(std::int32_t,
                                                                 std::int32_t) noexcept;
template recurrence_function* find_recurrence<host_path::on_host>(std::int32_t,
                                                                  std::int32_t) noexcept;

template <class Where>
gradient_function* find_gradient(std::int32_t type) noexcept {
#define SCAN_FIND(T) \
  if (type == code_of<T>()) return differentiate_through<Where, T>;
  SCAN_GRADIENTS_HELD(SCAN_FIND)
#undef SCAN_FIND
  return nullptr;
}
template gradient_function* find_gradient<device::on_device>(std::int32_t) noexcept;
template gradient_function* find_gradient<host_path::on_host>(std::int32_t) noexcept;

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan
