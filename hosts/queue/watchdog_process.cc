#include "hosts/queue/watchdog_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "hosts/queue/events.h"
#include "hosts/queue/mangle_table.h"
#include "hosts/queue/nfqueue.h"

namespace weir::hosts {
namespace {

constexpr int kFirstOther = 5;  // standard streams, the pidfd, the queue
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr int kLongestCommand = 6'000;  // ms

void close_all_from(int first) {
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0u, 0u) == 0) return;
  constexpr int kMostOpen = 4'096;
  for (int fd = first; fd != kMostOpen; ++fd) ::close(fd);
}

// Only what is needed stays open, at places that are known; nothing that ends the path's group of processes ends us.
void settle(WatchdogPlan& plan) {
  ::setsid();
  ::prctl(PR_SET_NAME, "weir-watchdog");
  struct sigaction act {};
  act.sa_handler = SIG_IGN;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2}) ::sigaction(number, &act, nullptr);
  act.sa_handler = SIG_DFL;
  for (const int number : {SIGCHLD, SIGALRM}) ::sigaction(number, &act, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  const int path = ::fcntl(plan.path, F_DUPFD, 64);
  const int queue = ::fcntl(plan.queue, F_DUPFD, 64);
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  plan.path = ::dup2(path, 3);
  plan.queue = ::dup2(queue, 4);
  close_all_from(kFirstOther);
  // Before the path, which is before everything else: with less right to do so it goes on as it is.
  const sched_param priority{.sched_priority = 2};
  ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
}

void say(const char* text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

void carry_out(char* const* command) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDERR_FILENO);
    struct sigaction act {};
    act.sa_handler = SIG_DFL;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2}) ::sigaction(number, &act, nullptr);
    close_all_from(3);
    ::execve(command[0], command, environ);
    ::_exit(127);
  }
  if (child < 0) return;
  for (int waited = 0; waited < kLongestCommand; ++waited) {
    const pid_t ended = ::waitpid(child, nullptr, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return;
    ::poll(nullptr, 0, 1);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

void put_back(const WatchdogPlan& plan) {
  for (char* const* const* command = plan.put_back; *command != nullptr; ++command) carry_out(*command);
  const std::uint32_t made = plan.shared->made_tables.load();
  for (const bool v6 : {false, true})
    if ((made >> v6 & 1u) != 0) remove_empty_mangle_table(v6);
}

// True if the path had the queue until now.
bool let_pass(const WatchdogPlan& plan) {
  std::uint32_t expected = Shared::running;
  if (!plan.shared->state.compare_exchange_strong(expected, Shared::seized)) return false;
  NfQueue::pass_all(plan.queue, plan.number, plan.shared->last_id.load());
  plan.shared->seizures.fetch_add(1);
  plan.shared->state.store(Shared::passed);
  return true;
}

}  // namespace

void watch(const WatchdogPlan& given) {
  WatchdogPlan plan = given;
  settle(plan);
  Shared& shared = *plan.shared;
  std::uint64_t seen = shared.path_turns.load();
  std::int64_t silent = 0;  // ns that we have watched without a heartbeat
  std::int64_t before = read_clock();
  for (;;) {
    shared.watchdog_turns.fetch_add(1);
    pollfd wait{plan.path, POLLIN, 0};
    const bool ended = ::poll(&wait, 1, static_cast<int>(Watchdog::kTurn / kMillisecond)) > 0;
    if (shared.state.load() == Shared::detached) ::_exit(0);
    if (ended) {
      let_pass(plan);
      // A path that was ended while it set rules may have left one that sets them still.
      put_back(plan);
      ::poll(nullptr, 0, 100);
      put_back(plan);
      ::_exit(0);
    }
    const std::int64_t now = read_clock();
    const std::int64_t since = std::min(now - before, Watchdog::kTurn * 6 / 5);
    before = now;
    const std::uint64_t turns = shared.path_turns.load();
    silent = turns == seen ? silent + since : 0;
    seen = turns;
    if (silent >= plan.hang_after && let_pass(plan))
      say("weir-watchdog: the data path stands still; packets pass without it\n");
    if (plan.kill_after > 0 && silent >= plan.hang_after + plan.kill_after) {
      say("weir-watchdog: the data path still stands still, and is ended\n");
      ::syscall(SYS_pidfd_send_signal, plan.path, SIGKILL, nullptr, 0u);
      silent = 0;
    }
  }
}

}  // namespace weir::hosts
