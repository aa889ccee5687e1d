// Checks by several threads of the host, where most of the time goes into making data and comparing
// them.
#ifndef SCAN_TESTS_IN_THREADS_HPP
#define SCAN_TESTS_IN_THREADS_HPP

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tests {

/// What checks have found so far, from whatever threads.
class findings {
 public:
  /// Whether there are so many that more would say nothing new.
  bool enough() const { return count_ >= 8; }
  void add(const std::string& wrong) {
    if (wrong.empty()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
    text_ += wrong + '\n';
  }
  void add_last(const std::string& wrong) {
    add(wrong);
    count_ = 8;
  }
  const std::string& text() const { return text_; }

 private:
  std::atomic<int> count_ = 0;
  std::mutex mutex_;
  std::string text_;
};

/// Calls `work(thread, found)` in as many threads as there are; returns what is wrong with the
/// first few checks that fail, or "".
template <class Work>
std::string in_threads(std::size_t num_threads, const Work& work) {
  findings found;
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < num_threads; ++thread) {
      threads.emplace_back([&, thread] {
        try {
          work(thread, found);
        } catch (const std::exception& error) {
          found.add_last(error.what());
        }
      });
    }
  }
  return found.text();
}

}  // namespace tests

#endif
