#include "weir/sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/version.h"
#include "weir/child.h"
#include "weir/execute.h"
#include "weir/scenario/effective.h"
#include "weir/signals.h"
#include "weir/study/table.h"
#include "weir/traffic/text_file.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

constexpr int kFailed = 1;
constexpr int kCannotWrite = 3;  // exit status of a run's process

// Why no file can be written, for whichever run.
bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EROFS || error == EIO;
}

std::string runs_of(const std::string& dir) { return dir + "/runs"; }
std::string failure_of(const std::string& dir, const std::string& name) {
  return fmt::format("{}/failed/{}.txt", dir, name);
}

// ---- what is there already

bool is_same(const std::string& run_dir, const scenario::Effective& wanted) {
  const auto holds = [&](const std::string& name, const std::string& text) {
    const std::string path = fmt::format("{}/{}", run_dir, name);
    return fs::exists(path) && traffic::read_text_file(path, "a file of a result") == text;
  };
  return holds("scenario.toml", wanted.toml) &&
         std::all_of(wanted.attachments.begin(), wanted.attachments.end(),
                     [&](const auto& file) { return holds(file.name, file.content); });
}

// Why a directory is not what this run would leave; "" if it is.
std::string difference(const study::Plan& plan, std::size_t run, const std::string& run_dir) {
  if (!fs::exists(run_dir + "/manifest.json")) return "is no result of weir";
  const auto manifest =
      nlohmann::json::parse(traffic::read_text_file(run_dir + "/manifest.json", "a manifest"), nullptr, false);
  const auto made_by = manifest.is_object() && manifest.contains("version") && manifest["version"].is_string()
                           ? manifest["version"].get<std::string>()
                           : std::string("of no version");
  if (made_by != version()) return fmt::format("was made by weir {}, this is {}", made_by, version());
  if (!is_same(run_dir, scenario::effective(plan.scenario(run)))) return "is of another scenario";
  return "";
}

// A directory whose runs are all another study's is refused: nothing of it would be used, and its tables would be lost.
void refuse_others(const study::Plan& plan, const SweepOptions& o) {
  std::string other;
  for (const auto& entry : fs::directory_iterator(runs_of(o.dir))) {
    const std::string name = entry.path().filename().string();
    if (name.find(".partial-") != std::string::npos) continue;
    if (std::any_of(plan.runs.begin(), plan.runs.end(), [&](const auto& run) { return run.name == name; })) return;
    if (other.empty() || name < other) other = name;
  }
  if (!other.empty() && !o.fresh)
    throw InputError(fmt::format(
        "--out: {} has the runs of another study, such as {}; name another directory, or use --fresh", o.dir, other));
}

// The runs that are there. Those that differ are refused; or removed, if they are to be done now, or left to their
// shard.
std::vector<bool> find_done(const study::Plan& plan, const SweepOptions& o) {
  std::vector<bool> out(plan.runs.size());
  std::vector<bool> now(plan.runs.size());
  for (const std::size_t run : o.runs) now[run] = true;
  std::vector<std::string> outdated;
  for (std::size_t run = 0; run < plan.runs.size(); ++run) {
    const std::string dir = fmt::format("{}/{}", runs_of(o.dir), plan.runs[run].name);
    if (!fs::exists(dir)) continue;
    const auto why = difference(plan, run, dir);
    out[run] = why.empty();
    if (why.empty()) continue;
    if (!o.fresh || (!now[run] && o.shard.empty()))
      throw InputError(fmt::format("{}: {} ({}); choose another --out, or run {} again with --fresh", dir, why,
                                   plan.describe(run), o.fresh ? "the whole study" : "such results"));
    if (now[run]) outdated.push_back(dir);
  }
  for (const std::string& dir : outdated) fs::remove_all(dir);
  return out;
}

// What killed sweeps left of these runs.
void clean(const study::Plan& plan, const SweepOptions& o) {
  std::vector<std::string> names;
  for (const std::size_t run : o.runs) names.push_back(plan.runs[run].name);
  std::sort(names.begin(), names.end());
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(runs_of(o.dir))) {
    const std::string name = entry.path().filename().string();
    const auto end = name.rfind(".partial-");
    if (end != std::string::npos && std::binary_search(names.begin(), names.end(), name.substr(0, end)))
      leftovers.push_back(entry.path());
  }
  for (const auto& path : leftovers) fs::remove_all(path);
}

