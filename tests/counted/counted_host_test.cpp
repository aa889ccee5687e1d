// Scans of as many elements as memory says by libscan.a, on CPU threads.
#include <memory>
#include <scan/scan.hpp>

#include "tests/counted/check_counted.hpp"
#include "tests/support/guarded.hpp"

namespace {

std::string which_case;

struct on_threads {
  template <class T>
  class array {
   public:
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64&)
        : n_(items.size()),
          image_(std::make_shared<tests::guarded<T>>(static_cast<std::int64_t>(n_), offset)) {
      std::copy(items.begin(), items.end(), data());
    }
    T* data() const { return image_->data(); }
    std::vector<T> items() const { return {data(), data() + n_}; }
    void lock() const {}
    bool is_intact() const { return image_->guards_intact(); }

   private:
    std::size_t n_;
    std::shared_ptr<tests::guarded<T>> image_;
  };
  template <class... Arguments>
  static scan::status scan(bool exclusive, const Arguments&... arguments) {
    return exclusive ? scan::exclusive(scan::host, arguments...)
                     : scan::inclusive(scan::host, arguments...);
  }
  template <class By, class T, class Options>
  static scan::status by_key(bool exclusive, By by, const T* in, T* out, const scan::count& n,
                             const Options& opts) {
    return exclusive ? scan::exclusive_by_key(scan::host, by, in, out, n, scan::plus{}, opts)
                     : scan::inclusive_by_key(scan::host, by, in, out, n, scan::plus{}, opts);
  }
  template <class T>
  static scan::host_options<T> options(std::mt19937_64& random) {
    scan::host_options<T> opts;
    opts.threads = static_cast<int>(random() % 4);
    return opts;
  }
  static std::string now() { return which_case; }
};

}  // namespace

TEST_CASE("random counts of elements on CPU threads") {
  for (int i = 0; i < 200; ++i) {
    which_case = "case " + std::to_string(i);
    std::mt19937_64 random(static_cast<std::uint64_t>(i) * 77 + 5);
    const auto drawn = [&] { return tests::random_counted(random, 300 << random() % 8, 1024); };
    tests::check_counted<on_threads, std::uint32_t, std::uint32_t>(drawn(), scan::plus{}, random);
    tests::check_counted<on_threads, float, float>(drawn(), scan::minimum{}, random);
    tests::check_counted_runs<on_threads, float, std::uint16_t>(drawn(), random);
  }
}

TEST_CASE("what counts on CPU threads refuse") {
  std::vector<int> x(9, 5), y(9, 6);
  const std::int64_t n = 4;
  const auto refused = [&](const scan::status& said, const std::string& message) {
    CHECK(said == cudaErrorInvalidValue);
    CHECK(std::string(said.message()) == message);
    CHECK(y == std::vector<int>(9, 6));
  };
  const auto sum = [&](const std::int64_t* number, std::int64_t most) {
    return scan::inclusive(scan::host, x.data(), y.data(), scan::count{number, most});
  };
  const auto* const odd =
      reinterpret_cast<const std::int64_t*>(reinterpret_cast<const char*>(&n) + 1);
  refused(sum(nullptr, 9), "scan::count is null");
  refused(sum(odd, 9), "scan::count is not aligned to its type");
  refused(sum(&n, -9), "n is negative");
  refused(scan::inclusive_by_key(scan::host, x.data(), x.data(), y.data(), scan::count{nullptr, 9}),
          "scan::count is null");
}
