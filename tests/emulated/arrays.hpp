// Memory of the stand-in GPU whose ends are felt: nothing may be touched beyond the granules that
// an array has a part of (the library reads whole ones), and nothing written but the array itself.
#ifndef SCAN_TESTS_EMULATED_ARRAYS_HPP
#define SCAN_TESTS_EMULATED_ARRAYS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace emulated {

/// Pages with one before and one behind that nobody may touch; its bytes are garbage that differs
/// from place to place.
class guarded_pages {
 public:
  enum class end { first, last };
  /// `num_bytes` bytes, `shift` past a granule; with their first granule at the first byte of a
  /// page or their last one at the last.
  guarded_pages(std::size_t num_bytes, std::size_t shift, end at);
  ~guarded_pages();
  guarded_pages(const guarded_pages&) = delete;
  guarded_pages& operator=(const guarded_pages&) = delete;

  unsigned char* data() const { return data_; }
  /// Nobody may write any more.
  void lock() const;
  /// Whether all around is what it was.
  bool is_intact() const;

 private:
  unsigned char *all_, *data_;
  std::size_t all_bytes_, num_bytes_;
};

/// Where an address is that must not be accessed.
std::string place_of(const void* address);

template <class T>
class array {
 public:
  using end = guarded_pages::end;
  array(std::int64_t n, std::int64_t offset, end at)
      : n_(static_cast<std::size_t>(n)),
        pages_(n_ * sizeof(T), static_cast<std::size_t>(offset) * sizeof(T) % 16, at) {}
  array(const std::vector<T>& items, std::int64_t offset, end at)
      : array(static_cast<std::int64_t>(items.size()), offset, at) {
    for (std::size_t i = 0; i < n_; ++i) data()[i] = items[i];
  }

  T* data() const { return reinterpret_cast<T*>(pages_.data()); }
  void lock() const { pages_.lock(); }
  bool is_intact() const { return pages_.is_intact(); }
  std::vector<T> items() const { return std::vector<T>(data(), data() + n_); }

 private:
  std::size_t n_;
  guarded_pages pages_;
};

}  // namespace emulated

#endif
