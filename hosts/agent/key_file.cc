#include "hosts/agent/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hosts/path/descriptor.h"
#include "weir/base/error.h"

namespace weir::hosts {
namespace {

// What `weir-host key FILE` writes.
constexpr std::string_view kForm = "64 hexadecimal digits, as weir-host key writes them";

}  // namespace

MasterKey read_key_file(const std::string& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd)
    throw InputError(
        Where{file, 0},
        fmt::format("the key cannot be read: {}; make one with: weir-host key {}, and copy it to all hosts",
                    std::strerror(errno), file));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    throw InputError(Where{file, 0}, "the key must be a regular file");
  if ((info.st_mode & 0077) != 0)
    throw InputError(Where{file, 0}, fmt::format("the key has mode {:04o}, others may read it; chmod 600 {}",
                                                 info.st_mode & 07777u, file));
  if (info.st_uid != 0 && info.st_uid != ::geteuid())
    throw InputError(Where{file, 0}, fmt::format("the key belongs to user {}; chown root {}", info.st_uid, file));
  // the digits, line ends, and one byte to see that it is longer
  std::array<char, 2 * MasterKey{}.size() + 3> text{};
  const auto length = ::read(fd.get(), text.data(), text.size());
  MasterKey out{};
  std::size_t size = 0;
  const char* end = nullptr;
  const bool whole =
      length > 0 && static_cast<std::size_t>(length) < text.size() &&
      sodium_hex2bin(out.data(), out.size(), text.data(), static_cast<std::size_t>(length), "\r\n", &size, &end) == 0 &&
      size == out.size() && end == text.data() + length;
  sodium_memzero(text.data(), text.size());
  if (!whole) throw InputError(Where{file, 0}, fmt::format("this is no key; write {}", kForm));
  return out;
}

void make_key_file(const std::string& file) {
  if (::sodium_init() < 0) throw std::runtime_error("libsodium cannot start");
  MasterKey key{};
  randombytes_buf(key.data(), key.size());
  std::array<char, 2 * MasterKey{}.size() + 1> text{};
  sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
  text.back() = '\n';
  const Descriptor fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd && errno == EEXIST)
    throw InputError(Where{file, 0}, "it exists, and a key is not written over; remove it first");
  if (!fd) throw InputError(Where{file, 0}, fmt::format("the key cannot be made: {}", std::strerror(errno)));
  const bool written = ::fchmod(fd.get(), 0600) == 0 &&
                       ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(fd.get()) == 0;
  const int error = errno;
  sodium_memzero(key.data(), key.size());
  sodium_memzero(text.data(), text.size());
  if (!written) {
    ::unlink(file.c_str());
    throw std::runtime_error(fmt::format("{}: cannot write: {}", file, std::strerror(error)));
  }
}

}  // namespace weir::hosts
