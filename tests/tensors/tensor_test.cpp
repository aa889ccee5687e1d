// Scans of tensors and recurrences: every shape of the table by rows of the matrix and variants in
// turn, on the device and, of those of few elements, on CPU threads, against the serial reference,
// guards and the bytes between slabs included:
//   tensor_test [one case in so many] [most elements]
// the arguments for sanitizers. What needs a GPU is left out, with exit code 77, where there is
// none.
#include <doctest/doctest.h>

#include <cmath>

#include "scan/scan.hpp"
#include "tests/matrices/tensor_matrix.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/in_threads.hpp"
#include "tests/support/plan_switches.hpp"
#include "tests/support/run_tests.hpp"
#include "tests/tensors/recurrence_resets.hpp"

namespace {

using tests::most_elements;
using tests::one_in;
using tests::placed_case;
using tests::skipped;
using tests::tensor_row;

struct job {
  const tensor_row* row;
  placed_case c;
};

/// Bytes of the images of these jobs at most, with what pitches and guards add.
std::size_t most_bytes(const std::vector<job>& jobs) {
  std::int64_t most = 0;
  for (const job& some : jobs) {
    const std::int64_t span =
        std::max({some.c.in_span(), some.c.out_span(), some.c.num_sequences()});
    most = std::max(most, span * some.row->widest());
  }
  return static_cast<std::size_t>(most) + 4096;
}

/// Runs all jobs; what is wrong with the first few that fail, or "".
std::string run(const std::vector<job>& jobs) {
  constexpr std::size_t num_threads = 8;
  return tests::in_threads(num_threads, [&](std::size_t first, tests::findings& found) {
    const tests::stream stream;
    scan::workspace space(tests::roomy_items, 16);
    tests::tensor_device_checker checker(most_bytes(jobs));
    for (std::size_t i = first; i < jobs.size() && !found.enough(); i += num_threads) {
      if (i / num_threads % one_in != 0 || jobs[i].row->on_device == nullptr) continue;
      const job& next = jobs[i];
      const auto check = [&](scan::workspace* use) {
        found.add(checker.check(*next.row, next.c, i + 1, stream, use));
      };
      // With a workspace that has seen other calls, one for just this call, or for more slabs than
      // it has, or none.
      if (const std::size_t kind = i / num_threads % 8; kind % 4 == 1) {
        scan::extents most = next.c.shape;
        if (kind == 5) most.outer += most.outer / 3 + 1 + static_cast<std::int64_t>(i % 200);
        scan::workspace just(most, next.row->widest());
        check(&just);
      } else {
        check(kind == 0 ? nullptr : &space);
      }
    }
  });
}

/// A number of any size that goes with `turn`.
std::uint64_t scrambled(std::uint64_t turn) { return turn * 0x9e3779b97f4a7c15ull >> 24; }

job job_of(const tensor_row& row, const scan::extents& shape, std::uint64_t turn) {
  job made{&row, tests::tensor_variant(shape, scrambled(2 * turn), row.recurrence,
                                       row.can_be_in_place())};
  tests::place(made.c, scrambled(2 * turn + 1));
  return made;
}

/// Cases of `shape` by rows and variants in turn: many of few elements, a few of many.
void add_jobs(const scan::extents& shape, std::uint64_t& turn, std::vector<job>& jobs) {
  const auto& rows = tests::tensor_matrix();
  const std::int64_t elements = shape.outer * shape.length * shape.inner;
  if (elements > most_elements) return;
  const std::int64_t count = std::clamp<std::int64_t>(
      800000 / (elements + shape.outer * shape.inner + 1), 2, 2 * std::ssize(rows));
  for (std::int64_t i = 0; i < count; ++i, ++turn) {
    const tensor_row& row = rows[turn % rows.size()];
    jobs.push_back(job_of(row, shape, turn));
  }
}

/// Random numbers of either sign; `as_factors` of nearly 1 in magnitude.
template <class T>
std::vector<T> real_values(std::int64_t n, bool as_factors, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    value = scan::convert<T>((random() % 2 == 0 ? 1 : -1) * (as_factors ? 1 - unit / 64 : unit));
  }
  return values;
}

