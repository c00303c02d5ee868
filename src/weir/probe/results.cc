#include "weir/probe/results.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/system_error.h"
#include "weir/result/tables.h"

namespace weir::probe {
namespace {

namespace fs = std::filesystem;

InputError directory_error(const std::string& shown, const std::string& why) {
  return InputError(fmt::format("result directory {}: {}", shown, why));
}

// The target without links and without a trailing slash.
fs::path canonical(const std::string& shown) {
  if (shown.empty()) throw directory_error(shown, "the name is empty");
  std::error_code error;
  const fs::path path = fs::weakly_canonical(shown, error);
  if (error) throw directory_error(shown, error.message());
  return path.has_filename() ? path : path.parent_path();
}

constexpr std::string_view kPartial = ".partial-run";

std::string partial_of(const fs::path& target) { return target.string() + std::string(kPartial); }

// The result that a run goes on with, whether it is named itself or by what its run has left.
std::string target_of(const std::string& shown) {
  return shown.ends_with(kPartial) ? shown.substr(0, shown.size() - kPartial.size()) : shown;
}

bool has_checkpoint(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / kCheckpoint, error);
}

const std::string kNext = std::string(kCheckpoint) + ".next";  // while it is written

constexpr const char* kExists = "it exists already; choose another name or remove it first";

enum class Origin : std::uint8_t { new_or_left, left };

// Makes the directory, or takes the one that a run has left, and holds it against others: returns its descriptor, or -1
// if another run holds it. The lock is that of the open directory, so it ends with the process and moves with the
// directory. Where a file system has no locks, whoever makes the directory holds it, or whoever goes on with what was
// left. Throws std::system_error.
int take(const std::string& path, Origin origin) {
  for (;;) {
    const bool is_new = origin == Origin::new_or_left && ::mkdir(path.c_str(), 0777) == 0;
    if (!is_new && origin == Origin::new_or_left && errno != EEXIST) throw errno_error("cannot create " + path);
    const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0 && errno == ENOENT && origin == Origin::new_or_left) continue;
    if (directory < 0) {
      const int why = errno;
      if (is_new) ::rmdir(path.c_str());
      errno = why;
      throw errno_error("cannot open " + path);
    }
    const bool locked = ::flock(directory, LOCK_EX | LOCK_NB) == 0;
    if (!locked && (errno == EWOULDBLOCK || (!is_new && origin == Origin::new_or_left))) {
      ::close(directory);
      return -1;
    }
    struct stat held {};
    struct stat named {};
    if (::fstat(directory, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
        held.st_dev == named.st_dev)
      return directory;
    ::close(directory);  // its run has ended meanwhile, and renamed or removed it
    if (origin == Origin::left) return -1;
  }
}

// Throws InputError unless `path` names nothing yet, or an empty directory.
void check_is_free(const fs::path& path, const std::string& shown) {
  std::error_code error;
  // what could be followed has been
  if (fs::is_symlink(path, error))
    throw directory_error(shown, "it is a symbolic link to nothing; choose another name or remove it first");
  if (fs::exists(path, error)) {
    if (!fs::is_directory(path, error))
      throw directory_error(shown, "it exists and is no directory; choose another name");
    const bool empty = fs::is_empty(path, error);
    if (error) throw directory_error(shown, error.message());
    if (!empty && has_checkpoint(path))
      throw directory_error(shown, fmt::format("{}; `weir resume {}` goes on with it", kExists, shown));
    if (!empty) throw directory_error(shown, kExists);
  } else if (error) {
    throw directory_error(shown, error.message());
  }
}

// The outermost comes first.
std::vector<std::string> missing_parents(const fs::path& path) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::path parent = path.parent_path(); !fs::exists(parent, error) && parent.has_relative_path();
       parent = parent.parent_path())
    out.insert(out.begin(), parent.string());
  return out;
}

// Removes those that are empty.
void remove_all(std::span<const std::string> parents) {
  for (std::size_t i = parents.size(); i > 0; --i) ::rmdir(parents[i - 1].c_str());
}

