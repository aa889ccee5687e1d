// Where and with what a measurement was made, as results keep it. What is not known is empty or 0.
#ifndef SCAN_BENCH_MEASURE_ENVIRONMENT_HPP
#define SCAN_BENCH_MEASURE_ENVIRONMENT_HPP

#include <string>

namespace bench {

/// Date, versions of CUDA and of the library, commit, processor.
struct environment {
  std::string date, cpu, cuda_driver, cuda_runtime, library_version, git_commit;
};
environment here_and_now();

/// Driver and clocks of the current GPU: the most it can run at, and what nvidia-smi, where there
/// is one, says that it runs at now.
struct gpu_clocks {
  std::string driver;
  int most_sm_mhz = 0, most_memory_mhz = 0, sm_mhz = 0, memory_mhz = 0;
};
gpu_clocks clocks_now();

/// The current GPU, if `present`; otherwise `why_not` is one line.
struct gpu_description {
  bool present = false;
  std::string why_not;
  std::string name;
};
gpu_description describe_gpu();

/// The processor's name as the system tells it.
std::string cpu_model();

}  // namespace bench

#endif
