// ResultFile: what is written of a file, and its checksum.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/system_error.h"
#include "weir/probe/results.h"

namespace weir::probe {

ResultFile::ResultFile(const std::string& path, std::string shown, result::FileFacts* facts, bool keep)
    : shown_(std::move(shown)), facts_(facts) {
  descriptor_ = ::open(path.c_str(), (keep ? O_RDWR : O_WRONLY | O_CREAT | O_TRUNC) | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && keep && errno == ENOENT)
    throw InputError(fmt::format("{}: it is not there, and its run cannot go on without it", shown_));
  if (descriptor_ < 0) throw errno_error((keep ? "cannot open " : "cannot create ") + shown_);
}

ResultFile::ResultFile(ResultFile&& o) noexcept
    : memory_(std::exchange(o.memory_, nullptr)),
      nowhere_(o.nowhere_),
      descriptor_(std::exchange(o.descriptor_, -1)),
      shown_(std::move(o.shown_)),
      facts_(o.facts_),
      checksum_(std::move(o.checksum_)),
      bytes_(o.bytes_),
      cut_(o.cut_),
      buffer_(std::move(o.buffer_)) {}

ResultFile::~ResultFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ResultFile::flush() {
  put({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

void ResultFile::put(std::string_view text) {
  if (nowhere_) return;
  if (memory_ != nullptr) {
    memory_->append(text);
    return;
  }
  if (cut_ && ::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) throw errno_error("cannot write " + shown_);
  cut_ = false;
  const char* at = text.data();
  std::size_t left = text.size();
  if (facts_ != nullptr) checksum_.update({at, left});
  bytes_ += left;
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw errno_error("cannot write " + shown_);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
}

void ResultFile::sync() {
  flush();
  if (memory_ != nullptr || nowhere_) return;
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL)
    throw errno_error("cannot write " + shown_);  // EINVAL: a file that has no disk
}

void ResultFile::archive(Saver& a) {
  sync();
  if (memory_ != nullptr) {
    a.text(*memory_);
    return;
  }
  a.value(bytes_);
  a.text(checksum_.text());
}

void ResultFile::archive(Loader& a) {
  buffer_.clear();
  if (memory_ != nullptr) {
    a.text(*memory_);
    return;
  }
  checksum_.restart();
  std::uint64_t bytes = 0;
  std::string checksum;
  a.value(bytes);
  a.text(checksum);
  if (nowhere_) return;
  std::vector<char> block(kFlushAt);
  for (bytes_ = 0; bytes_ < bytes;) {
    const ssize_t read = ::read(descriptor_, block.data(), std::min<std::uint64_t>(block.size(), bytes - bytes_));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) throw errno_error("cannot read " + shown_);
    if (read == 0) throw InputError(fmt::format("{}: it is shorter than it was at the checkpoint", shown_));
    checksum_.update({block.data(), static_cast<std::size_t>(read)});
    bytes_ += static_cast<std::uint64_t>(read);
  }
  if (checksum_.text() != checksum)
    throw InputError(fmt::format("{}: what the run had written up to its checkpoint has been changed", shown_));
  cut_ = true;
}

void ResultFile::close() {
  flush();
  if (memory_ != nullptr || nowhere_) return;
  // Network file systems report a full disk here.
  if (::close(std::exchange(descriptor_, -1)) != 0) throw errno_error("cannot write " + shown_);
  if (facts_ != nullptr) *facts_ = {bytes_, checksum_.text()};
}

}  // namespace weir::probe
