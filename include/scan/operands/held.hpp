// Elements that have no default constructor: scans need room for them before they have them.
#ifndef SCAN_OPERANDS_HELD_HPP
#define SCAN_OPERANDS_HELD_HPP

#include <cstring>
#include <type_traits>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// The bytes of a T, where a T cannot be without a value. Arrays of T are scanned as arrays of it.
template <class T>
struct held {
  using type = T;
  alignas(T) unsigned char bytes[sizeof(T)];

  held() = default;
  SCAN_HOST_DEVICE held(const T& value) { std::memcpy(bytes, &value, sizeof(T)); }
  SCAN_HOST_DEVICE const T& get() const { return *reinterpret_cast<const T*>(bytes); }
};

template <class T>
inline constexpr bool is_held = false;
template <class T>
inline constexpr bool is_held<held<T>> = true;

/// T as scans keep it, and back.
template <class T>
using held_t = std::conditional_t<std::is_default_constructible_v<T>, T, held<T>>;
template <class T>
struct unheld {
  using type = T;
};
template <class T>
struct unheld<held<T>> {
  using type = T;
};
template <class T>
using unheld_t = typename unheld<T>::type;

/// A function of elements that are held.
template <class Function>
struct reading_held {
  Function function;
  SCAN_CALLS_EITHER_SIDE
  template <class T>
  SCAN_HOST_DEVICE auto operator()(const held<T>& element) const {
    return function(element.get());
  }
};

}  // namespace SCAN_ABI
}  // namespace scan

#endif
