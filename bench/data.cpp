#include "bench/data.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <random>
#include <system_error>
#include <type_traits>

namespace bench {
namespace {

constexpr std::align_val_t cache_line{64};

constexpr std::uint64_t seed = 2016;  // the same elements in every run

template <class T>
void fill_integers(T* elements, std::int64_t num_items) {
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < num_items; ++i) elements[i] = static_cast<T>(random());
}

/// Multiples of 1 in [-8, 8]. The sum of elements [i, j) is P(j) - P(i), so if the prefix sums P
/// stay within a range that the type counts exactly, then so do the sums of all stretches.
template <class T>
void fill_floats(T* elements, std::int64_t num_items) {
  constexpr std::int64_t countable = std::int64_t{1} << std::numeric_limits<T>::digits;
  std::mt19937_64 random(seed);
  std::int64_t sum = 0, lowest = 0, highest = 0;
  for (std::int64_t i = 0; i < num_items; ++i) {
    const std::int64_t value = static_cast<std::int64_t>(random() % 17) - 8;
    sum += value;
    lowest = std::min(lowest, sum);
    highest = std::max(highest, sum);
    elements[i] = static_cast<T>(value);
  }
  if (highest - lowest > countable) {
    throw usage_error("n = " + std::to_string(num_items) +
                      ": synthetic sums would not be exact in this type");
  }
}

}  // namespace

host_buffer::host_buffer(std::int64_t num_bytes)
    : data_(
          static_cast<std::byte*>(::operator new(static_cast<std::size_t>(num_bytes), cache_line))),
      num_bytes_(num_bytes) {
  std::memset(data_.get(), 0xA5, static_cast<std::size_t>(num_bytes));
}

void host_buffer::release::operator()(std::byte* data) const {
  ::operator delete(data, cache_line);
}

dataset synthetic_data(element_type type, std::int64_t num_items) {
  dataset data{{}, num_items, host_buffer(num_items * element_bytes(type)), true, 0};
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    T* elements = reinterpret_cast<T*>(data.elements.data());
    if constexpr (std::is_floating_point_v<T>) {
      fill_floats(elements, num_items);
    } else {
      fill_integers(elements, num_items);
    }
  });
  return data;
}

dataset file_data(const std::string& path, element_type type) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw usage_error(path + ": no such file");
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw usage_error(path + ": cannot be opened");
  const std::int64_t num_items = file_bytes / element_bytes(type);
  if (num_items == 0) throw usage_error(path + ": holds no element of the type");
  require_host_memory(num_items, type);

  const std::string name = std::filesystem::path(path).filename().string();
  dataset data{name, num_items, host_buffer(num_items * element_bytes(type)), !is_float(type),
               file_bytes % element_bytes(type)};
  file.read(reinterpret_cast<char*>(data.elements.data()), data.elements.num_bytes());
  if (file.gcount() != data.elements.num_bytes()) throw usage_error(path + ": cannot be read");
  return data;
}

void require_host_memory(std::int64_t num_items, element_type type) {
  const double wanted = 2.0 * static_cast<double>(num_items * element_bytes(type));
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (wanted > present) {
    throw usage_error("n = " + std::to_string(num_items) + " does not fit this machine's memory");
  }
}

}  // namespace bench
