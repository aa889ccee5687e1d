// libcu++'s functors as the library's operators; Thrust's `plus`, `maximum` and so on are the same
// types. Included by <scan/scan.cuh>; with a compiler that finds libcu++ also by itself.
#ifndef SCAN_CUDA_FUNCTORS_HPP
#define SCAN_CUDA_FUNCTORS_HPP

#include <cuda/functional>
#include <cuda/std/functional>

#include "scan/functors.hpp"

namespace scan {

template <class T>
struct known_functor<cuda::std::plus<T>> : known_as<plus, T> {};
template <class T>
struct known_functor<cuda::std::multiplies<T>> : known_as<multiplies, T> {};
/// (Of floats these differ where there is a NaN: newer versions skip it, older ones keep or skip it
/// by where it is, and here the first one stays.)
template <class T>
struct known_functor<cuda::minimum<T>> : known_as<minimum, T> {};
template <class T>
struct known_functor<cuda::maximum<T>> : known_as<maximum, T> {};
template <class T>
struct known_functor<cuda::std::bit_and<T>> : known_as<bit_and, T> {};
template <class T>
struct known_functor<cuda::std::bit_or<T>> : known_as<bit_or, T> {};
template <class T>
struct known_functor<cuda::std::bit_xor<T>> : known_as<bit_xor, T> {};

}  // namespace scan

#endif
