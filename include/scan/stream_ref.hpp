// A stream, however the caller holds it.
#ifndef SCAN_STREAM_REF_HPP
#define SCAN_STREAM_REF_HPP

#include <driver_types.h>

#include <type_traits>
#include <utility>

#include "scan/abi.hpp"

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

}  // namespace SCAN_ABI
}  // namespace scan

#endif
