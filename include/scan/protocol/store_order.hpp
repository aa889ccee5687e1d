// What orders a CPU thread's stores past the caches before what tells others of them.
#ifndef SCAN_PROTOCOL_STORE_ORDER_HPP
#define SCAN_PROTOCOL_STORE_ORDER_HPP

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// By who has stored so, before others are told.
inline void finish_stores() {
#ifdef __SSE2__
  // Pairs with whatever tells others: such stores are ordered by nothing else, not even by the
  // release of a mutex. Without it they could read what was there before.
  _mm_sfence();
#endif
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
