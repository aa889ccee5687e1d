// The interface of <scan/scan.hpp> for nvcc: any trivially copyable element type of up to 64 bytes
// and any associative operator, on the device and on CPU threads. Compile as C++17 or newer with
// the CUDA toolkit's libcu++ on the include path, and link libscan.a.
#ifndef SCAN_SCAN_CUH
#define SCAN_SCAN_CUH

#include "scan/device/launch.cuh"
#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"

namespace scan {

template <class In, class Out, class Op>
status inclusive(const In* d_in, Out* d_out, std::int64_t n, Op op,
                 const options<Out>& opts) noexcept {
  using shape = device::tuned<std::max(sizeof(In), sizeof(Out))>;
  return device::scan_device<shape>(false, d_in, d_out, n, op, opts);
}

template <class In, class Out, class Op>
status exclusive(const In* d_in, Out* d_out, std::int64_t n, Op op,
                 const options<Out>& opts) noexcept {
  using shape = device::tuned<std::max(sizeof(In), sizeof(Out))>;
  return device::scan_device<shape>(true, d_in, d_out, n, op, opts);
}

}  // namespace scan

#endif
