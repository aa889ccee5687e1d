#include "bench/peers/cpu_peers.hpp"

#include <cstring>
#include <numeric>

#include "bench/cells/scans.hpp"

namespace bench {

cpu_peer std_peer(const cell& what) {
  cpu_peer peer{std::string("std::") + what.kind_name() + "_scan", {}};
  with_scan<plain_scans>(what.scan, [&]<class T, class Op>(scan_of<T, T, Op>) {
    peer.scan =
        on_elements<T>([n = what.num_items, exclusive = what.exclusive](const T* in, T* out) {
          if (exclusive) {
            std::exclusive_scan(in, in + n, out, Op::template identity<T>(), Op{});
          } else {
            std::inclusive_scan(in, in + n, out, Op{});
          }
        });
  });
  return peer;
}

copy_team::copy_team(int num_threads) : num_members_(num_threads), meeting_(num_threads) {
  try {
    for (int member = 1; member < num_members_; ++member) {
      others_.emplace_back([this, member] { work(member); });
    }
  } catch (...) {  // the system refuses a thread: those that are there need not wait for it
    finish();
    throw;
  }
}

copy_team::~copy_team() { finish(); }

void copy_team::finish() {
  finished_ = true;
  static_cast<void>(meeting_.arrive(num_members_ - static_cast<std::ptrdiff_t>(others_.size())));
}

void copy_team::work(int member) {
  for (;;) {
    meeting_.arrive_and_wait();
    if (finished_) return;
    copy_stretch(member);
    meeting_.arrive_and_wait();
  }
}

void copy_team::copy(const void* in, void* out, std::int64_t num_bytes) {
  constexpr std::int64_t least_stretch = 64 * 1024;
  if (num_members_ == 1 || num_bytes / num_members_ < least_stretch) {
    std::memcpy(out, in, static_cast<std::size_t>(num_bytes));
    return;
  }
  in_ = static_cast<const std::byte*>(in);
  out_ = static_cast<std::byte*>(out);
  num_bytes_ = num_bytes;
  meeting_.arrive_and_wait();
  copy_stretch(0);
  meeting_.arrive_and_wait();
}

void copy_team::copy_stretch(int member) const {
  const std::int64_t begin = num_bytes_ * member / num_members_;
  const std::int64_t end = num_bytes_ * (member + 1) / num_members_;
  std::memcpy(out_ + begin, in_ + begin, static_cast<std::size_t>(end - begin));
}

}  // namespace bench