// Holds a directory against other sweeps: alone, or shard by shard. Given back when the process ends.
class Lock {
 public:
  explicit Lock(const SweepOptions& o) {
    take(o.dir + "/.lock", o.shard.empty() ? LOCK_EX : LOCK_SH, o.dir);
    std::string name = o.shard;
    std::replace(name.begin(), name.end(), '/', '-');
    if (!name.empty()) take(fmt::format("{}/.lock-{}", o.dir, name), LOCK_EX, o.dir);
  }
  Lock(const Lock&) = delete;
  ~Lock() {
    for (const int descriptor : descriptors_) ::close(descriptor);
  }

 private:
  void take(const std::string& path, int kind, const std::string& dir) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category(), fmt::format("cannot create {}", path));
    descriptors_.push_back(descriptor);
    // The runs of a sweep that was killed hold it until they have ended too. Some network file systems have no locks.
    for (int attempt = 0; ::flock(descriptor, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++attempt) {
      if (attempt == 100)
        throw InputError(
            fmt::format("{}: another weir sweep is at work there; wait for it, or share the work with "
                        "--shard i/n",
                        dir));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  std::vector<int> descriptors_;
};

// ---- one run, in a process of its own

// Leaves in `dir` what is to be kept.
void trim(const study::Plan& plan, const std::string& dir, const scenario::Scenario& s) {
  if (plan.study.keep_all) return;
  auto kept = plan.kept_files();
  for (const auto& file : scenario::effective(s).attachments) kept.push_back(file.name);
  std::vector<fs::path> rest;
  for (const auto& entry : fs::directory_iterator(dir))
    if (std::find(kept.begin(), kept.end(), entry.path().filename().string()) == kept.end())
      rest.push_back(entry.path());
  for (const auto& path : rest) fs::remove(path);
}

// The result appears under its name whole, with its measures.
void run_one(const study::Plan& plan, const std::string& dir, std::size_t run) {
  const std::string target = fmt::format("{}/{}", runs_of(dir), plan.runs[run].name);
  const std::string partial = fmt::format("{}.partial-{}", target, ::getpid());
  fs::create_directory(partial);
  const std::string result = partial + "/run";
  const auto s = plan.scenario(run);
  {
    probe::ResultDirectory directory(result);
    execute(s, &directory, {});
  }
  study::write_whole(result + "/measures.json",
                     study::measures_json(plan.study, study::measure_run(plan.study, result)));
  trim(plan, result, s);
  fs::rename(result, target);
  fs::remove(partial);
}

void tell(int descriptor, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  // a message is shorter than a pipe holds
  [[maybe_unused]] const auto written = ::write(descriptor, what.data(), std::min<std::size_t>(what.size(), 4096));
}

int run_and_tell(const study::Plan& plan, const std::string& dir, std::size_t run, int descriptor) {
  try {
    run_one(plan, dir, run);
    return 0;
  } catch (const std::bad_alloc&) {
    tell(descriptor, "out of memory");
  } catch (const std::system_error& error) {
    tell(descriptor, error.what());
    if (is_full(error.code().value())) return kCannotWrite;
  } catch (const std::exception& error) {
    tell(descriptor, error.what());
  }
  return kFailed;
}

struct Child {
  pid_t pid = 0;
  std::size_t run = 0;
  int message = -1;  // what it has to tell is read here
  int threads = 1;
  std::uint64_t bytes = 0;
};

Child start(const study::Plan& plan, const std::string& dir, std::size_t run) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (pid == 0) {
    end_with_parent();
    if (::getppid() != parent) ::_exit(kFailed);  // it ended before
    // the one that started it decides what a signal to all means; what a full disk or a limit does, write() tells
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ}) ::signal(signal, SIG_IGN);
    ::_exit(run_and_tell(plan, dir, run, ends[1]));
  }
  ::close(ends[1]);
  return {pid, run, ends[0]};
}

