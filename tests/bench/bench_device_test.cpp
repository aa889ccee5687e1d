// The judge of the suites' data on the GPU finds what is wrong, and where.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/cells/scans.hpp"
#include "bench/data/device_data.hpp"
#include "bench/data/shape_data.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/run_tests.hpp"

namespace {

constexpr std::int64_t num_items = 100'003;

template <class Scan>
std::vector<typename Scan::In> input_of(std::size_t index) {
  std::vector<typename Scan::In> in(num_items);
  const std::size_t num_bytes = in.size() * sizeof(in[0]);
  const tests::device_memory d_in(num_bytes);
  tests::cuda_check(bench::fill_input(index, d_in.as<void>(), num_items, nullptr));
  tests::cuda_check(cudaMemcpy(in.data(), d_in.as<void>(), num_bytes, cudaMemcpyDeviceToHost));
  return in;
}

/// The scan as a serial loop.
template <class Scan>
std::vector<typename Scan::Out> scan_of_input(std::size_t index, bool exclusive) {
  using Acc = typename Scan::Acc;
  using Op = typename Scan::Op;
  std::vector<typename Scan::Out> out;
  Acc sum{};
  if constexpr (scan::has_identity<Op, Acc>) sum = Op::template identity<Acc>();
  for (const typename Scan::In& element : input_of<Scan>(index)) {
    const Acc before = sum;
    const bool first = out.empty() && !exclusive;
    sum = first ? scan::convert<Acc>(element) : Op{}(before, scan::convert<Acc>(element));
    out.push_back(scan::convert<typename Scan::Out>(exclusive ? before : sum));
  }
  return out;
}

/// What the judge says: the index of the first wrong element, -1 if there is none.
std::int64_t judge(const auto& check) {
  const tests::device_memory found(sizeof(unsigned long long));
  tests::cuda_check(cudaMemset(found.as<void>(), 0xff, sizeof(unsigned long long)));
  tests::cuda_check(check(found.as<unsigned long long>()));
  std::int64_t index = 0;
  tests::cuda_check(cudaMemcpy(&index, found.as<void>(), sizeof(index), cudaMemcpyDeviceToHost));
  return index;
}

template <class T>
std::int64_t first_wrong(std::size_t index, const std::vector<T>& out, bool exclusive) {
  const tests::device_memory d_out(out.size() * sizeof(T));
  tests::cuda_check(
      cudaMemcpy(d_out.as<void>(), out.data(), out.size() * sizeof(T), cudaMemcpyHostToDevice));
  return judge([&](unsigned long long* found) {
    return bench::check_output(index, d_out.as<void>(), num_items, exclusive, found, nullptr);
  });
}

/// Changes a bit that matters in every type: not the sign of a zero.
template <class T>
void corrupt(T& element) {
  reinterpret_cast<unsigned char*>(&element)[sizeof(T) - 1] ^= 0x04;
}

template <class Scan>
void check_judge(std::size_t index, bool exclusive) {
  const auto right = scan_of_input<Scan>(index, exclusive);
  CHECK_MESSAGE(first_wrong(index, right, exclusive) == -1, "a right scan is right");
  for (const std::size_t at : {std::size_t{0}, right.size() / 2, right.size() - 1}) {
    auto wrong = right;
    corrupt(wrong[at]);
    CHECK_MESSAGE(first_wrong(index, wrong, exclusive) == static_cast<std::int64_t>(at),
                  "a wrong element is found, where it is");
  }
  CHECK_MESSAGE(first_wrong(index, std::vector(right.size(), right[0]), exclusive) > 0,
                "outputs are not constant");
}

/// Rows with offsets and pitches, small enough to scan on the host.
bench::cell tensor_of(std::size_t scan, bool recurrence) {
  bench::cell what{.scan = scan, .in_offset = 3, .out_offset = 1};
  what.rivals = bench::cell_rivals::shapes;
  what.shape = {5, 33, 7, 240, 231};
  what.num_items = 5 * 33 * 7;
  what.recurrence = recurrence;
  return what;
}

/// A slot of outputs, scanned as serial loops, a sequence after the other.
template <class Scan>
std::vector<typename Scan::Out> scan_of_tensor(const bench::cell& what) {
  using In = typename Scan::In;
  using Acc = typename Scan::Acc;
  const auto slot_bytes = static_cast<std::size_t>(what.slot_bytes());
  const tests::device_memory slot(slot_bytes);
  std::vector<In> in(slot_bytes / sizeof(In));
  tests::cuda_check(bench::fill_tensor(what, slot.as<void>(), nullptr));
  tests::cuda_check(cudaMemcpy(in.data(), slot.as<void>(), slot_bytes, cudaMemcpyDeviceToHost));
  std::vector<typename Scan::Out> out(slot_bytes / sizeof(typename Scan::Out));
  const scan::tensor_shape of = what.resolved_shape();
  const std::int64_t factors = what.factors_offset() / static_cast<std::int64_t>(sizeof(In));
  for (std::int64_t sequence = 0; sequence < of.num_sequences(); ++sequence) {
    const std::int64_t outer = sequence / of.inner, inner = sequence % of.inner;
    Acc fold{};
    for (std::int64_t i = 0; i < of.length; ++i) {
      const std::int64_t from = what.in_offset + outer * of.in_pitch + i * of.inner + inner;
      const Acc next = scan::convert<Acc>(in[static_cast<std::size_t>(from)]);
      if (what.recurrence) {
        fold = scan::convert<Acc>(in[static_cast<std::size_t>(factors + from)]) * fold + next;
      } else {
        fold = i == 0 ? next : scan::plus{}(fold, next);
      }
      const std::int64_t to = what.out_offset + outer * of.out_pitch + i * of.inner + inner;
      out[static_cast<std::size_t>(to)] = scan::convert<typename Scan::Out>(fold);
    }
  }
  return out;
}

template <class Scan>
void check_tensor_judge(bool recurrence) {
  using Out = typename Scan::Out;
  const bench::cell what =
      tensor_of(bench::scan_index<typename Scan::In, Out, scan::plus>(), recurrence);
  auto out = scan_of_tensor<Scan>(what);
  const auto wrong = [&] {
    const tests::device_memory slot(out.size() * sizeof(Out));
    tests::cuda_check(
        cudaMemcpy(slot.as<void>(), out.data(), out.size() * sizeof(Out), cudaMemcpyHostToDevice));
    return judge([&](unsigned long long* found) {
      return bench::check_tensor(what, slot.as<void>(), found, nullptr);
    });
  };
  CHECK(wrong() == -1);
  const std::size_t last = 1 + 4 * 231 + 33 * 7 - 1, gap = 0;
  corrupt(out[gap]);
  CHECK_MESSAGE(wrong() == -1, "what is no element is not looked at");
  corrupt(out[last]);
  CHECK(wrong() == 5 * 33 * 7 - 1);
  corrupt(out[1 + 231 + 10 * 7 + 2]);
  CHECK(wrong() == 231 + 10 * 7 + 2);
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE("tensors are judged, element by element") {
    check_tensor_judge<bench::scan_of<float, float, scan::plus>>(false);
    check_tensor_judge<bench::scan_of<std::int32_t, std::int32_t, scan::plus>>(false);
    check_tensor_judge<bench::scan_of<std::uint8_t, std::int32_t, scan::plus>>(false);
    check_tensor_judge<bench::scan_of<float, float, scan::plus>>(true);
    check_tensor_judge<bench::scan_of<__nv_bfloat16, __nv_bfloat16, scan::plus>>(true);
  }

  TEST_CASE("a scan of the suites' data is judged, element by element") {
    for (std::size_t index = 0; index < std::tuple_size_v<bench::scans>; ++index) {
      bench::with_scan<bench::scans>(index, [&](auto of) {
        using Scan = decltype(of);
        CAPTURE(index);
        check_judge<Scan>(index, false);
        if constexpr (scan::has_identity<typename Scan::Op, typename Scan::Acc>) {
          check_judge<Scan>(index, true);
        }
      });
    }
  }

  TEST_CASE("a copy is judged, byte by byte") {
    for (const std::int64_t num_bytes : {1, 16, 100'003}) {
      const tests::device_memory in(num_bytes), out(num_bytes);
      const auto wrong = [&] {
        return judge([&](unsigned long long* found) {
          return bench::check_copy(in.as<void>(), out.as<void>(), num_bytes, found, nullptr);
        });
      };
      tests::cuda_check(cudaMemset(in.as<void>(), 1, num_bytes));
      tests::cuda_check(cudaMemset(out.as<void>(), 1, num_bytes));
      CHECK(wrong() == -1);
      for (const std::int64_t at : {num_bytes - 1, num_bytes / 2}) {
        tests::cuda_check(cudaMemset(out.as<char>() + at, 2, 1));
        CHECK(wrong() == at);
      }
    }
  }
}

int main(int argc, char** argv) { return tests::run_device_tests(argc, argv); }
