#include "weir/signals.h"

#include <atomic>
#include <csignal>

namespace weir::app {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> g_signal{0};  // lock-free, so a handler may write it

void catch_by(unsigned flags) {
  struct sigaction action {};
  action.sa_handler = [](int number) { g_signal = number; };
  action.sa_flags = static_cast<int>(flags | SA_RESTART);
  for (const int signal : kSignals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void catch_signals() { catch_by(SA_RESETHAND); }

HeldSignals::HeldSignals() { catch_by(0); }
HeldSignals::~HeldSignals() { catch_signals(); }

int pending_signal() { return g_signal; }

}  // namespace weir::app
