#include "matrix.hpp"

#include <algorithm>
#include <cstring>

namespace tests {
namespace {

/// Random elements; of many, a random number that is repeated, an odd one, so that no two tiles are
/// alike (and a fold of all stays as exact as of few).
void fill(const matrix_row& row, unsigned char* items, std::int64_t n, std::mt19937_64& random) {
  const std::int64_t period = 100001 + 2 * static_cast<std::int64_t>(random() % 50000);
  row.fill(items, std::min(n, period), random);
  for (std::int64_t done = period; done < n; done += period) {
    const std::int64_t count = std::min(period, n - done);
    std::memcpy(items + static_cast<std::size_t>(done) * row.in_bytes, items,
                static_cast<std::size_t>(count) * row.in_bytes);
  }
}

}  // namespace

// One per list of matrix_lists.hpp, each in a source of its own.
void add_COMMON_plus(std::vector<matrix_row>& rows);
void add_COMMON_minimum(std::vector<matrix_row>& rows);
void add_COMMON_maximum(std::vector<matrix_row>& rows);
void add_FULL_minimum(std::vector<matrix_row>& rows);
void add_FULL_maximum(std::vector<matrix_row>& rows);
void add_FULL_multiplies(std::vector<matrix_row>& rows);
void add_FULL_bit_and(std::vector<matrix_row>& rows);
void add_FULL_bit_or(std::vector<matrix_row>& rows);
void add_FULL_bit_xor(std::vector<matrix_row>& rows);

const std::vector<matrix_row>& matrix() {
  static const std::vector<matrix_row> all = [] {
    std::vector<matrix_row> rows;
    add_COMMON_plus(rows);
    add_COMMON_minimum(rows);
    add_COMMON_maximum(rows);
    add_FULL_minimum(rows);
    add_FULL_maximum(rows);
    add_FULL_multiplies(rows);
    add_FULL_bit_and(rows);
    add_FULL_bit_or(rows);
    add_FULL_bit_xor(rows);
    return rows;
  }();
  return all;
}

matrix_problem::matrix_problem(const matrix_row& row, const scan_case& c, std::uint64_t seed)
    : row_(row),
      c_(c),
      // in place the buffer holds the outputs, one of which has no input
      in((c.in_place ? c.num_outputs() : c.n) * bytes(row.in_bytes),
         c.in_offset * bytes(row.in_bytes)),
      out(c.num_outputs() * bytes(row.out_bytes), c.out_offset * bytes(row.out_bytes)),
      total(bytes(row.out_bytes)),
      input_(static_cast<std::size_t>(c.n) * row.in_bytes),
      expected_(static_cast<std::size_t>(c.num_outputs()) * row.out_bytes),
      expected_total_(row.out_bytes) {
  std::mt19937_64 random(seed);
  row.fill_init(init, random);
  fill(row, input_.data(), c.n, random);
  if (c.n > 0) std::memcpy(in.data(), input_.data(), input_.size());
  row.reference(c, {input_.data(), expected_.data(), expected_total_.data(), init});
}

std::string matrix_problem::judge() {
  const unsigned char* const result = c_.in_place ? in.data() : out.data();
  const bool same_bytes = std::equal(expected_.begin(), expected_.end(), result);
  const std::int64_t wrong =
      same_bytes ? -1 : row_.first_difference(result, expected_.data(), c_.num_outputs());
  if (wrong >= 0) return "output " + std::to_string(wrong) + " is wrong";
  if (c_.with_total && row_.first_difference(total.data(), expected_total_.data(), 1) >= 0) {
    return "the total is wrong";
  }
  if (!c_.with_total && !total.untouched()) return "a total was written that nobody asked for";
  if (!in.guards_intact() || !out.guards_intact() || !total.guards_intact()) {
    return "something was written outside of the output";
  }
  if (!c_.in_place && c_.n > 0 && std::memcmp(in.data(), input_.data(), input_.size()) != 0) {
    return "the input was written";
  }
  return "";
}

std::string check_on_host(const matrix_row& row, const scan_case& c, std::uint64_t seed,
                          int threads) {
  matrix_problem problem(row, c, seed);
  unsigned char* const to = c.in_place ? problem.in.data() : problem.out.data();
  const scan::status status = row.on_host(
      c, {problem.in.data(), to, c.with_total ? problem.total.data() : nullptr, problem.init},
      threads);
  const std::string wrong = status.ok() ? problem.judge() : status.message();
  return wrong.empty() ? wrong : row.name + ", " + c.describe() + ": " + wrong;
}

std::string device_checker::check(const matrix_row& row, const scan_case& c, std::uint64_t seed,
                                  cudaStream_t stream, scan::workspace* space) {
  matrix_problem problem(row, c, seed);
  const auto upload = [&](const device_memory& to, auto& from) {
    cuda_check(cudaMemcpyAsync(to.as<char>(), from.image(), from.image_bytes(),
                               cudaMemcpyHostToDevice, stream));
  };
  const auto download = [&](auto& to, const device_memory& from) {
    cuda_check(cudaMemcpyAsync(to.image(), from.as<char>(), to.image_bytes(),
                               cudaMemcpyDeviceToHost, stream));
  };
  upload(in_, problem.in);
  upload(out_, problem.out);
  upload(total_, problem.total);
  cuda_check(cudaMemcpyAsync(init_.as<char>(), problem.init, sizeof(problem.init),
                             cudaMemcpyHostToDevice, stream));
  char* const in = in_.as<char>(problem.in.begin());
  char* const out = out_.as<char>(problem.out.begin());
  char* const total = total_.as<char>(problem.total.begin());
  const scan::status status = row.on_device(
      c, {in, c.in_place ? in : out, c.with_total ? total : nullptr, init_.as<char>()},
      problem.init, stream, space);
  download(problem.in, in_);
  download(problem.out, out_);
  download(problem.total, total_);
  cuda_check(cudaStreamSynchronize(stream));
  const std::string wrong = status.ok() ? problem.judge() : status.message();
  return wrong.empty() ? wrong : row.name + ", " + c.describe() + ": " + wrong;
}

}  // namespace tests
