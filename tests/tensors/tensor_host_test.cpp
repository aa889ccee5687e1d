// Scans of tensors and recurrences in host memory, against the serial reference.
#include <doctest/doctest.h>

#include <vector>

#include "tests/tensors/tensor_host_check.hpp"

namespace {

using tests::check;
using tests::sequence_init;
using tests::tensor_case;

/// Calls `each` with the variants of a shape.
template <class Each>
void for_each_variant(const scan::extents& shape, const Each& each) {
  for (int bits = 0; bits < 96; ++bits) {
    tensor_case c{{}, shape};
    c.exclusive = bits & 1;
    c.reverse = bits & 2;
    c.complete = c.exclusive && (bits & 4);
    c.with_total = bits & 8;
    c.in_place = bits & 16;
    c.init = static_cast<sequence_init>(bits / 32);
    if (c.in_place && shape.outer > 1) {
      c.shape.in_pitch = c.shape.out_pitch = (shape.length + 1) * shape.inner + 1;
    } else if (bits & 4) {
      c.shape.in_pitch = shape.length * shape.inner + 3;
      c.shape.out_pitch = (shape.length + 1) * shape.inner + 5;
    }
    each(c);
  }
}

const scan::extents shapes[] = {
    {1, 0, 1, 0, 0},    {3, 0, 2, 0, 0},  {0, 5, 2, 0, 0},    {2, 5, 0, 0, 0},
    {1, 1, 1, 0, 0},    {5, 1, 1, 0, 0},  {20, 3, 1, 0, 0},   {17, 16, 1, 0, 0},
    {3, 17, 1, 0, 0},   {5, 33, 1, 0, 0}, {2, 70, 1, 0, 0},   {4, 1030, 1, 0, 0},
    {1, 1, 2, 0, 0},    {1, 3, 3, 0, 0},  {4, 30, 2, 0, 0},   {2, 9, 31, 0, 0},
    {1, 5, 1100, 0, 0}, {2, 2, 64, 0, 0}, {1, 2100, 2, 0, 0}, {2, 1025, 5, 0, 0}};

}  // namespace

TEST_SUITE("host") {
  TEST_CASE("tensors: every shape in every variant") {
    for (const scan::extents& shape : shapes) {
      for_each_variant(shape, [](const tensor_case& c) {
        check<std::int32_t>(c, 1);
        check<float>(c, 2, scan::plus{}, 1);
        if (c.in_place) return;
        check<std::uint8_t, std::int32_t>(c, 5, scan::plus{}, 3);
        check<__half>(c, 1, scan::plus{}, 1);
        check<__half, float>(c, 1);
      });
    }
  }

  TEST_CASE("tensors: operands stay in order, none twice, none lost") {
    for (const scan::extents& shape : shapes) {
      for_each_variant(shape, [](const tensor_case& c) {
        if (c.init == sequence_init::none && (c.exclusive || c.shape.length == 0)) return;
        check<tests::interval>(c, 3, tests::concatenate{});
      });
    }
  }

  TEST_CASE("tensors: other operators and types") {
    for (const scan::extents& shape : shapes) {
      for_each_variant(shape, [](const tensor_case& c) {
        check<float>(c, 1, scan::minimum{});
        check<std::int64_t>(c, 1, scan::maximum{}, 1);
        check<std::uint16_t>(c, 1, scan::bit_xor{});
        check<std::int32_t, float>(c, 1);  // in place too
        check<double>(c, 1);
      });
    }
  }

  TEST_CASE("tensors: functions on the way in and out") {
    const std::vector<int> in{1, -2, 3, 4, -5, 6};
    std::vector<float> out(in.size());
    const auto square = [](int x) { return x * x; };
    const auto half = [](int x) { return static_cast<float>(x) / 2; };
    REQUIRE(scan::inclusive(scan::host, scan::transform_input{in.data(), square},
                            scan::transform_output{out.data(), half}, scan::extents{1, 3, 2, 0, 0})
                .ok());
    CHECK(out == std::vector<float>{0.5f, 2, 5, 10, 17.5f, 28});
    REQUIRE(scan::exclusive(scan::host, scan::transform_input{in.data(), square}, out.data(),
                            scan::extents{2, 3, 1, 0, 0})
                .ok());
    CHECK(out == std::vector<float>{0, 1, 5, 0, 16, 41});
  }
}
