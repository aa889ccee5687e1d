// The examples of types and operators, each against the serial loop and against something that
// knows nothing of its operator, on CPU threads. (On the device types of these sizes: own_test.cu
// and custom_test.cu.)
#include "tests/types/examples.hpp"

#include <doctest/doctest.h>

#include <random>

#include "tests/types/own_sequences.hpp"

namespace {

using namespace tests;

// Of the checks that know nothing of the operator.
constexpr std::int64_t length = 200003;

std::uint32_t random_below(std::uint32_t bound) {
  static std::mt19937 random(11);
  return static_cast<std::uint32_t>(random()) % bound;
}

/// `n` values of `next()`.
template <class Next>
auto many(std::int64_t n, Next next) {
  std::vector<decltype(next())> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(next());
  return values;
}

template <class Out, class Input, class Op>
std::vector<Out> prefixes(const Input& in, Op op) {
  std::vector<Out> out(static_cast<std::size_t>(length));
  const std::int64_t shared = num_shared_calls();
  REQUIRE(scan::inclusive(scan::host, in, out.data(), length, op, {{}, 4}).ok());
  REQUIRE(num_shared_calls() == shared + 1);
  return out;
}

std::string random_text(std::int64_t n, const std::string& alphabet) {
  std::string text;
  while (static_cast<std::int64_t>(text.size()) < n) {
    text += alphabet[random_below(static_cast<std::uint32_t>(alphabet.size()))];
  }
  return text;
}

}  // namespace

