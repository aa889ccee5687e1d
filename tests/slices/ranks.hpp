// Ranks as threads of the test, each with a communicator: of NCCL, one a GPU, or of the stand-in,
// any number on the GPUs there are.
#ifndef SCAN_TESTS_RANKS_HPP
#define SCAN_TESTS_RANKS_HPP

#include <nccl.h>

#include <barrier>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "scan/nccl.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/in_threads.hpp"

namespace tests {

inline void nccl_check(ncclResult_t code) {
  if (code != ncclSuccess) throw std::runtime_error(ncclGetErrorString(code));
}

inline bool is_stand_in() {
  int version = 0;
  nccl_check(ncclGetVersion(&version));
  return version == 0;
}

inline int gpu_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// One of the ranks, in its own thread.
struct rank_of {
  int rank, num_ranks;
  ncclComm_t comm;
  cudaStream_t in;      // its stream
  std::barrier<>& all;  // of the ranks' threads
};

/// Inits that mean nothing, as those of ranks other than 0: one that is not rank 0's, and a pointer
/// that no device can read.
template <class T>
void give_no_init(scan::options<T>& opts) {
  if (opts.init) opts.init = scan::convert<T>(7.0f);
  if (opts.init_pointer != nullptr) {
    opts.init_pointer = reinterpret_cast<const T*>(std::uintptr_t{64});
  }
}

/// One case: rank 0 finds out what is expected, then all scan and compare, and nobody goes on
/// before the others are through. What is wrong on this rank, or "".
template <class Case, class Expect, class Compare>
std::string compared(const rank_of& here, const Case& c, const Expect& expect,
                     const Compare& scan_and_compare) {
  if (here.rank == 0) expect();
  here.all.arrive_and_wait();
  const std::string wrong = scan_and_compare();
  here.all.arrive_and_wait();
  if (wrong.empty()) return "";
  return "rank " + std::to_string(here.rank) + ": " + wrong + ": " + c.describe();
}

/// Calls `body(rank_of)` in `num_ranks` threads; what is wrong, or "". A rank that throws would
/// have the others wait for it for ever: the process ends.
template <class Body>
std::string with_ranks(int num_ranks, const Body& body) {
  ncclUniqueId id;
  nccl_check(ncclGetUniqueId(&id));
  std::barrier<> all(num_ranks);
  return in_threads(static_cast<std::size_t>(num_ranks), [&](std::size_t thread, findings& found) {
    const int rank = static_cast<int>(thread);
    try {
      cuda_check(cudaSetDevice(rank % gpu_count()));
      ncclComm_t comm = nullptr;
      nccl_check(ncclCommInitRank(&comm, num_ranks, id, rank));
      {
        const stream own;
        found.add(body(rank_of{rank, num_ranks, comm, own, all}));
        cuda_check(cudaDeviceSynchronize());
        all.arrive_and_wait();
      }
      nccl_check(ncclCommDestroy(comm));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      std::_Exit(1);
    }
  });
}

}  // namespace tests

#endif
