// NCCL calls that fail when told to, as faulty_cuda.hpp has it for CUDA's, whose count they share.
// The communicator is made up, and what the other ranks send is what this one sends, or what the
// test makes of that.
#ifndef SCAN_TESTS_FAULTY_NCCL_HPP
#define SCAN_TESTS_FAULTY_NCCL_HPP

#include <nccl.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace tests {

struct faulty_nccl {
  int rank = 0, num_ranks = 2;
  ncclResult_t code = ncclSystemError;  // of the call that fails
  ncclResult_t state = ncclSuccess;     // what ncclCommGetAsyncError finds
  int num_unfinished = 0;               // so many times it finds that something is under way
  bool starts_gathers = false;          // they only begin, as of communicators that do not block
  int num_gathers = 0;                  // that have been carried out
  int seconds_a_look = 0;               // by which the clock goes on when it is looked at
  bool has_failed = false;              // one of these calls was the one to fail
  std::vector<unsigned char> sent;      // with the newest
  std::function<void(unsigned char*)> on_peers;  // changes what they send
};
extern faulty_nccl nccl_calls;

inline ncclComm_t some_communicator() {
  return reinterpret_cast<ncclComm_t>(std::uintptr_t{1} << 12);
}

}  // namespace tests

#endif