TEST_SUITE("examples") {
  TEST_CASE("2 x 2 matrices modulo a prime") {
    constexpr std::uint32_t prime = matrix_product::prime;
    const auto entry = [] { return random_below(prime); };
    const auto random_matrix = [&] { return matrix{entry(), entry(), entry(), entry()}; };
    for (const std::int64_t n : custom_sizes(sizeof(matrix))) {
      check(many(n, random_matrix), random_matrix(), matrix_product{});
    }

    const auto steps = many(length, [&] { return matrix{entry(), 1, entry(), 0}; });
    const auto products = prefixes<matrix>(steps.data(), matrix_product{});
    std::uint64_t current = 1, previous = 0;  // row vector (1, 0): the products' first row
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::uint64_t next = (steps[i].a * current + steps[i].c * previous) % prime;
      previous = std::exchange(current, next);
      wrong += products[i].a != current || products[i].b != previous;
    }
    CHECK(wrong == 0);

    const std::vector<matrix> fibonacci(static_cast<std::size_t>(length), {1, 1, 1, 0});
    CHECK(prefixes<matrix>(fibonacci.data(), matrix_product{})[21].b == 17711);  // F(22)
  }

  TEST_CASE("affine maps") {
    // Small integers, and no long runs without a zero: floats are exact.
    const auto random_map = [] {
      const float slopes[] = {0, 0, 0, -1, 1, 2};
      return affine{slopes[random_below(6)], static_cast<float>(random_below(17))};
    };
    for (const std::int64_t n : custom_sizes(sizeof(affine))) {
      check(many(n, random_map), affine{2, 3}, then{});
    }

    const auto maps = many(length, random_map);
    const auto composed = prefixes<affine>(maps.data(), then{});
    double h = 5;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      h = static_cast<double>(maps[i].a) * h + static_cast<double>(maps[i].b);
      wrong += static_cast<double>(composed[i].a) * 5 + static_cast<double>(composed[i].b) != h;
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("Rabin-Karp hashes of text") {
    for (const std::int64_t n : custom_sizes(sizeof(rolling_hash))) {
      const auto text = many(n, [] { return static_cast<unsigned char>(random_below(256)); });
      check_transformed<rolling_hash>(text, hash_of_character{}, scan::as_is{},
                                      rolling_hash{77, append::base}, append{});
    }

    const std::string text = random_text(length, "ACGT");
    const auto hashes =
        prefixes<rolling_hash>(scan::transform_input{text.data(), hash_of_character{}}, append{});
    for (int round = 0; round < 100; ++round) {
      const std::size_t begin = 1 + random_below(length - 1000), size = 1 + random_below(999);
      __uint128_t direct = 0;
      for (const char c : text.substr(begin, size)) {
        direct = (direct * append::base + static_cast<unsigned char>(c) + 1) % append::prime;
      }
      __uint128_t before = hashes[begin - 1].hash;
      for (std::size_t i = 0; i < size; ++i) before = before * append::base % append::prime;
      const __uint128_t after = hashes[begin + size - 1].hash;
      REQUIRE((direct + before) % append::prime == after);
    }
  }

  TEST_CASE("running maximum with its index") {
    std::uint32_t index = 0;
    const auto next = [&] { return indexed{static_cast<float>(random_below(1 << 20)), index++}; };
    for (const std::int64_t n : custom_sizes(sizeof(indexed))) {
      index = 0;
      check(many(n, next), indexed{-1, 0xffffffffu}, first_largest{});
    }

    index = 0;
    const auto items = many(length, next);
    const auto records = prefixes<indexed>(items.data(), first_largest{});
    std::size_t record = 0;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].value > items[record].value) record = i;
      wrong += records[i].index != record || records[i].value != items[record].value;
    }
    CHECK(wrong == 0);
    CHECK(record > 0);
  }

  TEST_CASE("complex products") {
    const std::vector<complex> units{{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (const std::int64_t n : custom_sizes(sizeof(complex))) {
      check(many(n, [&] { return units[random_below(4)]; }), complex{0, 1}, rotate{});
    }

    const auto turns = many(length, [] { return random_below(4); });
    std::vector<complex> items;
    for (const std::uint32_t turn : turns) items.push_back(units[turn]);
    const auto products = prefixes<complex>(items.data(), rotate{});
    std::uint32_t quarter_turns = 0;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      quarter_turns += turns[i];
      wrong += products[i] != units[quarter_turns % 4];
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("128-bit sums of 64-bit integers, by scan::plus") {
    std::mt19937_64 random(12);
    const auto next = [&] { return static_cast<std::int64_t>(random()); };
    for (const std::int64_t n : custom_sizes(sizeof(__int128_t))) {
      check(many(n, next), static_cast<__int128_t>(next()) << 40, scan::plus{});
    }

    const auto items = many(length, next);
    const auto sums = prefixes<__int128_t>(items.data(), scan::plus{});
    std::uint64_t low = 0;
    std::int64_t high = 0, wrong = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      low += static_cast<std::uint64_t>(items[i]);
      high += (items[i] < 0 ? -1 : 0) + (low < static_cast<std::uint64_t>(items[i]) ? 1 : 0);
      wrong += static_cast<std::uint64_t>(sums[i]) != low;
      wrong += static_cast<std::int64_t>(sums[i] >> 64) != high;
    }
    CHECK(wrong == 0);
    CHECK(high != 0);
  }

  TEST_CASE("matching brackets") {
    const auto few = [] { return brackets{random_below(4), random_below(4)}; };
    for (const std::int64_t n : custom_sizes(sizeof(brackets))) {
      check(many(n, few), brackets{3, 5}, match{});
    }

    const std::string text = random_text(length, "()");
    std::vector<brackets> items;
    for (const char c : text) items.push_back(c == ')' ? brackets{1, 0} : brackets{0, 1});
    const auto unmatched = prefixes<brackets>(items.data(), match{});
    std::vector<std::size_t> open;  // a parser's stack
    std::uint32_t closing = 0;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') {
        open.push_back(i);
      } else if (open.empty()) {
        ++closing;
      } else {
        open.pop_back();
      }
      wrong += unmatched[i].closing != closing || unmatched[i].opening != open.size();
    }
    CHECK(wrong == 0);
    CHECK(closing > 0);
  }

  TEST_CASE("unitriangular matrices") {
    const auto entry = [] { return std::uint64_t{random_below(0xffffffffu)} << random_below(32); };
    const auto random_matrix = [&] { return unitriangular{entry(), entry(), entry()}; };
    for (const std::int64_t n : custom_sizes(sizeof(unitriangular))) {
      check(many(n, random_matrix), random_matrix(), count_pairs{});
    }

    const std::string text = random_text(length, "abc");
    std::vector<unitriangular> items;
    for (const char c : text) items.push_back({c == 'a', c == 'b', 0});
    const auto counts = prefixes<unitriangular>(items.data(), count_pairs{});
    for (const std::size_t end : {1, 2, 1000, 3001}) {  // pair by pair
      std::uint64_t pairs = 0;
      for (std::size_t i = 0; i < end; ++i) {
        for (std::size_t j = i + 1; j < end; ++j) pairs += text[i] == 'a' && text[j] == 'b';
      }
      CHECK(counts[end - 1].ab == pairs);
    }
  }
}
