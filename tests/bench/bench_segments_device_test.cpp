// What segments are measured on, made on the GPU as on the host, and judged there.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "bench/cells/scans.hpp"
#include "bench/data/segment_data.hpp"
#include "tests/support/device_memory.hpp"

namespace {

using bench::head_words;

/// Empty ones, one of hundreds, and all pointers off.
bench::cell segments_of(std::size_t scan, head_words heads) {
  bench::cell what{.scan = scan, .num_items = 2011, .in_offset = 3, .out_offset = 1};
  what.rivals = bench::cell_rivals::segments;
  what.segments = {.heads = heads,
                   .law = bench::length_law::weighted,
                   .num_segments = 300,
                   .quarters = 5,
                   .empty_of_64 = 20,
                   .log_neighbours = 1,
                   .seed = 7,
                   .head_shift = 5};
  return what;
}

/// Whether each element begins a segment, by what the slot tells.
std::vector<bool> heads_in(const bench::cell& what, const std::vector<std::byte>& slot) {
  const auto n = static_cast<std::size_t>(what.num_items);
  const auto word = [&](auto example, std::size_t i) {
    std::memcpy(&example, slot.data() + what.heads_offset() + i * sizeof(example), sizeof(example));
    return example;
  };
  std::vector<bool> heads(n);
  const auto add_offsets = [&](auto example) {
    for (std::size_t s = 0; s < static_cast<std::size_t>(what.segments.num_segments); ++s) {
      if (word(example, s) < word(example, s + 1)) {
        heads[static_cast<std::size_t>(word(example, s))] = true;
      }
    }
  };
  switch (what.segments.heads) {
    case head_words::offsets_32:
      add_offsets(std::int32_t{});
      break;
    case head_words::offsets_64:
      add_offsets(std::int64_t{});
      break;
    case head_words::keys:
      for (std::size_t i = 0; i < n; ++i) {
        heads[i] = i == 0 || word(std::uint32_t{}, i) != word(std::uint32_t{}, i - 1);
      }
      break;
    case head_words::flag_bytes:
      for (std::size_t i = 0; i < n; ++i) heads[i] = word(std::uint8_t{}, i) != 0;
      break;
    case head_words::flag_bits:
      for (std::size_t i = 0; i < n; ++i) {
        heads[i] = (word(std::uint32_t{}, i / 32) >> (i % 32) & 1) != 0;
      }
  }
  return heads;
}

template <class Scan>
void check_segments(head_words heads) {
  using In = typename Scan::In;
  const bench::cell what = segments_of(bench::scan_index<In>(), heads);
  const std::vector<std::int32_t> offsets = bench::ragged_offsets(what.segments, what.num_items);
  const std::size_t offset_bytes = offsets.size() * sizeof(offsets[0]);
  const tests::device_memory d_offsets(offset_bytes);
  tests::cuda_check(
      cudaMemcpy(d_offsets.as<void>(), offsets.data(), offset_bytes, cudaMemcpyHostToDevice));
  const auto slot_bytes = static_cast<std::size_t>(what.slot_bytes());
  const tests::device_memory d_slot(slot_bytes), found(sizeof(unsigned long long));
  std::vector<std::byte> slot(slot_bytes);
  tests::cuda_check(
      bench::fill_segments(what, d_offsets.as<std::int32_t>(), d_slot.as<void>(), nullptr));
  tests::cuda_check(cudaMemcpy(slot.data(), d_slot.as<void>(), slot_bytes, cudaMemcpyDeviceToHost));

  const std::vector<bool> begins = heads_in(what, slot);
  std::vector<bool> right_begins(begins.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s] < offsets[s + 1]) right_begins[static_cast<std::size_t>(offsets[s])] = true;
  }
  REQUIRE(begins == right_begins);

  std::vector<In> out(slot_bytes / sizeof(In));
  typename Scan::Acc sum{};
  for (std::size_t i = 0; i < begins.size(); ++i) {
    In element;
    std::memcpy(&element, slot.data() + (i + 3) * sizeof(In), sizeof(In));
    const auto next = scan::convert<typename Scan::Acc>(element);
    sum = begins[i] ? next : scan::plus{}(sum, next);
    out[i + 1] = scan::convert<In>(sum);
  }
  const auto wrong = [&] {
    std::int64_t index = 0;
    tests::cuda_check(cudaMemset(found.as<void>(), 0xff, sizeof(index)));
    tests::cuda_check(
        cudaMemcpy(d_slot.as<void>(), out.data(), out.size() * sizeof(In), cudaMemcpyHostToDevice));
    tests::cuda_check(bench::check_segments(what, d_offsets.as<std::int32_t>(), d_slot.as<void>(),
                                            found.as<unsigned long long>(), nullptr));
    tests::cuda_check(cudaMemcpy(&index, found.as<void>(), sizeof(index), cudaMemcpyDeviceToHost));
    return index;
  };
  CHECK_MESSAGE(wrong() == -1, "a right scan is right");
  for (const std::size_t at : {2010, 1024, 0}) {  // what is wrong last hides nothing before it
    reinterpret_cast<unsigned char*>(&out[at + 1])[sizeof(In) - 1] ^= 0x04;
    CHECK(wrong() == static_cast<std::int64_t>(at));
  }
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("segments are told in every way on the GPU, and judged element by element") {
    std::apply(
        [](auto... of) {
          for (const head_words heads : bench::all_head_words) {
            CAPTURE(static_cast<int>(heads));
            (check_segments<decltype(of)>(heads), ...);
          }
        },
        bench::suite_segment_sums{});
  }
}
