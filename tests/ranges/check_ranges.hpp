// Scans of segments that lie anywhere in host or device memory: every byte against a serial loop,
// with guards around all arrays.
#ifndef SCAN_TESTS_CHECK_RANGES_HPP
#define SCAN_TESTS_CHECK_RANGES_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/ranges/range_case.hpp"
#include "tests/ranges/range_garbage.hpp"
#include "tests/support/device_array.hpp"
#include "tests/support/guarded.hpp"

namespace tests {

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// As device_array.
template <class T>
class host_array {
 public:
  host_array(const std::vector<T>& items, std::int64_t offset)
      : image_(static_cast<std::int64_t>(items.size()), offset), items_(items) {
    std::copy(items.begin(), items.end(), image_.data());
  }
  T* data() { return image_.data(); }
  std::vector<T> download() { return {image_.data(), image_.data() + items_.size()}; }
  bool guards_intact() const { return image_.guards_intact(); }
  bool is_as_before() { return guards_intact() && same_bytes(download(), items_); }

 private:
  guarded<T> image_;
  std::vector<T> items_;
};

struct in_host_memory {
  template <class T>
  using array = host_array<T>;
  int threads;

  template <class T>
  scan::host_options<T> new_options() const {
    scan::host_options<T> opts;
    opts.threads = threads;
    return opts;
  }
  template <class... Given>
  scan::status call(const Given&... given) const {
    return call_ranges(given..., scan::host);
  }
};
struct in_device_memory {
  template <class T>
  using array = device_array<T>;

  template <class T>
  scan::options<T> new_options() const {
    return {};
  }
  template <class... Given>
  scan::status call(const Given&... given) const {
    const scan::status status = call_ranges(given...);
    cuda_check(cudaDeviceSynchronize());
    return status;
  }
};

/// What a call reads, and what its output holds before it.
template <class In, class Out>
struct range_data {
  std::vector<In> items;
  std::vector<Out> before, inits;
  range_images images;

  range_data(const range_case& c, std::mt19937_64& random)
      : items(random_items<In>(c.layout.num_items, random())),
        before(random_items<Out>(c.layout.num_out_items, random())),
        inits(random_items<Out>(c.num_inits(), random())),
        images(images_of(c, random)) {
    if constexpr (std::is_same_v<In, Out>) {
      if (c.in_place) before = items;
    }
  }
};

/// What it left behind.
template <class Out>
struct range_results {
  scan::status status;
  std::vector<Out> outputs, totals;
  bool is_intact;  // nothing else has been written
};
template <class Memory, class In, class Out, class Op>
range_results<Out> run_ranges(const Memory& memory, const range_case& c,
                              const range_data<In, Out>& data, Op op) {
  using bytes = typename Memory::template array<unsigned char>;
  using values = typename Memory::template array<Out>;
  const std::int64_t shift = c.offsets_offset * static_cast<std::int64_t>(offset_bytes(c.kind));
  bytes begins(data.images.begins, shift), ends(data.images.ends, shift),
      out_begins(data.images.out_begins, shift);
  typename Memory::template array<In> in(data.items, c.in_offset);
  values out(data.before, c.out_offset), inits(data.inits, c.values_offset),
      totals(std::vector<Out>(c.layout.places.size(), Out{}), c.values_offset);
  auto opts = memory.template new_options<Out>();
  opts.reverse = c.reverse;
  if (c.init == sequence_init::by_value) opts.init = data.inits[0];
  if (c.init == sequence_init::by_pointer) opts.init_pointer = inits.data();
  if (c.with_total) opts.total = totals.data();
  const In* from = in.data();
  if constexpr (std::is_same_v<In, Out>) {
    if (c.in_place) from = out.data();
  }
  range_results<Out> results{
      memory.call(c, begins.data(), ends.data(), out_begins.data(), from, out.data(), op, opts),
      out.download(), totals.download(), false};
  results.is_intact = begins.is_as_before() && ends.is_as_before() && out_begins.is_as_before() &&
                      in.is_as_before() && inits.is_as_before() && out.guards_intact() &&
                      totals.guards_intact() && (c.with_total || totals.is_as_before());
  return results;
}

/// What is wrong with the call of the case with random data, or "". Twice: the second time has the
/// bits of the first.
template <class In, class Out, class Memory, class Op>
std::string check_ranges(const Memory& memory, const range_case& c, Op op,
                         std::mt19937_64& random) {
  const range_data<In, Out> data(c, random);
  const range_results<Out> results = run_ranges(memory, c, data, op);
  if (!results.status.ok()) return results.status.message();
  if (!results.is_intact) return "something else was written";
  std::vector<Out> wanted = data.before, totals(c.layout.places.size(), Out{});
  scan_ranges_serially(c, data.items, wanted, data.inits, c.with_total ? &totals : nullptr, op);
  if (!same_bytes(results.outputs, wanted)) return "wrong outputs";
  if (!same_bytes(results.totals, totals)) return "wrong totals";
  const range_results<Out> again = run_ranges(memory, c, data, op);
  return same_bytes(again.outputs, wanted) ? "" : "other bits the second time";
}

/// The same with offsets that cannot be.
template <class T, class Memory>
std::string check_range_garbage(const Memory& memory, const range_case& c, int kind,
                                std::mt19937_64& random, range_results<T>& results,
                                range_data<T, T>& data) {
  spoil_ranges(kind, c, data.images, random);
  results = run_ranges(memory, c, data, scan::plus{});
  return results.is_intact ? "" : "something was written outside, with garbage";
}

}  // namespace tests

#endif
