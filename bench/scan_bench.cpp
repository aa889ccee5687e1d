// Times prefix scans against a copy and other libraries. Nothing is timed before its whole output
// has been compared with a serial scan. Exit codes: 0, 1 (a wrong result, a failure), 2 (bad
// usage).
#include "bench/command_line.hpp"
#include "bench/measure/other_program.hpp"
#include "bench/report/output.hpp"
#include "bench/suite.hpp"

int main(int argc, char** argv) {
  return bench::exit_code("scan_bench", [&] {
    const auto chosen = bench::parse_command_line(argc, argv);
    if (!chosen) return 0;
    if (chosen->num_gpus > 0) bench::run_instead("scan_bench_gpus", argv);
    bench::suite_plan plan = bench::plan_suite(*chosen);
    if (bench::program_of(chosen->suite) == bench::shapes_program) {
      bench::run_instead(bench::shapes_program, argv);
    }
    bench::json_output json(chosen->json);
    const bench::suite_report results =
        bench::run_suite(std::move(plan), json.table(), bench::gpu_contenders);
    json.keep(results);
    return results.all_right() ? 0 : 1;
  });
}
