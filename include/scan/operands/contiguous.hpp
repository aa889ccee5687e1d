// What lies in memory as an array and is no pointer: iterators over arrays, and spans.
#ifndef SCAN_OPERANDS_CONTIGUOUS_HPP
#define SCAN_OPERANDS_CONTIGUOUS_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "scan/operands/type_name.hpp"
#ifdef __CUDACC__
#include <cuda/std/memory>
#endif

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// How an iterator over an array gives its pointer: `static T* pointer(const Iterator&)`. Here
/// those of others are none; to be specialised for more.
template <class Iterator, class = void>
struct contiguous {};

template <class T>
struct contiguous<T*> {
  static T* pointer(T* data) noexcept { return data; }
};
/// Pointers that are classes, with `get()`: thrust::device_ptr.
template <class Pointer>
struct contiguous<
    Pointer, std::enable_if_t<std::is_pointer_v<decltype(std::declval<const Pointer&>().get())> &&
                              std::is_trivially_copyable_v<Pointer> &&
                              std::is_same_v<std::remove_cv_t<std::remove_pointer_t<
                                                 decltype(std::declval<const Pointer&>().get())>>,
                                             std::remove_cv_t<typename Pointer::value_type>>>> {
  static auto pointer(const Pointer& data) noexcept { return data.get(); }
};

/// Whether `Made` is the same wrapper as `Iterator` around `Iterator`.
template <class Made, class Iterator>
inline constexpr bool wraps_again = false;
template <template <class> class Wrapper, class Pointer>
inline constexpr bool wraps_again<Wrapper<Wrapper<Pointer>>, Wrapper<Pointer>> = true;
/// Thrust's iterators over vectors. They look like those that walk backwards; but the function that
/// makes them is found by the name that it has beside them, and makes nothing else.
template <class Iterator>
struct contiguous<Iterator,
                  std::enable_if_t<wraps_again<
                      decltype(make_normal_iterator(std::declval<const Iterator&>())), Iterator>>> {
  static auto pointer(const Iterator& data) noexcept {
    return contiguous<std::decay_t<decltype(data.base())>>::pointer(data.base());
  }
};

/// Iterators that say so by their `iterator_concept`, the standard library's or libcu++'s (which
/// C++17 does not know to be one): those of cuda::buffer.
template <class Iterator, class = void>
inline constexpr bool says_contiguous = false;
template <class Iterator>
inline constexpr bool says_contiguous<Iterator, std::void_t<typename Iterator::iterator_concept>> =
    is_named(type_name<typename Iterator::iterator_concept>(), "std::contiguous_iterator_tag") ||
    is_named(type_name<typename Iterator::iterator_concept>(),
             "cuda::std::contiguous_iterator_tag");
template <class Iterator>
constexpr bool is_contiguous_class() noexcept {
  if constexpr (says_contiguous<Iterator>) {
    return true;  // whom the standard asks for `->`, which iterators over device memory may lack
  } else {
#ifdef __cpp_lib_concepts
    return std::is_class_v<Iterator> && std::contiguous_iterator<Iterator>;
#else
    return false;
#endif
  }
}
template <class Iterator, class = void>
inline constexpr bool has_get = false;
template <class Iterator>
inline constexpr bool
    has_get<Iterator, std::void_t<decltype(std::declval<const Iterator&>().get())>> = true;
template <class Iterator>
struct contiguous<Iterator,
                  std::enable_if_t<is_contiguous_class<Iterator>() && !has_get<Iterator>>> {
  static auto pointer(const Iterator& data) noexcept {
#ifdef __CUDACC__
    return cuda::std::to_address(data);  // those over device memory have no `->` on the host
#else
    return data.operator->();
#endif
  }
};

/// The pointer that `contiguous` finds, or no type.
template <class Iterator>
using contiguous_pointer =
    decltype(contiguous<std::decay_t<Iterator>>::pointer(std::declval<const Iterator&>()));

/// Views of arrays: std::span, cuda::std::span, and all that have `data()` and `size()`, and whose
/// `begin()` is an iterator over the array: one with strides has another. (What owns its elements
/// is not trivially copyable.)
template <class Span, class = void>
inline constexpr bool is_span = false;
template <class Span>
inline constexpr bool is_span<
    Span, std::enable_if_t<
              std::is_same_v<contiguous_pointer<decltype(std::declval<const Span&>().begin())>,
                             decltype(std::declval<const Span&>().data())> &&
              std::is_convertible_v<decltype(std::declval<const Span&>().size()), std::size_t> &&
              std::is_trivially_copyable_v<Span>>> = true;
template <class Span>
struct contiguous<Span, std::enable_if_t<is_span<Span>>> {
  static auto pointer(const Span& data) noexcept { return data.data(); }
};

template <class Iterator, class = void>
inline constexpr bool is_contiguous = false;
template <class Iterator>
inline constexpr bool is_contiguous<
    Iterator, std::void_t<decltype(contiguous<Iterator>::pointer(std::declval<Iterator>()))>> =
    true;

/// The pointer behind an iterator over an array, or a span.
template <class Iterator, std::enable_if_t<is_contiguous<Iterator>, int> = 0>
auto as_pointer(const Iterator& data) noexcept {
  return contiguous<Iterator>::pointer(data);
}

/// Elements that a side of a call has at least, where it says: those of a span.
template <class Side>
std::int64_t room_of(const Side& side) noexcept {
  if constexpr (is_span<Side>) {
    return static_cast<std::int64_t>(side.size());
  } else {
    return INT64_MAX;
  }
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
