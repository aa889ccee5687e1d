// Threads of a single processor that run until they say so: a ucontext each to have a stack, jumps
// from then on, which unlike swapcontext ask nothing of the system; with what the C++ runtime keeps
// of exceptions a thread. (Not with _FORTIFY_SOURCE, which takes jumps between stacks for errors.)
#ifndef SCAN_TESTS_FIBERS_HPP
#define SCAN_TESTS_FIBERS_HPP

#include <cxxabi.h>
#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>

namespace tests {

class fiber {
 public:
  /// Whatever ran before is forgotten where it stands; its destructors do not run.
  void start(const std::function<void()>& body) {
    body_ = &body;
    done_ = false;
    exceptions_ = {};
    if (has_stack_) {
      std::memcpy(&mine_, &beginning_, sizeof(mine_));
      return;
    }
    getcontext(&first_);
    first_.uc_stack.ss_sp = stack_.get();
    first_.uc_stack.ss_size = stack_bytes;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&first_, reinterpret_cast<void (*)()>(&fiber::run), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }
  /// Until it pauses or ends; by the caller.
  void resume() {
    swap_exceptions();
    if (_setjmp(callers_) == 0) {
      if (has_stack_) _longjmp(mine_, 1);
      has_stack_ = true;
      setcontext(&first_);
    }
    swap_exceptions();
  }
  /// By the fiber.
  void pause() {
    if (_setjmp(mine_) == 0) _longjmp(callers_, 1);
  }
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
    static_cast<void>(_setjmp(self->beginning_));  // where it starts again, whatever was above
    (*self->body_)();
    self->done_ = true;
    _longjmp(self->callers_, 1);
  }
  void swap_exceptions() {
    auto* const threads = reinterpret_cast<exceptions*>(abi::__cxa_get_globals());
    std::swap(*threads, exceptions_);
  }

  std::unique_ptr<char[]> stack_{new char[stack_bytes]};
  ucontext_t first_{};
  jmp_buf beginning_, mine_, callers_;
  bool has_stack_ = false;
  const std::function<void()>* body_ = nullptr;
  exceptions exceptions_{};
  bool done_ = true;
};

}  // namespace tests

#endif
