// The contenders of a cell, and the names they are reported under.
#ifndef SCAN_BENCH_CONTENDERS_CONTENDERS_HPP
#define SCAN_BENCH_CONTENDERS_CONTENDERS_HPP

#include <memory>
#include <string>
#include <vector>

#include "bench/cells/cells.hpp"
#include "bench/measure/rounds.hpp"

namespace bench {

struct dataset;
struct gpu_memory;

// On a GPU in a graph, unless they say otherwise.
inline const std::string scan_name = "scan";
inline const std::string out_of_place_name = "scan, out of place";  // in cells that are in place
inline const std::string cub_prefix = "CUB ";                       // and its version
inline const std::string thrust_prefix = "Thrust ";                 // and its way and version
inline const std::string accelerated_name = "accelerated-scan";     // of recurrences of rows
inline const std::string copy_kernel_name = "copy kernel";
inline const std::string memcpy_name = "cudaMemcpyAsync";
// In shapes that say so, and in segments, the plain call for as many elements, in a sequence of
// their own.
inline const std::string one_sequence_name = "one sequence";
inline const std::string walk_name = "walk";       // the same of tensors by algorithm::walk
inline const std::string ranges_name = "ranges";   // of segments by begins and ends
inline const std::string gaps_name = "gaps";       // the same, three quarters of each segment
inline const std::string totals_name = "totals";   // of segments by offsets, and a total of each
inline const std::string inits_name = "inits";     // of segments by offsets, from an init each
inline const std::string host_copy_name = "copy";  // memcpy on CPU threads
// Launched one by one, for inputs of up to 16 KiB.
inline const std::string stream_scan_name = "scan, in a stream";
inline const std::string stream_empty_name = "empty kernel, in a stream";
// Launched one by one, the host waiting for each one's count: Thrust's and torch's compactions have
// no other calls.
inline const std::string waiting = ", which waits";
inline const std::string waiting_scan_name = scan_name + waiting;
// CPU time of the call.
inline const std::string host_scan_name = "scan, on the host";
inline const std::string host_empty_name = "empty kernel, on the host";

/// All contenders of a cell on the GPU, in a pool in `memory`, whose inputs are written here: those
/// of `file`, which must outlive the contenders, or elements made up where it is null.
using gpu_contenders_of = std::vector<contender> (*)(
    const cell& what, const std::shared_ptr<const gpu_memory>& memory, const dataset* file);
/// Of a single sequence, and of many: for these another program is linked.
std::vector<contender> gpu_contenders(const cell& what,
                                      const std::shared_ptr<const gpu_memory>& memory,
                                      const dataset* file);
std::vector<contender> many_contenders(const cell& what,
                                       const std::shared_ptr<const gpu_memory>& memory,
                                       const dataset* file);

/// All contenders of a cell, one of `plain_scans`, on CPU threads: the library, its peers and the
/// copy on `data`, which must outlive them. They share one output.
std::vector<contender> cpu_contenders(const cell& what, const dataset& data, int num_threads);

}  // namespace bench

#endif
