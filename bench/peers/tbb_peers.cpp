// Built where oneTBB is found: the only file that needs it.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task_arena.h>

#include <execution>
#include <numeric>

#include "bench/peers/cpu_peers.hpp"
#include "bench/suites/scans.hpp"

namespace bench {

struct tbb_team::arena {
  explicit arena(int num_threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(num_threads)),
        threads(num_threads) {}

  tbb::global_control limit;
  tbb::task_arena threads;
};

tbb_team::tbb_team(int num_threads) : arena_(std::make_unique<arena>(num_threads)) {}

tbb_team::~tbb_team() = default;

void tbb_team::par_unseq_sum(const cell& what, const void* in, void* out) {
  with_scan<plain_scans>(what.scan, [&](auto of) {
    using Scan = signed_scan<decltype(of)>;
    using T = typename Scan::In;
    if constexpr (std::is_same_v<typename Scan::Op, scan::plus>) {
      const T* first = static_cast<const T*>(in);
      const T* last = first + what.num_items;
      T* result = static_cast<T*>(out);
      constexpr scan::plus op;
      arena_->threads.execute([&] {
        if (what.exclusive) {
          std::exclusive_scan(std::execution::par_unseq, first, last, result, T{}, op);
        } else {
          std::inclusive_scan(std::execution::par_unseq, first, last, result, op);
        }
      });
    }
  });
}

void tbb_team::parallel_scan(const cell& what, const void* in, void* out) {
  with_scan<plain_scans>(what.scan, [&](auto of) {
    using Scan = signed_scan<decltype(of)>;
    using T = typename Scan::In;
    using range = tbb::blocked_range<std::int64_t>;
    const typename Scan::Op op{};
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    const auto scan_range = [=, exclusive = what.exclusive](const range& r, T running, bool final) {
      if (!final) {
        for (std::int64_t i = r.begin(); i < r.end(); ++i) running = op(running, from[i]);
      } else {
        for (std::int64_t i = r.begin(); i < r.end(); ++i) {
          const T next = op(running, from[i]);
          to[i] = exclusive ? running : next;
          running = next;
        }
      }
      return running;
    };
    arena_->threads.execute([&] {
      tbb::parallel_scan(range(0, what.num_items), op.template identity<T>(), scan_range, op);
    });
  });
}

}  // namespace bench
