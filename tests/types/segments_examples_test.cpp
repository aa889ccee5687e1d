// What people do with segments, keys and flags: row sums of a sparse matrix and run-length
// encoding, on CPU threads and, where there is one, on the device; softmax of ragged rows and a
// running maximum with its index per group on CPU threads. (On the device elements of their 8
// bytes: own_test.cu.)
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"
#include "tests/segments/segment_layouts.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/types/examples.hpp"

namespace {

using namespace tests;

/// An array where the scan wants it: in host memory, or on the device until it is taken back.
template <class T, bool on_device>
class array {
 public:
  explicit array(std::vector<T> items)
      : items_(std::move(items)), memory_(on_device ? num_bytes() + 1 : 0) {
    if (on_device) {
      cuda_check(cudaMemcpy(memory_.data, items_.data(), num_bytes(), cudaMemcpyHostToDevice));
    }
  }
  explicit array(std::size_t n) : array(std::vector<T>(n)) {}

  T* data() { return on_device ? static_cast<T*>(memory_.data) : items_.data(); }
  const std::vector<T>& taken() {
    if (on_device) {
      cuda_check(cudaMemcpy(items_.data(), memory_.data, num_bytes(), cudaMemcpyDeviceToHost));
    }
    return items_;
  }

 private:
  struct memory {
    explicit memory(std::size_t num_bytes) {
      if (num_bytes > 0) cuda_check(cudaMalloc(&data, num_bytes));
    }
    ~memory() { static_cast<void>(cudaFree(data)); }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;
    void* data = nullptr;
  };
  std::size_t num_bytes() const { return items_.size() * sizeof(T); }
  std::vector<T> items_;
  memory memory_;
};

/// Options of a scan there.
template <class T, bool on_device>
using options = std::conditional_t<on_device, scan::options<T>, scan::host_options<T>>;

/// Lengths of 0 and 1, a few, and thousands.
segment_layout ragged_rows() {
  std::vector<std::int64_t> lengths = zipf_lengths(60000, 20000, 5);
  for (std::size_t s = 0; s < lengths.size(); s += 3) lengths[s] = 0;
  return layout_of_lengths("rows", lengths);
}
template <class T, class Next>
std::vector<T> many(std::int64_t n, Next next) {
  std::vector<T> items;
  for (std::int64_t i = 0; i < n; ++i) items.push_back(static_cast<T>(next(i)));
  return items;
}

/// Calls `example(on_device, where...)`, `where` scan::host or nothing.
template <class Example>
void on_threads(Example example) {
  example(std::false_type{}, scan::host);
}
template <class Example>
void everywhere(Example example) {
  on_threads(example);
  if (gpu_present()) example(std::true_type{});
}

}  // namespace

