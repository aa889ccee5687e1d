// Scans on CPU threads: sequences of several tiles, rows, columns; totals, inits, gaps; and short
// rows of floats, which go abreast.
#include "scan/host/host_scan.hpp"
#include "tests/mutations/probe.hpp"

namespace {

using probe::odd_segment;

void check(std::int64_t outer, std::int64_t length, std::int64_t inner, int how, int threads) {
  probe::check_tensor<odd_segment, probe::host_memory>(
      outer, length, inner, how,
      [&](auto* from, auto* to, const auto& shape, auto* inits, auto* totals, auto op,
          bool exclusive) {
        scan::host_options<odd_segment> opts;
        opts.init_pointer = inits;
        opts.total = totals;
        opts.threads = threads;
        const scan::extents extents{outer, length, inner, shape.in_pitch, shape.out_pitch};
        return exclusive ? scan::exclusive(scan::host, from, to, extents, op, opts)
                         : scan::inclusive(scan::host, from, to, extents, op, opts);
      });
}

/// Small whole numbers, whose sums are exact.
void check_floats(std::int64_t rows, std::int64_t length, std::int64_t in_pitch, bool reverse,
                  bool in_place) {
  const std::int64_t out_pitch = in_place ? in_pitch : length + 4;
  probe::array<float, probe::host_memory> in(rows * in_pitch, 0), out(rows * out_pitch, 1);
  const auto item = [](std::int64_t row, std::int64_t i) {
    return static_cast<float>((row * 31 + i * 7) % 17 - 8);
  };
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < length; ++i) (in_place ? out : in)[r * in_pitch + i] = item(r, i);
  }
  in.upload(), out.upload();
  scan::host_options<float> opts;
  opts.reverse = reverse;
  const scan::status status =
      scan::inclusive(scan::host, in_place ? out.data() : in.data(), out.data(),
                      scan::extents{rows, length, 1, in_pitch, out_pitch}, scan::plus{}, opts);
  probe::expect(status.ok(), status.message(), length, 0);
  for (std::int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (std::int64_t step = 0; step < length; ++step) {
      const std::int64_t i = reverse ? length - 1 - step : step;
      out[r * out_pitch + i] = sum += item(r, i);
    }
  }
  probe::expect(in.same(), "the input", length, 0);
  probe::expect(out.same(), "the output", length, 0);
}

}  // namespace

int main() {
  constexpr std::int64_t shapes[][3] = {{1, 200003, 1}, {3, 30001, 1}, {700, 70, 1},
                                        {2, 3001, 33},  {40, 33, 4},   {3, 1030, 2}};
  for (int how = 0; how < 2 * probe::num_ways; ++how) {
    for (const auto& [outer, length, inner] : shapes) {
      for (const int threads : {1, 5}) check(outer, length, inner, how, threads);
    }
  }
  for (const bool reverse : {false, true}) {
    for (const bool in_place : {false, true}) {
      for (const std::int64_t length : {1, 5, 15}) {
        check_floats(37, length, length + 2, reverse, in_place);
      }
      check_floats(1, 200003, 200003, reverse, in_place);  // several tiles
    }
  }
  return probe::result();
}
