// The rows of the matrix of segments.
#include "tests/matrices/segment_row.hpp"

namespace tests {

#define SCAN_TESTS_ROW(In, Out, Op) make_segment_row<In, Out, scan::Op>(#Op " " #In " to " #Out),
const std::vector<segment_row>& segment_matrix() {
  static const std::vector<segment_row> all = {
      SCAN_TESTS_ROW(std::int32_t, std::int32_t, plus)       //
      SCAN_TESTS_ROW(std::int64_t, std::int64_t, plus)       //
      SCAN_TESTS_ROW(std::uint64_t, std::uint64_t, plus)     //
      SCAN_TESTS_ROW(float, float, plus)                     //
      SCAN_TESTS_ROW(double, double, plus)                   //
      SCAN_TESTS_ROW(__half, __half, plus)                   //
      SCAN_TESTS_ROW(__nv_bfloat16, __nv_bfloat16, plus)     //
      SCAN_TESTS_ROW(std::uint8_t, std::int32_t, plus)       //
      SCAN_TESTS_ROW(std::uint8_t, std::uint64_t, plus)      //
      SCAN_TESTS_ROW(std::int32_t, std::int32_t, minimum)    //
      SCAN_TESTS_ROW(std::uint32_t, std::uint32_t, maximum)  //
      SCAN_TESTS_ROW(float, float, minimum)                  //
      SCAN_TESTS_ROW(float, float, maximum)};
  return all;
}

}  // namespace tests
