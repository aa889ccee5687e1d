// A guarded buffer of the host, and its copy on the device.
#ifndef SCAN_TESTS_DEVICE_IMAGE_HPP
#define SCAN_TESTS_DEVICE_IMAGE_HPP

#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"

namespace tests {

/// A device copy of a buffer with its guards.
template <class T>
class device_image {
 public:
  explicit device_image(guarded<T>& image) : image_(image), memory_(image.image_bytes()) {
    cuda_check(cudaMemcpy(memory_.as<void>(), image_.image(), image_.image_bytes(),
                          cudaMemcpyHostToDevice));
  }
  T* data() const { return memory_.as<T>(image_.begin()); }
  void fetch() const {
    cuda_check(cudaMemcpy(image_.image(), memory_.as<void>(), image_.image_bytes(),
                          cudaMemcpyDeviceToHost));
  }

 private:
  guarded<T>& image_;
  device_memory memory_;
};

}  // namespace tests

#endif
