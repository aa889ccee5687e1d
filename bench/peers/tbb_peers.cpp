// Built where oneTBB is found: the only file that needs it.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task_arena.h>

#include <execution>
#include <memory>
#include <numeric>

#include "bench/cells/scans.hpp"
#include "bench/peers/cpu_peers.hpp"

namespace bench {
namespace {

struct team {
  explicit team(int num_threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(num_threads)),
        threads(num_threads) {}

  tbb::global_control limit;
  tbb::task_arena threads;
};

template <class T, class Op>
void parallel_scan(const T* in, T* out, std::int64_t n, bool exclusive, Op op) {
  using range = tbb::blocked_range<std::int64_t>;
  const auto scan_range = [=](const range& r, T running, bool final) {
    if (!final) {
      for (std::int64_t i = r.begin(); i < r.end(); ++i) running = op(running, in[i]);
    } else {
      for (std::int64_t i = r.begin(); i < r.end(); ++i) {
        const T next = op(running, in[i]);
        out[i] = exclusive ? running : next;
        running = next;
      }
    }
    return running;
  };
  tbb::parallel_scan(range(0, n), op.template identity<T>(), scan_range, op);
}

template <class T>
void par_unseq_sum(const T* in, T* out, std::int64_t n, bool exclusive, scan::plus op) {
  if (exclusive) {
    std::exclusive_scan(std::execution::par_unseq, in, in + n, out, T{}, op);
  } else {
    std::inclusive_scan(std::execution::par_unseq, in, in + n, out, op);
  }
}

}  // namespace

std::vector<cpu_peer> tbb_peers(const cell& what, int num_threads) {
  std::vector<cpu_peer> peers;
  with_scan<plain_scans>(what.scan, [&](auto of) {
    using T = typename signed_scan<decltype(of)>::In;
    using Op = typename decltype(of)::Op;
    const auto add = [&](const std::string& name, auto scan) {
      const auto run = [=, n = what.num_items, exclusive = what.exclusive](const T* in, T* out) {
        scan(in, out, n, exclusive, Op{});
      };
      peers.push_back({name, on_elements<T>(run)});
    };
    if constexpr (std::is_same_v<Op, scan::plus>) {
      add(std::string("std::") + what.kind_name() + "_scan(par_unseq)", par_unseq_sum<T>);
    }
    add("tbb::parallel_scan", parallel_scan<T, Op>);
  });
  const auto shared = std::make_shared<team>(num_threads);
  for (cpu_peer& peer : peers) {
    peer.scan = [shared, scan = peer.scan](const void* in, void* out) {
      shared->threads.execute([&] { scan(in, out); });
    };
  }
  return peers;
}

}  // namespace bench
