// Stands in for PyTorch's header of that name: as much of its tensors as kernels of extensions ask
// for, so that a peer's source is compiled as it is, and PyTorch is not.
#ifndef SCAN_BENCH_PEERS_TORCH_WORDS_EXTENSION_H
#define SCAN_BENCH_PEERS_TORCH_WORDS_EXTENSION_H

#include <array>
#include <cstdint>
#include <stdexcept>

#define TORCH_CHECK(holds, ...) \
  if (!(holds)) throw std::invalid_argument("a peer refuses: " #holds)

namespace at {

enum class ScalarType { Float, Half, BFloat16 };
using BFloat16 = void;
using Half = void;

/// Three axes, dense, in device memory.
struct Tensor {
  void* data;
  ScalarType type;
  std::array<std::int64_t, 3> extents;

  template <class T>
  T* data_ptr() const {
    return static_cast<T*>(data);
  }
  void* data_ptr() const { return data; }
  std::array<std::int64_t, 3> sizes() const { return extents; }
  std::array<std::int64_t, 3> strides() const { return {extents[1] * extents[2], extents[2], 1}; }
  std::int64_t size(int axis) const { return extents[axis < 0 ? axis + 3 : axis]; }
  std::int64_t stride(int axis) const { return strides()[axis < 0 ? axis + 3 : axis]; }
  ScalarType scalar_type() const { return type; }
  bool is_cuda() const { return true; }
  bool is_contiguous() const { return true; }
};

}  // namespace at

#endif
