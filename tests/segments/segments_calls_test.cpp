// Scans of segments as parts of programs: capture in graphs and replay with other offsets, one
// workspace for calls of every size, results that repeat bit for bit, offsets that are garbage.
//   segments_calls_test [one in so many] [most elements]
// What needs a GPU is left out, with exit code 77, where there is none.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/matrices/segment_matrix.hpp"
#include "tests/segments/ragged_sums.hpp"
#include "tests/segments/segment_garbage.hpp"
#include "tests/support/call_checks.hpp"
#include "tests/support/run_tests.hpp"

namespace {

using tests::cuda_check;
using tests::device_memory;
using tests::head_kind;
using tests::most_elements;
using tests::one_in;
using tests::ragged_sums;
using tests::segment_layout;
using tests::skipped;

/// Numbers of elements and segments, from less than a tile to many; `turn` of every source.
struct extent {
  std::int64_t n, num_segments;
};
std::vector<extent> extents() {
  std::vector<extent> all;
  for (const extent& one : std::vector<extent>{{1, 1},
                                               {100, 7},
                                               {5000, 3000},
                                               {60000, 3},
                                               {300001, 100000},
                                               {300001, 5},
                                               {2000003, 1000000},
                                               {2000003, 20}}) {
    if (one.n <= most_elements) all.push_back(one);
  }
  return all;
}
template <class Each>
void for_each_call(const Each& each) {
  std::uint64_t turn = 0;
  for (const extent& of : extents()) {
    for (int kind = 0; kind < tests::num_head_kinds; ++kind) {
      if (++turn % one_in == 0) each(static_cast<head_kind>(kind), of, turn);
    }
  }
}

/// A stream busy with scans and copies of changing size.
class load {
 public:
  void start(int round) const {
    scan::options<float> opts;
    opts.stream = stream_;
    for (int i = 0; i < 1 + round % 3; ++i) {
      cuda_check(cudaMemsetAsync(memory_.as<float>(), 0, num_items * 4 / (1 + round % 5), stream_));
      REQUIRE(scan::inclusive(memory_.as<float>(), memory_.as<float>(), num_items / (1 + round % 5),
                              scan::plus{}, opts)
                  .ok());
    }
  }
  void wait() const { stream_.wait(); }

 private:
  static constexpr std::int64_t num_items = 8'000'000;
  tests::stream stream_;
  device_memory memory_{num_items * sizeof(float)};
};

template <class T>
void check_repeats(int num_repeats) {
  const tests::stream stream;
  const load others;
  for_each_call([&](head_kind heads, const extent& of, std::uint64_t turn) {
    ragged_sums<T> sums(heads, of.n, of.num_segments, turn);
    INFO(sizeof(T), " bytes, ", sums.describe());
    sums.fill_with_real_numbers(turn);
    scan::workspace space(of.n, sizeof(T));
    std::vector<T> outputs, totals;
    for (int round = 0; round <= num_repeats; ++round) {
      sums.clear();
      if (round > 0) others.start(round);
      REQUIRE(sums.call(stream, round % 2 == 0 ? &space : nullptr).ok());
      stream.wait();
      INFO("round ", round);
      const std::vector<T> outputs_now = sums.outputs(), totals_now = sums.totals();
      REQUIRE((round == 0 || ragged_sums<T>::same(outputs_now, outputs)));
      REQUIRE((round == 0 || ragged_sums<T>::same(totals_now, totals)));
      outputs = outputs_now;
      totals = totals_now;
    }
    others.wait();
  });
}

}  // namespace

