// What libscan.a holds: every pair of types below with every operator of src/meson.build.
#ifndef SCAN_PREBUILT_HPP
#define SCAN_PREBUILT_HPP

#include <cstdint>

// entry(In, Out) for every prebuilt pair of element types; a new one is one line. A macro, because
// an explicit instantiation knows no lists.
#define SCAN_FOR_EACH_TYPE(entry)                                           \
  entry(std::uint8_t, std::uint8_t) entry(std::int32_t, std::int32_t)       \
      entry(std::uint32_t, std::uint32_t) entry(std::int64_t, std::int64_t) \
          entry(std::uint64_t, std::uint64_t) entry(float, float) entry(double, double)
#endif
