// How the programs end, and where their results go as JSON.
#ifndef SCAN_BENCH_REPORT_OUTPUT_HPP
#define SCAN_BENCH_REPORT_OUTPUT_HPP

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <new>
#include <string>

#include "bench/data/host_data.hpp"

namespace bench {

struct error_run;
struct suite_report;

/// Of a suite a row a cell, with all its contenders; else a row a contender and size. In one source
/// with the next: compiling nlohmann's header takes longer than the rest.
void write_json(std::ostream& to, const suite_report& run);
/// A row a case of scan_errors.
void write_json(std::ostream& to, const error_run& run);

/// A file, opened now, not after an hour of measuring; "-": stdout; empty: nothing.
class json_output {
 public:
  explicit json_output(const std::string& path) : path_(path) {
    if (path.empty() || to_stdout()) return;
    file_.open(path);
    if (!file_) throw usage_error(path + ": cannot be written");
  }
  bool to_stdout() const { return path_ == "-"; }
  /// The table keeps out of its way.
  std::ostream& table() const { return to_stdout() ? std::cerr : std::cout; }

  template <class Run>
  void keep(const Run& run) {
    if (path_.empty()) return;
    std::ostream& json = to_stdout() ? std::cout : file_;
    write_json(json, run);
    if (!json.flush()) throw usage_error(path_ + ": cannot be written");
  }

 private:
  std::string path_;
  std::ofstream file_;
};

/// What `run()` returns, or 1 (a failure) or 2 (bad usage) and one line that says why it threw.
int exit_code(const char* program, const auto& run) {
  const auto fail = [=](int code, const char* message) {
    std::fprintf(stderr, "%s: %s\n", program, message);
    return code;
  };
  try {
    return run();
  } catch (const usage_error& error) {
    return fail(2, error.what());
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}

}  // namespace bench

#endif
