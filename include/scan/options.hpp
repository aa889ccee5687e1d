// Options of a scan, and the stream among them, however the caller holds it.
#ifndef SCAN_OPTIONS_HPP
#define SCAN_OPTIONS_HPP

#include <driver_types.h>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "scan/abi.hpp"
#include "scan/memory_resource.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// Whether a `Stream` is a `cudaStream_t` by conversion (RMM's `cuda_stream_view`), or has one
/// (`get()` of `cuda::stream_ref` and `cuda::stream`).
template <class Stream>
inline constexpr bool converts_to_stream = std::is_convertible_v<const Stream&, cudaStream_t>;
template <class Stream, class = void>
inline constexpr bool has_stream = false;
template <class Stream>
inline constexpr bool
    has_stream<Stream, std::enable_if_t<std::is_convertible_v<
                           decltype(std::declval<const Stream&>().get()), cudaStream_t>>> = true;

/// What `options.stream` is, so that all of these may be assigned to it; a `cudaStream_t` again
/// where one is wanted. It owns nothing.
class SCAN_SHOWN stream_ref {
 public:
  SCAN_HIDDEN constexpr stream_ref() noexcept = default;
  SCAN_HIDDEN constexpr stream_ref(cudaStream_t stream) noexcept : stream_(stream) {}
  template <class Stream,
            std::enable_if_t<converts_to_stream<Stream> || has_stream<Stream>, int> = 0>
  SCAN_HIDDEN_TEMPLATE constexpr stream_ref(const Stream& stream) noexcept : stream_(of(stream)) {}

  SCAN_HIDDEN constexpr operator cudaStream_t() const noexcept { return stream_; }

 private:
  template <class Stream>
  SCAN_HIDDEN_TEMPLATE static constexpr cudaStream_t of(const Stream& stream) noexcept {
    if constexpr (converts_to_stream<Stream>) {
      return stream;
    } else {
      return stream.get();
    }
  }
  cudaStream_t stream_ = nullptr;
};

// ---- Options of a scan: aggregates, so that C++20 callers name just what they set.

class SCAN_SHOWN workspace;

/// How a scan in device memory goes about it. All give the same integers; sums of floats differ in
/// the order of additions.
enum class algorithm {
  automatic,  ///< by number and size of elements
  wave,       ///< a block a tile: for inputs that fit on the chip
  look_back,  ///< persistent blocks, tiles in registers: on every GPU
  ring,       ///< persistent blocks, a ring of tiles in shared memory: on Hopper and its like
  walk,       ///< blocks go down columns, of tensors and recurrences (rows: as automatic)

  // The classic scans that this library grew from (src/baselines), to compare with; each takes
  // several kernels and scratch memory. An error may come after some of these have been enqueued:
  // of the output nothing is known then.
  bit_layers = 32,            ///< Fenwick tree, a launch per layer of it
  bit_three_kernel,           ///< Fenwick tree, whose upper layers one block builds
  bit_two_kernel,             ///< Fenwick tree, built by one kernel launched with growing strides
  blelloch,                   ///< up-sweep and down-sweep in shared memory
  scan_then_fan,              ///< scan the parts, scan their sums, add these to the parts
  reduce_then_scan,           ///< reduce the parts, scan their sums, scan the parts from there
  reduce_then_scan_two_pass,  ///< the same with 1024 long parts and no recursion
};

/// Whether `which` is an enumerator: what was cast to one from a number need not be.
constexpr bool is_algorithm(algorithm which) noexcept {
  return (which >= algorithm::automatic && which <= algorithm::walk) ||
         (which >= algorithm::bit_layers && which <= algorithm::reduce_then_scan_two_pass);
}
/// Whether `which` is one of the classic scans.
constexpr bool is_baseline(algorithm which) noexcept { return which >= algorithm::bit_layers; }

/// Options of a scan in device memory; `T` is the output's element type.
template <class T>
struct SCAN_SHOWN options {
  /// Folded in before the first element (when `reverse`: after the last). Without it the first
  /// element starts the scan, and an exclusive scan's first output is the operator's identity: it
  /// is an error if there is none.
  std::optional<T> init{};
  /// The stream to run in, of the current device: a `cudaStream_t`, or what has one, as
  /// `cuda::stream_ref`. Null is the legacy default stream, also in code that is compiled with
  /// `--default-stream per-thread`; a thread's own is `cudaStreamPerThread`. One of another device
  /// is an error.
  stream_ref stream{};
  /// Tile states to use, or a baseline's scratch memory; without one the call allocates them in
  /// stream order, from `memory_resource`. No data of the call lie in its memory.
  scan::workspace* workspace = nullptr;
  /// Device memory holding the init, read when the scan runs, by some blocks late: neither the
  /// output nor `total` may be there. Instead of `init`.
  const T* init_pointer = nullptr;
  /// Device memory that receives the fold of init and all n elements: bit for bit what an inclusive
  /// scan writes last. For n == 0 that is the init, or the identity.
  T* total = nullptr;
  /// Scans of suffixes: out[i] = in[i] op ... op in[n-1] (op init), operands in memory's order.
  bool reverse = false;
  /// Exclusive scans only: n + 1 outputs, of which out[n] is the fold of everything (when
  /// `reverse`: out[n] is the init or identity, and out[0] the fold of everything).
  bool complete = false;
  /// For comparisons; `ring` is an error where there is none, `walk` for what is not a tensor or a
  /// recurrence, and so is a baseline in a build without them or for types and operators that
  /// libscan.a does not hold. Tensors of several sequences and recurrences take `automatic`, `walk`
  /// and `look_back`. With this one they have the bits of `automatic`, but never a cluster, which
  /// waits until there is room for all of its blocks.
  scan::algorithm algorithm = scan::algorithm::automatic;
  /// What a call without a workspace allocates from, if it needs memory; without one
  /// `cudaMallocAsync`.
  scan::memory_resource memory_resource{};
};

