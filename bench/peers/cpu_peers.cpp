#include "bench/peers/cpu_peers.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bench/suites/scans.hpp"

namespace bench {

void std_scan(const cell& what, const void* in, void* out) {
  with_scan<plain_scans>(what.scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    const T* first = static_cast<const T*>(in);
    const T* last = first + what.num_items;
    T* result = static_cast<T*>(out);
    if (what.exclusive) {
      std::exclusive_scan(first, last, result, Op::template identity<T>(), Op{});
    } else {
      std::inclusive_scan(first, last, result, Op{});
    }
  });
}

copy_team::copy_team(int num_threads) : num_members_(num_threads) {
  for (int member = 1; member < num_members_; ++member) {
    others_.emplace_back([this, member](std::stop_token stop) { work(stop, member); });
  }
}

copy_team::~copy_team() = default;  // jthreads stop and join

void copy_team::copy(const void* in, void* out, std::int64_t num_bytes) {
  constexpr std::int64_t least_stretch = 64 * 1024;
  if (num_members_ == 1 || num_bytes / num_members_ < least_stretch) {
    std::memcpy(out, in, static_cast<std::size_t>(num_bytes));
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    in_ = static_cast<const std::byte*>(in);
    out_ = static_cast<std::byte*>(out);
    num_bytes_ = num_bytes;
    running_ = num_members_ - 1;
    ++generation_;
  }
  started_.notify_all();
  copy_stretch(0);
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return running_ == 0; });
}

void copy_team::work(std::stop_token stop, int member) {
  std::int64_t copied = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (!started_.wait(lock, stop, [&] { return generation_ != copied; })) return;
      copied = generation_;
    }
    copy_stretch(member);
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) finished_.notify_one();
  }
}

void copy_team::copy_stretch(int member) const {
  const std::int64_t begin = num_bytes_ * member / num_members_;
  const std::int64_t end = num_bytes_ * (member + 1) / num_members_;
  std::memcpy(out_ + begin, in_ + begin, static_cast<std::size_t>(end - begin));
}

}  // namespace bench
