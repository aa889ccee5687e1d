// Scans of tensors on CPU threads: which way the sequences of a shape go. Included by
// <scan/host/host_scan.hpp>.
#ifndef SCAN_HOST_TENSOR_SCAN_HPP
#define SCAN_HOST_TENSOR_SCAN_HPP

#include <cstdint>

#include "scan/host/host_scan.hpp"
#include "scan/host/rows.hpp"
#include "scan/host/strips.hpp"
#include "scan/tensor_problem.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace host_path {

/// Whether rows are so long, and so few, that threads had better share each than take one each.
template <class Input, class Output>
bool shares_rows(const tensor_shape& shape, int threads) noexcept {
  constexpr std::int64_t tile_bytes = std::int64_t{128} << 10;
  using types = scan_types<Input, Output>;
  if (shape.inner != 1 || shape.length == 0) return false;
  const std::int64_t bytes = shape.length * std::int64_t{sizeof(typename types::accumulated)};
  const int num_workers = worker_count(threads, bytes / tile_bytes, bytes);
  return num_workers > 1 && shape.outer < 2 * num_workers;
}

/// One row as the one sequence that it is, with what is said already of types and operator.
template <class Input, class Output, class Op, class Options>
status scan_one_row(bool exclusive, const Input& in, const Output& out, std::int64_t n, Op op,
                    const Options& opts) {
  if constexpr (both_as_is<Input, Output>) {
    return scan_pointers(exclusive, in.data, out.data, n, op, opts);
  } else {
    return scan_host(exclusive, in, out, n, op, opts);
  }
}

/// Row after row.
template <class Input, class Output, class Op, class Options>
status scan_row_after_row(bool exclusive, Input in, Output out, const tensor_shape& shape, Op op,
                          Options opts) {
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    if (const status done = scan_one_row(exclusive, in, out, shape.length, op, opts); !done.ok()) {
      return done;
    }
    in.data += shape.in_pitch;
    out.data += shape.out_pitch;
    if (opts.init_pointer != nullptr) ++opts.init_pointer;
    if (opts.total != nullptr) ++opts.total;
  }
  return {};
}

template <class Tensor>
void scan_sequences(const Tensor& scan, int threads) {
  if (scan.num_items == 0) {
    write_ends(scan);
  } else if (scan.shape.inner == 1) {
    scan_rows(scan, threads);
  } else {
    scan_strips(scan, threads);
  }
}

/// A scan of a tensor in host memory: `inclusive` and `exclusive` of tensors.hpp.
template <class Input, class Output, class Op>
status scan_tensor(bool exclusive, const Input& in, const Output& out, const extents& given, Op op,
                   const host_options<typename scan_types<Input, Output>::value>& opts) {
  if (opts.threads < 0) return {cudaErrorInvalidValue, "options.threads is negative"};
  tensor_shape shape;
  if (const status checked = validate_tensor<Op>(exclusive, in, out, given, opts, shape);
      !checked.ok()) {
    return checked;
  }
  if (writes_nothing(shape, opts)) return {};
  if (shape.num_sequences() == 1 || shares_rows<Input, Output>(shape, opts.threads)) {
    return scan_row_after_row(exclusive, in, out, shape, op, opts);
  }
  if (opts.reverse) {
    scan_sequences(describe_tensor<true>(exclusive, in, out, shape, op, opts), opts.threads);
  } else {
    scan_sequences(describe_tensor<false>(exclusive, in, out, shape, op, opts), opts.threads);
  }
  return {};
}

/// Of what libscan.a holds nothing is compiled again, however it is said.
template <class Input, class Output, class Op, class Value>
status scan_transformed(bool exclusive, const Input& in, const Output& out, const extents& shape,
                        Op op, const host_options<Value>& opts) {
  if constexpr (both_as_is<Input, Output>) {
    return scan_pointers(exclusive, in.data, out.data, shape, op, opts);
  } else {
    static_assert(in_arrays_only<Input, Output>());
    using call = call_types<Input, Output, Op>;
    return scan_tensor(exclusive, call::input(in), call::output(out), shape, call::op(op),
                       call::options(opts));
  }
}

}  // namespace host_path
}  // namespace SCAN_ABI
}  // namespace scan

#endif
