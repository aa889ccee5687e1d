// How a case of segments is called: by offsets, by key or by flags.
#ifndef SCAN_TESTS_SEGMENT_CALL_HPP
#define SCAN_TESTS_SEGMENT_CALL_HPP

#include <cstdint>

#include "scan/scan.hpp"
#include "tests/segments/segment_case.hpp"

namespace tests {

/// The call of the case from `in` to `out`, pointers or what has functions, with the heads at
/// `heads`; `where` is scan::host, or nothing.
template <class Input, class Output, class Op, class Options, class... Where>
scan::status call_segments(const segment_case& c, const void* heads, Input in, Output out, Op op,
                           const Options& opts, Where... where) {
  const std::int64_t n = c.num_items();
  const std::int64_t at_most = c.items_unsaid ? scan::unsaid_items : n;
  const auto by_keys = [&](const auto& keys) {
    return c.exclusive ? scan::exclusive_by_key(where..., keys, in, out, n, op, opts)
                       : scan::inclusive_by_key(where..., keys, in, out, n, op, opts);
  };
  return visit_heads(
      c.heads, heads,
      [&](const auto* offsets) {
        const scan::segments parts{offsets, c.layout->num_segments(), at_most};
        return c.exclusive ? scan::exclusive(where..., in, out, parts, op, opts)
                           : scan::inclusive(where..., in, out, parts, op, opts);
      },
      by_keys, [&](const auto* words) { return by_keys(scan::flags{words}); });
}

}  // namespace tests

#endif
