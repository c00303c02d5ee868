#include "weir/probe/results.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/result/tables.h"

namespace weir::probe {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to(const char* what, const std::string& name) {
  throw std::system_error(errno, std::generic_category(), fmt::format("cannot {} {}", what, name));
}

[[noreturn]] void refuse(const std::string& shown, const std::string& why) {
  throw InputError(fmt::format("result directory {}: {}", shown, why));
}

// The target without links and without a trailing slash.
fs::path canonical(const std::string& shown) {
  if (shown.empty()) refuse(shown, "the name is empty");
  std::error_code error;
  const fs::path path = fs::weakly_canonical(shown, error);
  if (error) refuse(shown, error.message());
  return path.has_filename() ? path : path.parent_path();
}

std::string partial_of(const fs::path& target) { return target.string() + ".partial-run"; }

bool has_checkpoint(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / kCheckpoint, error);
}

constexpr const char* kExists = "it exists already; choose another name or remove it first";

enum class Leftover : std::uint8_t { clear, keep };

// Makes the directory, or takes the one that a killed run has left, and clears it if it is not to be kept, and holds it
// against others: returns its descriptor, or -1 if another run holds it. The lock is that of the open directory, so it
// ends with the process and moves with the directory. Where a file system has no locks, whoever makes the directory
// holds it. Throws std::system_error.
int take(const std::string& path, Leftover leftover) {
  for (;;) {
    const bool is_new = leftover == Leftover::clear && ::mkdir(path.c_str(), 0777) == 0;
    if (!is_new && leftover == Leftover::clear && errno != EEXIST) fail_to("create", path);
    const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0 && errno == ENOENT && leftover == Leftover::clear) continue;
    if (directory < 0) fail_to("open", path);
    const bool locked = ::flock(directory, LOCK_EX | LOCK_NB) == 0;
    if (!locked && (errno == EWOULDBLOCK || !is_new)) {
      ::close(directory);
      return -1;
    }
    struct stat held {};
    struct stat named {};
    if (::fstat(directory, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev) {
      if (leftover == Leftover::clear)
        for (const auto& left : fs::directory_iterator(path)) fs::remove_all(left.path());
      return directory;
    }
    ::close(directory);  // its run has ended meanwhile, and renamed or removed it
  }
}

}  // namespace

ResultFile::ResultFile(const std::string& path, std::string shown, result::FileFacts* facts, bool keep)
    : shown_(std::move(shown)), facts_(facts) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | (keep ? 0 : O_TRUNC) | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_to("create", shown_);
}

ResultFile::ResultFile(ResultFile&& o) noexcept
    : descriptor_(std::exchange(o.descriptor_, -1)),
      shown_(std::move(o.shown_)),
      facts_(o.facts_),
      checksum_(std::move(o.checksum_)),
      bytes_(o.bytes_),
      buffer_(std::move(o.buffer_)) {}

