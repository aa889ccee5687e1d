// Where and with what a measurement was made, as results keep it.
#ifndef SCAN_BENCH_MEASURE_ENVIRONMENT_HPP
#define SCAN_BENCH_MEASURE_ENVIRONMENT_HPP

#include <iosfwd>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bench {

/// Names and values; what is not known is empty or 0.
using facts = std::vector<std::pair<const char*, std::variant<std::string, int>>>;

/// Date, versions of CUDA and of the library, commit, processor.
facts here_and_now();
/// Driver and clocks of the current GPU: the most it can run at, and what nvidia-smi, where there
/// is one, says that it runs at now.
facts clocks_now();
/// The processor's name as the system tells it.
std::string cpu_model();

/// Where the user wants to scan.
enum class device_choice { automatic, cpu, gpu };

/// The current GPU, if `present`; otherwise `why_not` is one line.
struct gpu_description {
  bool present = false;
  std::string why_not;
  std::string name;
};
/// Looks for one unless the choice is the CPU. Throws `usage_error` where it has to be there.
gpu_description find_gpu(device_choice wanted);

/// "Scanning on 8 CPU threads"
void print_place(std::ostream& to, device_choice wanted, bool on_gpu, int num_threads);

}  // namespace bench

#endif
