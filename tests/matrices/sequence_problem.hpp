// The data of a call, of one sequence or of many in a tensor or segments: buffers that know what
// was in them, what is wrong with them afterwards, and the calls between.
#ifndef SCAN_TESTS_SEQUENCE_PROBLEM_HPP
#define SCAN_TESTS_SEQUENCE_PROBLEM_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/matrices/typed_row.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

/// Random elements by `row_fill`; of many, a random number that is repeated, an odd one, so that no
/// two tiles or sequences are alike (and a fold of all stays as exact as of few).
inline void fill_repeating(void (*row_fill)(void*, std::int64_t, std::mt19937_64&),
                           std::size_t element_bytes, unsigned char* items, std::int64_t n,
                           std::mt19937_64& random) {
  const std::int64_t period = 20001 + 2 * static_cast<std::int64_t>(random() % 20000);
  row_fill(items, std::min(n, period), random);
  for (std::int64_t done = period; done < n; done += period) {
    const std::int64_t count = std::min(period, n - done);
    std::memcpy(items + static_cast<std::size_t>(done) * element_bytes, items,
                static_cast<std::size_t>(count) * element_bytes);
  }
}

/// Bytes between guards, and what they were when it was asked to remember.
class remembering : public guarded<unsigned char> {
 public:
  remembering(std::int64_t num_bytes, std::int64_t offset_bytes)
      : guarded(num_bytes, offset_bytes), num_bytes_(num_bytes) {}

  void remember() { before_.assign(data(), data() + num_bytes_); }
  const std::vector<unsigned char>& before() const { return before_; }
  bool as_before() const { return std::equal(before_.begin(), before_.end(), data()); }

 private:
  std::int64_t num_bytes_;
  std::vector<unsigned char> before_;
};

/// `Case` has what of its buffers `sizes` wants, `Row` is its typed_row.
class sequence_problem {
 public:
  /// Of `beside` see sequence_arguments.
  remembering in, beside, out, totals, inits;

 protected:
  struct buffer_size {
    std::int64_t num_bytes, offset_bytes;
  };
  sequence_problem(buffer_size of_in, buffer_size of_beside, buffer_size of_out,
                   buffer_size of_totals, buffer_size of_inits)
      : in(of_in.num_bytes, of_in.offset_bytes),
        beside(of_beside.num_bytes, of_beside.offset_bytes),
        out(of_out.num_bytes, of_out.offset_bytes),
        totals(of_totals.num_bytes, of_totals.offset_bytes),
        inits(of_inits.num_bytes, of_inits.offset_bytes) {}

  /// Once the buffers are filled: what should be in them after the scan.
  template <class Row, class Case>
  void expect(const Row& row, const Case& c) {
    for (remembering* buffer : {&in, &beside, &out, &totals, &inits}) buffer->remember();
    expected = c.in_place ? in.before() : out.before();
    expected_totals = totals.before();
    row.reference(c, {in.before().data(), beside.before().data(), expected.data(),
                      expected_totals.data(), inits.before().data()});
  }

  /// What is wrong with anything but the outputs; or "".
  template <class Row>
  std::string judge_rest(const Row& row, const sequence_case& c, std::int64_t num_sequences) const {
    if (c.with_total) {
      const std::int64_t wrong =
          row.first_value_difference(totals.data(), expected_totals.data(), num_sequences);
      if (wrong >= 0) return "total " + std::to_string(wrong) + " is wrong";
    } else if (!totals.as_before()) {
      return "totals were written that nobody asked for";
    }
    for (const remembering* buffer : {&in, &beside, &out, &totals, &inits}) {
      if (!buffer->guards_intact()) return "something was written outside of the output";
    }
    if (c.in_place && !out.as_before()) return "an output that is not there was written";
    if (!c.in_place && !in.as_before()) return "the input was written";
    if (!beside.as_before()) return "what is beside the input was written";
    if (!inits.as_before()) return "the inits were written";
    return "";
  }

  static std::int64_t bytes(std::size_t count) { return static_cast<std::int64_t>(count); }

  std::vector<unsigned char> expected, expected_totals;
};

/// Scans `c` on CPU threads; what is wrong, or "".
template <class Problem, class Row, class Case>
std::string check_sequences_on_host(const Row& row, const Case& c, std::uint64_t seed,
                                    int threads) {
  Problem data(row, c, seed);
  unsigned char* const to = c.in_place ? data.in.data() : data.out.data();
  const scan::status status =
      row.on_host(c,
                  {data.in.data(), data.beside.data(), to,
                   c.with_total ? data.totals.data() : nullptr, data.inits.data()},
                  threads);
  const std::string wrong = status.ok() ? data.judge() : status.message();
  return wrong.empty() ? wrong
                       : row.name + ", " + c.describe() + " threads " + std::to_string(threads) +
                             ": " + wrong;
}

/// The same on the device, for images of up to `most_bytes` bytes, and of `most_others` of what is
/// neither input nor output.
template <class Problem>
class sequence_device_checker {
 public:
  sequence_device_checker(std::size_t most_bytes, std::size_t most_others)
      : in_(most_bytes),
        beside_(most_others),
        out_(most_bytes),
        totals_(most_others),
        inits_(most_others) {}
  explicit sequence_device_checker(std::size_t most_bytes)
      : sequence_device_checker(most_bytes, most_bytes) {}

  template <class Row, class Case>
  std::string check(const Row& row, const Case& c, std::uint64_t seed, cudaStream_t stream,
                    scan::workspace* space) {
    Problem data(row, c, seed);
    for_each_buffer(data, [&](guarded<unsigned char>& from, const device_memory& to) {
      cuda_check(cudaMemcpyAsync(to.as<char>(), from.image(), from.image_bytes(),
                                 cudaMemcpyHostToDevice, stream));
    });
    char* const in = in_.as<char>(data.in.begin());
    char* const out = c.in_place ? in : out_.as<char>(data.out.begin());
    char* const totals = c.with_total ? totals_.as<char>(data.totals.begin()) : nullptr;
    const scan::status status = row.on_device(c,
                                              {in, beside_.as<char>(data.beside.begin()), out,
                                               totals, inits_.as<char>(data.inits.begin())},
                                              data.inits.data(), stream, space);
    for_each_buffer(data, [&](guarded<unsigned char>& to, const device_memory& from) {
      cuda_check(cudaMemcpyAsync(to.image(), from.as<char>(), to.image_bytes(),
                                 cudaMemcpyDeviceToHost, stream));
    });
    cuda_check(cudaStreamSynchronize(stream));
    const std::string wrong = status.ok() ? data.judge() : status.message();
    return wrong.empty() ? wrong : row.name + ", " + c.describe() + ": " + wrong;
  }

 private:
  template <class Each>
  void for_each_buffer(Problem& data, const Each& each) {
    each(data.in, in_);
    each(data.beside, beside_);
    each(data.out, out_);
    each(data.totals, totals_);
    each(data.inits, inits_);
  }

  device_memory in_, beside_, out_, totals_, inits_;
};

}  // namespace tests

#endif
