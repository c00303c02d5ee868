#include "hosts/agent/run_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "weir/base/error.h"

namespace weir::hosts {
namespace {

struct flock whole_file() {
  struct flock out {};
  out.l_type = F_WRLCK;
  out.l_whence = SEEK_SET;
  return out;
}

}  // namespace

void RunDir::make() const {
  const auto error = [&](const std::string& why) { return InputError(Where{path_, 0}, why); };
  if (::mkdir(path_.c_str(), 0755) != 0 && errno != EEXIST)
    throw error(fmt::format("the folder of the running agent cannot be made: {}", std::strerror(errno)));
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) throw error("this is no folder");
  if ((info.st_uid != 0 && info.st_uid != ::geteuid()) || (info.st_mode & 0022) != 0)
    throw error("others may write into this folder, so that the agent cannot trust what is in it");
}

bool RunDir::lock() {
  const std::string file = path_ + "/lock";
  for (;;) {
    Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) throw InputError(Where{file, 0}, fmt::format("cannot be opened: {}", std::strerror(errno)));
    const struct flock all = whole_file();
    if (::fcntl(fd.get(), F_SETLK, &all) != 0) {
      if (errno == EAGAIN || errno == EACCES) return false;
      throw std::runtime_error(fmt::format("{}: cannot be locked: {}", file, std::strerror(errno)));
    }
    // the agent before may just have removed the file that was opened
    struct stat opened {};
    struct stat named {};
    if (::fstat(fd.get(), &opened) != 0 || ::stat(file.c_str(), &named) != 0 || opened.st_ino != named.st_ino) continue;
    lock_ = std::move(fd);
    return true;
  }
}

void RunDir::leave() {
  for (const auto& file : {socket(), log(), path_ + "/lock"}) ::unlink(file.c_str());
  ::rmdir(path_.c_str());
  lock_ = Descriptor();
}

std::optional<pid_t> RunDir::holder() const {
  if (lock_) return std::nullopt;  // and to close another descriptor of the file would give the lock away
  const Descriptor fd(::open((path_ + "/lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return std::nullopt;
  struct flock all = whole_file();
  if (::fcntl(fd.get(), F_GETLK, &all) != 0 || all.l_type == F_UNLCK) return std::nullopt;
  return all.l_pid;
}

}  // namespace weir::hosts
