// Entry point of the suites that have none of their own. Filters that no test passes are a mistake
// of who wrote them, and red.
#include <doctest/doctest.h>

namespace {

bool found = true;

struct found_tests : doctest::IReporter {
  explicit found_tests(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& run) override {
    found = run.numTestCasesPassingFilters > 0;
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
DOCTEST_REGISTER_LISTENER("found", 1, found_tests);

}  // namespace

int main(int argc, char** argv) {
  const int code = doctest::Context(argc, argv).run();
  return code == 0 && !found ? 1 : code;
}