// Makes all of these directories, the outermost first, or none. Throws InputError.
void make_all(std::span<const std::string> parents, const std::string& shown) {
  for (std::size_t made = 0; made < parents.size(); ++made) {
    const std::string& parent = parents[made];
    if (::mkdir(parent.c_str(), 0777) == 0 || errno == EEXIST) continue;
    const int why = errno;
    remove_all(parents.first(made));
    throw directory_error(shown, fmt::format("cannot create {}: {}", parent, std::strerror(why)));
  }
}

}  // namespace

ResultDirectory::ResultDirectory(const std::string& target) : shown_(target) {
  const fs::path path = canonical(target);
  target_ = path.string();
  check_is_free(path, shown_);
  created_parents_ = missing_parents(path);
  make_all(created_parents_, shown_);

  partial_ = partial_of(target_);
  const auto give_up = [&](const std::string& why) {
    remove_all(created_parents_);
    throw directory_error(shown_, why);
  };
  try {
    lock_ = take(partial_, Origin::new_or_left);
  } catch (const std::system_error& problem) {
    give_up(fmt::format("cannot create it: {}", std::strerror(problem.code().value())));
  }
  if (lock_ < 0) give_up("another run is writing it; wait for it, or choose another name");
  if (has_checkpoint(partial_)) {
    ::close(lock_);
    give_up(
        fmt::format("a run of this name has left a checkpoint: `weir resume {}` goes on from it; to begin anew, "
                    "remove {}",
                    shown_, partial_));
  }
  try {
    for (const auto& left : fs::directory_iterator(partial_)) fs::remove_all(left.path());
  } catch (const fs::filesystem_error& problem) {
    ::rmdir(partial_.c_str());
    ::close(lock_);
    give_up(fmt::format("cannot create it: {}", problem.code().message()));
  }
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {  // a run has ended since it was looked at
    ::rmdir(partial_.c_str());
    ::close(lock_);
    give_up(kExists);
  }
}

ResultDirectory::~ResultDirectory() {
  if (!partial_.empty() && !remains_) {
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
  }
  if (lock_ >= 0) ::close(lock_);
  if (partial_.empty() || remains_) return;
  for (auto parent = created_parents_.rbegin(); parent != created_parents_.rend(); ++parent) ::rmdir(parent->c_str());
}

std::unique_ptr<ResultDirectory> ResultDirectory::in_memory() {
  std::unique_ptr<ResultDirectory> out(new ResultDirectory());
  out->in_memory_ = true;
  return out;
}

std::unique_ptr<ResultDirectory> ResultDirectory::nowhere() {
  std::unique_ptr<ResultDirectory> out(new ResultDirectory());
  out->nowhere_ = true;
  return out;
}

void ResultDirectory::must_be_on_disk() const {
  if (nowhere_) throw std::logic_error("a result that is not kept has no directory");
  if (in_memory_) throw std::logic_error("a result in memory has no directory");
}

std::string ResultDirectory::left_behind(const std::string& target) {
  const fs::path path = canonical(target_of(target));
  if (has_checkpoint(partial_of(path))) return partial_of(path);
  if (has_checkpoint(path)) return path.string();
  std::error_code error;
  throw directory_error(
      target, fs::exists(path, error) || fs::exists(partial_of(path), error)
                  ? "it has no checkpoint: its run has ended, or kept none (--checkpoint), or was ended before the "
                    "first one; run the scenario again"
                  : "there is no run of this name that could go on");
}

std::unique_ptr<ResultDirectory> ResultDirectory::resume(const std::string& target) {
  std::unique_ptr<ResultDirectory> out(new ResultDirectory());
  out->shown_ = target_of(target);
  out->target_ = canonical(out->shown_).string();
  out->keeps_ = out->remains_ = true;
  const std::string from = left_behind(target);
  std::error_code error;
  if (from != out->target_ && fs::exists(out->target_, error) && !fs::is_empty(out->target_, error))
    throw directory_error(
        target, fmt::format("it exists already, beside what is to go on in {}; remove or rename it first", from));
  out->lock_ = take(from, Origin::left);
  if (out->lock_ < 0) throw directory_error(target, "another run is writing it; wait for it");
  if (!has_checkpoint(from)) throw directory_error(target, "its run has ended meanwhile");
  out->partial_ = from;
  return out;
}

void ResultDirectory::take_copies(const std::string& folder) {
  must_be_on_disk();
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != kCheckpoint)
      fs::copy_file(entry.path(), fs::path(partial_) / entry.path().filename());
  keep_files();
}

