#include "weir/probe/whole_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "weir/base/system_error.h"
#include "weir/probe/results.h"

namespace weir::probe {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as many as Linux follows

std::system_error creation_error(const std::string& target, int why) {
  return errno_error(fmt::format("cannot create {}", target), why);
}

// Where a file is made by writing to `target`, which does not exist: at the end of its links.
std::string end_of_links(const std::string& target) {
  fs::path path = target;
  std::error_code error;
  for (int followed = 0; fs::is_symlink(fs::symlink_status(path, error)); ++followed) {
    if (followed == kMaxLinks) throw creation_error(target, ELOOP);
    const fs::path next = fs::read_symlink(path, error);
    if (error) throw creation_error(target, error.value());
    path = path.parent_path() / next;  // an absolute one stands alone
  }
  return path.string();
}

// The regular file that `target` leads to; "" if it has no name, as a removed one that is still open by /proc/self/fd.
std::string named_file(const std::string& target) {
  std::error_code error;
  const fs::path path = fs::canonical(target, error);
  return !error && fs::equivalent(path, target, error) ? path.string() : "";
}

}  // namespace

WholeFiles::~WholeFiles() {
  for (const File& file : files_) std::remove(file.partial.c_str());
}

std::string WholeFiles::partial_of(const std::string& target) {
  std::error_code error;
  const fs::file_status there = fs::status(target, error);
  if (there.type() == fs::file_type::none) throw creation_error(target, error.value());
  if (there.type() == fs::file_type::directory) throw creation_error(target, EISDIR);
  std::string place;
  if (there.type() == fs::file_type::not_found) place = end_of_links(target);
  if (there.type() == fs::file_type::regular) place = named_file(target);
  if (place.empty()) return "";
  files_.push_back({fmt::format("{}.partial-{}", place, ::getpid()), place, target});
  return files_.back().partial;
}

ResultFile WholeFiles::open(const std::string& target) {
  const std::string partial = partial_of(target);
  return {partial.empty() ? target : partial, target};
}

void WholeFiles::write(const std::string& target, std::string_view text) {
  const std::string partial = partial_of(target);
  if (partial.empty()) {
    in_place_.push_back({target, std::string(text)});
    return;
  }
  ResultFile out(partial, target);
  out.write(text);
  out.close();
}

void WholeFiles::commit() {
  for (const InPlace& it : in_place_) {
    ResultFile out(it.target, it.target);
    out.write(it.text);
    out.close();
  }
  in_place_.clear();
  for (; !files_.empty(); files_.erase(files_.begin())) {
    const File& file = files_.front();
    std::error_code error;
    const fs::file_status there = fs::status(file.place, error);
    if (fs::exists(there)) fs::permissions(file.partial, there.permissions(), error);  // where the file system has any
    if (std::rename(file.partial.c_str(), file.place.c_str()) != 0) throw creation_error(file.shown, errno);
  }
}

void write_whole(const std::string& target, std::string_view text) {
  WholeFiles files;
  files.write(target, text);
  files.commit();
}

}  // namespace weir::probe
