// Where segments begin, as callers in C say it.
#ifndef SCAN_SRC_C_HEADS_HPP
#define SCAN_SRC_C_HEADS_HPP

#include <cstdint>

#include "scan/abi.hpp"
#include "scan/c.h"
#include "scan/call/segment_heads.hpp"
#include "scan/status.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

/// What is checked is what C++ has types for; the rest is the library's to check.
status read_segments(const scan_segments* given, segment_heads& heads) noexcept;
status read_keys(const scan_keys* given, std::int64_t n, segment_heads& heads) noexcept;

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

#endif
