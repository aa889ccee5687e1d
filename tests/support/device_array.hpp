// Arrays on the device with guards around them.
#ifndef SCAN_TESTS_DEVICE_ARRAY_HPP
#define SCAN_TESTS_DEVICE_ARRAY_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"

namespace tests {

/// An array on the device that has guards around it, `offset` elements past 256 bytes.
template <class T>
class device_array {
 public:
  device_array(const std::vector<T>& items, std::int64_t offset)
      : image_(static_cast<std::int64_t>(items.size()), offset),
        memory_(image_.image_bytes()),
        items_(items) {
    std::copy(items.begin(), items.end(), image_.data());
    cuda_check(cudaMemcpy(memory_.as<char>(), image_.image(), image_.image_bytes(),
                          cudaMemcpyHostToDevice));
  }
  T* data() const { return memory_.as<T>(image_.begin()); }
  /// What is there now; `is_intact` is then about that.
  std::vector<T> download() {
    cuda_check(cudaMemcpy(image_.image(), memory_.as<char>(), image_.image_bytes(),
                          cudaMemcpyDeviceToHost));
    return {image_.data(), image_.data() + items_.size()};
  }
  bool guards_intact() const { return image_.guards_intact(); }
  bool is_as_before() {
    const std::vector<T> now = download();
    return guards_intact() &&
           (now.empty() || std::memcmp(now.data(), items_.data(), now.size() * sizeof(T)) == 0);
  }

 private:
  guarded<T> image_;
  device_memory memory_;
  std::vector<T> items_;
};

}  // namespace tests

#endif