/// Selects host memory and CPU threads: `scan::inclusive(scan::host, in, out, n)`.
struct SCAN_SHOWN host_t {};
inline constexpr host_t host{};

/// Options of a scan in host memory; `T` is the output's element type.
template <class T>
struct SCAN_SHOWN host_options {
  /// As in `options`.
  std::optional<T> init{};
  /// CPU threads to use, the caller included; 0: one per processor that the process may use. With
  /// less than 1 MiB of operands, or of one sequence with two or three threads less than 128 MiB,
  /// the caller works alone.
  int threads = 0;
  /// As in `options`, in host memory.
  T* total = nullptr;
  bool reverse = false;
  bool complete = false;
  const T* init_pointer = nullptr;  // read before anything is written
};

/// Options of a recurrence's gradient in device memory; `T` is the type of the states.
template <class T>
struct SCAN_SHOWN gradient_options {
  /// What the recurrence began with, `init` and `init_pointer` of its options: h[-1].
  std::optional<T> init{};
  const T* init_pointer = nullptr;
  /// Device memory holding the gradient of what the recurrence wrote to `options.total`, a value a
  /// sequence; null: 0.
  const T* grad_total = nullptr;
  /// Device memory that receives the gradient of the inits, a value a sequence; or null.
  T* grad_init = nullptr;
  bool reverse = false;  ///< as the recurrence
  stream_ref stream{};   ///< from here on as in `options`
  scan::workspace* workspace = nullptr;
  scan::memory_resource memory_resource{};
};
/// The same in host memory.
template <class T>
struct SCAN_SHOWN host_gradient_options {
  std::optional<T> init{};
  const T* init_pointer = nullptr;
  const T* grad_total = nullptr;
  T* grad_init = nullptr;
  bool reverse = false;
  int threads = 0;  ///< as in `host_options`
};

/// A number of elements in memory, in place of n: `*n` of them, read when the call runs, at most
/// `capacity`. Negative ones are none, larger ones `capacity`.
struct SCAN_SHOWN count {
  const std::int64_t* n;
  std::int64_t capacity;
};

/// Options of a compaction in device memory.
struct SCAN_SHOWN select_options {
  /// Device memory that receives how many elements are kept; or null.
  std::int64_t* count = nullptr;
  /// Elements that each output has room for. What does not fit is counted and not written.
  std::int64_t capacity = INT64_MAX;
  stream_ref stream{};  ///< from here on as in `options`
  scan::workspace* workspace = nullptr;
  scan::memory_resource memory_resource{};
};
/// The same in host memory.
struct SCAN_SHOWN host_select_options {
  std::int64_t* count = nullptr;
  std::int64_t capacity = INT64_MAX;
  int threads = 0;  ///< as in `host_options`
};

/// The same options for another type of the same values or bits (`long long`, `int64_t`,
/// `uint64_t`). Without an init the scan starts with `start`, if there is one.
template <class To, class T>
std::optional<To> retyped_init(const std::optional<T>& init,
                               const std::optional<T>& start) noexcept {
  std::optional<To> result;  // (of which no copy is made: compilers then warn of what is not there)
  if (init) {
    result.emplace(static_cast<To>(*init));
  } else if (start) {
    result.emplace(static_cast<To>(*start));
  }
  return result;
}
template <class To, class T>
options<To> retyped(const options<T>& opts, const std::optional<T>& start) noexcept {
  static_assert(sizeof(To) == sizeof(T));
  options<To> result{};
  if (opts.init || opts.init_pointer == nullptr) {
    result.init = retyped_init<To>(opts.init, start);
  }
  result.stream = opts.stream;
  result.workspace = opts.workspace;
  result.init_pointer = reinterpret_cast<const To*>(opts.init_pointer);
  result.total = reinterpret_cast<To*>(opts.total);
  result.reverse = opts.reverse;
  result.complete = opts.complete;
  result.algorithm = opts.algorithm;
  result.memory_resource = opts.memory_resource;
  return result;
}
template <class To, class T>
host_options<To> retyped(const host_options<T>& opts, const std::optional<T>& start) noexcept {
  static_assert(sizeof(To) == sizeof(T));
  host_options<To> result{};
  if (opts.init || opts.init_pointer == nullptr) {
    result.init = retyped_init<To>(opts.init, start);
  }
  result.threads = opts.threads;
  result.total = reinterpret_cast<To*>(opts.total);
  result.reverse = opts.reverse;
  result.complete = opts.complete;
  result.init_pointer = reinterpret_cast<const To*>(opts.init_pointer);
  return result;
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
