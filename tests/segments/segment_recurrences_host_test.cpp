// Recurrences by segments, keys and flags on CPU threads, every output against a serial loop; and
// what they refuse.
#include <doctest/doctest.h>

#include <span>
#include <string>

#include "scan/host/host_scan.hpp"
#include "tests/segments/random_layouts.hpp"
#include "tests/segments/segment_recurrences.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/guarded.hpp"

namespace {

using tests::guarded;

template <class T>
guarded<T> guarded_copy(const std::vector<T>& items, std::int64_t offset) {
  guarded<T> made(static_cast<std::int64_t>(items.size()), offset);
  std::copy(items.begin(), items.end(), made.data());
  return made;
}
template <class T>
bool is_intact(const guarded<T>& memory, const std::vector<T>& items) {
  return memory.guards_intact() &&
         (items.empty() || std::memcmp(memory.data(), items.data(), items.size() * sizeof(T)) == 0);
}

/// What is wrong, or "".
template <class Data>
std::string checked(const Data& data, std::mt19937_64& random) {
  using S = typename Data::S;
  const tests::segment_case& c = data.c;
  const auto heads =
      guarded_copy(tests::heads_of(c, random()),
                   c.heads_offset * static_cast<std::int64_t>(tests::traits_of(c.heads).bytes));
  const auto a = guarded_copy(data.a, c.values_offset + 1), b = guarded_copy(data.b, c.in_offset);
  const auto inits = guarded_copy(data.inits, 1);
  guarded<S> totals(static_cast<std::int64_t>(data.totals.size()), 2);
  auto h = guarded_copy(data.before, c.out_offset);
  const typename Data::In* from = b.data();
  if constexpr (std::is_same_v<typename Data::In, typename Data::Out>) {
    if (c.in_place) from = h.data();
  }
  scan::host_options<S> opts;
  opts.threads = static_cast<int>(random() % 5);
  const scan::status status = tests::call_recurrence<true>(
      data, heads.data(), a.data(), from, h.data(), opts, inits.data(), totals.data(), scan::host);
  if (!status.ok()) return status.message();
  if (!is_intact(a, data.a) || !is_intact(b, data.b) || !is_intact(inits, data.inits)) {
    return "an input was written";
  }
  if (!h.guards_intact() || !totals.guards_intact()) return "something beside was written";
  return tests::judge(data, {h.data(), h.data() + data.before.size()},
                      {totals.data(), totals.data() + data.totals.size()});
}

template <class In, class Out>
void check(const tests::segment_layout& layout, std::mt19937_64& random) {
  auto c = tests::segment_variant(layout, random(), std::is_same_v<In, Out>);
  tests::place(c, random());
  c.items_unsaid = c.by_offsets() && random() % 3 == 0;
  const tests::recurrence_data<In, Out> data(c, random);
  INFO(data.c.describe(), data.has_one_factor ? ", one factor" : "");
  REQUIRE(checked(data, random) == "");
}
void check_types(const tests::segment_layout& layout, std::mt19937_64& random) {
  check<float, float>(layout, random);
  check<double, double>(layout, random);
  check<__half, __half>(layout, random);
  check<__nv_bfloat16, __nv_bfloat16>(layout, random);
  check<__half, float>(layout, random);
  check<__nv_bfloat16, float>(layout, random);
}

void refused(const scan::status& said, const char* message) {
  CHECK(said == cudaErrorInvalidValue);
  CHECK(std::string(said.message()) == message);
}

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("a wrong output, total and a stray write are found") {
    std::mt19937_64 random(3);
    tests::segment_case c;
    c.layout = std::make_shared<const tests::segment_layout>(
        tests::layout_of_lengths("few", {3, 0, 4}, 2, 3));
    c.with_total = true;
    tests::recurrence_data<float, float> data(c, random);
    CHECK(tests::judge(data, data.wanted, data.totals) == "");
    auto h = data.wanted;
    h[1] += 1;
    CHECK(tests::judge(data, h, data.totals).find("output 1 is") == 0);
    auto totals = data.totals;
    totals[1] += 1;
    CHECK(tests::judge(data, data.wanted, totals).find("total 1 is") == 0);
  }

  TEST_CASE("recurrences by segments of every layout") {
    std::mt19937_64 random(1);
    for (int again = 0; again < 3; ++again) {
      for (const auto& layout : tests::smallest_layouts()) check_types(layout, random);
    }
    for (const std::int64_t n : {40, 2000, 30000}) {
      for (const auto& layout : tests::layouts_of(n)) check_types(layout, random);
    }
  }

  TEST_CASE("segments that begin and end around edges of blocks, streams and tiles") {
    std::mt19937_64 random(2);
    for (const std::int64_t unit : {64, 128, 256, 512, 4096}) {
      for (const auto& layout : tests::layouts_of_edges(unit, unit > 1000 ? 2 : 5)) {
        check<float, float>(layout, random);
        check<double, double>(layout, random);
        check<__nv_bfloat16, __nv_bfloat16>(layout, random);
      }
    }
  }

