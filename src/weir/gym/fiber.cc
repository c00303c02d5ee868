#include "weir/gym/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

#if defined(__has_feature)  // clang
#define WEIR_FIBER_ASAN __has_feature(address_sanitizer)
#define WEIR_FIBER_TSAN __has_feature(thread_sanitizer)
#else
#ifdef __SANITIZE_ADDRESS__
#define WEIR_FIBER_ASAN 1
#else
#define WEIR_FIBER_ASAN 0
#endif
#ifdef __SANITIZE_THREAD__
#define WEIR_FIBER_TSAN 1
#else
#define WEIR_FIBER_TSAN 0
#endif
#endif
#if WEIR_FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if WEIR_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace weir::gym {
namespace {

constexpr std::size_t kGuard = 4'096;
constexpr std::size_t kStack = 2'097'152;  // memory is only taken for what is used of it

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  void* const memory =
      mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stack_ = static_cast<std::byte*>(memory);
  mprotect(stack_, kGuard, PROT_NONE);
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_ + kGuard;
  inside_.uc_stack.ss_size = kStack;
  inside_.uc_link = nullptr;  // the body never returns from enter()
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  // makecontext() hands over whole numbers of 32 bits only
  makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
#if WEIR_FIBER_TSAN
  thread_inside_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if WEIR_FIBER_TSAN
  __tsan_destroy_fiber(thread_inside_);
#endif
  munmap(stack_, kGuard + kStack);
}

void Fiber::enter(unsigned high, unsigned low) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): makecontext() passes on nothing but whole numbers
  reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low)->run();
}

void Fiber::run() {
#if WEIR_FIBER_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &outer_stack_, &outer_size_);
#endif
  body_();
  has_ended_ = true;
#if WEIR_FIBER_ASAN
  __sanitizer_start_switch_fiber(nullptr, outer_stack_, outer_size_);
#endif
#if WEIR_FIBER_TSAN
  __tsan_switch_to_fiber(thread_outside_, 0);
#endif
  setcontext(&outside_);  // not by returning: the thread sanitizer would note that for the stack outside
}

void Fiber::resume() {
#if WEIR_FIBER_ASAN
  __sanitizer_start_switch_fiber(&fake_outside_, stack_ + kGuard, kStack);
#endif
#if WEIR_FIBER_TSAN
  thread_outside_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(thread_inside_, 0);
#endif
  swapcontext(&outside_, &inside_);
#if WEIR_FIBER_ASAN
  __sanitizer_finish_switch_fiber(fake_outside_, nullptr, nullptr);
#endif
}

void Fiber::pause() {
#if WEIR_FIBER_ASAN
  __sanitizer_start_switch_fiber(&fake_inside_, outer_stack_, outer_size_);
#endif
#if WEIR_FIBER_TSAN
  __tsan_switch_to_fiber(thread_outside_, 0);
#endif
  swapcontext(&inside_, &outside_);
#if WEIR_FIBER_ASAN
  __sanitizer_finish_switch_fiber(fake_inside_, &outer_stack_, &outer_size_);
#endif
}

}  // namespace weir::gym
