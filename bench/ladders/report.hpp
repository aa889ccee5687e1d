// The ladder suites' tables, in Markdown, with the figures that others have published.
#ifndef SCAN_BENCH_LADDERS_REPORT_HPP
#define SCAN_BENCH_LADDERS_REPORT_HPP

#include <iosfwd>

#include "bench/measure/report.hpp"

namespace bench {

/// Every contender of the suite "ladder" as time and share of the copy's speed for each n, and what
/// was published of it, on the GPU named there.
void print_ladder(std::ostream& to, const suite_report& run);

/// The same of the suite "blocks", as GB/s (read and written) and share of the copy's speed.
void print_blocks(std::ostream& to, const suite_report& run);

}  // namespace bench

#endif
