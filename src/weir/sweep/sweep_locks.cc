#include "weir/sweep/sweep_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>

#include "weir/base/error.h"
#include "weir/base/system_error.h"

namespace weir::run {

FileLock::FileLock(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw errno_error(fmt::format("cannot create {}", path));
}

FileLock::~FileLock() { ::close(descriptor_); }

bool FileLock::take(int kind) { return ::flock(descriptor_, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

void FileLock::wait(int kind) {
  while (::flock(descriptor_, kind) != 0 && errno == EINTR) {
  }
}

void FileLock::give_back() { ::flock(descriptor_, LOCK_UN); }

std::string FileLock::text() const {
  std::array<char, 24> text{};
  const auto size = ::pread(descriptor_, text.data(), text.size(), 0);
  const std::string_view all(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return std::string(all.substr(0, all.find('\n')));
}

void FileLock::write(const std::string& text) {
  const std::string line = text + "\n";
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, line.data(), line.size(), 0) < 0)
    throw errno_error(fmt::format("cannot write {}", path_));
}

namespace {

// The first that is there writes down how it shares the work: "" = not at all. It holds the lock alone while it does,
// and has given that up before it holds it with others, so what it finds then may be another's.
bool take_whole(FileLock& lock, const std::string& sharing) {
  const bool alone = lock.take(LOCK_EX);
  if (sharing.empty()) return alone;
  if (alone) lock.write(sharing);
  if (!lock.take(LOCK_SH)) return false;
  if (lock.text() == sharing) return true;
  lock.give_back();
  return false;
}

std::string sharing_of(const study::Shard& shard, bool has_leases) {
  if (has_leases) return "claims";
  return shard.n == 1 ? "" : fmt::format("{}", shard.n);
}

// The runs of a sweep that was killed hold their locks until they have ended.
template <class Take>
bool try_for_two_seconds(const Take& take) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (take()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return take();
}

}  // namespace

WorkLock::WorkLock(const std::string& dir, const study::Shard& shard, bool has_leases) : whole_(dir + "/.lock") {
  const std::string sharing = sharing_of(shard, has_leases);
  if (!try_for_two_seconds([&] { return take_whole(whole_, sharing); }))
    throw InputError(fmt::format(
        "{}: another weir sweep is at work there{}; wait for it, or share the work with {}", dir,
        has_leases ? ", without --claim" : "",
        has_leases ? "--claim from the start" : fmt::format("--shard i/n{}", shard.n == 1 ? "" : ", of the same n")));
  if (has_leases) return;
  share_.emplace(fmt::format("{}/.lock-{}-{}", dir, shard.i, shard.n));
  if (!try_for_two_seconds([&] { return share_->take(LOCK_EX); }))
    throw InputError(
        fmt::format("{}: shard {}/{} is at work there already; wait for it, or take another", dir, shard.i, shard.n));
}

ResultsLock::ResultsLock(const std::string& dir) : lock_(dir + "/.lock-results") { lock_.wait(LOCK_EX); }

}  // namespace weir::run
