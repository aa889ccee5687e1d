#include "tensor_matrix.hpp"

#include <algorithm>
#include <cstring>

namespace tests {
namespace {

/// Random elements; of many, a random number that is repeated, an odd one, so that no two tiles or
/// sequences are alike (and a fold of all stays as exact as of few).
void fill(void (*row_fill)(void*, std::int64_t, std::mt19937_64&), std::size_t element_bytes,
          unsigned char* items, std::int64_t n, std::mt19937_64& random) {
  const std::int64_t period = 20001 + 2 * static_cast<std::int64_t>(random() % 20000);
  row_fill(items, std::min(n, period), random);
  for (std::int64_t done = period; done < n; done += period) {
    const std::int64_t count = std::min(period, n - done);
    std::memcpy(items + static_cast<std::size_t>(done) * element_bytes, items,
                static_cast<std::size_t>(count) * element_bytes);
  }
}

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

std::vector<unsigned char> copy_of(guarded<unsigned char>& buffer, std::int64_t num_bytes) {
  return {buffer.data(), buffer.data() + num_bytes};
}
bool same(const guarded<unsigned char>& buffer, const std::vector<unsigned char>& bytes) {
  return std::equal(bytes.begin(), bytes.end(), buffer.data());
}

}  // namespace

tensor_problem_data::tensor_problem_data(const tensor_row& row, const placed_case& c,
                                         std::uint64_t seed)
    : row_(row),
      c_(c),
      // in place the buffer holds the outputs, some of which have no input
      in((c.in_place ? c.out_span() : c.in_span()) * bytes(row.in_bytes),
         c.in_offset * bytes(row.in_bytes)),
      factors(row.recurrence ? c.in_span() * bytes(row.in_bytes) : 0,
              (c.in_offset + 1) * bytes(row.in_bytes)),
      out(c.out_span() * bytes(row.out_bytes), c.out_offset * bytes(row.out_bytes)),
      totals(c.num_sequences() * bytes(row.value_bytes)),
      inits(c.num_inits() * bytes(row.value_bytes)) {
  std::mt19937_64 random(seed);
  // Between the slabs too: nobody may take these for operands.
  fill(row.fill, row.in_bytes, in.data(), c.in_place ? c.out_span() : c.in_span(), random);
  input_ = copy_of(in, (c.in_place ? c.out_span() : c.in_span()) * bytes(row.in_bytes));
  if (row.recurrence) {
    fill(row.fill_factors, row.in_bytes, factors.data(), c.in_span(), random);
    factors_before_ = copy_of(factors, c.in_span() * bytes(row.in_bytes));
  }
  fill(row.fill_values, row.value_bytes, inits.data(), c.num_inits(), random);
  inits_before_ = copy_of(inits, c.num_inits() * bytes(row.value_bytes));

  out_before_ = copy_of(out, c.out_span() * bytes(row.out_bytes));
  expected_ = c.in_place ? input_ : out_before_;
  expected_totals_.resize(size(c.num_sequences()) * row.value_bytes);
  row.reference(c, {input_.data(), factors_before_.data(), expected_.data(),
                    expected_totals_.data(), inits_before_.data()});
}

/// Names the first output that is wrong, by its place in the tensor; or "".
std::string tensor_problem_data::wrong_output(const unsigned char* result) const {
  const std::int64_t slab = c_.num_outputs() * c_.shape.inner;
  for (std::int64_t o = 0; slab > 0 && o < c_.shape.outer; ++o) {
    const std::size_t begin = size(o * c_.out_pitch()) * row_.out_bytes;
    const std::int64_t i = row_.first_difference(result + begin, expected_.data() + begin, slab);
    if (i < 0) continue;
    return "output (" + std::to_string(o) + ", " + std::to_string(i / c_.shape.inner) + ", " +
           std::to_string(i % c_.shape.inner) + ") is wrong";
  }
  return "";
}

/// The slab after which there is a byte that was not there before; -1 for none.
std::int64_t tensor_problem_data::first_stray(const unsigned char* result) const {
  const std::size_t slab = size(c_.num_outputs() * c_.shape.inner) * row_.out_bytes;
  const std::size_t pitch = size(c_.out_pitch()) * row_.out_bytes;
  for (std::int64_t o = 0; slab > 0 && o + 1 < c_.shape.outer; ++o) {
    const std::size_t end = size(o) * pitch + slab, next = size(o + 1) * pitch;
    if (!std::equal(result + end, result + next, expected_.data() + end)) return o;
  }
  return -1;
}

std::string tensor_problem_data::judge() {
  const unsigned char* const result = c_.in_place ? in.data() : out.data();
  if (!std::equal(expected_.begin(), expected_.end(), result)) {
    if (const std::string wrong = wrong_output(result); !wrong.empty()) return wrong;
    if (const std::int64_t slab = first_stray(result); slab >= 0) {
      return "something was written between slabs, after " + std::to_string(slab);
    }
  }
  if (c_.with_total) {
    const std::int64_t wrong =
        row_.first_value_difference(totals.data(), expected_totals_.data(), c_.num_sequences());
    if (wrong >= 0) return "total " + std::to_string(wrong) + " is wrong";
  } else if (!totals.untouched()) {
    return "totals were written that nobody asked for";
  }
  for (const guarded<unsigned char>* buffer : {&in, &factors, &out, &totals, &inits}) {
    if (!buffer->guards_intact()) return "something was written outside of the output";
  }
  if (c_.in_place && !same(out, out_before_)) return "an output that is not there was written";
  if (!c_.in_place && !same(in, input_)) return "the input was written";
  if (!same(factors, factors_before_)) return "the factors were written";
  if (!same(inits, inits_before_)) return "the inits were written";
  return "";
}

std::string check_tensor_on_host(const tensor_row& row, const placed_case& c, std::uint64_t seed,
                                 int threads) {
  tensor_problem_data data(row, c, seed);
  unsigned char* const to = c.in_place ? data.in.data() : data.out.data();
  const scan::status status =
      row.on_host(c,
                  {data.in.data(), data.factors.data(), to,
                   c.with_total ? data.totals.data() : nullptr, data.inits.data()},
                  threads);
  const std::string wrong = status.ok() ? data.judge() : status.message();
  return wrong.empty() ? wrong
                       : row.name + ", " + c.describe() + " threads " + std::to_string(threads) +
                             ": " + wrong;
}

std::string tensor_device_checker::check(const tensor_row& row, const placed_case& c,
                                         std::uint64_t seed, cudaStream_t stream,
                                         scan::workspace* space) {
  tensor_problem_data data(row, c, seed);
  const auto upload = [&](const device_memory& to, auto& from) {
    cuda_check(cudaMemcpyAsync(to.as<char>(), from.image(), from.image_bytes(),
                               cudaMemcpyHostToDevice, stream));
  };
  const auto download = [&](auto& to, const device_memory& from) {
    cuda_check(cudaMemcpyAsync(to.image(), from.as<char>(), to.image_bytes(),
                               cudaMemcpyDeviceToHost, stream));
  };
  upload(in_, data.in);
  upload(out_, data.out);
  upload(totals_, data.totals);
  upload(inits_, data.inits);
  if (row.recurrence) upload(factors_, data.factors);
  char* const in = in_.as<char>(data.in.begin());
  char* const out = c.in_place ? in : out_.as<char>(data.out.begin());
  char* const totals = c.with_total ? totals_.as<char>(data.totals.begin()) : nullptr;
  const scan::status status = row.on_device(c,
                                            {in, factors_.as<char>(data.factors.begin()), out,
                                             totals, inits_.as<char>(data.inits.begin())},
                                            data.inits.data(), stream, space);
  download(data.in, in_);
  download(data.out, out_);
  download(data.totals, totals_);
  download(data.inits, inits_);
  if (row.recurrence) download(data.factors, factors_);
  cuda_check(cudaStreamSynchronize(stream));
  const std::string wrong = status.ok() ? data.judge() : status.message();
  return wrong.empty() ? wrong : row.name + ", " + c.describe() + ": " + wrong;
}

}  // namespace tests
