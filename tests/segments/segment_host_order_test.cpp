// The order of operations of segments on CPU threads: the formulas of include/scan/README.md, and
// what bits may not depend on.
#include <doctest/doctest.h>

#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "scan/call/segment_heads.hpp"
#include "scan/host/host_scan.hpp"
#include "tests/sequences/association.hpp"

namespace {

using scan::segment_fold;
using scan::segmented;

/// a(k) of segments: of what is behind the last head, counted from there.
struct fold_since_head {
  template <class V, class Op>
  std::optional<segment_fold<V>> operator()(const std::vector<segment_fold<V>>& x,
                                            std::size_t first, std::size_t end,
                                            std::size_t vector_items, segmented<Op> op) const {
    std::vector<V> values;
    bool has_head = false;
    for (std::size_t i = first; i < end; ++i) {
      if (x[i].has_head) values.clear();
      has_head |= x[i].has_head != 0;
      values.push_back(x[i].value);
    }
    return segment_fold<V>{*tests::strided_fold(values, 0, values.size(), vector_items, op.op),
                           has_head};
  }
};

/// By the formulas. `heads`: of items, in the order of the scan, as are the results.
template <class V, class Op>
tests::associated<V> by_formula(const std::vector<V>& items, const std::vector<bool>& heads, Op op,
                                bool in_lanes, bool exclusive, const std::optional<V>& init,
                                const V& identity) {
  using fold = segment_fold<V>;
  std::vector<fold> x;
  for (std::size_t i = 0; i < items.size(); ++i) {
    x.push_back({heads[i] && init ? op(*init, items[i]) : items[i], heads[i] ? 1u : 0u});
  }
  const std::size_t tile_blocks = tests::small_host_tiles(x.size(), sizeof(V)) ? 8 : 32;
  const auto folds =
      in_lanes
          ? tests::host_sum_association<fold>(x, segmented<Op>{op}, 16 / sizeof(V), exclusive, {},
                                              {}, fold_since_head{})
          : tests::streams_association<fold>(
                x, segmented<Op>{op}, {4096 / sizeof(V), tile_blocks, true}, exclusive, {}, {});
  tests::associated<V> scanned;
  for (std::size_t i = 0; i < x.size(); ++i) {
    scanned.results.push_back(exclusive && heads[i] ? init.value_or(identity)
                                                    : folds.results[i].value);
  }
  return scanned;
}

/// Offsets of segments of up to `most` elements, and of one of 20000.
std::vector<std::int64_t> ragged(std::int64_t n, std::int64_t most, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> offsets{5};
  while (offsets.back() < n) {
    const std::int64_t length = offsets.size() == 9 ? 20000 : random() % (most + 1);
    offsets.push_back(std::min(offsets.back() + length, n));
  }
  return offsets;
}

template <class V, class Op>
void check_order(std::int64_t n, std::int64_t most, Op op, bool in_lanes) {
  CAPTURE(n);
  CAPTURE(most);
  std::mt19937 random(7);
  std::vector<V> in(static_cast<std::size_t>(n + 5));
  for (V& item : in) item = static_cast<V>(random()) * V(0x1p-31) - V(0.9);
  const std::vector<std::int64_t> offsets = ragged(n, most, 3);
  const auto begin = offsets.front(), end = offsets.back();
  for (int bits = 0; bits<16; bits += n> 1000000 ? 5 : 1) {
    const bool exclusive = bits & 1, reverse = bits & 2;
    CAPTURE(bits);
    scan::host_options<V> opts;
    opts.reverse = reverse;
    opts.threads = bits & 4 ? 7 : 1;
    if (bits & 8) opts.init = V(0.3);
    std::vector<bool> heads(static_cast<std::size_t>(end - begin));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      if (offsets[s] == offsets[s + 1]) continue;
      heads[static_cast<std::size_t>(reverse ? end - offsets[s + 1] : offsets[s] - begin)] = true;
    }
    const std::vector<V> items(in.begin() + begin, in.begin() + end);
    const V identity = Op::template identity<V>();
    const auto formula = [&](bool as_exclusive) {
      return tests::in_memory_order(items, reverse, op,
                                    [&](const auto& x, auto ordered) {
                                      return by_formula(x, heads, ordered, in_lanes, as_exclusive,
                                                        opts.init, identity);
                                    })
          .results;
    };
    std::vector<V> out(in.size(), V(9)), totals(offsets.size() - 1);
    opts.total = totals.data();
    const scan::segments<std::int64_t> given{offsets.data(),
                                             static_cast<std::int64_t>(totals.size())};
    REQUIRE((exclusive ? scan::exclusive(scan::host, in.data(), out.data(), given, op, opts)
                       : scan::inclusive(scan::host, in.data(), out.data(), given, op, opts))
                .ok());
    const std::vector<V> results = formula(exclusive), inclusive = formula(false);
    CHECK(std::memcmp(out.data() + begin, results.data(), results.size() * sizeof(V)) == 0);
    bool totals_right = true;
    for (std::size_t s = 0; s < totals.size(); ++s) {
      if (offsets[s] == offsets[s + 1]) continue;
      const auto last = (reverse ? offsets[s] : offsets[s + 1] - 1) - begin;
      totals_right &= totals[s] == inclusive[static_cast<std::size_t>(last)];
    }
    CHECK(totals_right);
  }
}