/// The largest error of h against a loop in long double, in units of 2000 roundings of the state
/// and one of the output, of the sum of magnitudes that went into each.
template <class T>
double worst_error(const placed_case& c, const std::vector<T>& a, const std::vector<T>& b,
                   const std::vector<T>& h, const std::vector<scan::state_t<T>>& inits) {
  const double of_output = std::is_same_v<T, __half> ? 0x1p-11 : sizeof(T) == 2 ? 0x1p-8 : 0;
  const double bound = 2000 * (sizeof(T) == 8 ? 0x1p-53 : 0x1p-24) + of_output;
  double worst = 0;
  for (std::int64_t o = 0; o < c.shape.outer; ++o) {
    for (std::int64_t k = 0; k < c.shape.inner; ++k) {
      long double state = inits[static_cast<std::size_t>(o * c.shape.inner + k)];
      long double magnitude = std::abs(state);
      for (std::int64_t step = 0; step < c.shape.length; ++step) {
        const std::int64_t i = c.reverse ? c.shape.length - 1 - step : step;
        const auto at = static_cast<std::size_t>(c.in_index(o, i, k));
        const long double factor = scan::convert<double>(a[at]);
        const long double offset = scan::convert<double>(b[at]);
        state = factor * state + offset;
        magnitude = std::abs(factor) * magnitude + std::abs(offset);
        const long double error = std::abs(scan::convert<double>(h[at]) - state);
        worst = std::max(worst, static_cast<double>(error / magnitude) / bound);
      }
    }
  }
  return worst;
}

/// Recurrences, or sums, of numbers that are rounded at every step.
template <class T>
void check_real_values(const scan::extents& shape, bool recurrence, bool reverse) {
  using state = scan::state_t<T>;
  placed_case c;
  c.shape = shape;
  c.reverse = reverse;
  INFO(sizeof(T), " bytes, ", std::string(recurrence ? "recurrence " : "sum "), c.describe());
  std::vector<T> a(static_cast<std::size_t>(c.in_span()), scan::convert<T>(1.0f));
  if (recurrence) a = real_values<T>(c.in_span(), true, 1);
  const std::vector<T> b = real_values<T>(c.in_span(), false, 2);
  std::vector<T> h(b.size(), scan::convert<T>(-7.0f));
  // (Sums of 16-bit floats have inits of that type.)
  const std::vector<T> values = real_values<T>(c.num_sequences(), false, 3);
  std::vector<state> inits;
  for (const T& value : values) inits.push_back(scan::convert<state>(value));
  const std::size_t bytes = b.size() * sizeof(T);
  const tests::device_memory d_a(bytes), d_b(bytes), d_h(bytes),
      d_values(values.size() * sizeof(T)), d_inits(inits.size() * sizeof(state));
  const auto upload = [](const auto& from, const tests::device_memory& to) {
    tests::cuda_check(cudaMemcpy(to.as<void>(), from.data(), from.size() * sizeof(from[0]),
                                 cudaMemcpyHostToDevice));
  };
  upload(a, d_a);
  upload(b, d_b);
  upload(h, d_h);  // (initcheck does not follow bulk copies)
  upload(values, d_values);
  upload(inits, d_inits);
  if (recurrence) {
    scan::options<state> opts;
    opts.init_pointer = d_inits.as<state>();
    opts.reverse = reverse;
    REQUIRE(scan::recurrence(d_a.as<T>(), d_b.as<T>(), d_h.as<T>(), shape, opts).ok());
  } else {
    scan::options<T> opts;
    opts.init_pointer = d_values.as<T>();
    opts.reverse = reverse;
    REQUIRE(scan::inclusive(d_b.as<T>(), d_h.as<T>(), shape, scan::plus{}, opts).ok());
  }
  tests::cuda_check(cudaMemcpy(h.data(), d_h.as<void>(), bytes, cudaMemcpyDeviceToHost));
  CHECK(worst_error(c, a, b, h, inits) < 1);
}

