#include "bench/data/host_data.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>
#include <type_traits>

#include "bench/cells/cells.hpp"
#include "bench/data/elements.hpp"

namespace bench {
namespace {

constexpr std::align_val_t cache_line{64};

std::int64_t element_bytes(std::size_t scan) { return cell{.scan = scan}.in_bytes(); }

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

dataset synthetic_data(std::size_t scan, std::int64_t num_items) {
  dataset data{{}, num_items, host_buffer(num_items * element_bytes(scan)), true};
  with_scan<plain_scans>(scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    T* const elements = reinterpret_cast<T*>(data.elements.data());
    for (std::int64_t i = 0; i < num_items; ++i)
      elements[i] = element<T, Op>(i, bits_of(num_items));
  });
  return data;
}

dataset file_data(const std::string& path, std::size_t scan) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw usage_error(path + ": no such file");
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw usage_error(path + ": cannot be opened");
  const std::int64_t num_items = file_bytes / element_bytes(scan);
  if (num_items == 0) throw usage_error(path + ": holds no element of the type");
  require_host_memory(num_items, element_bytes(scan));

  dataset data{std::filesystem::path(path).filename().string(), num_items,
               host_buffer(num_items * element_bytes(scan)), true};
  data.num_bytes_left_out = file_bytes % element_bytes(scan);
  file.read(reinterpret_cast<char*>(data.elements.data()), data.elements.num_bytes());
  if (file.gcount() != data.elements.num_bytes()) throw usage_error(path + ": cannot be read");
  with_scan<plain_scans>(scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    const T* const elements = reinterpret_cast<const T*>(data.elements.data());
    data.exact = std::is_integral_v<T>;
    data.has_nan = std::any_of(elements, elements + num_items, [](T x) { return x != x; });
  });
  return data;
}

void require_host_memory(std::int64_t num_items, std::int64_t element_bytes) {
  const double wanted = 2.0 * static_cast<double>(num_items * element_bytes);
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (wanted > present) {
    throw usage_error("n = " + std::to_string(num_items) + " does not fit this machine's memory");
  }
}

}  // namespace bench