/// Elements [begin, end), to be joined with what follows in memory; anything else is noticed. With
/// an init, which is before element `begin` or behind the last.
struct run_of_items {
  std::int32_t begin, end;
  friend run_of_items operator+(const run_of_items& a, const run_of_items& b) {
    return a.end == b.begin ? run_of_items{a.begin, b.end} : run_of_items{-1, -2};
  }
};

}  // namespace

TEST_SUITE("segment host order") {
  TEST_CASE("sums are associated as the formulas say, by one thread and by many") {
    for (const std::int64_t most : {1, 3, 40, 3000, 100000}) {
      check_order<float>(40000, most, scan::plus{}, true);
      check_order<double>(40000, most, scan::plus{}, true);
    }
    check_order<float>(1 << 19, 500, scan::plus{}, true);
    check_order<float>((2 << 20) + 70000, 5000, scan::plus{}, true);  // large tiles
  }

  TEST_CASE("so is everything else") {
    for (const std::int64_t most : {1, 3, 40, 3000, 100000}) {
      check_order<float>(40000, most, scan::multiplies{}, false);
      check_order<double>(40000, most, scan::multiplies{}, false);
    }
    check_order<float>(1 << 19, 500, scan::multiplies{}, false);
    check_order<double>((1 << 20) + 70000, 5000, scan::multiplies{}, false);
  }

  TEST_CASE("a `+` of the user's own sees neighbours of one segment and nothing else") {
    const std::int64_t n = 1 << 18;
    for (const std::int64_t most : {1, 3, 40, 3000}) {
      for (int bits = 0; bits < 4; ++bits) {
        CAPTURE(most);
        CAPTURE(bits);
        const std::vector<std::int64_t> offsets = ragged(n, most, 5);
        std::vector<run_of_items> in, inits, out(static_cast<std::size_t>(n));
        for (std::int32_t i = 0; i < n; ++i) in.push_back({i, i + 1});
        scan::host_options<run_of_items> opts;
        opts.reverse = bits & 1;
        opts.threads = bits & 2 ? 7 : 1;
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
          const auto at = static_cast<std::int32_t>(opts.reverse ? offsets[s + 1] : offsets[s]);
          inits.push_back({at, at});
        }
        opts.init_pointer = inits.data();
        const scan::segments<std::int64_t> given{offsets.data(),
                                                 static_cast<std::int64_t>(inits.size())};
        REQUIRE(scan::inclusive(scan::host, in.data(), out.data(), given, scan::plus{}, opts).ok());
        bool right = true;
        for (std::size_t s = 0; s < inits.size(); ++s) {
          for (auto i = static_cast<std::int32_t>(offsets[s]); i < offsets[s + 1]; ++i) {
            const run_of_items& seen = out[static_cast<std::size_t>(i)];
            right &= opts.reverse ? seen.begin == i && seen.end == offsets[s + 1]
                                  : seen.begin == offsets[s] && seen.end == i + 1;
          }
        }
        CHECK(right);
      }
    }
  }
}
