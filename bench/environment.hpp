// Where and with what a measurement was made, as results keep it.
#ifndef SCAN_BENCH_ENVIRONMENT_HPP
#define SCAN_BENCH_ENVIRONMENT_HPP

#include <nlohmann/json_fwd.hpp>

namespace bench {

/// Date, versions of CUDA and of the library, commit, processor.
nlohmann::json environment();

/// Driver and clocks of the current GPU: the most it can run at, and what nvidia-smi, where there
/// is one, says that it runs at now. What is not known is null.
nlohmann::json gpu_environment();

}  // namespace bench

#endif
