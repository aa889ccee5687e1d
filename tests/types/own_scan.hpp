// Checks scans of types, operators and functions of a user's own against a serial loop, whatever
// their shape: one sequence, a tensor, segments. On CPU threads and, where nvcc compiles the test
// and there is one, on the device. Every byte of every buffer is compared, and around them.
#ifndef SCAN_TESTS_OWN_SCAN_HPP
#define SCAN_TESTS_OWN_SCAN_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "scan/host/host_scan.hpp"
#include "scan/scan.hpp"
#ifdef __CUDACC__
#include "scan/scan.cuh"
#endif
#include "tests/support/device_image.hpp"
#include "tests/support/eager_workers.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/sequence_reference.hpp"

namespace tests {

/// Where a call is made: on so many threads, or there.
inline constexpr int on_device = 0, several_threads = 4;
#ifdef __CUDACC__
inline bool has_device_code() { return gpu_present(); }
#else
inline bool has_device_code() { return false; }
#endif

/// The first byte in which two images of as many bytes differ, or "".
inline std::string difference(const unsigned char* found, const unsigned char* wanted,
                              std::size_t num_bytes, const char* what) {
  const unsigned char* const at = std::mismatch(found, found + num_bytes, wanted).first;
  return at == found + num_bytes ? "" : what + (", byte " + std::to_string(at - found) + "; ");
}
template <class T>
std::string difference(guarded<T>& found, guarded<T>& wanted, const char* what) {
  return difference(found.image(), wanted.image(), found.image_bytes(), what);
}

/// What most shapes have alike; each has a `test_case`, derived from sequence_case, and says of it
/// in functions what the calls need: see the shape of sequences.
struct own_shape {
  template <class Case>
  static std::vector<unsigned char> beside(const Case&, std::uint64_t) {
    return {};
  }
  template <class Case>
  static std::int64_t beside_offset(const Case&) {
    return 0;
  }
  template <class Case>
  static scan::algorithm algorithm(const Case&) {
    return scan::algorithm::automatic;
  }
  /// Workers that the call on CPU threads has to have; 0: that is not known.
  template <class Case, class... Arguments>
  static int workers(const Case&, const Arguments&...) {
    return 0;
  }
};

/// The scans with one operator and functions: `Input` and `Output` are transform_input and
/// transform_output, whose pointers are filled in per call.
template <class Shape, class Input, class Output, class Op>
class own_scan {
 public:
  using types = scan::scan_types<Input, Output>;
  using In = typename types::in;
  using Out = typename types::out;
  using Value = typename types::value;
  using test_case = typename Shape::test_case;
  static constexpr bool has_identity = scan::has_identity<Op, Value>;
  static constexpr int widest =
      static_cast<int>(std::max({sizeof(In), sizeof(Out), sizeof(Value)}));

  own_scan(Input input, Output output, Op op) : input_(input), output_(output), op_(op) {}

  /// One call at each of `places`, numbers of threads or `on_device`, of `items` from the first to
  /// the last (in place: as many as the output has room for). Returns how often the function on the
  /// way out was called, by the reference too.
  std::int64_t check(const test_case& c, const std::vector<In>& items,
                     const std::vector<Value>& inits, const std::vector<int>& places) {
    const std::vector<unsigned char> beside = Shape::beside(c, turn_++);
    const bool refused = !has_identity && c.init == sequence_init::none && Shape::wants_start(c);
    buffers wanted(c, items, inits, beside);
    std::int64_t num_outputs = refused ? 0 : expect(c, items, inits, wanted);
    for (const int place : places) {
      if (place == on_device && !has_device_code()) continue;
      buffers found(c, items, inits, beside);
      const std::string message =
          place == on_device ? scan_on_device(c, found) : scan_on_threads(c, found, place);
      std::string wrong = refused ? "" : message;
      if (refused && message.find("options.init is missing") == std::string::npos) {
        wrong = "not refused: " + message;
      }
      wrong += difference(found.out, wanted.out, "the output") +
               difference(found.totals, wanted.totals, "the totals") +
               difference(found.in, wanted.in, "the input") +
               difference(found.inits, wanted.inits, "the inits") +
               difference(found.beside, wanted.beside, "what is beside the input");
      if (!wrong.empty()) FAIL(c.describe(), ", ", place, " threads (0: device): ", wrong);
      num_outputs += num_outputs_of(c, refused);
    }
    return num_outputs;
  }

  /// On the device, where there is one, and else, or now and then, on CPU threads.
  void check_somewhere(const test_case& c, const std::vector<In>& items,
                       const std::vector<Value>& inits) {
    const int threads = static_cast<int>(1 + turn_ % 3);
    if (!has_device_code()) {
      check(c, items, inits, {threads});
    } else if (turn_ % 8 == 0) {
      check(c, items, inits, {threads, on_device});
    } else {
      check(c, items, inits, {on_device});
    }
  }

 private:
  struct buffers {
    guarded<In> in;
    guarded<Out> out;
    guarded<Value> totals, inits;
    guarded<unsigned char> beside;

