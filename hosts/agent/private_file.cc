#include "hosts/agent/private_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "hosts/path/descriptor.h"

namespace weir::hosts {
namespace {

void sync_folder_of(const std::string& file) {
  const Descriptor fd(::open(file.substr(0, file.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::fsync(fd.get());
}

}  // namespace

std::string read_private_file(const std::string& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) {
    if (errno == ENOENT) return {};
    throw std::runtime_error(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || (info.st_mode & 0022) != 0 ||
      (info.st_uid != 0 && info.st_uid != ::geteuid()))
    throw std::runtime_error(fmt::format("{}: others may have written it; remove it", file));
  std::string out;
  std::array<char, 4096> chunk;
  for (;;) {
    const auto size = ::read(fd.get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return out;
    out.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

bool replace_private_file(const std::string& file, const std::string& text, bool sync) {
  const std::string next = file + ".new";
  const Descriptor fd(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const bool good = fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                    (!sync || ::fsync(fd.get()) == 0) && ::rename(next.c_str(), file.c_str()) == 0;
  if (good && sync) sync_folder_of(file);
  return good;
}

}  // namespace weir::hosts
