#include "weir/probe/results.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "weir/base/error.h"

namespace weir::probe {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to(const char* what, const std::string& name) {
  throw std::system_error(errno, std::generic_category(), fmt::format("cannot {} {}", what, name));
}

constexpr const char* kExists = "it exists already; choose another name or remove it first";

// Makes the directory, or takes the one that a killed run has left and clears it, and holds it against others: returns
// its descriptor, or -1 if another run holds it. The lock is that of the open directory, so it ends with the process
// and moves with the directory. Where a file system has no locks, whoever makes the directory holds it. Throws
// std::system_error.
int take(const std::string& path) {
  for (;;) {
    const bool is_new = ::mkdir(path.c_str(), 0777) == 0;
    if (!is_new && errno != EEXIST) fail_to("create", path);
    const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0 && errno == ENOENT) continue;
    if (directory < 0) fail_to("create", path);
    const bool locked = ::flock(directory, LOCK_EX | LOCK_NB) == 0;
    if (!locked && (errno == EWOULDBLOCK || !is_new)) {
      ::close(directory);
      return -1;
    }
    struct stat held {};
    struct stat named {};
    if (::fstat(directory, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev) {
      for (const auto& left : fs::directory_iterator(path)) fs::remove_all(left.path());
      return directory;
    }
    ::close(directory);  // its run has ended meanwhile, and renamed or removed it
  }
}

}  // namespace

ResultFile::ResultFile(const std::string& path, std::string shown) : shown_(std::move(shown)) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_to("create", shown_);
}

ResultFile::ResultFile(ResultFile&& o) noexcept
    : descriptor_(std::exchange(o.descriptor_, -1)), shown_(std::move(o.shown_)), buffer_(std::move(o.buffer_)) {}

ResultFile::~ResultFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ResultFile::flush() {
  const char* at = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to("write", shown_);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void ResultFile::close() {
  flush();
  // Network file systems report a full disk here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_to("write", shown_);
}

ResultDirectory::ResultDirectory(const std::string& target) : shown_(target) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("result directory {}: {}", shown_, why));
  };
  if (target.empty()) refuse("the name is empty");
  std::error_code error;
  fs::path path = fs::weakly_canonical(target, error);
  if (error) refuse(error.message());
  if (!path.has_filename()) path = path.parent_path();
  target_ = path.string();
  // what could be followed has been
  if (fs::is_symlink(path, error)) refuse("it is a symbolic link to nothing; choose another name or remove it first");

  if (fs::exists(path, error)) {
    if (!fs::is_directory(path, error)) refuse("it exists and is no directory; choose another name");
    const bool empty = fs::is_empty(path, error);
    if (error) refuse(error.message());
    if (!empty) refuse(kExists);
  } else if (error) {
    refuse(error.message());
  }

  for (fs::path parent = path.parent_path(); !fs::exists(parent, error) && parent.has_relative_path();
       parent = parent.parent_path())
    created_parents_.insert(created_parents_.begin(), parent.string());
  std::size_t made = 0;
  const auto undo = [&] {
    while (made > 0) ::rmdir(created_parents_[--made].c_str());
  };
  for (const auto& parent : created_parents_) {
    if (::mkdir(parent.c_str(), 0777) != 0 && errno != EEXIST) {
      const int why = errno;
      undo();
      refuse(fmt::format("cannot create {}: {}", parent, std::strerror(why)));
    }
    ++made;
  }

  partial_ = target_ + ".partial-run";
  const auto give_up = [&](const std::string& why) {
    undo();
    refuse(why);
  };
  try {
    lock_ = take(partial_);
  } catch (const std::system_error& problem) {
    give_up(fmt::format("cannot create it: {}", std::strerror(problem.code().value())));
  }
  if (lock_ < 0) give_up("another run is writing it; wait for it, or choose another name");
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {  // a run has ended since it was looked at
    ::rmdir(partial_.c_str());
    ::close(lock_);
    give_up(kExists);
  }
}

ResultDirectory::~ResultDirectory() {
  if (partial_.empty()) return;
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
  ::close(lock_);
  for (auto parent = created_parents_.rbegin(); parent != created_parents_.rend(); ++parent) ::rmdir(parent->c_str());
}

ResultFile ResultDirectory::file(std::string_view name) const {
  return {fmt::format("{}/{}", partial_, name), fmt::format("{}/{}", shown_, name)};
}

std::string ResultDirectory::within(std::string_view name) const { return fmt::format("{}/{}", partial_, name); }

void ResultDirectory::write(std::string_view name, std::string_view text) const {
  ResultFile out = file(name);
  out.write(text);
  out.close();
}

void ResultDirectory::commit() {
  // Onto nothing or onto an empty directory; whoever filled it meanwhile keeps what is theirs.
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail_to("create", shown_);
  partial_.clear();
  ::close(lock_);
}

}  // namespace weir::probe