/// Resets behind whatever there may be.
template <class T>
void check_resets() {
  const std::vector<scan::extents> shapes{
      {5000, 13, 1, 0, 0},   {33, 500, 1, 0, 0},    {3, 10007, 1, 0, 0},  {2, 200003, 1, 0, 0},
      {1, 1300001, 1, 0, 0}, {2, 513, 7, 0, 0},     {1, 100000, 3, 0, 0}, {1, 3001, 33, 0, 0},
      {2, 1000, 300, 0, 0},  {1, 20000, 128, 0, 0}, {5000, 3, 40, 0, 0}};
  tests::for_each_reset_case(shapes, [](const tests::tensor_case& c) {
    if (c.in_span() > most_elements) return;
    const tests::reset_case<T> resets(c);
    std::vector<T> h(resets.b.size());
    const auto copied = [](const auto& from, const tests::device_memory& to) {
      tests::cuda_check(cudaMemcpy(to.as<void>(), from.data(), from.size() * sizeof(from[0]),
                                   cudaMemcpyHostToDevice));
      return to.as<std::decay_t<decltype(from[0])>>();
    };
    using state = scan::state_t<T>;
    const std::size_t bytes = h.size() * sizeof(T);
    const tests::device_memory a(bytes), b(bytes), inits(resets.inits.size() * sizeof(state));
    scan::options<state> opts;
    opts.reverse = c.reverse;
    state* const starts = copied(resets.inits, inits);
    if (c.init != tests::sequence_init::none) opts.init_pointer = starts;
    T* const out = copied(resets.b, b);  // in place
    REQUIRE(scan::recurrence(copied(resets.a, a), out, out, c.shape, opts).ok());
    tests::cuda_check(cudaMemcpy(h.data(), out, bytes, cudaMemcpyDeviceToHost));
    REQUIRE(resets.judge(h) == "");
  });
}

const tensor_row& row_named(const std::string& name) {
  for (const tensor_row& row : tests::tensor_matrix()) {
    if (row.name == name) return row;
  }
  throw std::runtime_error("no row " + name);
}

}  // namespace

