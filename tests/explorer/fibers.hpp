// Threads of a single processor that run until they say so: ucontext, with what the C++ runtime
// keeps of exceptions a thread.
#ifndef SCAN_TESTS_EXPLORER_FIBERS_HPP
#define SCAN_TESTS_EXPLORER_FIBERS_HPP

#include <cxxabi.h>
#include <ucontext.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>

namespace explorer {

class fiber {
 public:
  /// Whatever ran before is forgotten where it stands; its destructors do not run.
  void start(const std::function<void()>& body) {
    body_ = &body;
    done_ = false;
    exceptions_ = {};
    getcontext(&mine_);
    mine_.uc_stack.ss_sp = stack_.get();
    mine_.uc_stack.ss_size = stack_bytes;
    mine_.uc_link = &callers_;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&mine_, reinterpret_cast<void (*)()>(&fiber::run), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }
  /// Until it pauses or ends; by the caller.
  void resume() {
    swap_exceptions();
    swapcontext(&callers_, &mine_);
    swap_exceptions();
  }
  /// By the fiber.
  void pause() { swapcontext(&mine_, &callers_); }
  bool done() const { return done_; }

 private:
  static constexpr std::size_t stack_bytes = 128 * 1024;
  /// As the Itanium ABI has them.
  struct exceptions {
    void* caught = nullptr;
    unsigned uncaught = 0;
  };

  static void run(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<fiber*>(std::uintptr_t{high} << 32 | low);
    (*self->body_)();
    self->done_ = true;
  }
  void swap_exceptions() {
    auto* const threads = reinterpret_cast<exceptions*>(abi::__cxa_get_globals());
    std::swap(*threads, exceptions_);
  }

  std::unique_ptr<char[]> stack_{new char[stack_bytes]};
  ucontext_t mine_{}, callers_{};
  const std::function<void()>* body_ = nullptr;
  exceptions exceptions_{};
  bool done_ = true;
};

}  // namespace explorer

#endif