    buffers(const test_case& c, const std::vector<In>& items, const std::vector<Value>& starts,
            const std::vector<unsigned char>& image)
        : in(static_cast<std::int64_t>(items.size()), c.in_offset),
          out(Shape::out_span(c), c.out_offset),
          totals(Shape::num_totals(c)),
          inits(static_cast<std::int64_t>(starts.size())),
          beside(static_cast<std::int64_t>(image.size()), Shape::beside_offset(c)) {
      fill(items, c.in_place ? static_cast<void*>(out.data()) : in.data());
      fill(starts, inits.data());
      fill(image, beside.data());
    }
    template <class T>
    static void fill(const std::vector<T>& from, void* to) {
      if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
    }
  };

  /// Writes what the call should; returns how many outputs those are.
  std::int64_t expect(const test_case& c, const std::vector<In>& items,
                      const std::vector<Value>& inits, buffers& wanted) const {
    std::vector<Value> values, results(static_cast<std::size_t>(Shape::out_span(c)));
    for (const In& item : items) values.push_back(scan::convert<Value>(input_.function(item)));
    Shape::scan_serially(c, values.data(), results.data(), inits,
                         c.with_total ? wanted.totals.data() : nullptr, op_);
    Shape::for_each_output(c, [&](std::int64_t at) {
      wanted.out.data()[at] =
          scan::convert<Out>(output_.function(results[static_cast<std::size_t>(at)]));
    });
    return num_outputs_of(c, false);
  }
  static std::int64_t num_outputs_of(const test_case& c, bool refused) {
    std::int64_t count = 0;
    if (!refused) Shape::for_each_output(c, [&](std::int64_t) { ++count; });
    return count;
  }

  std::string scan_on_threads(const test_case& c, buffers& data, int threads) {
    scan::host_options<Value> opts;
    opts.threads = threads;
    set(c, data, data.inits.data(), data.totals.data(), opts);
    In* const from = c.in_place ? reinterpret_cast<In*>(data.out.data()) : data.in.data();
    const int workers = Shape::workers(c, input_at(from), output_at(data.out.data()), op_, threads);
    const std::int64_t shared = num_shared_calls();
    const std::string message =
        call(c, data.beside.data(), from, data.out.data(), opts, scan::host);
    if (workers > 0 && message.empty()) REQUIRE(num_shared_calls() == shared + (workers > 1));
    return message;
  }

  std::string scan_on_device([[maybe_unused]] const test_case& c, [[maybe_unused]] buffers& data) {
#ifdef __CUDACC__
    const device_image<In> in(data.in);
    const device_image<Out> out(data.out);
    const device_image<Value> totals(data.totals), inits(data.inits);
    const device_image<unsigned char> beside(data.beside);
    scan::options<Value> opts;
    set(c, data, inits.data(), totals.data(), opts);
    const scan::algorithm wanted = Shape::algorithm(c);
    if (wanted != scan::algorithm::ring ||
        scan::device::ring_takes(sizeof(In), sizeof(Out), sizeof(Value))) {
      opts.algorithm = wanted;
    }
    std::optional<scan::workspace> space;
    if (turn_ / 2 % 3 != 0) {  // (which of every two calls is reversed, or a baseline's, stays)
      Shape::make_workspace(c, widest, space);
      opts.workspace = &*space;
    }
    const In* const from = c.in_place ? reinterpret_cast<In*>(out.data()) : in.data();
    const std::string message = call(c, beside.data(), from, out.data(), opts);
    cuda_check(cudaDeviceSynchronize());  // before the workspace goes
    in.fetch(), out.fetch(), totals.fetch(), inits.fetch(), beside.fetch();
    return message;
#else
    return "";
#endif
  }

  template <class Options>
  static void set(const test_case& c, buffers& data, const Value* inits, Value* totals,
                  Options& opts) {
    if (c.init == sequence_init::by_value) opts.init = data.inits.data()[0];
    if (c.init == sequence_init::by_pointer) opts.init_pointer = inits;
    if (c.with_total) opts.total = totals;
    opts.reverse = c.reverse;
    opts.complete = c.complete;
  }

  /// Returns the message of a call that fails. `where` is scan::host, or nothing.
  template <class Options, class... Where>
  std::string call(const test_case& c, const void* beside, const In* from, Out* to,
                   const Options& opts, Where... where) {
    const scan::status done =
        Shape::call(c, beside, input_at(from), output_at(to), op_, opts, where...);
    return done.ok() ? "" : std::string(done.message()) + "; ";
  }

  /// A side at `data`; without a function a pointer, as most people pass it.
  auto input_at(const In* data) const { return pointed<decltype(input_.function)>(input_, data); }
  auto output_at(Out* data) const { return pointed<decltype(output_.function)>(output_, data); }
  template <class Function, class Side, class T>
  static auto pointed(const Side& side, T* data) {
    if constexpr (std::is_same_v<Function, scan::as_is>) {
      return data;
    } else {
      return Side{data, side.function};
    }
  }

  Input input_;
  Output output_;
  Op op_;
  std::uint64_t turn_ = 0;
};

/// The scans with plain pointers.
template <class Shape, class T, class Op>
own_scan<Shape, scan::transform_input<T>, scan::transform_output<T>, Op> plain_scan(Op op) {
  return {{}, {}, op};
}

}  // namespace tests

#endif
