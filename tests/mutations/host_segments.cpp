// Scans of segments, by keys and by flags on CPU threads: in streams (segments that tell of
// strangers) and in lanes (sums).
#include "scan/host/host_scan.hpp"
#include "tests/mutations/probe.hpp"
#include "tests/mutations/ragged.hpp"

namespace {

using probe::layout;
using probe::segment;

template <class Out>
scan::host_options<Out> options_of(int threads, bool reverse) {
  scan::host_options<Out> opts;
  opts.threads = threads;
  opts.reverse = reverse;
  return opts;
}

void check_concatenations(const layout& given, int how, bool reverse, int threads) {
  probe::check_ragged<segment, probe::host_memory>(
      given, how, reverse, true,
      [&](auto* from, auto* to, const std::int64_t* offsets, auto* inits, auto* totals, auto op,
          bool exclusive) {
        auto opts = options_of<segment>(threads, reverse);
        opts.init_pointer = inits;
        opts.total = totals;
        const scan::segments all{offsets, given.num_segments(), given.num_items()};
        return exclusive ? scan::exclusive(scan::host, from, to, all, op, opts)
                         : scan::inclusive(scan::host, from, to, all, op, opts);
      });
}

template <class T>
scan::host_options<T> options_of(int how, bool reverse, std::optional<T> init) {
  auto opts = options_of<T>(how & probe::misaligned_bit ? 1 : 5, reverse);
  opts.init = init;
  return opts;
}

template <class T>
void check_kinds(std::int64_t n, int how, bool reverse) {
  for (const layout& given : probe::layouts(n, false)) {
    std::vector<std::int32_t> offsets;
    for (const std::int64_t offset : given.offsets()) {
      offsets.push_back(static_cast<std::int32_t>(offset));
    }
    const scan::segments all{offsets.data(), given.num_segments(), given.num_items()};
    probe::check_sums<T, probe::host_memory>(
        given, how, reverse, [&](auto* from, auto* to, auto init, bool exclusive) {
          const auto opts = options_of<T>(how, reverse, init);
          return exclusive ? scan::exclusive(scan::host, from, to, all, scan::plus{}, opts)
                           : scan::inclusive(scan::host, from, to, all, scan::plus{}, opts);
        });
  }
  for (const layout& given : probe::layouts(n, true)) {
    const auto check_by = [&](const auto& heads) {
      probe::check_sums<T, probe::host_memory>(
          given, how, reverse, [&](auto* from, auto* to, auto init, bool exclusive) {
            const auto opts = options_of<T>(how, reverse, init);
            const std::int64_t items = given.num_items();
            return exclusive ? scan::exclusive_by_key(scan::host, heads, from, to, items,
                                                      scan::plus{}, opts)
                             : scan::inclusive_by_key(scan::host, heads, from, to, items,
                                                      scan::plus{}, opts);
          });
    };
    const auto keys = probe::keys_of(given);
    check_by(keys.data());
    const auto flags = probe::flags_of(given, how % 2 == 0);
    check_by(scan::flags{flags.data()});
    const auto bits = probe::bits_of(flags);
    check_by(scan::flags{bits.data()});
  }
}

/// What cannot be is refused, with the entry that is wrong.
void check_refused() {
  std::vector<std::int32_t> items(3000, 1);
  for (const int threads : {1, 5}) {
    for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{7}, std::int64_t{2000}}) {
      std::vector<std::int64_t> offsets(2001);
      for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);
      offsets[static_cast<std::size_t>(wrong)] = wrong == 2000 ? 3001 : wrong == 0 ? -1 : 5;
      const scan::status status =
          scan::inclusive(scan::host, items.data(), items.data(),
                          scan::segments{offsets.data(), std::int64_t{2000}, std::int64_t{3000}},
                          scan::plus{}, options_of<std::int32_t>(threads, false));
      probe::expect(!status.ok() && status.index() == wrong, "the wrong offset", wrong, threads);
    }
  }
}

}  // namespace

int main() {
  // Many tiles, whose folds other threads make.
  for (const layout& given : probe::layouts(100003, false)) {
    check_concatenations(given, probe::exclusive_bit, false, 5);
  }
  check_kinds<std::int32_t>(200003, probe::no_init_bit, true);
  check_kinds<float>(200003, 0, false);
  for (int how = 0; how < 2 * probe::num_ways; ++how) {
    for (const bool reverse : {false, true}) {
      for (const layout& given : probe::layouts(20011, false)) {
        for (const int threads : {1, 5}) check_concatenations(given, how, reverse, threads);
      }
      check_kinds<std::int32_t>(20011, how, reverse);
      check_kinds<float>(9001, how, reverse);
    }
  }
  check_refused();
  return probe::result();
}
