// Small programs whose outcomes the C++ memory model is known to allow or to forbid: what the
// explorer is measured by.
#ifndef SCAN_TESTS_EXPLORER_LITMUS_HPP
#define SCAN_TESTS_EXPLORER_LITMUS_HPP

#include <array>
#include <cstdint>
#include <cuda/atomic>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "tests/protocol/explorer/explore.hpp"

namespace explorer {

using results = std::array<std::uint32_t, 4>;

/// Two or three locations, and a plain cell; what workers read they put in `seen`.
class litmus : public program {
 public:
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;
  using body = std::function<void(litmus&)>;

  explicit litmus(std::vector<body> bodies) : bodies_(std::move(bodies)) {}

  word x() { return word(values_[0]); }
  word y() { return word(values_[1]); }
  std::uint32_t& plain_x() { return values_[0]; }
  void write_cell() { running->access_cell(cell_, true, false); }
  void read_cell() { running->access_cell(cell_, false, false); }

  results seen{};
  std::set<results> outcomes;

  void reset() override {
    values_.fill(0);
    seen.fill(0);
  }
  int num_workers(int) const override { return static_cast<int>(bodies_.size()); }
  bool alike() const override { return false; }
  void begin(int) override {
    running->share(values_[0], "x");
    running->share(values_[1], "y");
    if (has_cell) cell_ = running->share_cell();
  }
  void work(int, int worker) override { bodies_[static_cast<std::size_t>(worker)](*this); }
  void end(int) override {
    seen[3] = values_[0] * 10 + values_[1];  // what is left in memory
    outcomes.insert(seen);
  }

  bool has_cell = false;

 private:
  std::vector<body> bodies_;
  std::array<std::uint32_t, 2> values_{};
  int cell_ = 0;
};

/// All outcomes of a program.
inline std::set<results> outcomes_of(std::vector<litmus::body> bodies, bool prunes = true) {
  litmus explored(std::move(bodies));
  explore(explored, {limits::all, limits{}.executions, prunes});
  return explored.outcomes;
}

}  // namespace explorer

#endif