  TEST_CASE("random segments, of many threads") {
    std::mt19937_64 random(4);
    const std::int64_t before = tests::num_shared_calls();
    for (int i = 0; i < 150; ++i) {
      const auto layout = tests::random_layout(random, 40000);
      check<float, float>(layout, random);
      check<double, double>(layout, random);
      check<__half, __half>(layout, random);
    }
    check<float, float>(tests::layout_of_lengths("giant", {7, 1200000, 3}), random);
    CHECK(tests::num_shared_calls() > before + 30);
    CHECK(tests::num_deserted_calls() == 0);
  }

  TEST_CASE("a count of elements, keys with an equality, and spans") {
    const std::vector<float> of_a(6, 2), of_b(6, 1);
    const std::span<const float> a(of_a), b(of_b);
    std::vector<float> h(6, 9);
    const std::int64_t n = 4;
    const bool heads[] = {false, false, true, false, true, true};
    REQUIRE(
        scan::recurrence_by_key(scan::host, scan::flags{heads}, a, b, h.data(), scan::count{&n, 6})
            .ok());
    CHECK(h == std::vector<float>{1, 3, 1, 3, 9, 9});
    const int keys[] = {1, -1, 2, 3, -3, 4};
    const auto alike = [](int earlier, int later) { return earlier * earlier == later * later; };
    REQUIRE(scan::recurrence_by_key(scan::host, keys, scan::factor{3.f}, b.data(), h.data(), 6,
                                    scan::host_options<float>{}, alike)
                .ok());
    CHECK(h == std::vector<float>{1, 4, 1, 1, 4, 1});
    const int ends[] = {0, 2, 6};
    const scan::segments parts{std::span<const int>(ends), 2, 6}, said_by_last{ends, 2};
    refused(scan::recurrence(scan::host, a.first(5), b, h.data(), parts),
            "recurrence: the size of the span a is less than the call needs");
    refused(scan::recurrence(scan::host, a, b.first(5), h.data(), said_by_last),
            "recurrence: the size of the span b is less than the call needs");
    refused(scan::recurrence(scan::host, a, b, h.data(),
                             scan::segments{std::span<const int>(ends), 3, 6}),
            "the size of the span segments.offsets is less than num_segments + 1");
  }

  TEST_CASE("what cannot be is refused, and nothing is written") {
    std::vector<float> a(8, 2), b(8, 1), h(8, 5), states(4, 7);
    std::vector<std::int64_t> offsets{0, 2, 2, 6};
    scan::host_options<float> opts;
    const float* const none = nullptr;
    const auto call = [&](const float* factors, const float* items, float* to) {
      return scan::recurrence(scan::host, factors, items, to, scan::segments{offsets.data(), 3, 6},
                              opts);
    };
    refused(call(none, b.data(), h.data()),
            "recurrence: a, the factors, is null but there are elements");
    refused(call(a.data(), none, h.data()), "recurrence: b is null but there are elements");
    refused(call(a.data(), b.data(), nullptr),
            "the output pointer is null but there are outputs to write");
    refused(call(a.data(), b.data(), a.data()),
            "recurrence: the output, h, overlaps a, the factors");
    refused(call(a.data(), b.data(), b.data() + 1),
            "recurrence: the output, h, overlaps b and is not in place");
    const auto* const odd =
        reinterpret_cast<const float*>(reinterpret_cast<const unsigned char*>(a.data()) + 1);
    refused(call(odd, b.data(), h.data()),
            "recurrence: a, the factors, is not aligned to its type");
    opts.total = a.data() + 3;
    refused(call(a.data(), b.data(), h.data()), "options.total overlaps a, the factors");
    opts.total = b.data() + 5;
    refused(call(a.data(), b.data(), h.data()), "options.total overlaps b");
    opts.total = h.data() + 1;
    refused(call(a.data(), b.data(), h.data()), "options.total overlaps the output");
    opts.total = nullptr, opts.init_pointer = h.data();
    refused(call(a.data(), b.data(), h.data()), "options.init_pointer overlaps the output");
    opts.init = 1.f, opts.init_pointer = states.data();
    refused(call(a.data(), b.data(), h.data()),
            "options.init and options.init_pointer are both given");
    opts = {}, opts.complete = true;
    refused(call(a.data(), b.data(), h.data()),
            "options.complete is refused with segments, keys and flags");
    opts = {}, opts.threads = -1;
    refused(call(a.data(), b.data(), h.data()), "options.threads is negative");
    opts = {}, opts.total = states.data();
    refused(
        scan::recurrence_by_key(scan::host, offsets.data(), a.data(), b.data(), h.data(), 4, opts),
        "options.total is a value a segment, and of keys and flags nobody knows how many there "
        "are");
    refused(scan::recurrence_by_key(scan::host, offsets.data(), a.data(), b.data(), h.data(), -1),
            "n is negative");
    offsets[1] = 3;
    const scan::status said = call(a.data(), b.data(), h.data());
    CHECK((said == cudaErrorInvalidValue && said.index() == 2));
    CHECK(h == std::vector<float>(8, 5));
    CHECK(states == std::vector<float>(4, 7));
  }
}
