#include "bench/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <sstream>
#include <string_view>
#include <thread>

#include "bench/data.hpp"

namespace bench {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 48;

/// Digits that fill all of `text`, or -1.
std::int64_t parse_digits(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end && value >= 0 ? value : -1;
}

/// An option that takes one of `words`, those of the enumerators of `chosen` in order.
template <class Words, class Enum>
void add_choice(CLI::App& app, const char* name, const Words& words, Enum& chosen,
                const char* help) {
  const std::vector<std::string> list(std::begin(words), std::end(words));
  const auto choose = [list, &chosen](const std::string& word) {
    chosen = static_cast<Enum>(std::find(list.begin(), list.end(), word) - list.begin());
  };
  app.add_option_function<std::string>(name, choose, help)
      ->check(CLI::IsMember(list))
      ->default_str(list[static_cast<std::size_t>(chosen)])
      ->type_name("WORD");
}

}  // namespace

std::int64_t parse_size(const std::string& text) {
  std::int64_t size = -1;
  if (text.starts_with("2^")) {
    const std::int64_t exponent = parse_digits(text.substr(2));
    if (exponent >= 0 && exponent <= 48) size = std::int64_t{1} << exponent;
  } else {
    const std::string suffixes = "KMG";
    const std::size_t suffix = text.empty() ? std::string::npos : suffixes.find(text.back());
    const bool plain = suffix == std::string::npos;
    const std::int64_t unit = plain ? 1 : std::int64_t{1} << (10 * (suffix + 1));
    const std::int64_t count = parse_digits(plain ? text : text.substr(0, text.size() - 1));
    if (count <= largest_size / unit) size = count * unit;
  }
  if (size <= 0) {
    throw usage_error("--sizes: '" + text + "' is not a number of elements such as 1000, 2^20, 4M");
  }
  return size;
}

std::optional<settings> parse_command_line(int argc, char** argv) {
  settings chosen;
  chosen.num_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::string> sizes;

  CLI::App app("Times prefix scans against a copy and other libraries, results verified first.");
  app.name("scan_bench");
  app.add_option("--input", chosen.input, "Scan this file's raw bytes, ahead of synthetic data")
      ->type_name("FILE");
  add_choice(app, "--type", type_names, chosen.what.type, "Element type");
  add_choice(app, "--op", operator_names, chosen.what.op, "Operator");
  add_choice(app, "--kind", std::array{"inclusive", "exclusive"}, chosen.what.exclusive, "Scan");
  app.add_option("--sizes", sizes, "Elements of synthetic data: 1000,2^20,64K,16M")
      ->type_name("N,...");
  app.add_option("--threads", chosen.num_threads, "CPU threads")
      ->check(CLI::Range(1, 4096).description(""))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--rounds", chosen.num_rounds, "Rounds that the median is taken of, 7 or more")
      ->check(CLI::Range(1, 100000).description(""))
      ->capture_default_str()
      ->type_name("N");
  add_choice(app, "--device", std::array{"auto", "cpu", "gpu"}, chosen.device, "Where to scan");
  app.add_option("--json", chosen.json, "Write the results to this file; -: stdout")
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    std::cout << app.help();
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  }
  for (const std::string& list : sizes) {
    std::string size;
    for (std::istringstream rest(list + ','); std::getline(rest, size, ',');) {
      chosen.sizes.push_back(parse_size(size));
    }
  }
  return chosen;
}

}  // namespace bench
