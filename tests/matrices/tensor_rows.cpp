// The rows of the matrix of tensors.
#include "tests/matrices/tensor_row.hpp"

namespace tests {

#define SCAN_TESTS_ROW(In, Out, Op) make_tensor_row<In, Out, scan::Op>(#Op " " #In " to " #Out),
#define SCAN_TESTS_RECURRENCE(T) make_recurrence_row<T>("recurrence of " #T),
const std::vector<tensor_row>& tensor_matrix() {
  static const std::vector<tensor_row> all = {
      SCAN_TESTS_ROW(std::int32_t, std::int32_t, plus)            //
      SCAN_TESTS_ROW(std::uint32_t, std::uint32_t, plus)          //
      SCAN_TESTS_ROW(std::int64_t, std::int64_t, plus)            //
      SCAN_TESTS_ROW(std::uint64_t, std::uint64_t, plus)          //
      SCAN_TESTS_ROW(float, float, plus)                          //
      SCAN_TESTS_ROW(double, double, plus)                        //
      SCAN_TESTS_ROW(__half, __half, plus)                        //
      SCAN_TESTS_ROW(__nv_bfloat16, __nv_bfloat16, plus)          //
      SCAN_TESTS_ROW(std::uint8_t, std::int32_t, plus)            //
      SCAN_TESTS_ROW(std::uint8_t, std::uint32_t, plus)           //
      SCAN_TESTS_ROW(std::uint8_t, std::int64_t, plus)            //
      SCAN_TESTS_ROW(std::uint8_t, std::uint64_t, plus)           //
      SCAN_TESTS_ROW(std::int32_t, std::int32_t, minimum)         //
      SCAN_TESTS_ROW(std::int32_t, std::int32_t, maximum)         //
      SCAN_TESTS_ROW(std::uint32_t, std::uint32_t, minimum)       //
      SCAN_TESTS_ROW(std::uint32_t, std::uint32_t, maximum)       //
      SCAN_TESTS_ROW(float, float, minimum)                       //
      SCAN_TESTS_ROW(float, float, maximum)                       //
      SCAN_TESTS_RECURRENCE(float) SCAN_TESTS_RECURRENCE(double)  //
      SCAN_TESTS_RECURRENCE(__half) SCAN_TESTS_RECURRENCE(__nv_bfloat16)};
  return all;
}

}  // namespace tests
