#include "weir/run/sweep_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <system_error>
#include <thread>

#include "weir/base/error.h"

namespace weir::run {

FileLock::FileLock(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), fmt::format("cannot create {}", path));
}

FileLock::~FileLock() { ::close(descriptor_); }

bool FileLock::take(int kind) { return ::flock(descriptor_, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

void FileLock::wait(int kind) {
  while (::flock(descriptor_, kind) != 0 && errno == EINTR) {
  }
}

void FileLock::give_back() { ::flock(descriptor_, LOCK_UN); }

std::size_t FileLock::number() const {
  std::array<char, 24> text{};
  std::size_t out = 0;
  const auto size = ::pread(descriptor_, text.data(), text.size(), 0);
  if (size > 0) std::from_chars(text.data(), text.data() + size, out);
  return out;
}

void FileLock::write(std::size_t number) {
  const std::string text = fmt::format("{}\n", number);
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, text.data(), text.size(), 0) < 0)
    throw std::system_error(errno, std::generic_category(), fmt::format("cannot write {}", path_));
}

namespace {

// The first shard that is there writes down how many there are. It holds the lock alone while it does, and has given
// that up before it holds it with others, so what it finds then may be another's.
bool take_whole(FileLock& lock, const study::Shard& shard) {
  const bool alone = lock.take(LOCK_EX);
  if (shard.n == 1) return alone;
  if (alone) lock.write(shard.n);
  if (!lock.take(LOCK_SH)) return false;
  if (lock.number() == shard.n) return true;
  lock.give_back();
  return false;
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

WorkLock::WorkLock(const std::string& dir, const study::Shard& shard)
    : whole_(dir + "/.lock"), share_(fmt::format("{}/.lock-{}-{}", dir, shard.i, shard.n)) {
  if (!try_for_two_seconds([&] { return take_whole(whole_, shard); }))
    throw InputError(
        fmt::format("{}: another weir sweep is at work there; wait for it, or share the work with "
                    "--shard i/n{}",
                    dir, shard.n == 1 ? "" : ", of the same n"));
  if (!try_for_two_seconds([&] { return share_.take(LOCK_EX); }))
    throw InputError(
        fmt::format("{}: shard {}/{} is at work there already; wait for it, or take another", dir, shard.i, shard.n));
}

ResultsLock::ResultsLock(const std::string& dir) : lock_(dir + "/.lock-results") { lock_.wait(LOCK_EX); }

}  // namespace weir::run
