// What the compiler calls a type: for profilers, and to know types of libraries that are not
// included.
#ifndef SCAN_OPERANDS_TYPE_NAME_HPP
#define SCAN_OPERANDS_TYPE_NAME_HPP

#include <string_view>

#include "scan/abi.hpp"

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {

/// A type's name as the compiler writes it.
template <class T>
constexpr std::string_view type_name() noexcept {
  // "... [with T = int; ...]" of gcc, "... [T = int]" of clang, "... [with T=int]" of nvcc
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T =") == text.npos ? text.find("T=") + 2 : text.find("T =") + 3);
  if (text.substr(0, 1) == " ") text.remove_prefix(1);
  const std::size_t more = text.find("; std::");
  return text.substr(0, more == text.npos ? text.rfind(']') : more);
}

/// Whether a type of that name is `name`, or an instance of the template of that name, whatever
/// inline namespaces the compiler writes out: "cuda::std::__4::plus<int>" is "cuda::std::plus".
constexpr bool is_named(std::string_view type, std::string_view name) noexcept {
  while (name.find("::") != name.npos) {
    const std::size_t length = name.find("::") + 2;
    if (type.substr(0, length) != name.substr(0, length)) return false;
    type.remove_prefix(length);
    name.remove_prefix(length);
    while (type.substr(0, 1) == "_" && type.find("::") < type.find('<')) {
      type.remove_prefix(type.find("::") + 2);
    }
  }
  return type.substr(0, type.find('<')) == name;
}

}  // namespace SCAN_ABI
}  // namespace scan

#endif
