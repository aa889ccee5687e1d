// Memory for Thrust that is there before it is timed.
#ifndef SCAN_BENCH_PEERS_PIECEMEAL_HPP
#define SCAN_BENCH_PEERS_PIECEMEAL_HPP

#include <cstddef>
#include <new>

#include "bench/peers/gpu_peers.hpp"

namespace bench {

/// Hands out parts of a piece of device memory, which are all given back with it.
class piecemeal {
 public:
  using value_type = char;
  explicit piecemeal(const cub_memory& memory) : memory_(memory) {}

  char* allocate(std::ptrdiff_t num_bytes) {
    const std::size_t from = (used_ + 255) / 256 * 256;
    used_ = from + static_cast<std::size_t>(num_bytes);
    if (used_ > memory_.num_bytes) throw std::bad_alloc();
    return static_cast<char*>(memory_.data) + from;
  }
  void deallocate(char*, std::size_t) {}

 private:
  cub_memory memory_;
  std::size_t used_ = 0;
};

}  // namespace bench

#endif
