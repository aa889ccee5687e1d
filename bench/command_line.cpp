#include "bench/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>
#include <string_view>
#include <thread>

#include "bench/data/host_data.hpp"

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

/// "1000", "2^20", "64K", "16M", "1G" (powers of 1024). Throws `usage_error`.
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

/// "4K..64M"
void parse_range(const std::vector<std::string>& lists, random_draw& draw) {
  if (lists.empty()) return;
  const std::size_t dots = lists[0].find("..");
  if (lists.size() == 1 && dots != std::string::npos) {
    draw.from_bytes = parse_size(lists[0].substr(0, dots));
    draw.to_bytes = parse_size(lists[0].substr(dots + 2));
    if (draw.from_bytes <= draw.to_bytes) return;
  }
  throw usage_error(
      "--sizes: --suite random, shapes, segments and select take a range of bytes such as 4K..64M");
}

std::vector<std::int64_t> parse_sizes(const std::vector<std::string>& lists) {
  std::vector<std::int64_t> sizes;
  for (const std::string& list : lists) {
    std::string size;
    for (std::istringstream rest(list + ','); std::getline(rest, size, ',');) {
      sizes.push_back(parse_size(size));
    }
  }
  return sizes;
}

/// An option that takes one of `words`. Returns it, to ask whether it was given.
CLI::Option* add_choice(CLI::App& app, const char* name, const std::vector<std::string>& words,
                        std::string& chosen, const char* help) {
  return app.add_option(name, chosen, help)
      ->check(CLI::IsMember(words))
      ->capture_default_str()
      ->type_name("WORD");
}

CLI::Option* add_number(CLI::App& app, const char* name, auto& number, std::int64_t least,
                        std::int64_t most, const char* help) {
  return app.add_option(name, number, help)
      ->check(CLI::Range(least, most).description(""))
      ->capture_default_str()
      ->type_name("N");
}

/// Options that both programs have, with what they stand for before it is understood.
struct common_options {
  std::vector<std::string> sizes;
  std::string device = "auto";
  CLI::Option* threads = nullptr;

  void add(CLI::App& app, common_settings& chosen, const char* help_of_sizes) {
    const unsigned here = std::thread::hardware_concurrency();
    chosen.num_threads = static_cast<int>(std::max(1u, here));
    app.add_option("--sizes", sizes, help_of_sizes)->type_name("N,...");
    threads = add_number(app, "--threads", chosen.num_threads, 1, 4096, "CPU threads");
    add_choice(app, "--device", {"auto", "cpu", "gpu"}, device, "Where to scan");
    app.add_option("--json", chosen.json, "Write the results to this file; -: stdout")
        ->type_name("FILE");
  }

  void choose(common_settings& chosen) const {
    if (device == "cpu") chosen.device = device_choice::cpu;
    if (device == "gpu") chosen.device = device_choice::gpu;
  }
  void choose_sizes(common_settings& chosen) const { chosen.sizes = parse_sizes(sizes); }
};

/// False after `--help`, which has been printed.
bool parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  }
  return true;
}

/// The words that name a scan, or select cells of a suite.
struct scan_words {
  std::string type = "i32", op = "plus", kind = "inclusive";
  const CLI::Option *type_given = nullptr, *op_given = nullptr, *kind_given = nullptr;

  void add(CLI::App& app) {
    type_given = add_choice(app, "--type", type_words(), type, "Element type");
    op_given = add_choice(app, "--op", operator_words(), op, "Operator");
    kind_given = add_choice(app, "--kind", {"inclusive", "exclusive"}, kind, "Scan");
  }

  void choose(settings& chosen) const {
    chosen.exclusive = kind == "exclusive";
    if (chosen.suite.empty()) {
      const std::optional<std::size_t> scan = plain_scan(type, op);
      if (!scan) throw usage_error("--type " + type + " --op " + op + ": measured by --suite only");
      chosen.scan = *scan;
      return;
    }
    if (chosen.device == device_choice::cpu) {
      throw usage_error("--suite measures a GPU: --device cpu");
    }
    if (type_given->count() > 0) chosen.only.type = type;
    if (op_given->count() > 0) chosen.only.op = op;
    if (kind_given->count() > 0) chosen.only.exclusive = chosen.exclusive;
    chosen.only.sizes = chosen.sizes;
  }
};

/// The options of the suites that draw cells.
struct draw_options {
  const CLI::Option *seed = nullptr, *cells = nullptr;

  void add(CLI::App& app, random_draw& draw) {
    seed =
        add_number(app, "--seed", draw.seed, 0, 0xffffffff,
                   "Of --suite random, shapes, segments, select: the same cells for the same seed");
    cells = add_number(app, "--cells", draw.num_cells, 1, 100000,
                       "Of these suites: how many are drawn; of all but random 100 by default");
  }

