#include "tests/emulated/arrays.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <sstream>

namespace emulated {
namespace {

constexpr std::size_t page = 4096, granule = 16;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}
/// As a float or a wide integer it spoils every result that it gets into.
unsigned char garbage_at(const unsigned char* place) {
  return static_cast<unsigned char>(0xC1 + reinterpret_cast<std::uintptr_t>(place) % 61);
}

struct extent {
  const unsigned char *begin, *end;
};
std::vector<extent>& all_arrays() {
  static std::vector<extent> all;
  return all;
}

}  // namespace

guarded_pages::guarded_pages(std::size_t num_bytes, std::size_t shift, end at)
    : num_bytes_(num_bytes) {
  const std::size_t used = rounded_up(shift + num_bytes, granule);
  const std::size_t inner = std::max(rounded_up(used, page), page);
  all_bytes_ = inner + 2 * page;
  void* const mapped = mmap(nullptr, all_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  all_ = static_cast<unsigned char*>(mapped);
  unsigned char* const first = all_ + page;
  mprotect(first, inner, PROT_READ | PROT_WRITE);
  data_ = (at == end::first ? first : first + inner - used) + shift;
  for (unsigned char* each = first; each < first + inner; ++each) *each = garbage_at(each);
  all_arrays().push_back({data_, data_ + num_bytes_});
}

guarded_pages::~guarded_pages() {
  auto& all = all_arrays();
  all.erase(std::remove_if(all.begin(), all.end(),
                           [this](const extent& each) { return each.begin == data_; }),
            all.end());
  munmap(all_, all_bytes_);
}

void guarded_pages::lock() const { mprotect(all_ + page, all_bytes_ - 2 * page, PROT_READ); }

bool guarded_pages::is_intact() const {
  const auto is_garbage = [](const unsigned char& byte) { return byte == garbage_at(&byte); };
  return std::all_of<const unsigned char*>(all_ + page, data_, is_garbage) &&
         std::all_of<const unsigned char*>(data_ + num_bytes_, all_ + all_bytes_ - page,
                                           is_garbage);
}

std::string place_of(const void* address) {
  const auto* const at = static_cast<const unsigned char*>(address);
  std::ostringstream all;
  all << address;
  for (const extent& each : all_arrays()) {
    if (at >= each.begin && at < each.end) {
      all << ", byte " << at - each.begin << " of an array that is read alone";
    } else if (at < each.begin && each.begin - at < 65536) {
      all << ", " << each.begin - at << " bytes before an array of " << each.end - each.begin;
    } else if (at >= each.end && at - each.end < 65536) {
      all << ", " << at - each.end << " bytes behind an array of " << each.end - each.begin;
    }
  }
  return all.str();
}

}  // namespace emulated
