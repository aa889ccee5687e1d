// Recurrences that libscan.a holds, by the code of their type.
#include <string_view>
#include <utility>

#include "scan/recurrence.hpp"
#include "src/c/codes.hpp"
#include "src/c/held_calls.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {
namespace {

template <class T>
constexpr bool is_recurrence_held = false;
#define SCAN_HELD_RECURRENCE(T) \
  template <>                   \
  constexpr bool is_recurrence_held<T> = true;
SCAN_RECURRENCES_HELD(SCAN_HELD_RECURRENCE)
#undef SCAN_HELD_RECURRENCE

template <class Where, class T>
status recur_through(const scan_recurrence_operands& given, const extents& shape,
                     const scan_options& opts) {
  return recur_by(Where{}, static_cast<const T*>(given.a), static_cast<const T*>(given.b),
                  static_cast<T*>(given.h), shape, options_of<state_t<T>>(Where{}, opts, -1));
}

template <class Where, class T>
constexpr recurrence_function* recurrence_of() {
  if constexpr (is_recurrence_held<T>) {
    return recur_through<Where, T>;
  } else {
    return nullptr;
  }
}

template <class Where, int... k>
recurrence_function* recurrence_at(std::int32_t type, std::integer_sequence<int, k...>) noexcept {
  static constexpr recurrence_function* all[] = {recurrence_of<Where, type_of<k + 1>>()...};
  return is_type_code(type) ? all[type - 1] : nullptr;
}

}  // namespace

template <class Where>
recurrence_function* find_recurrence(std::int32_t type) noexcept {
  return recurrence_at<Where>(type, std::make_integer_sequence<int, num_types>{});
}
template recurrence_function* find_recurrence<device::on_device>(std::int32_t) noexcept;
template recurrence_function* find_recurrence<host_path::on_host>(std::int32_t) noexcept;

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan
