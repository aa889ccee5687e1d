// Options of a scan: aggregates, so that C++20 callers name just what they set.
#ifndef SCAN_OPTIONS_HPP
#define SCAN_OPTIONS_HPP

#include <driver_types.h>

#include <optional>

namespace scan {

class workspace;

/// Options of a scan in device memory; `T` is the output's element type.
template <class T>
struct options {
  /// Folded in before the first element. Without it the first element starts the scan, and an
  /// exclusive scan's first output is the operator's identity.
  std::optional<T> init{};
  /// The stream to run in; the default stream unless told.
  cudaStream_t stream = nullptr;
  /// Tile states to use; without one the call allocates them in stream order (`cudaMallocAsync`).
  scan::workspace* workspace = nullptr;
};

/// Options of a scan in host memory; `T` is the output's element type.
template <class T>
struct host_options {
  /// As in `options`.
  std::optional<T> init{};
  /// CPU threads to use, the caller included; 0: one per core. Small inputs use the caller alone.
  int threads = 0;
};

}  // namespace scan

#endif
