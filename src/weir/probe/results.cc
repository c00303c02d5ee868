#include "weir/probe/results.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "weir/base/error.h"
#include "weir/result/tables.h"

namespace weir::probe {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to(const char* what, const std::string& name) {
  throw std::system_error(errno, std::generic_category(), fmt::format("cannot {} {}", what, name));
}

}  // namespace

ResultFile::ResultFile(const std::string& path, std::string shown, result::FileFacts* facts)
    : shown_(std::move(shown)), facts_(facts) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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

void ResultFile::close() {
  flush();
  // Network file systems report a full disk here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_to("write", shown_);
  if (facts_ != nullptr) *facts_ = {bytes_, checksum_.text()};
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
    if (!empty) refuse("it exists already; choose another name or remove it first");
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

  // A killed run of the same process number may have left its own.
  const std::string base = fmt::format("{}.partial-{}", target_, ::getpid());
  partial_ = base;
  for (int i = 1; ::mkdir(partial_.c_str(), 0777) != 0; ++i) {
    const int why = errno;
    if (why == EEXIST && i < 1000) {
      partial_ = fmt::format("{}.{}", base, i);
      continue;
    }
    undo();
    refuse(fmt::format("cannot create it: {}", std::strerror(why)));
  }
}

ResultDirectory::~ResultDirectory() {
  if (partial_.empty()) return;
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
  for (auto parent = created_parents_.rbegin(); parent != created_parents_.rend(); ++parent) ::rmdir(parent->c_str());
}

ResultFile ResultDirectory::file(std::string_view name) {
  return {fmt::format("{}/{}", partial_, name), fmt::format("{}/{}", shown_, name), &contents_[std::string(name)]};
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
}

}  // namespace weir::probe
