// The contenders of a suite's cell, and the names they are reported under.
#ifndef SCAN_BENCH_SUITE_CONTENDERS_HPP
#define SCAN_BENCH_SUITE_CONTENDERS_HPP

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu_pool.hpp"
#include "bench/rounds.hpp"
#include "bench/suite_cells.hpp"
#include "scan/options.hpp"

namespace bench {

// In a graph, unless they say otherwise.
inline const std::string scan_name = "scan";
inline const std::string out_of_place_name = "scan, out of place";  // in cells that are in place
inline const std::string cub_prefix = "CUB ";                       // and its version
inline const std::string copy_kernel_name = "copy kernel";
inline const std::string memcpy_name = "cudaMemcpyAsync";
// Launched one by one, for inputs of up to 16 KiB.
inline const std::string stream_scan_name = "scan, in a stream";
inline const std::string stream_empty_name = "empty kernel, in a stream";
// CPU time of the call.
inline const std::string host_scan_name = "scan, on the host";
inline const std::string host_empty_name = "empty kernel, on the host";

/// The baselines of the library, by the names that they are reported under.
struct named_baseline {
  const char* name;
  scan::algorithm which;
};
inline constexpr std::array<named_baseline, 7> named_baselines{
    {{"A1 bit_layers", scan::algorithm::bit_layers},
     {"A2 bit_three_kernel", scan::algorithm::bit_three_kernel},
     {"A3 bit_two_kernel", scan::algorithm::bit_two_kernel},
     {"B blelloch", scan::algorithm::blelloch},
     {"C scan_then_fan", scan::algorithm::scan_then_fan},
     {"D1 reduce_then_scan", scan::algorithm::reduce_then_scan},
     {"D2 reduce_then_scan_two_pass", scan::algorithm::reduce_then_scan_two_pass}}};

/// All contenders of a cell, in a pool in `memory`, whose inputs are written here.
std::vector<contender> suite_contenders(const cell& what,
                                        const std::shared_ptr<const gpu_memory>& memory);

}  // namespace bench

#endif