void ResultDirectory::has_gone_on() {
  if (nowhere_) return;
  must_be_on_disk();
  keeps_ = false;
  const std::string partial = partial_of(target_);
  if (partial_ != partial && std::rename(partial_.c_str(), partial.c_str()) != 0)
    throw errno_error("cannot rename " + partial_);
  partial_ = partial;
  for (const std::string& name : {std::string("summary.json"), std::string(result::kManifest), kNext})
    fs::remove(fs::path(partial_) / name);
  // What was made of tables that now go on.
  for (const auto& file : fs::directory_iterator(partial_))
    if (file.path().extension() == ".parquet") fs::remove(file.path());
}

void ResultDirectory::adopt(std::string_view name) {
  if (nowhere_) return;
  must_be_on_disk();
  const std::string shown = fmt::format("{}/{}", shown_, name);
  const int file = ::open(fmt::format("{}/{}", partial_, name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw errno_error("cannot open " + shown);
  result::FileFacts facts;
  Checksum checksum;
  std::vector<char> block(std::size_t{1} << 16);
  ssize_t read = 0;
  while ((read = ::read(file, block.data(), block.size())) != 0) {
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) break;
    checksum.update({block.data(), static_cast<std::size_t>(read)});
    facts.bytes += static_cast<std::uint64_t>(read);
  }
  const int error = errno;
  ::close(file);
  errno = error;
  if (read < 0) throw errno_error("cannot read " + shown);
  facts.checksum = checksum.text();
  contents_[std::string(name)] = facts;
}

void ResultDirectory::keep_checkpoint(std::string_view content) {
  if (nowhere_) return;
  must_be_on_disk();
  const std::string next_path = fmt::format("{}/{}", partial_, kNext);
  try {
    ResultFile next(next_path, fmt::format("{}/{}", shown_, kCheckpoint));
    next.write(content);
    next.sync();
    next.close();
    if (std::rename(next_path.c_str(), fmt::format("{}/{}", partial_, kCheckpoint).c_str()) != 0)
      throw errno_error("cannot write " + shown_);
  } catch (...) {
    ::unlink(next_path.c_str());
    throw;
  }
  ::fsync(lock_);  // the directory, so that it has the new name after a power cut; not all file systems can
  remains_ = true;
}

ResultFile ResultDirectory::file(std::string_view name) {
  if (nowhere_) return ResultFile(nullptr);
  if (in_memory_) {
    std::string& text = texts_[std::string(name)];
    text.clear();
    return ResultFile(&text);
  }
  const std::string path = fmt::format("{}/{}", partial_, name);
  return {path, keeps_ ? path : fmt::format("{}/{}", shown_, name), &contents_[std::string(name)], keeps_};
}

ResultFile ResultDirectory::table(std::string_view name) {
  const result::TableKind* kind = result::find_table(name);
  if (kind == nullptr) throw std::logic_error(fmt::format("{} is no table of result/tables.h", name));
  ResultFile out = file(name);
  out.write(kind->header());
  return out;
}

std::string ResultDirectory::within(std::string_view name) const {
  must_be_on_disk();
  return fmt::format("{}/{}", partial_, name);
}

void ResultDirectory::write(std::string_view name, std::string_view text) {
  ResultFile out = file(name);
  out.write(text);
  out.close();
}

void ResultDirectory::remove(std::string_view name) {
  must_be_on_disk();
  fs::remove(fmt::format("{}/{}", partial_, name));
  if (const auto at = contents_.find(name); at != contents_.end()) contents_.erase(at);
}

result::Contents ResultDirectory::contents() const {
  result::Contents out = contents_;
  if (const auto at = out.find(result::kManifest); at != out.end()) out.erase(at);
  return out;
}

void ResultDirectory::commit() {
  if (nowhere_) return;
  must_be_on_disk();
  // Onto nothing or onto an empty directory; whoever filled it meanwhile keeps what is theirs.
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) throw errno_error("cannot create " + shown_);
  partial_.clear();
  if (has_ended_) ::unlink(fmt::format("{}/{}", target_, kCheckpoint).c_str());
  ::close(std::exchange(lock_, -1));
}

}  // namespace weir::probe
