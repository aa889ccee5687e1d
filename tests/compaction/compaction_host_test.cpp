// Compactions on CPU threads, of what libscan.a holds and of what it does not; with several
// threads.
#include <algorithm>
#include <memory>
#include <scan/host/host_scan.hpp>
#include <stdexcept>

#include "tests/compaction/check_compaction.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/guarded.hpp"

namespace {

std::string which_case;

struct on_threads {
  static constexpr bool takes_functions = true;
  template <class T>
  class array {
   public:
    array(const std::vector<T>& items, std::int64_t offset, std::mt19937_64&)
        : n_(items.size()), image_(std::make_shared<tests::guarded<T>>(size(), offset)) {
      std::copy(items.begin(), items.end(), data());
    }
    T* data() const { return image_->data(); }
    std::vector<T> items() const { return {data(), data() + n_}; }
    void lock() const {}  // (what is not to be written is const to who might)
    bool is_intact() const { return image_->guards_intact(); }

   private:
    std::int64_t size() const { return static_cast<std::int64_t>(n_); }
    std::size_t n_;
    std::shared_ptr<tests::guarded<T>> image_;
  };
  template <class... Arguments>
  static scan::status select(const Arguments&... arguments) {
    return scan::select(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status partition(const Arguments&... arguments) {
    return scan::partition(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status indices(const Arguments&... arguments) {
    return scan::indices(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status unique(const Arguments&... arguments) {
    return scan::unique(scan::host, arguments...);
  }
  template <class... Arguments>
  static scan::status runs(const Arguments&... arguments) {
    return scan::runs(scan::host, arguments...);
  }
  static scan::host_select_options options(std::int64_t* count, std::int64_t capacity,
                                           std::mt19937_64& random) {
    scan::host_select_options opts;
    opts.count = count;
    opts.capacity = capacity;
    opts.threads = static_cast<int>(random() % 4);
    return opts;
  }
  static std::string now() { return which_case; }
};

}  // namespace

TEST_CASE("random compactions on CPU threads") {
  const std::int64_t shared_before = tests::num_shared_calls();
  for (int i = 0; i < 60; ++i) {
    which_case = "case " + std::to_string(i);
    std::mt19937_64 random(static_cast<std::uint64_t>(i) * 77 + 5);
    const std::int64_t num_bytes = std::int64_t{300} << random() % 12;
    tests::check_compactions<on_threads>(random, num_bytes);
    tests::check_own_compactions<on_threads>(random, num_bytes);
  }
  CHECK(tests::num_shared_calls() > shared_before + 20);
  CHECK(tests::num_deserted_calls() == 0);
}

TEST_CASE("what a predicate throws reaches the caller") {
  const std::vector<int> items(100'000, 3);
  std::vector<int> out(items.size());
  for (const int threads : {1, 3}) {
    scan::host_select_options opts;
    opts.threads = threads;
    const auto by = [&](const int& item) -> bool {
      if (&item == &items[70'000]) throw std::runtime_error("here");
      return true;
    };
    CHECK_THROWS_WITH(
        static_cast<void>(scan::select(scan::host, items.data(), by, out.data(), 100'000, opts)),
        "here");
  }
}

TEST_CASE("n that is counted is read when the call runs") {
  std::vector<int> items{1, 2, 3, 4, 5, 6}, out(6, -1);
  const std::vector<std::uint8_t> flags{1, 0, 1, 1, 0, 1};
  std::int64_t n = 4, count = -1;
  scan::host_select_options opts;
  opts.count = &count;
  const auto call = [&] {
    return scan::select(scan::host, items.data(), scan::flags{flags.data()}, out.data(),
                        scan::count{&n, 6}, opts);
  };
  REQUIRE(call().ok());
  CHECK(count == 3);
  CHECK(out == std::vector<int>{1, 3, 4, -1, -1, -1});
  for (const std::int64_t none : {std::int64_t{0}, std::int64_t{-3}}) {
    n = none;
    REQUIRE(call().ok());
    CHECK(count == 0);
  }
  n = 1'000'000;  // more than there may be
  REQUIRE(call().ok());
  CHECK(count == 4);
}
