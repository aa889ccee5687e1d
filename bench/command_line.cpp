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

/// An option that takes one of `words`. Returns it, to ask whether it was given.
template <class Words>
CLI::Option* add_choice(CLI::App& app, const char* name, const Words& words, std::string& chosen,
                        const char* help) {
  const std::vector<std::string> list(std::begin(words), std::end(words));
  return app.add_option(name, chosen, help)
      ->check(CLI::IsMember(list))
      ->capture_default_str()
      ->type_name("WORD");
}

/// The enumerator that `word` names, `words` being those of the enumerators in order.
template <class Enum, class Words>
Enum enumerator(const char* option, const Words& words, const std::string& word) {
  const auto at = std::find(std::begin(words), std::end(words), word);
  if (at == std::end(words)) {
    throw usage_error(std::string(option) + ": " + word + " is measured by --suite only");
  }
  return static_cast<Enum>(at - std::begin(words));
}

/// What the words of the command line stand for, before they are told apart by --suite.
struct words {
  std::string type = type_names[static_cast<std::size_t>(element_type::i32)];
  std::string op = operator_names[0];
  std::string kind = kinds[0];
  std::string device = devices[0];
  bool type_given = false, op_given = false, kind_given = false;

  static constexpr std::array kinds{"inclusive", "exclusive"};
  static constexpr std::array devices{"auto", "cpu", "gpu"};
};

void choose(settings& chosen, const words& given) {
  chosen.device = enumerator<device_choice>("--device", words::devices, given.device);
  if (chosen.suite.empty()) {
    chosen.what.type = enumerator<element_type>("--type", type_names, given.type);
    chosen.what.op = enumerator<scan_operator>("--op", operator_names, given.op);
    chosen.what.exclusive = given.kind == words::kinds[1];
    return;
  }
  if (chosen.device == device_choice::cpu)
    throw usage_error("--suite measures a GPU: --device cpu");
  if (given.type_given) chosen.only.type = given.type;
  if (given.op_given) chosen.only.op = given.op;
  if (given.kind_given) chosen.only.exclusive = given.kind == words::kinds[1];
  chosen.only.sizes = chosen.sizes;
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
  auto* const input =
      app.add_option("--input", chosen.input, "Scan this file's raw bytes, ahead of synthetic data")
          ->type_name("FILE");
  words given;
  const auto* type = add_choice(app, "--type", suite_type_names, given.type, "Element type");
  const auto* op = add_choice(app, "--op", suite_operator_names, given.op, "Operator");
  const auto* kind = add_choice(app, "--kind", words::kinds, given.kind, "Scan");
  app.add_option("--sizes", sizes, "Elements of synthetic data: 1000,2^20,64K,16M")
      ->type_name("N,...");
  auto* const threads = app.add_option("--threads", chosen.num_threads, "CPU threads")
                            ->check(CLI::Range(1, 4096).description(""))
                            ->capture_default_str()
                            ->type_name("N");
  app.add_option("--rounds", chosen.num_rounds, "Rounds that the median is taken of, 7 or more")
      ->check(CLI::Range(1, 100000).description(""))
      ->capture_default_str()
      ->type_name("N");
  add_choice(app, "--device", words::devices, given.device, "Where to scan");
  app.add_option("--suite", chosen.suite,
                 "Measure a whole table on the GPU: speed (minutes), quick (seconds), ladder (the "
                 "classic scans), blocks (scans inside a block); --type, --op, --kind and --sizes "
                 "select cells of it")
      ->check(CLI::IsMember({"speed", "quick", "ladder", "blocks"}).description(""))
      ->excludes(input)
      ->excludes(threads)
      ->type_name("WORD");
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
  given.type_given = type->count() > 0;
  given.op_given = op->count() > 0;
  given.kind_given = kind->count() > 0;
  choose(chosen, given);
  return chosen;
}

}  // namespace bench
