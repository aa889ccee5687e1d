// Calls of the host API made of arbitrary bytes, each compared with serial loops over all memory
// that it was given, or refused with that memory untouched. Linked with libFuzzer it is
// its target; compiled by others a program of its own, with random bytes:
//   host_fuzz [seconds] [seed] [file of calls, a line of hexadecimal digits each]
// It is linked with eager_workers.cpp: who wants several threads has them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

#include "tests/fuzz/fuzzed_call.hpp"
#include "tests/support/eager_workers.hpp"

namespace {

using bytes = std::vector<unsigned char>;

std::string hexadecimal(const bytes& call) {
  std::string digits;
  for (const unsigned char byte : call) {
    digits += "0123456789abcdef"[byte / 16];
    digits += "0123456789abcdef"[byte % 16];
  }
  return digits;
}

}  // namespace

#ifdef SCAN_TESTS_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t num_bytes) {
  const std::string wrong = tests::check(tests::read_call(data, num_bytes));
  if (!wrong.empty()) {
    std::fprintf(stderr, "FAILED, %s\n%s\n", wrong.c_str(),
                 hexadecimal({data, data + num_bytes}).c_str());
    std::abort();
  }
  return 0;
}

#else

namespace {

/// What was called, and what was wrong.
struct tally {
  long accepted = 0, refused = 0, either = 0, out_of_reach = 0;
  int wrong = 0;

  void check(const bytes& call) {
    const tests::fuzzed_call c = tests::read_call(call.data(), call.size());
    switch (tests::verdict_of(c)) {
      case tests::verdict::accepted:
        ++accepted;
        break;
      case tests::verdict::refused:
        ++refused;
        break;
      case tests::verdict::either:
        ++either;
        break;
      case tests::verdict::out_of_reach:
        ++out_of_reach;
        break;
    }
    const std::string found = tests::check(c);
    if (found.empty()) return;
    ++wrong;
    std::printf("FAILED, %s\n%s\n", found.c_str(), hexadecimal(call).c_str());
  }
};

bytes random_call(std::mt19937_64& random) {
  bytes call(20 + random() % 30);
  for (unsigned char& byte : call) byte = static_cast<unsigned char>(random());
  return call;
}

/// Whether a byte that is changed afterwards is found, of calls that are right and of others.
bool finds_what_is_wrong(std::mt19937_64& random) {
  int num_found = 0;
  for (int i = 0; i < 2000; ++i) {
    const bytes bytes = random_call(random);
    const tests::fuzzed_call c = tests::read_call(bytes.data(), bytes.size());
    if (tests::verdict_of(c) == tests::verdict::out_of_reach) continue;
    if (tests::check(c, true).empty()) {
      std::printf("FAILED, a wrong byte is not found: %s\n%s\n", c.describe().c_str(),
                  hexadecimal(bytes).c_str());
      return false;
    }
    ++num_found;
  }
  return num_found > 1000;
}

void check_lines(const char* path, tally& done) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    bytes call;
    for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
      call.push_back(static_cast<unsigned char>(std::stoul(line.substr(i, 2), nullptr, 16)));
    }
    done.check(call);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : std::random_device{}();
  std::mt19937_64 random(seed);
  if (!finds_what_is_wrong(random)) return 1;
  tally done;
  if (argc > 3) check_lines(argv[3], done);
  const auto begin = std::chrono::steady_clock::now();
  const auto left = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
           seconds;
  };
  while (done.wrong < 5 && left()) done.check(random_call(random));
  std::printf(
      "seed %lu: %ld calls right, %ld refused, %ld either, %ld too large for here; %lld by "
      "several threads, %lld had none; %d wrong\n",
      seed, done.accepted, done.refused, done.either, done.out_of_reach,
      static_cast<long long>(tests::num_shared_calls()),
      static_cast<long long>(tests::num_deserted_calls()), done.wrong);
  const bool several_came =
      tests::num_shared_calls() > done.accepted / 50 && tests::num_deserted_calls() == 0;
  if (!several_came) std::puts("FAILED, helpers did not come");
  return done.wrong == 0 && several_came && done.refused > 0 ? 0 : 1;
}

#endif
