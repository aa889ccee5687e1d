// Built where oneTBB is found: the only file that needs it.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task_arena.h>

#include <execution>
#include <numeric>

#include "bench/cpu_peers.hpp"

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

bool tbb_team::par_unseq_works(const problem& what) {
  return what.op == scan_operator::plus || !is_float(what.type);
}

void tbb_team::par_unseq_scan(const problem& what, const void* in, void* out,
                              std::int64_t num_items) {
  with_types(what, [&](auto zero, auto op) {
    using T = decltype(zero);
    const T* first = static_cast<const T*>(in);
    T* result = static_cast<T*>(out);
    arena_->threads.execute([&] {
      if (what.exclusive) {
        std::exclusive_scan(std::execution::par_unseq, first, first + num_items, result,
                            decltype(op)::template identity<T>(), op);
      } else {
        std::inclusive_scan(std::execution::par_unseq, first, first + num_items, result, op);
      }
    });
  });
}

void tbb_team::parallel_scan(const problem& what, const void* in, void* out,
                             std::int64_t num_items) {
  with_types(what, [&](auto zero, auto op) {
    using T = decltype(zero);
    using range = tbb::blocked_range<std::int64_t>;
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
      tbb::parallel_scan(range(0, num_items), decltype(op)::template identity<T>(), scan_range, op);
    });
  });
}

}  // namespace bench
