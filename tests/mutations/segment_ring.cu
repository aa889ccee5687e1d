// Segments in the ring kernel: several tiles a block, looks back over few tiles and many.
#include "scan/device/launch/segment_launch.cuh"
#include "tests/mutations/probe.cuh"
#include "tests/mutations/ragged.hpp"

namespace {

/// `Values`: what describe() makes of the elements.
template <class Tuned, class Values, class Options>
scan::status launch(const Values& values, const scan::segment_heads& heads, const Options& opts,
                    scan::device::device_limits limits) {
  limits.sm_count = 20;
  using problem = scan::device::segment_problem<Values, scan::segment_heads>;
  const problem scan(values, heads);
  bool is_there = false;
  return tests::launch_chosen(scan, opts, limits, [&](auto& to) {
    return scan::device::choose_segment_ring<Tuned>(to, scan, limits, is_there);
  });
}

scan::segment_heads offsets_at(const void* offsets, const probe::layout& given) {
  return {scan::head_kind::offsets_64, offsets, given.num_segments(), given.num_items()};
}

void check_concatenations(const probe::layout& given, int how,
                          const scan::device::device_limits& limits) {
  using probe::segment;
  probe::check_ragged<segment, probe::device_side>(
      given, how, false, false,
      [&](const segment* from, segment* to, const std::int64_t* offsets, auto*, auto*, auto op,
          bool exclusive) {
        const scan::options<segment> opts;
        return launch<probe::shape>(
            scan::describe<false>(exclusive, scan::as_input(from), scan::as_output(to),
                                  given.num_items(), op, opts),
            offsets_at(offsets, given), opts, limits);
      });
}

/// By `heads`, in memory of the device.
void check_sums(const probe::layout& given, int how, const scan::segment_heads& heads,
                const scan::device::device_limits& limits) {
  using item = std::int32_t;
  using tuned = scan::device::tuned_for<scan::transform_input<item>, scan::transform_output<item>>;
  probe::check_sums<item, probe::device_side>(
      given, how, false, [&](const item* from, item* to, auto init, bool exclusive) {
        scan::options<item> opts;
        opts.init = init;
        return launch<tuned>(
            scan::describe<false>(exclusive, scan::as_input(from), scan::as_output(to),
                                  given.num_items(), scan::plus{}, opts),
            heads, opts, limits);
      });
}

/// What is there on the device, too.
template <class T>
class uploaded {
 public:
  explicit uploaded(const std::vector<T>& from)
      : there_(static_cast<std::int64_t>(from.size()), 0) {
    for (std::size_t i = 0; i < from.size(); ++i) there_[static_cast<std::int64_t>(i)] = from[i];
    there_.upload();
  }
  const T* data() const { return there_.data(); }

 private:
  probe::device_array<T> there_;
};

/// Offsets that lead out of the arrays.
void check_garbage(const scan::device::device_limits& limits) {
  using item = std::int32_t;
  using tuned = scan::device::tuned_for<scan::transform_input<item>, scan::transform_output<item>>;
  const std::int64_t n = 300003;
  for (const std::int64_t beyond : {n + 50, std::int64_t{1} << 40}) {
    for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{-50}}) {
      probe::device_array<item> in(n, 0), out(n, 0);
      in.upload(), out.upload();
      const uploaded offsets(std::vector<std::int64_t>{begin, n / 2, beyond});
      const scan::options<item> opts;
      const scan::status status =
          launch<tuned>(scan::describe<false>(false, scan::as_input(in.data()),
                                              scan::as_output(out.data()), n, scan::plus{}, opts),
                        {scan::head_kind::offsets_64, offsets.data(), 2, n}, opts, limits);
      probe::expect(status.ok(), status.message(), n, 0);
      probe::expect(in.same() && out.guards_same(), "what lies around the output", n, 0);
    }
  }
}

}  // namespace

int main() {
  const scan::device::device_limits limits = probe::limits();
  if (limits.ring_bytes_of_block == 0) return 77;
  for (const std::int64_t n : {std::int64_t{1200003}, std::int64_t{20011}}) {
    for (int how = 0; how < probe::num_ways; ++how) {
      for (const probe::layout& given : probe::layouts(n, false)) {
        if (!(how & probe::exclusive_bit)) check_concatenations(given, how, limits);
        const uploaded offsets(given.offsets());
        check_sums(given, how, offsets_at(offsets.data(), given), limits);
      }
      for (const probe::layout& given : probe::layouts(n, true)) {
        const uploaded keys(probe::keys_of(given));
        check_sums(given, how, {scan::head_kind::keys_32, keys.data(), 0, given.num_items()},
                   limits);
        const uploaded flags(probe::flags_of(given, false));
        check_sums(given, how, {scan::head_kind::flag_bytes, flags.data(), 0, given.num_items()},
                   limits);
      }
    }
  }
  check_garbage(limits);
  return probe::result();
}
