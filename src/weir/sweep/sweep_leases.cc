#include "weir/sweep/sweep_leases.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>

#include "weir/base/system_error.h"
#include "weir/study/kept_runs.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

constexpr double kBeats = 10;                   // in a lease
constexpr double kWatched = 3;                  // this part of a lease is watched before a lease is dead
constexpr std::string_view kClock = ".clock-";  // begins a name that is taken away at once, if no signal comes first

std::int64_t touched(const struct stat& file) {
  return std::int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Network file systems are asked for it anew when a file is opened, while what stat() says may be a minute old.
bool state_of(const std::string& path, struct stat& out) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool good = ::fstat(file, &out) == 0;
  ::close(file);
  return good;
}

// Opens a file that nobody else has, and takes its name away again.
int open_nameless(const std::string& folder) {
  std::random_device random;
  const std::string path = fmt::format("{}/{}{:08x}{:08x}", folder, kClock, random(), random());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) throw errno_error("cannot create " + path);
  ::unlink(path.c_str());
  return file;
}

}  // namespace

std::optional<std::int64_t> time_of_file(const std::string& path) {
  struct stat file {};
  if (!state_of(path, file)) return std::nullopt;
  return touched(file);
}

SweepLeases::SweepLeases(const std::string& dir, double term_s) : folder_(study::leases_of(dir)), term_(term_s) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw std::system_error(error, fmt::format("cannot create {}", folder_));
  clock_ = open_nameless(folder_);
  beaten_ = Clock::now();
}

SweepLeases::~SweepLeases() {
  for (const auto& [run, generation] : mine_) ::unlink(path_of(run, generation).c_str());
  ::close(clock_);
  ::rmdir(folder_.c_str());  // if it is empty
}

std::string SweepLeases::path_of(const std::string& run, int generation) const {
  return fmt::format("{}/{}.{}", folder_, run, generation);
}

std::int64_t SweepLeases::now() const {
  struct stat file {};
  if (::futimens(clock_, nullptr) != 0 || ::fstat(clock_, &file) != 0)
    throw errno_error("cannot touch a file in " + folder_);
  return touched(file);
}

bool SweepLeases::take(const std::string& run) {
  look();
  const auto found = there_.find(run);
  const Lease before = found == there_.end() ? Lease{} : found->second;
  if (before.generation >= 0 && !is_dead(run)) return false;
  const int generation = before.generation + 1;
  if (!make(path_of(run, generation))) return false;
  // Much may have happened between look() and make(), if this process was stopped there: a thief may have been quicker
  // by two generations, or the dead be alive. Whoever comes next finds a free run, or a lease that will be dead.
  const auto after = read();
  const auto highest = after.find(run);
  struct stat old {};
  const bool has_revived = before.generation >= 0 && state_of(path_of(run, before.generation), old) &&
                           (touched(old) != before.touched || old.st_ino != before.file);
  if (highest == after.end() || highest->second.generation != generation || has_revived) {
    ::unlink(path_of(run, generation).c_str());
    return false;
  }
  for (int older = 0; older < generation; ++older) ::unlink(path_of(run, older).c_str());
  mine_[run] = generation;
  there_.erase(run);
  watched_.erase(run);
  return true;
}

void SweepLeases::give_back(const std::string& run) {
  const auto at = mine_.find(run);
  if (at == mine_.end()) return;
  ::unlink(path_of(run, at->second).c_str());
  mine_.erase(at);
}

bool SweepLeases::is_mine(const std::string& run) const {
  const auto own = mine_.find(run);
  if (own == mine_.end()) return false;
  const auto there = read();
  const auto at = there.find(run);
  return at != there.end() && at->second.generation == own->second;
}

std::vector<std::string> SweepLeases::beat() {
  std::vector<std::string> lost;
  if (Clock::now() - beaten_ < term_ / kBeats) return lost;
  beaten_ = Clock::now();
  const auto there = read();
  for (const auto& [run, generation] : mine_) {
    const auto at = there.find(run);
    const bool is_mine = at != there.end() && at->second.generation == generation;
    if (!is_mine || ::utimensat(AT_FDCWD, path_of(run, generation).c_str(), nullptr, 0) != 0) lost.push_back(run);
  }
  for (const std::string& run : lost) give_back(run);
  return lost;
}

void SweepLeases::look() {
  there_ = read();
  for (const auto& [run, generation] : mine_)
    if (const auto at = there_.find(run); at != there_.end() && at->second.generation == generation) there_.erase(at);
  for (const auto& [run, lease] : there_) watch(run, lease);
}

void SweepLeases::watch(const std::string& run, const Lease& lease) {
  const auto [at, is_new] = watched_.try_emplace(run, Watched{lease, Clock::now()});
  if (is_new || at->second.lease == lease) return;
  at->second = {lease, Clock::now(), true};
}

bool SweepLeases::is_dead(const std::string& run) const {
  const auto at = watched_.find(run);
  if (at == watched_.end() || Clock::now() - at->second.since < term_ / kWatched) return false;
  return static_cast<double>(now() - at->second.lease.touched) > term_.count() * 1e9;
}

bool SweepLeases::is_beating(const std::string& run) const {
  const auto at = watched_.find(run);
  return at != watched_.end() && at->second.has_changed;
}

void SweepLeases::watch_anew() {
  look();
  for (auto& [run, watched] : watched_) watched.has_changed = false;
}

template <class Visit>
void SweepLeases::for_each_file(Visit&& visit) const {
  std::error_code error;  // the folder goes with the last lease
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto dot = name.rfind('.');
    int generation = -1;
    const char* const last = name.data() + name.size();
    if (dot == std::string::npos || dot == 0 || std::from_chars(name.data() + dot + 1, last, generation).ptr != last)
      generation = -1;
    visit(entry->path().string(), name.substr(0, dot), generation);
  }
}

std::map<std::string, SweepLeases::Lease> SweepLeases::read() const {
  std::map<std::string, Lease> out;
  for_each_file([&](const std::string& path, const std::string& run, int generation) {
    struct stat file {};
    if (generation < 0 || !state_of(path, file)) return;
    Lease& highest = out[run];
    if (generation > highest.generation) highest = {generation, file.st_ino, touched(file)};
  });
  return out;
}

void SweepLeases::remove_of_done(const std::function<bool(const std::string& run)>& is_done) {
  for_each_file([&](const std::string& path, const std::string& run, int generation) {
    const bool is_clock = generation < 0 && fs::path(path).filename().string().starts_with(kClock);
    if (is_clock || (generation >= 0 && is_done(run))) ::unlink(path.c_str());
  });
}

bool SweepLeases::make(const std::string& path) const {
  const auto open_new = [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); };
  int file = open_new();
  if (file < 0 && errno == ENOENT && (::mkdir(folder_.c_str(), 0777) == 0 || errno == EEXIST)) file = open_new();
  if (file < 0 && errno == EEXIST) return false;
  if (file < 0) throw errno_error("cannot create " + path);
  // For people; nobody reads it here.
  const std::string owner = fmt::format("process {} on {}\n", ::getpid(), host_name());
  [[maybe_unused]] const auto written = ::write(file, owner.data(), owner.size());
  ::close(file);
  return true;
}

}  // namespace weir::run
