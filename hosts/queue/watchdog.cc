#include "hosts/queue/watchdog.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>
#include <utility>

#include "hosts/path/system_error.h"
#include "hosts/queue/watchdog_process.h"

namespace weir::hosts {
namespace {

Descriptor handle_of(pid_t process) { return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0))); }

}  // namespace

Watchdog::Watchdog(WatchdogSettings settings, int queue_socket)
    : settings_(std::move(settings)), queue_socket_(queue_socket) {
  void* page = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw errno_error("memory that the watchdog shares");
  shared_ = new (page) Shared;
  for (const Command& command : settings_.put_back) {
    std::vector<std::string> text = command;
    text.front() = find_program(command.front());
    if (!text.front().empty()) texts_.push_back(std::move(text));
  }
  try {
    start();
  } catch (...) {
    ::munmap(shared_, sizeof(Shared));
    throw;
  }
}

Watchdog::~Watchdog() {
  if (process_ > 0) {
    if (shared_->state.load() != Shared::detached && process_handle_)
      ::syscall(SYS_pidfd_send_signal, process_handle_.get(), SIGKILL, nullptr, 0u);
    reap();
  }
  ::munmap(shared_, sizeof(Shared));
}

void Watchdog::start() {
  const Descriptor path = handle_of(::getpid());
  if (!path) throw errno_error("a handle of this process (pidfd_open, Linux 5.3)");
  std::vector<std::vector<char*>> arguments;
  for (std::vector<std::string>& text : texts_) {
    arguments.emplace_back();
    for (std::string& word : text) arguments.back().push_back(word.data());
    arguments.back().push_back(nullptr);
  }
  std::vector<char* const*> commands;
  for (const std::vector<char*>& command : arguments) commands.push_back(command.data());
  commands.push_back(nullptr);

  const WatchdogPlan plan{.shared = shared_,
                          .path = path.get(),
                          .queue = queue_socket_,
                          .number = settings_.queue,
                          .hang_after = settings_.hang_after,
                          .kill_after = settings_.kill_after,
                          .put_back = commands.data()};
  const pid_t child = ::fork();
  if (child < 0) throw errno_error("the watchdog's process");
  if (child == 0) watch(plan);
  process_ = child;
  process_handle_ = handle_of(child);
}

// Waits for the process, which ends now.
void Watchdog::reap() {
  // Somebody else in this process may wait for all its children, and have had this one.
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

bool Watchdog::turn(std::int64_t now) {
  shared_->path_turns.fetch_add(1);
  const std::int64_t since = std::min(now - last_turn_, kTurn * 6 / 5);
  last_turn_ = now;
  const std::uint64_t turns = shared_->watchdog_turns.load();
  quiet_ = turns == seen_turns_ ? quiet_ + since : 0;
  seen_turns_ = turns;
  if (quiet_ < settings_.hang_after + kTurn) return process_ > 0;
  // It has ended, or is stopped: another one takes its place.
  if (process_ > 0 && process_handle_) ::syscall(SYS_pidfd_send_signal, process_handle_.get(), SIGKILL, nullptr, 0u);
  if (process_ > 0) reap();
  quiet_ = 0;
  // What it had begun is done: the kernel has ended the queue, or we take it anew all the same.
  std::uint32_t begun = Shared::seized;
  shared_->state.compare_exchange_strong(begun, Shared::passed);
  try {
    start();
  } catch (const std::system_error&) {
    // It is tried again after as long.
  }
  return false;
}

}  // namespace weir::hosts
