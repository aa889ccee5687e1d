// A call with nothing wrong in it, for tests of what is refused.
#ifndef SCAN_TESTS_GOOD_CALL_HPP
#define SCAN_TESTS_GOOD_CALL_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/calls/any_call.hpp"
#include "tests/support/guarded.hpp"

namespace tests {

/// Of 100 elements, of 3 x 4 x 5 at pitches of 25 and 30, or in 4 segments. All of its arrays are
/// in one image, which knows whether anything has been written.
class good_call : public any_call {
 public:
  good_call(family of, bool is_exclusive) : image_(num_rooms * room_bytes) {
    which = of;
    exclusive = is_exclusive;
    in = room(1), out = room(2), factors = room(3), heads = room(4);
    n = 100;
    shape = {3, 4, 5, 25, 30};
    num_segments = 4;
    const std::int64_t offsets[] = {0, 3, 3, 50, 100};
    for (int i = 0; i < 5; ++i) {
      const auto narrow = static_cast<std::int32_t>(offsets[i]);
      if (is(by_offsets)) std::memcpy(heads + 8 * i, &offsets[i], 8);
      if (is(by_narrow_offsets)) std::memcpy(heads + 4 * i, &narrow, 4);
    }
  }
  /// With room on both sides.
  char* elsewhere() { return room(6); }

  void remember() { before_.assign(image_.data(), image_.data() + num_rooms * room_bytes); }
  bool as_before() const {
    return std::equal(before_.begin(), before_.end(), image_.data()) && image_.guards_intact();
  }

 private:
  static constexpr std::int64_t room_bytes = 1024, num_rooms = 8;
  char* room(std::int64_t which_room) {
    return reinterpret_cast<char*>(image_.data()) + which_room * room_bytes;
  }
  guarded<unsigned char> image_;
  std::vector<unsigned char> before_;
};

}  // namespace tests

#endif
