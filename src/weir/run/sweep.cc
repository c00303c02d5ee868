#include "weir/run/sweep.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

#include "weir/base/error.h"
#include "weir/run/earlier_runs.h"
#include "weir/run/memory_limit.h"
#include "weir/run/run_process.h"
#include "weir/run/sweep_locks.h"
#include "weir/run/sweep_results.h"
#include "weir/study/check.h"
#include "weir/study/kept.h"
#include "weir/study/measurements.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

// Why no process can be started, as long as others are at work.
bool is_scarce(int error) { return error == EAGAIN || error == ENOMEM; }

class Sweep {
 public:
  Sweep(const study::Plan& plan, const SweepOptions& o, const std::function<void(const SweepPace&)>& look)
      : plan_(plan), o_(o), look_(look) {}
  Sweep(const Sweep&) = delete;
  // Whatever ends it, no process is left at work.
  ~Sweep() {
    for (RunProcess& process : at_work_) process.stop();
  }

  SweepOutcome run() {
    prepare();
    while ((!queue_.empty() || !at_work_.empty()) && !is_cancelled() && out_.obstacle.empty()) {
      try {
        start_some();
        wait_a_little();
        reap();
      } catch (const std::system_error& error) {
        out_.obstacle = error.what();
      }
      look_(pace());
    }
    out_.cancelled = (!queue_.empty() || !at_work_.empty()) && out_.obstacle.empty();
    return std::move(out_);
  }

 private:
  bool is_cancelled() const { return o_.cancelled && o_.cancelled(); }

  void prepare() {
    const auto done = find_done(plan_, o_);
    for (const std::size_t run : o_.runs)
      if (done[run]) {
        ++out_.kept;
        remove_failure(o_.dir, plan_.runs[run].name);
      } else {
        queue_.push_back(run);
      }
    std::vector<study::Notice> warnings;
    estimates_ = study::check_runs(plan_, queue_, o_.warn ? &warnings : nullptr);
    for (const std::size_t run : queue_) {
      total_work_ += work(run);
      refuse_beyond(o_.memory, estimate(run).bytes, "run " + plan_.runs[run].name);
    }
    for (const auto& warning : warnings) o_.warn(warning);
    // the longest first, so that none is left alone at the end
    std::stable_sort(queue_.begin(), queue_.end(), [&](std::size_t a, std::size_t b) { return work(a) > work(b); });
    clean(plan_, o_);
    ::malloc_trim(0);  // the processes to come begin with this one's memory
  }

  const study::Estimate& estimate(std::size_t run) const { return estimates_[run]; }
  double work(std::size_t run) const { return 1e4 + estimate(run).packets; }  // and what any run takes
  int threads(std::size_t run) const { return std::min(estimate(run).threads, o_.jobs); }

  // At which a run is ended: estimates are meant to be too large, so beyond its own it takes more than its part.
  std::uint64_t share_of_memory(std::size_t run) const {
    return std::max(estimate(run).bytes, o_.memory / static_cast<std::uint64_t>(o_.jobs));
  }

  // As many as there is room for.
  void start_some() {
    for (auto at = queue_.begin(); at != queue_.end();) {
      if (threads_ + threads(*at) > o_.jobs) return;
      if (bytes_ + estimate(*at).bytes > o_.memory) {
        ++at;
        continue;
      }
      if (!start(*at)) return;
      at = queue_.erase(at);
    }
  }

  // False if the system has no room for it until another one has ended.
  bool start(std::size_t run) {
    try {
      at_work_.emplace_back(plan_, o_.dir, run, share_of_memory(run));
    } catch (const std::system_error& error) {
      if (at_work_.empty() || !is_scarce(error.code().value())) throw;
      return false;
    }
    threads_ += threads(run);
    bytes_ += estimate(run).bytes;
    return true;
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
    for (auto process = at_work_.begin(); process != at_work_.end();) {
      const auto end = process->end();
      if (!end) {
        ++process;
        continue;
      }
      const std::size_t run = process->run();
      process = at_work_.erase(process);
      threads_ -= threads(run);
      bytes_ -= estimate(run).bytes;
      done_work_ += work(run);
      settle(run, *end);
    }
  }

  void settle(std::size_t run, const RunEnd& end) {
    switch (end.how) {
      case RunEnd::How::done:
        ++out_.done;
        remove_failure(o_.dir, plan_.runs[run].name);
        return;
      case RunEnd::How::cannot_write: out_.obstacle = end.why; return;
      case RunEnd::How::failed: out_.failures.emplace(run, end.why); write_failure(plan_, o_.dir, run, end.why);
    }
  }

  SweepPace pace() const {
    return {o_.runs.size(), out_.kept + out_.done, out_.failures.size(), at_work_.size(),
            total_work_ > 0 ? done_work_ / total_work_ : 1};
  }

  const study::Plan& plan_;
  const SweepOptions& o_;
  const std::function<void(const SweepPace&)>& look_;
  std::vector<study::Estimate> estimates_;  // by run of the plan
  std::vector<std::size_t> queue_;
  std::vector<RunProcess> at_work_;
  SweepOutcome out_;
  int threads_ = 0;
  std::uint64_t bytes_ = 0;
  double total_work_ = 0;
  double done_work_ = 0;
};

// SIGCHLD waits to be asked for. It is not ignored, as whoever started this may have had it: how processes end would
// not be told.
class HeldSignal {
 public:
  HeldSignal() {
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &plain, &action_before_);
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    sigprocmask(SIG_BLOCK, &held, &mask_before_);
  }
  HeldSignal(const HeldSignal&) = delete;
  ~HeldSignal() {
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    sigaction(SIGCHLD, &action_before_, nullptr);
  }

 private:
  sigset_t mask_before_{};
  struct sigaction action_before_ {};
};

}  // namespace

SweepOutcome run_all(const study::Plan& plan, const SweepOptions& options,
                     const std::function<void(const SweepPace&)>& look) {
  const bool is_new = !fs::exists(options.dir);
  for (const std::string& folder : {study::results_of(options.dir), options.dir + "/failed"}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputError(fmt::format("--out: cannot create {}: {}", folder, error.message()));
  }
  const WorkLock lock(options.dir, options.shard);
  refuse_others(plan, options);
  const HeldSignal held;
  try {
    return Sweep(plan, options, look).run();
  } catch (const InputError&) {
    if (is_new && fs::is_empty(study::results_of(options.dir))) fs::remove_all(options.dir);
    throw;
  }
}

}  // namespace weir::run
