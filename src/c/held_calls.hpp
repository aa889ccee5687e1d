// The scans that libscan.a holds, by codes: scans that share kernels share a function here, too.
#ifndef SCAN_SRC_C_HELD_CALLS_HPP
#define SCAN_SRC_C_HELD_CALLS_HPP

#include <cstdint>

#include "scan/abi.hpp"
#include "scan/call/entries.hpp"
#include "scan/call/segment_heads.hpp"
#include "scan/extents.hpp"
#include "scan/status.hpp"
#include "src/c/request.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {

/// A scan of `Shape`: int64_t, extents or segment_heads.
template <class Shape>
struct held_call {
  using function = status(const held_call&, const request&, const Shape&);
  function* carry_out = nullptr;          // null where none is held
  std::uint64_t (*inverted)() = nullptr;  // bits of operands, see shared_kernels.hpp
  int start = -1;                         // see init_of

  status operator()(const request& given, const Shape& shape) const {
    return carry_out(*this, given, shape);
  }
};

/// Null where there is none, or a code is none. `Where`: on_device or on_host.
template <class Where, class Shape>
const held_call<Shape>* find_held(std::int32_t input_type, std::int32_t output_type,
                                  std::int32_t op) noexcept;

/// The same of recurrences, and of their gradients: the scan itself.
using recurrence_function = status(const scan_recurrence_operands&, const extents&,
                                   const scan_options&);
template <class Where>
recurrence_function* find_recurrence(std::int32_t type, std::int32_t output_type) noexcept;
using gradient_function = status(const scan_gradient_operands&, const extents&,
                                 const scan_options&);
template <class Where>
gradient_function* find_gradient(std::int32_t type) noexcept;

/// Whether there is a compaction, one of the later kinds of a scan_kind, by codes of types.
bool is_compaction_there(std::int32_t kind, std::int32_t in, std::int32_t out) noexcept;

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

#endif
