// The contenders on CPU threads.
#ifndef SCAN_BENCH_CPU_CONTENDERS_HPP
#define SCAN_BENCH_CPU_CONTENDERS_HPP

#include <vector>

#include "bench/data.hpp"
#include "bench/problem.hpp"
#include "bench/rounds.hpp"

namespace bench {

/// The library, its peers and the copy on `data`, which must outlive them. They share one output.
std::vector<contender> cpu_contenders(const problem& what, const dataset& data, int num_threads);

}  // namespace bench

#endif
