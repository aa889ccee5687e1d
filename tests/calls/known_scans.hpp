// Scans of every kind whose results are known, for tests in which many are under way.
#ifndef SCAN_TESTS_KNOWN_SCANS_HPP
#define SCAN_TESTS_KNOWN_SCANS_HPP

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "scan/scan.hpp"
#include "tests/support/device_memory.hpp"
#include "tests/support/guarded.hpp"

namespace tests {

/// Of all elements: what is refilled with one number differs from seed to seed.
inline std::uint64_t known_seed = 0;
/// Compared with what they should be.
inline std::atomic<std::int64_t> num_known_scans = 0, num_known_elements = 0;

/// One, with its own memory on the device. Nothing here waits for more than the stream given.
class known_scan {
 public:
  virtual ~known_scan() = default;
  /// Other elements, and no results.
  virtual void refill(std::uint64_t seed, cudaStream_t stream) = 0;
  virtual scan::status call(cudaStream_t stream, scan::workspace* space) const = 0;
  /// Whether the outputs are those of the elements, after what is in `stream`.
  virtual bool right(cudaStream_t stream) const = 0;
};

/// `is_tensor`: a call with extents.
template <class In, class Out, class Op, bool is_tensor = false>
class known_scan_of : public known_scan {
 public:
  explicit known_scan_of(const scan::extents& shape,
                         scan::algorithm which = scan::algorithm::automatic)
      : shape_(shape), which_(which), in_(count() * sizeof(In)), out_(count() * sizeof(Out)) {}

  void refill(std::uint64_t seed, cudaStream_t stream) override {
    const std::vector<In> items =
        random_items<In>(static_cast<std::int64_t>(count()), known_seed + seed);
    expect(items);
    cuda_check(cudaMemcpyAsync(in_.as<void>(), items.data(), count() * sizeof(In),
                               cudaMemcpyHostToDevice, stream));
    cuda_check(cudaMemsetAsync(out_.as<void>(), poison_value, count() * sizeof(Out), stream));
    cuda_check(cudaStreamSynchronize(stream));
  }
  scan::status call(cudaStream_t stream, scan::workspace* space) const override {
    scan::options<Out> opts;
    opts.stream = stream;
    opts.workspace = space;
    opts.algorithm = which_;
    if constexpr (is_tensor) {
      return scan::inclusive(in_.as<In>(), out_.as<Out>(), shape_, Op{}, opts);
    } else {
      return scan::inclusive(in_.as<In>(), out_.as<Out>(), shape_.length, Op{}, opts);
    }
  }
  bool right(cudaStream_t stream) const override {
    std::vector<Out> actual(expected_.size());
    cuda_check(cudaMemcpyAsync(actual.data(), out_.as<void>(), count() * sizeof(Out),
                               cudaMemcpyDeviceToHost, stream));
    cuda_check(cudaStreamSynchronize(stream));
    ++num_known_scans;
    num_known_elements += static_cast<std::int64_t>(count());
    return std::memcmp(actual.data(), expected_.data(), count() * sizeof(Out)) == 0;
  }

 private:
  std::size_t count() const {
    return static_cast<std::size_t>(shape_.outer * shape_.length * shape_.inner);
  }
  void expect(const std::vector<In>& items) {
    expected_.resize(items.size());
    const auto step = static_cast<std::size_t>(shape_.inner);
    const auto slab = static_cast<std::size_t>(shape_.length) * step;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Out item = static_cast<Out>(items[i]);
      expected_[i] = i % slab < step ? item : static_cast<Out>(Op{}(expected_[i - step], item));
    }
  }

  scan::extents shape_;
  scan::algorithm which_;
  device_memory in_, out_;
  std::vector<Out> expected_;
};

inline constexpr int num_known_kinds = 12;
/// Kinds whose blocks are clusters, which start together.
inline bool are_clusters(int kind) {
  const int known = kind % num_known_kinds;
  return known == 8 || known >= 10;
}
/// One after another: every kernel, types of every width, all ways to cut a tensor.
inline std::unique_ptr<known_scan> make_known(int kind) {
  using scan::algorithm;
  using scan::extents;
  using scan::plus;
  const auto one = [](std::int64_t n) { return extents{1, n, 1, 0, 0}; };
  switch (kind % num_known_kinds) {
    case 0:
      return std::make_unique<known_scan_of<std::int32_t, std::int32_t, plus>>(one(5'000'011));
    case 1:
      return std::make_unique<known_scan_of<std::uint64_t, std::uint64_t, plus>>(one(100'003));
    case 2:
      return std::make_unique<known_scan_of<std::uint8_t, std::uint32_t, plus>>(one(600'001));
    case 3:
      return std::make_unique<known_scan_of<double, double, plus>>(one(200'001));
    case 4:
      return std::make_unique<known_scan_of<std::uint32_t, std::uint32_t, plus, true>>(
          extents{70, 3000, 1, 0, 0});
    case 5:
      return std::make_unique<known_scan_of<float, float, plus, true>>(extents{2, 5000, 30, 0, 0});
    case 6:
      return std::make_unique<known_scan_of<std::uint64_t, std::uint64_t, plus, true>>(
          extents{9000, 20, 1, 0, 0});
    case 7:
      return std::make_unique<known_scan_of<std::int32_t, std::int32_t, plus>>(
          one(300'007), algorithm::look_back);
    case 8:
      return std::make_unique<known_scan_of<std::int32_t, std::int32_t, plus>>(one(12'345));
    case 9:
      return std::make_unique<known_scan_of<std::uint32_t, std::uint32_t, plus, true>>(
          extents{3, 60'001, 1, 0, 0}, algorithm::look_back);
    case 10:
      return std::make_unique<known_scan_of<std::uint32_t, std::uint32_t, plus, true>>(
          extents{3, 60'001, 1, 0, 0});
    default:
      return std::make_unique<known_scan_of<double, double, plus, true>>(
          extents{9, 30'001, 1, 0, 0});
  }
}
/// A workspace that serves them all.
inline std::unique_ptr<scan::workspace> make_known_space() {
  return std::make_unique<scan::workspace>(roomy_items);
}

}  // namespace tests

#endif
