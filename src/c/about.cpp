// What the library says of itself, and the names of codes.
#include <cuda_runtime_api.h>

#include <array>
#include <iterator>
#include <utility>

#include "scan/version.hpp"
#include "src/c/codes.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace c_interface {
namespace {

constexpr const char* type_names[] = {"int8",   "int16",    "int32",  "int64", "uint8",
                                      "uint16", "uint32",   "uint64", "float", "double",
                                      "half",   "bfloat16", "bool"};
constexpr const char* operator_names[] = {"plus",    "multiplies", "minimum", "maximum",
                                          "bit_and", "bit_or",     "bit_xor"};
static_assert(std::size(type_names) == num_types && std::size(operator_names) == num_operators);

/// (No part exceeds 99, as in SCAN_VERSION.)
constexpr std::array<char, 9> version_text() noexcept {
  std::array<char, 9> text{};
  std::size_t end = 0;
  for (const int part : {SCAN_VERSION_MAJOR, SCAN_VERSION_MINOR, SCAN_VERSION_PATCH}) {
    if (end > 0) text[end++] = '.';
    if (part > 9) text[end++] = static_cast<char>('0' + part / 10);
    text[end++] = static_cast<char>('0' + part % 10);
  }
  return text;
}
constexpr std::array<char, 9> version = version_text();

template <int... k>
std::size_t bytes_of_type(std::int32_t code, std::integer_sequence<int, k...>) noexcept {
  static constexpr std::size_t bytes[] = {sizeof(type_of<k + 1>)...};
  return bytes[code - 1];
}

}  // namespace

const char* name_of_type(std::int32_t code) noexcept {
  return is_type_code(code) ? type_names[code - 1] : "unknown";
}
const char* name_of_operator(std::int32_t code) noexcept {
  return is_operator_code(code) ? operator_names[code] : "unknown";
}
const char* version_string() noexcept { return version.data(); }

}  // namespace c_interface
}  // namespace SCAN_ABI
}  // namespace scan

int32_t scan_version(void) { return SCAN_VERSION; }
const char* scan_version_string(void) { return scan::c_interface::version_string(); }
int32_t scan_cuda_runtime_version(void) { return CUDART_VERSION; }

const char* scan_type_name(int32_t type) { return scan::c_interface::name_of_type(type); }
const char* scan_operator_name(int32_t op) { return scan::c_interface::name_of_operator(op); }
size_t scan_type_bytes(int32_t type) {
  using namespace scan::c_interface;
  if (!is_type_code(type)) return 0;
  return bytes_of_type(type, std::make_integer_sequence<int, num_types>{});
}