ResultFile::~ResultFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ResultFile::flush() {
  const char* at = buffer_.data();
  std::size_t left = buffer_.size();
  if (facts_ != nullptr) checksum_.update({at, left});
  bytes_ += left;
  while (left > 0) {
    const ssize_t written = ::write(descriptor_, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to("write", shown_);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void ResultFile::sync() {
  flush();
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) fail_to("write", shown_);  // EINVAL: a file that has no disk
}

void ResultFile::archive(Saver& a) {
  sync();
  a.value(bytes_);
}

void ResultFile::archive(Loader& a) {
  buffer_.clear();
  checksum_.restart();
  std::uint64_t bytes = 0;
  a.value(bytes);
  std::vector<char> block(kFlushAt);
  for (bytes_ = 0; bytes_ < bytes;) {
    const ssize_t read = ::read(descriptor_, block.data(), std::min<std::uint64_t>(block.size(), bytes - bytes_));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) fail_to("read", shown_);
    if (read == 0) throw InputError(fmt::format("{} is shorter than it was at the checkpoint", shown_));
    checksum_.update({block.data(), static_cast<std::size_t>(read)});
    bytes_ += static_cast<std::uint64_t>(read);
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail_to("write", shown_);
}

void ResultFile::close() {
  flush();
  // Network file systems report a full disk here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_to("write", shown_);
  if (facts_ != nullptr) *facts_ = {bytes_, checksum_.text()};
}

ResultDirectory::ResultDirectory(const std::string& target) : shown_(target) {
  const auto refuse = [&](const std::string& why) { probe::refuse(shown_, why); };
  std::error_code error;
  const fs::path path = canonical(target);
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

  partial_ = partial_of(target_);
  const auto give_up = [&](const std::string& why) {
    undo();
    refuse(why);
  };
  if (has_checkpoint(partial_))
    give_up(
        fmt::format("a run of this name has left a checkpoint: `weir resume {}` goes on from it; to begin anew, "
                    "remove {}",
                    shown_, partial_));
  try {
    lock_ = take(partial_, Leftover::clear);
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
  if (!remains_) fs::remove_all(partial_, ignored);
  ::close(lock_);
  if (remains_) return;
  for (auto parent = created_parents_.rbegin(); parent != created_parents_.rend(); ++parent) ::rmdir(parent->c_str());
}

std::string ResultDirectory::left_behind(const std::string& target) {
  const fs::path path = canonical(target);
  if (has_checkpoint(partial_of(path))) return partial_of(path);
  if (has_checkpoint(path)) return path.string();
  std::error_code error;
  refuse(target, fs::exists(path, error) || fs::exists(partial_of(path), error)
                     ? "it has no checkpoint; only a run with --checkpoint that was ended from outside goes on"
                     : "there is no run of this name that could go on");
}

std::unique_ptr<ResultDirectory> ResultDirectory::resume(const std::string& target) {
  std::unique_ptr<ResultDirectory> out(new ResultDirectory());
  const std::string from = left_behind(target);
  out->shown_ = target;
  out->target_ = canonical(target).string();
  out->keeps_ = out->remains_ = true;
  out->lock_ = take(from, Leftover::keep);
  if (out->lock_ < 0) refuse(target, "another run is writing it; wait for it");
  const std::string partial = partial_of(out->target_);
  if (from != partial && std::rename(from.c_str(), partial.c_str()) != 0) fail_to("rename", from);
  out->partial_ = partial;
  for (const std::string_view name : {std::string_view("summary.json"), std::string_view(result::kManifest)})
    fs::remove(fs::path(partial) / name);
  return out;
}

void ResultDirectory::adopt(std::string_view name) {
  const std::string text = read_text_file(fmt::format("{}/{}", partial_, name), "a file of the result");
  contents_[std::string(name)] = {text.size(), checksum_of(text)};
}

void ResultDirectory::keep_checkpoint(std::string_view content) {
  const std::string path = fmt::format("{}/{}", partial_, kCheckpoint);
  ResultFile next(path + ".next", fmt::format("{}/{}", shown_, kCheckpoint));
  next.write(content);
  next.sync();
  next.close();
  if (std::rename((path + ".next").c_str(), path.c_str()) != 0) fail_to("write", shown_);
  remains_ = true;
}

void ResultDirectory::drop_checkpoint() {
  remains_ = false;
  fs::remove(fmt::format("{}/{}", partial_, kCheckpoint));
}

ResultFile ResultDirectory::file(std::string_view name) {
  return {fmt::format("{}/{}", partial_, name), fmt::format("{}/{}", shown_, name), &contents_[std::string(name)],
          keeps_};
}

ResultFile ResultDirectory::table(std::string_view name) {
  const result::TableKind* kind = result::find_table(name);
  assert(kind != nullptr);
  ResultFile out = file(name);
  out.write(kind->header());
  return out;
}

std::string ResultDirectory::within(std::string_view name) const { return fmt::format("{}/{}", partial_, name); }

void ResultDirectory::write(std::string_view name, std::string_view text) {
  ResultFile out = file(name);
  out.write(text);
  out.close();
}

void ResultDirectory::remove(std::string_view name) {
  fs::remove(fmt::format("{}/{}", partial_, name));
  if (const auto at = contents_.find(name); at != contents_.end()) contents_.erase(at);
}

result::Contents ResultDirectory::contents() const {
  result::Contents out = contents_;
  if (const auto at = out.find(result::kManifest); at != out.end()) out.erase(at);
  return out;
}

void ResultDirectory::commit() {
  // Onto nothing or onto an empty directory; whoever filled it meanwhile keeps what is theirs.
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail_to("create", shown_);
  partial_.clear();
  ::close(lock_);
}

}  // namespace weir::probe