TEST_SUITE("segments calls") {
  TEST_CASE("captured in a graph and replayed with other elements, offsets, keys and flags") {
    if (skipped()) return;
    const tests::stream stream;
    scan::workspace space(tests::roomy_items, 16);
    REQUIRE(space.error().ok());
    for_each_call([&](head_kind heads, const extent& of, std::uint64_t turn) {
      ragged_sums<std::int32_t> sums(heads, of.n, of.num_segments, turn);
      INFO(sums.describe());
      for (scan::workspace* use : {&space, static_cast<scan::workspace*>(nullptr)}) {
        const tests::graph captured(stream, [&] { return sums.call(stream, use); });
        for (std::uint64_t replay = 1; replay <= 3; ++replay) {
          sums.refill(turn + 1000 * replay);
          captured.replay(stream);
          stream.wait();
          CHECK(sums.right());
        }
      }
    });
  }

  TEST_CASE("one workspace for many calls of every size, beside single sequences") {
    if (skipped()) return;
    const tests::stream stream;
    scan::workspace space(tests::roomy_items, 16);
    const tests::ones single(3'000'000);
    std::vector<std::unique_ptr<ragged_sums<float>>> calls;
    for_each_call([&](head_kind heads, const extent& of, std::uint64_t turn) {
      calls.push_back(std::make_unique<ragged_sums<float>>(heads, of.n, of.num_segments, turn));
    });
    std::mt19937_64 random(3);
    for (std::uint64_t round = 0; round < 15 / one_in + 1; ++round) {
      for (const auto& call : calls) {
        if (random() % 8 == 0 || round == 0) call->refill(random());
      }
      std::shuffle(calls.begin(), calls.end(), random);
      for (const auto& call : calls) {
        // Small ones again and again: epochs.
        for (int i = 0; i < (call->num_items() < 10000 ? 20 : 1); ++i) {
          REQUIRE(call->call(stream, &space).ok());
        }
        if (random() % 16 == 0) {
          REQUIRE(single.scan(scan::algorithm::automatic, stream, &space).ok());
        }
      }
      stream.wait();
      for (const auto& call : calls) {
        INFO("round ", round, ", ", call->describe());
        REQUIRE(call->right());
      }
    }
  }

  TEST_CASE("a workspace for the elements is large enough; one that is not leaves outputs alone") {
    if (skipped()) return;
    const tests::stream stream;
    scan::workspace small(100);
    for_each_call([&](head_kind heads, const extent& of, std::uint64_t turn) {
      ragged_sums<double> sums(heads, of.n, of.num_segments, turn);
      INFO(sums.describe());
      scan::workspace just(of.n, 8);
      for (scan::workspace* space : {&just, &small}) {
        sums.refill(turn);
        const scan::status status = sums.call(stream, space);
        stream.wait();
        if (status.ok()) {
          CHECK(sums.right());
        } else {
          CHECK(space == &small);
          CHECK(status == cudaErrorInvalidValue);
          CHECK(std::string(status.message()).find("too small") != std::string::npos);
          CHECK(sums.untouched());
        }
      }
    });
  }

  TEST_CASE("the caller's pending error survives, and none is left where none was") {
    if (skipped()) return;
    for_each_call([&](head_kind heads, const extent& of, std::uint64_t turn) {
      ragged_sums<std::int64_t> sums(heads, of.n, of.num_segments, turn);
      INFO(sums.describe());
      sums.refill(turn);
      CHECK(sums.call(nullptr, nullptr).ok());
      CHECK(cudaPeekAtLastError() == cudaSuccess);
      tests::leave_pending();
      CHECK(sums.call(nullptr, nullptr).ok());
      CHECK(cudaGetLastError() == tests::the_callers);
      CHECK(sums.right());
    });
  }

  TEST_CASE("the same bits every time beside a load") {
    if (skipped()) return;
    const int num_repeats = one_in == 1 ? 20 : 3;
    check_repeats<float>(num_repeats);
    check_repeats<double>(num_repeats);
    check_repeats<__nv_bfloat16>(num_repeats);
  }

  TEST_CASE("garbage for offsets: nothing outside is touched") {
    if (skipped()) return;
    std::vector<tests::garbage_case> cases = tests::garbage_cases(most_elements);
    std::size_t most_bytes = 0;
    for (const auto& some : cases) {
      most_bytes = std::max(most_bytes, tests::image_bytes(*some.row, some.c));
    }
    tests::sequence_device_checker<tests::garbage_problem> checker(most_bytes);
    const tests::stream stream;
    scan::workspace space(tests::roomy_items, 16);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < cases.size(); i += one_in) {
      const tests::garbage_case& some = cases[i];
      if (some.row->on_device == nullptr) continue;
      REQUIRE(checker.check(*some.row, some.c, i, stream, i % 2 == 0 ? &space : nullptr) == "");
      ++count;
    }
    MESSAGE("cases: ", count);
  }

  TEST_CASE("garbage for offsets on CPU threads: refused, the entry named, nothing touched") {
    const std::vector<tests::garbage_case> cases = tests::garbage_cases(300000);
    for (std::size_t i = 0; i < cases.size(); i += one_in) {
      const tests::garbage_case& some = cases[i];
      if (some.row->on_host == nullptr) continue;
      tests::garbage_problem data(*some.row, some.c, i);
      INFO(some.row->name, ", ", some.c.describe());
      const scan::status status = some.row->on_host(
          some.c,
          {data.in.data(), data.beside.data(), some.c.in_place ? data.in.data() : data.out.data(),
           some.c.with_total ? data.totals.data() : nullptr, data.inits.data()},
          static_cast<int>(i % 4));
      CHECK(status == cudaErrorInvalidValue);
      CHECK(std::string(status.message()).find("offsets") != std::string::npos);
      CHECK(status.index() == data.first_wrong());
      CHECK(data.judge_untouched() == "");
    }
  }

  TEST_CASE("check_segments names the entry, in host memory and on the device") {
    const std::vector<tests::garbage_case> cases = tests::garbage_cases(300000);
    for (std::size_t i = 0; i < cases.size(); i += one_in) {
      const tests::garbage_case& some = cases[i];
      tests::garbage_problem data(*some.row, some.c, i);
      tests::segment_problem good(*some.row, some.c, i);
      INFO(some.c.describe());
      const auto check = [&](const void* heads, std::int64_t first_wrong, auto... where) {
        const scan::status status = tests::visit_heads(
            some.c.heads, heads,
            [&](const auto* offsets) {
              const scan::segments parts{offsets, some.c.layout->num_segments(),
                                         some.c.num_items()};
              return scan::check_segments(where..., parts);
            },
            [](const auto*) { return scan::status(); }, [](const auto*) { return scan::status(); });
        CHECK(status.ok() == (first_wrong < 0));
        CHECK(status.index() == first_wrong);
      };
      check(data.beside.data(), data.first_wrong(), scan::host);
      check(good.beside.data(), -1, scan::host);
      if (!tests::gpu_present()) continue;
      const device_memory heads(data.beside.image_bytes());
      for (const tests::remembering* from : {&data.beside, &good.beside}) {
        cuda_check(cudaMemcpy(heads.as<char>(), from->data(), from->before().size(),
                              cudaMemcpyHostToDevice));
        check(heads.as<void>(), from == &good.beside ? -1 : data.first_wrong());
      }
    }
  }

  TEST_CASE("an entry that is wrong is named wherever it is") {
    const std::int64_t num_segments = 40000, n = 2 * num_segments;
    const segment_layout layout =
        tests::layout_of_lengths("pairs", std::vector<std::int64_t>(num_segments, 2));
    const auto check = [&](auto offset) {
      std::vector<decltype(offset)> offsets(layout.offsets.begin(), layout.offsets.end());
      const auto checked = [&] {
        return scan::check_segments(scan::host, scan::segments{offsets.data(), num_segments, n});
      };
      REQUIRE(checked().ok());
      for (const std::int64_t near : {1, 4096, 8192, 16384, 32768, 40000}) {
        for (std::int64_t i = near - 1; i <= std::min(near + 1, num_segments); ++i) {
          const auto at = static_cast<std::size_t>(i);
          const auto right = offsets[at];
          const auto wrong = {static_cast<decltype(offset)>(right - 3),
                              static_cast<decltype(offset)>(n + 1)};  // (1 - 3 unsigned: huge)
          for (const auto one : wrong) {
            offsets[at] = one;
            CHECK(checked().index() == i);
          }
          offsets[at] = right;
        }
      }
    };
    check(std::int32_t{});
    check(std::int64_t{});
    check(std::uint32_t{});
    check(std::uint64_t{});
  }

  TEST_CASE("check_segments in a stream that is being captured is an error") {
    if (skipped()) return;
    const tests::stream stream;
    const device_memory offsets(16);
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const scan::status status =
        scan::check_segments(scan::segments{offsets.as<std::int64_t>(), 1, 5}, stream);
    CHECK_FALSE(status.ok());
    cudaGraph_t captured = nullptr;
    static_cast<void>(cudaStreamEndCapture(stream, &captured));
    if (captured != nullptr) static_cast<void>(cudaGraphDestroy(captured));
    static_cast<void>(cudaGetLastError());
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv);
  return tests::run_tests(argc, argv);
}