std::string read_message(const Child& child) {
  std::array<char, 4096> text{};
  const auto n = ::read(child.message, text.data(), text.size());
  ::close(child.message);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

std::string death(int status) {
  if (WIFEXITED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("ended by signal {} ({}){}", signal, strsignal(signal),
                     signal == SIGKILL ? "; the system may have been out of memory" : "");
}

// ---- all of them

class Sweep {
 public:
  Sweep(const study::Plan& plan, const SweepOptions& o, const std::function<void(const SweepPace&)>& look)
      : plan_(plan), o_(o), look_(look) {}

  SweepOutcome run() {
    prepare();
    while (!queue_.empty() || !children_.empty()) {
      if (pending_signal() != 0 || !out_.cannot_write.empty()) {
        stop();
        break;
      }
      start_some();
      wait_a_little();
      reap();
      look_(pace());
    }
    out_.signal = pending_signal();
    return std::move(out_);
  }

 private:
  void prepare() {
    const auto done = find_done(plan_, o_);
    for (const std::size_t run : o_.runs)
      if (done[run]) {
        ++out_.kept;
      } else {
        queue_.push_back(run);
      }
    estimates_ = study::check_points(plan_, queue_);
    for (const std::size_t run : queue_) {
      total_work_ += work(run);
      if (estimate(run).bytes > o_.memory)
        throw InputError(
            fmt::format("run {} may need {:.0f} MB of memory, and the limit is {:.0f} MB; raise it with "
                        "--memory",
                        plan_.runs[run].name, static_cast<double>(estimate(run).bytes) * 1e-6,
                        static_cast<double>(o_.memory) * 1e-6));
    }
    // the longest first, so that none is left alone at the end
    std::stable_sort(queue_.begin(), queue_.end(), [&](std::size_t a, std::size_t b) { return work(a) > work(b); });
    clean(plan_, o_);
    ::malloc_trim(0);  // the processes to come begin with this one's memory
  }

  const study::Estimate& estimate(std::size_t run) const { return estimates_[plan_.runs[run].point]; }
  double work(std::size_t run) const { return 1e4 + estimate(run).packets; }  // and what any run takes

  // As many as there is room for.
  void start_some() {
    for (auto at = queue_.begin(); at != queue_.end();) {
      const int threads = std::min(static_cast<int>(plan_.scenario(*at).run.threads), o_.jobs);
      if (threads_ + threads > o_.jobs) return;
      if (bytes_ + estimate(*at).bytes > o_.memory) {
        ++at;
        continue;
      }
      Child child = start(plan_, o_.dir, *at);
      child.threads = threads;
      child.bytes = estimate(*at).bytes;
      threads_ += threads;
      bytes_ += child.bytes;
      children_.push_back(child);
      at = queue_.erase(at);
    }
  }

  // Until a process ends, a signal comes, or a fifth of a second is over.
  static void wait_a_little() {
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    const timespec patience{0, 200'000'000};
    sigtimedwait(&ended, nullptr, &patience);
  }

  void reap() {
    for (auto child = children_.begin(); child != children_.end();) {
      int status = 0;
      if (::waitpid(child->pid, &status, WNOHANG) == 0) {
        ++child;
        continue;
      }
      settle(*child, status);
      threads_ -= child->threads;
      bytes_ -= child->bytes;
      child = children_.erase(child);
    }
  }

  void settle(const Child& child, int status) {
    const std::string message = read_message(child);
    const std::string& name = plan_.runs[child.run].name;
    done_work_ += work(child.run);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      ++out_.done;
      fs::remove(failure_of(o_.dir, name));
      return;
    }
    remove_partial(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotWrite) {
      out_.cannot_write = message;
      return;
    }
    ++out_.failed;
    study::write_whole(failure_of(o_.dir, name), (message.empty() ? death(status) : message) + "\n");
  }

  void remove_partial(const Child& child) const {
    std::error_code ignored;
    fs::remove_all(fmt::format("{}/{}.partial-{}", runs_of(o_.dir), plan_.runs[child.run].name, child.pid), ignored);
  }

  // Those under way are given up.
  void stop() {
    for (const Child& child : children_) ::kill(child.pid, SIGKILL);
    for (const Child& child : children_) {
      int status = 0;
      while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
      }
      ::close(child.message);
      remove_partial(child);
    }
    children_.clear();
  }

  SweepPace pace() const {
    return {o_.runs.size(), out_.kept + out_.done, out_.failed, children_.size(),
            total_work_ > 0 ? done_work_ / total_work_ : 1};
  }

  const study::Plan& plan_;
  const SweepOptions& o_;
  const std::function<void(const SweepPace&)>& look_;
  std::vector<study::Estimate> estimates_;  // by point
  std::vector<std::size_t> queue_;
  std::vector<Child> children_;
  SweepOutcome out_;
  int threads_ = 0;
  std::uint64_t bytes_ = 0;
  double total_work_ = 0;
  double done_work_ = 0;
};

// SIGCHLD waits to be asked for.
class HeldSignal {
 public:
  HeldSignal() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  HeldSignal(const HeldSignal&) = delete;
  ~HeldSignal() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

SweepOutcome run_all(const study::Plan& plan, const SweepOptions& options,
                     const std::function<void(const SweepPace&)>& look) {
  for (const std::string& folder : {runs_of(options.dir), options.dir + "/failed"}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputError(fmt::format("--out: cannot create {}: {}", folder, error.message()));
  }
  const Lock lock(options);
  refuse_others(plan, options);
  const HeldSignal held;
  return Sweep(plan, options, look).run();
}

}  // namespace weir::app
