#include "weir/signals.h"

#include <atomic>
#include <csignal>

namespace weir::app {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> g_signal{0};  // lock-free, so a handler may write it

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int number) { g_signal = number; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : kSignals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

int pending_signal() { return g_signal; }

}  // namespace weir::app
