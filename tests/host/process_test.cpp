// The threads that scans keep: a process that has them ends, and forks, and its child scans too.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "scan/host/host_scan.hpp"

namespace {

bool scans(int threads) {
  const std::vector<int> ones(3'000'000, 1);
  std::vector<int> sums(ones.size());
  const auto n = static_cast<std::int64_t>(ones.size());
  const scan::status result =
      scan::inclusive(scan::host, ones.data(), sums.data(), n, scan::plus{}, {{}, threads});
  return result.ok() && sums.back() == n && sums.front() == 1;
}

void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(1);
}

/// Made before the threads, so destroyed after whatever holds them would be.
struct scans_late {
  ~scans_late() { require(scans(4), "a scan in a static object's destructor"); }
};
const scans_late late;

}  // namespace

int main() {
  require(scans(4), "a scan before fork()");
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends a child that waits for threads it does not have
    require(scans(4), "a scan in the child");
    return 0;
  }
  int how = 0;
  require(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0, "the child");
  require(scans(4), "a scan after fork()");
  return 0;  // with idle threads
}
