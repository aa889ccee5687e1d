// What `scan_bench --suite shapes`, `segments` and `select` become: the same, of many sequences in
// a call, and of compactions. By itself for the time that their kernels and rivals take to compile.
#include "bench/command_line.hpp"
#include "bench/report/output.hpp"
#include "bench/suite.hpp"

int main(int argc, char** argv) {
  return bench::exit_code("scan_bench", [&] {
    const auto chosen = bench::parse_command_line(argc, argv);
    if (!chosen) return 0;
    if (bench::program_of(chosen->suite) != bench::shapes_program) {
      throw bench::usage_error(
          "this program is --suite shapes, segments and select: call scan_bench");
    }
    bench::suite_plan plan = bench::plan_suite(*chosen);
    bench::json_output json(chosen->json);
    const bench::suite_report results =
        bench::run_suite(std::move(plan), json.table(), bench::many_contenders);
    json.keep(results);
    return results.all_right() ? 0 : 1;
  });
}
