// Fiber: a function with a stack of its own that stops in its midst and goes on later, without another thread.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace weir::gym {

class Fiber {
 public:
  // `body` must not throw.
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  // The body must not be in its midst.
  ~Fiber();

  // Lets the body go on until it calls pause() or returns.
  void resume();
  // Called by the body: goes back to the call of resume().
  void pause();
  bool has_ended() const { return has_ended_; }

 private:
  static void enter(unsigned high, unsigned low);
  void run();

  std::function<void()> body_;
  bool has_ended_ = false;
  std::byte* stack_ = nullptr;  // behind a page that nothing may touch
  ucontext_t inside_{};
  ucontext_t outside_{};
  // What sanitizers have to know of the two stacks.
  [[maybe_unused]] void* fake_inside_ = nullptr;
  [[maybe_unused]] void* fake_outside_ = nullptr;
  [[maybe_unused]] const void* outer_stack_ = nullptr;
  [[maybe_unused]] std::size_t outer_size_ = 0;
  [[maybe_unused]] void* thread_inside_ = nullptr;
  [[maybe_unused]] void* thread_outside_ = nullptr;
};

}  // namespace weir::gym