TEST_SUITE("examples of segments") {
  TEST_CASE("row sums of a sparse matrix in CSR form, by `total`") {
    const segment_layout rows = ragged_rows();
    std::mt19937 random(1);
    const auto values =
        many<float>(rows.num_items, [&](std::int64_t) { return static_cast<int>(random() % 100); });
    everywhere([&](auto on_device, auto... where) {
      array<std::int64_t, on_device> offsets(rows.offsets);
      array<float, on_device> entries(values), sums(offsets.taken().size() - 1);
      options<float, on_device> opts;
      opts.total = sums.data();
      REQUIRE(scan::inclusive(where..., entries.data(), entries.data(),
                              scan::segments{offsets.data(), rows.num_segments(), rows.num_items},
                              scan::plus{}, opts)
                  .ok());
      const std::vector<float>& found = sums.taken();
      for (std::size_t row = 0; row < found.size(); ++row) {
        float sum = 0;
        for (std::int64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
          sum += values[static_cast<std::size_t>(i)];
        }
        REQUIRE(found[row] == sum);
      }
    });
  }

  TEST_CASE("softmax of ragged rows: maximum and sum of exponentials in one scan") {
    const segment_layout rows = ragged_rows();
    std::mt19937 random(2);
    const auto logits = many<float>(rows.num_items, [&](std::int64_t) {
      return static_cast<float>(random() % 40000) / 1000.0f - 20.0f;
    });
    on_threads([&](auto on_device, auto... where) {
      array<std::int64_t, on_device> offsets(rows.offsets);
      array<float, on_device> x(logits);
      array<softmax_norm, on_device> running(logits.size()), norms(rows.offsets.size() - 1);
      options<softmax_norm, on_device> opts;
      opts.total = norms.data();
      REQUIRE(
          scan::inclusive(
              where..., scan::transform_input{static_cast<const float*>(x.data()), norm_of_one{}},
              running.data(), scan::segments{offsets.data(), rows.num_segments(), rows.num_items},
              merge_norms{}, opts)
              .ok());
      const std::vector<softmax_norm>& found = norms.taken();
      const std::vector<softmax_norm>& prefixes = running.taken();
      double worst = 0;
      for (std::size_t row = 0; row < found.size(); ++row) {
        double sum = 0, total = 0;  // of exponentials, of probabilities
        for (std::int64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
          const double logit = static_cast<double>(logits[static_cast<std::size_t>(i)]);
          const softmax_norm& prefix = prefixes[static_cast<std::size_t>(i)];
          sum += std::exp(logit);
          const double there =
              static_cast<double>(prefix.sum) * std::exp(static_cast<double>(prefix.largest));
          worst = std::max(worst, std::abs(there / sum - 1));
          total += std::exp(logit - static_cast<double>(found[row].largest)) /
                   static_cast<double>(found[row].sum);
        }
        if (rows.offsets[row] < rows.offsets[row + 1]) {
          worst = std::max(worst, std::abs(total - 1));
        } else {
          CHECK(found[row].sum == 0);
        }
      }
      CHECK(worst < 1e-4);
    });
  }

  TEST_CASE("run-length encoding by keys, and decoding by flags") {
    std::mt19937 random(3);
    const segment_layout runs = as_runs(ragged_rows());
    std::vector<std::uint16_t> text;
    std::vector<std::int32_t> lengths;
    for (std::size_t run = 0; run + 1 < runs.offsets.size(); ++run) {
      const std::int64_t length = runs.offsets[run + 1] - runs.offsets[run];
      lengths.push_back(static_cast<std::int32_t>(length));
      const auto letter = static_cast<std::uint16_t>(random() % 1000 * 2 + run % 2);
      text.insert(text.end(), static_cast<std::size_t>(length), letter);
    }
    const auto n = static_cast<std::int64_t>(text.size());
    everywhere([&](auto on_device, auto... where) {
      // How far into its run an element is: the last of a run has its length.
      array<std::uint16_t, on_device> letters(text);
      array<std::uint8_t, on_device> ones(std::vector<std::uint8_t>(text.size(), 1));
      array<std::int32_t, on_device> places(text.size());
      REQUIRE(scan::inclusive_by_key(where..., letters.data(), ones.data(), places.data(), n).ok());
      const std::vector<std::int32_t>& found = places.taken();
      std::vector<std::uint16_t> values;
      std::vector<std::int32_t> counts;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 1 < text.size() && text[i + 1] == text[i]) continue;
        values.push_back(text[i]);
        counts.push_back(found[i]);
      }
      REQUIRE(counts == lengths);

      // A run's first element has its letter, the others none: the sum from the last flag on.
      std::vector<std::int32_t> first(text.size());
      std::vector<std::uint32_t> heads((text.size() + 31) / 32);
      std::size_t at = 0;
      for (std::size_t run = 0; run < values.size(); ++run) {
        first[at] = values[run];
        heads[at / 32] |= 1u << at % 32;
        at += static_cast<std::size_t>(counts[run]);
      }
      array<std::int32_t, on_device> decoded(first);
      array<std::uint32_t, on_device> flags(heads);
      REQUIRE(scan::inclusive_by_key(where..., scan::flags{flags.data()}, decoded.data(),
                                     decoded.data(), n)
                  .ok());
      const std::vector<std::int32_t>& again = decoded.taken();
      REQUIRE(std::equal(text.begin(), text.end(), again.begin()));
    });
  }

  TEST_CASE("the running maximum of each group, and where it was") {
    const segment_layout groups = as_runs(ragged_rows());
    std::mt19937 random(4);
    std::vector<std::int32_t> keys(static_cast<std::size_t>(groups.num_items));
    for (std::size_t group = 0; group + 1 < groups.offsets.size(); ++group) {
      std::fill(keys.begin() + groups.offsets[group], keys.begin() + groups.offsets[group + 1],
                static_cast<std::int32_t>(group));
    }
    std::uint32_t index = 0;
    const auto items = many<indexed>(groups.num_items, [&](std::int64_t) {
      return indexed{static_cast<float>(random() % 10000), index++};
    });
    on_threads([&](auto on_device, auto... where) {
      array<std::int32_t, on_device> group_of(keys);
      array<indexed, on_device> records(items);
      REQUIRE(scan::inclusive_by_key(where..., group_of.data(), records.data(), records.data(),
                                     groups.num_items, first_largest{})
                  .ok());
      const std::vector<indexed>& found = records.taken();
      std::size_t record = 0;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (i == 0 || keys[i] != keys[i - 1] || items[i].value > items[record].value) record = i;
        REQUIRE(found[i].index == record);
        REQUIRE(found[i].value == items[record].value);
      }
    });
  }
}
