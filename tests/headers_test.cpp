// The suite has passed when it has been built: one object per public header, each compiled by the
// host compiler as C++17 with warnings as errors. This program only has to link and run.
#include "scan/scan.hpp"

int main() {
  const int in = 2;
  int out = 0;
  return scan::inclusive(scan::host, &in, &out, 1).ok() && out == in ? 0 : 1;
}