TEST_SUITE("tensor") {
  TEST_CASE("a wrong output, a wrong total, a write between slabs and outside are found") {
    const tensor_row& row = row_named("plus std::int32_t to std::int32_t");
    placed_case c;
    c.shape = {3, 5, 2, 11, 13};
    c.with_total = true;
    c.out_offset = 1;
    const auto judged = [&](auto spoil) {
      tests::tensor_problem_data data(row, c, 1);
      row.reference(
          c, {data.in.data(), nullptr, data.out.data(), data.totals.data(), data.inits.data()});
      spoil(data);
      return data.judge();
    };
    CHECK(judged([](auto&) {}) == "");
    CHECK(judged([](auto& d) { d.out.data()[4 * (13 + 3)] ^= 1; }) == "output (1, 1, 1) is wrong");
    CHECK(judged([](auto& d) { d.totals.data()[4 * 5] ^= 1; }) == "total 5 is wrong");
    CHECK(judged([](auto& d) { d.out.data()[4 * 23] ^= 1; }).find("slabs, after 1") !=
          std::string::npos);
    CHECK(judged([](auto& d) { d.out.data()[4 * 36] ^= 1; }).find("outside") != std::string::npos);
    CHECK(judged([](auto& d) { d.in.data()[4 * 10] ^= 1; }) == "the input was written");
    CHECK(judged([](auto& d) { d.inits.data()[0] ^= 1; }) == "the inits were written");
  }

  TEST_CASE("every shape by rows of the matrix and variants in turn") {
    if (skipped()) return;
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    for (const scan::extents& shape : tests::tensor_shapes(most_elements)) {
      add_jobs(shape, turn, jobs);
    }
    MESSAGE("cases: ", jobs.size());
    REQUIRE(run(jobs) == "");
  }

  TEST_CASE("the same on CPU threads") {
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    for (const scan::extents& shape :
         tests::tensor_shapes(std::min<std::int64_t>(most_elements, 100000))) {
      add_jobs(shape, turn, jobs);
    }
    for (std::size_t i = 0; i < jobs.size(); i += 5 * one_in) {
      if (jobs[i].row->on_host == nullptr) continue;
      REQUIRE(tests::check_tensor_on_host(*jobs[i].row, jobs[i].c, i + 1,
                                          static_cast<int>(i / 5 % 4)) == "");
    }
    if (one_in == 1) CHECK(tests::num_shared_calls() > std::ssize(jobs) / 100);
    CHECK(tests::num_deserted_calls() == 0);
  }

  TEST_CASE("real numbers: within 2000 roundings of exact results") {
    if (skipped()) return;
    for (const scan::extents& shape : std::vector<scan::extents>{{3, 10007, 1, 0, 0},
                                                                 {2, 200003, 1, 0, 0},
                                                                 {33, 500, 1, 0, 0},
                                                                 {5000, 13, 1, 0, 0},
                                                                 {2, 513, 7, 0, 0},
                                                                 {1, 100000, 3, 0, 0},
                                                                 {1, 3001, 33, 0, 0},
                                                                 {2, 1000, 300, 0, 0}}) {
      if (shape.outer * shape.length * shape.inner > most_elements) continue;
      for (int kind = 0; kind < 4; ++kind) {
        check_real_values<float>(shape, kind % 2 == 0, kind / 2 == 0);
        check_real_values<double>(shape, kind % 2 == 0, kind / 2 == 0);
        check_real_values<__half>(shape, kind % 2 == 0, kind / 2 == 0);
        check_real_values<__nv_bfloat16>(shape, kind % 2 == 0, kind / 2 == 0);
      }
    }
  }

  TEST_CASE("recurrences: a factor of 0 begins anew, whatever was before") {
    if (skipped()) return;
    check_resets<float>();
    check_resets<double>();
    check_resets<__half>();
    check_resets<__nv_bfloat16>();
  }

  // Of so many bytes rows may be the ring's, of scans whose every order gives the same bits.
  TEST_CASE("rows of many bytes") {
    if (skipped()) return;
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    for (const tensor_row& row : tests::tensor_matrix()) {
      if (row.on_device == nullptr) continue;
      for (const std::int64_t length : {70001, 70000}) {
        const std::int64_t outer = (std::int64_t{13} << 20) / (length * row.widest());
        if (outer * length > most_elements) continue;
        jobs.push_back(job_of(row, {outer, length, 1, 0, 0}, ++turn));
      }
    }
    MESSAGE("cases: ", jobs.size());
    REQUIRE(run(jobs) == "");
  }

  TEST_CASE("rows of every length at which the plan of one sequence changes") {
    if (skipped()) return;
    std::vector<job> jobs;
    std::uint64_t turn = 0;
    const std::int64_t most = std::min<std::int64_t>(most_elements, 1 << 21);
    for (const tensor_row& row : tests::tensor_matrix()) {
      if (row.on_device == nullptr) continue;
      for (const std::int64_t n :
           tests::plan_switches(row.widest(), tests::limits_here(), most / 2)) {
        for (const std::int64_t length : {n - 1, n, n + 1}) {
          const auto outer = std::clamp<std::int64_t>(300000 / length, 2, 40);
          jobs.push_back(job_of(row, {outer, length, 1, 0, 0}, ++turn));
        }
      }
    }
    MESSAGE("cases: ", jobs.size());
    REQUIRE(run(jobs) == "");
  }
}

int main(int argc, char** argv) {
  tests::read_arguments(argc, argv);
  return tests::run_tests(argc, argv);
}
