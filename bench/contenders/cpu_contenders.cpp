#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include "bench/build_info.hpp"
#include "bench/contenders/contenders.hpp"
#include "bench/contenders/library.hpp"
#include "bench/data/host_data.hpp"
#include "bench/peers/cpu_peers.hpp"

namespace bench {
namespace {

/// Calls `run` often enough in a round for the clock's grain, and a thread's wake-up, not to
/// matter.
class cpu_timer {
 public:
  double time_us(const std::function<void()>& run) {
    // The threads of the contender before may look for work for a while, OpenMP's for milliseconds.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (num_calls_ == 0) {
      time(run, 1);  // warms caches and branch predictors
      num_calls_ =
          std::clamp<std::int64_t>(std::llround(std::ceil(round_us / time(run, 1))), 1, 100'000);
    }
    return time(run, num_calls_);
  }

 private:
  static constexpr double round_us = 3000;

  static double time(const std::function<void()>& run, std::int64_t num_calls) {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    for (std::int64_t i = 0; i < num_calls; ++i) run();
    const std::chrono::duration<double, std::micro> taken = clock::now() - start;
    return std::max(taken.count(), 1e-3) / static_cast<double>(num_calls);
  }

  std::int64_t num_calls_ = 0;
};

/// The input and output that all contenders of a size share.
struct host_stage {
  cell what;
  const dataset& data;
  host_buffer output;

  host_stage(const cell& what, const dataset& data)
      : what(what), data(data), output(data.elements.num_bytes()) {}

  std::size_t num_bytes() const { return static_cast<std::size_t>(output.num_bytes()); }
  void run(const host_call& algorithm) const { algorithm(data.elements.data(), output.data()); }
  void spoil() const { std::memset(output.data(), 0xA5, num_bytes()); }  // no one's result is left
  std::int64_t first_not_copied() const {
    const auto [in, out] =
        std::mismatch(data.elements.data(), data.elements.data() + num_bytes(), output.data());
    const std::int64_t index = in - data.elements.data();
    return index == output.num_bytes() ? all_right : index / what.in_bytes();
  }
};

contender make(const std::shared_ptr<host_stage>& on, std::string name, host_call algorithm,
               bool is_copy = false) {
  const auto timer = std::make_shared<cpu_timer>();
  return {std::move(name),
          [=] {
            on->spoil();
            on->run(algorithm);
            return is_copy ? on->first_not_copied()
                           : first_wrong(on->what, on->data, on->output.data());
          },
          [=] { return timer->time_us([&] { on->run(algorithm); }); }};
}

}  // namespace

std::vector<contender> cpu_contenders(const cell& what, const dataset& data, int num_threads) {
  const auto on = std::make_shared<host_stage>(what, data);
  std::vector<cpu_peer> peers{{scan_name, library_host_call(what, num_threads)}, std_peer(what)};
  [[maybe_unused]] const auto add = [&](const std::vector<cpu_peer>& more) {
    peers.insert(peers.end(), more.begin(), more.end());
  };
#if BENCH_HAS_TBB
  add(tbb_peers(what, num_threads));
#endif
#if BENCH_HAS_OPENMP
  add(openmp_peers(what, num_threads));
#endif
  std::vector<contender> all;
  for (const cpu_peer& peer : peers) all.push_back(make(on, peer.name, peer.scan));
  const auto copiers = std::make_shared<copy_team>(num_threads);
  const auto copy = [=, num_bytes = data.elements.num_bytes()](const void* in, void* out) {
    copiers->copy(in, out, num_bytes);
  };
  all.push_back(make(on, host_copy_name, copy, true));
  return all;
}

}  // namespace bench
