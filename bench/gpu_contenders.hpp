// The contenders on the GPU.
#ifndef SCAN_BENCH_GPU_CONTENDERS_HPP
#define SCAN_BENCH_GPU_CONTENDERS_HPP

#include <string>
#include <vector>

#include "bench/data.hpp"
#include "bench/problem.hpp"
#include "bench/rounds.hpp"

namespace bench {

/// The current GPU, if `present`; otherwise `why_not` is one line.
struct gpu_description {
  bool present = false;
  std::string why_not;
  std::string name;
};
gpu_description describe_gpu();

/// The library, CUB and the copies on `data`, which must outlive them. They share one pool.
std::vector<contender> gpu_contenders(const problem& what, const dataset& data);

}  // namespace bench

#endif