  void choose(settings& chosen, const common_options& common) const {
    if (chosen.suite == random_suite) return parse_range(common.sizes, chosen.draw);
    if (is_drawn(chosen.suite)) return choose_shapes(chosen, common);
    for (const CLI::Option* given : {seed, cells}) {
      if (given->count() > 0) {
        throw usage_error(given->get_name() +
                          ": of --suite random, shapes, segments and select only");
      }
    }
    common.choose_sizes(chosen);
  }
  /// A range there selects among the cells that are not drawn, too.
  void choose_shapes(settings& chosen, const common_options& common) const {
    random_draw draw = usual_draw(chosen.suite);
    draw.seed = chosen.draw.seed;
    if (cells->count() > 0) draw.num_cells = chosen.draw.num_cells;
    parse_range(common.sizes, draw);
    chosen.draw = draw;
    if (common.sizes.empty()) return;
    chosen.only.from_bytes = draw.from_bytes;
    chosen.only.to_bytes = draw.to_bytes;
  }
};

CLI::Option* add_suite(CLI::App& app, std::string& chosen) {
  std::vector<std::string> names;
  std::string help = "Measure a whole table on the GPU:";
  for (const suite& known : suites()) {
    names.push_back(known.name);
    help += std::string(names.size() == 1 ? " " : ", ") + known.name + " (" + known.help + ")";
  }
  return app
      .add_option("--suite", chosen, help + "; --type, --op, --kind and --sizes select cells of it")
      ->check(CLI::IsMember(names).description(""))
      ->type_name("WORD");
}

constexpr const char* errors_description =
    "Measures rounding errors of inclusive sums against exact ones (integers of 128 bits), and\n"
    "exits with 1 if one is beyond the bound.\n\n"
    "Inputs, rounded to the element type: uniform in [0, 1); alternating: the same with signs\n"
    "+ - + -; wide: m * 2^e with m uniform in [1, 2) and e in [-20, 20], for half in [-10, 0].\n"
    "Inputs of half are scaled by a power of two so that no sum passes 65504, half's largest.\n\n"
    "Errors, the largest over all prefixes: |output - exact| / sum |x|, which is the relative\n"
    "error where signs agree; and for alternating signs, where prefixes pass through zero, also\n"
    "|output - exact| / max |exact| over the prefix sums so far.\n\n"
    "Sums: scan (this library), serial (one after another in float), serial in the 16-bit type,\n"
    "tree (up-sweep and down-sweep over a binary tree in float). All are rounded to the output's\n"
    "type once. d: additions on the longest way from an input to an output of this library;\n"
    "bound: d u / (1 - d u) with u = 2^-24, and for 16-bit outputs the rounding of these.";

}  // namespace

std::optional<settings> parse_command_line(int argc, char** argv) {
  settings chosen;
  CLI::App app("Times prefix scans against a copy and other libraries, results verified first.");
  app.name("scan_bench");
  auto* const input =
      app.add_option("--input", chosen.input, "Scan this file's raw bytes, ahead of synthetic data")
          ->type_name("FILE");
  scan_words scan;
  scan.add(app);
  common_options common;
  common.add(
      app, chosen,
      "Elements of synthetic data: 1000,2^20,64K,16M; of --suite random, shapes, segments and "
      "select the bytes per side of cells, as 4K..64M (default 256..4G; of shapes that are drawn "
      "and "
      "of select 256K..1G, of segments 64K..1G)");
  add_number(app, "--rounds", chosen.num_rounds, 1, 100000,
             "Rounds that the median is taken of, 7 or more");
  auto* const suite = add_suite(app, chosen.suite)->excludes(input)->excludes(common.threads);
  add_number(app, "--gpus", chosen.num_gpus, 1, 64,
             "One sum of f32 across so many GPUs of this machine, by --sizes, the elements of each")
      ->excludes(input)
      ->excludes(suite);
  draw_options draw;
  draw.add(app, chosen.draw);
  if (!parse(app, argc, argv)) return std::nullopt;
  common.choose(chosen);
  if (chosen.num_gpus > 0 && chosen.device == device_choice::cpu) {
    throw usage_error("--gpus: --device cpu");
  }
  draw.choose(chosen, common);
  scan.choose(chosen);
  return chosen;
}

std::optional<error_settings> parse_error_command_line(int argc, char** argv) {
  error_settings chosen;
  CLI::App app(errors_description);
  app.name("scan_errors");
  common_options common;
  common.add(app, chosen,
             "Elements: 1000,2^20,16M (default: 2^10,2^20, and 2^28 on a GPU, else 2^24)");
  add_number(app, "--seed", chosen.seed, 0, 0xffffffff, "Of the random inputs");
  app.add_flag("--markdown", chosen.markdown, "Print the README's table");
  if (!parse(app, argc, argv)) return std::nullopt;
  common.choose(chosen);
  common.choose_sizes(chosen);
  return chosen;
}

}  // namespace bench
