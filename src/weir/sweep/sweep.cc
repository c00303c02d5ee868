#include "weir/sweep/sweep.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "weir/base/error.h"
#include "weir/run/memory_limit.h"
#include "weir/study/check.h"
#include "weir/study/kept_runs.h"
#include "weir/study/measurements.h"
#include "weir/sweep/allotment.h"
#include "weir/sweep/earlier_runs.h"
#include "weir/sweep/left_runs.h"
#include "weir/sweep/run_process.h"
#include "weir/sweep/sweep_locks.h"
#include "weir/sweep/sweep_results.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

// Why no process can be started, as long as others are at work.
bool is_scarce(int error) { return error == EAGAIN || error == ENOMEM; }

class Sweep {
 public:
  Sweep(const study::Plan& plan, const SweepOptions& o, const std::function<void(const SweepProgress&)>& look)
      : plan_(plan), o_(o), look_(look), looks_back_(plan.runs.size()) {}
  Sweep(const Sweep&) = delete;
  // Whatever ends it, no process is left at work.
  ~Sweep() {
    for (RunProcess& process : at_work_) process.stop();
  }

  SweepOutcome run() {
    prepare();
    while (goes_on() && !is_cancelled() && out_.obstacle.empty()) {
      try {
        start_some();
        wait_a_little();
        reap();
        give_up_what_is_lost();
        look_at_others();
      } catch (const std::system_error& error) {
        out_.obstacle = error.what();
      }
      look_(progress());
    }
    out_.cancelled = (!queue_.empty() || !at_work_.empty()) && out_.obstacle.empty();
    out_.elsewhere = static_cast<std::size_t>(
        std::count_if(others_.begin(), others_.end(), [&](std::size_t run) { return !done_[run]; }));
    if (!out_.cancelled && out_.elsewhere == 0 && out_.obstacle.empty()) {
      allotment_->remove_leases(done_);
      clean();
    }
    return std::move(out_);
  }

 private:
  bool is_cancelled() const { return o_.cancelled && o_.cancelled(); }
  // What others hold is left to them once they have shown, while there is nothing else to do, that they live.
  bool goes_on() {
    const bool was_idle = std::exchange(is_idle_, queue_.empty() && at_work_.empty());
    if (!is_idle_) return true;
    if (!was_idle && !others_.empty()) allotment_->watch_anew();
    return !allotment_->are_beating(others_);
  }

  void prepare() {
    done_ = find_done(plan_, o_);
    for (const std::size_t run : o_.runs)
      if (done_[run]) {
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
    allotment_.emplace(plan_, o_);
    clean();
    ::malloc_trim(0);  // the processes to come begin with this one's memory
  }

  // Removes what killed processes have left of runs that are done, and notes of which others there is something.
  void clean() {
    allotment_->look();
    const auto left = left_runs(o_.dir);
    for (const std::size_t run : o_.runs) {
      if (!std::binary_search(left.begin(), left.end(), plan_.runs[run].name)) continue;
      looks_back_[run] = true;
      if (!done_[run] || allotment_->ask(run) == Allotment::Answer::others) continue;
      remove_left(study::result_of(o_.dir, plan_.runs[run].name));
      allotment_->give_back(run);
    }
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
      if (is_to_be_done(*at) && !start(*at)) return;
      at = queue_.erase(at);
    }
  }

  // Whether it is for this one to do. If not, another one has it, or its end is known.
  bool is_to_be_done(std::size_t run) {
    switch (allotment_->ask(run)) {
      case Allotment::Answer::mine: return true;
      case Allotment::Answer::others: others_.push_back(run); return false;
      case Allotment::Answer::failed: out_.failures.emplace(run, allotment_->failure(run)); break;
      case Allotment::Answer::done:
        ++out_.kept;
        done_[run] = true;
        remove_failure(o_.dir, plan_.runs[run].name);
    }
    done_work_ += work(run);
    return false;
  }

  // False if the system has no room for it until another one has ended.
  bool start(std::size_t run) {
    try {
      at_work_.emplace_back(plan_, o_.dir, run,
                            RunRules{.memory = share_of_memory(run),
                                     .checkpoint_s = o_.checkpoint_s,
                                     .looks_back = looks_back_[run] || allotment_->was_anothers(run)});
    } catch (const std::system_error& error) {
      if (at_work_.empty() || !is_scarce(error.code().value())) throw;
      allotment_->give_back(run);
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
      process = take_off(process);
      done_work_ += work(run);
      settle(run, *end);
    }
  }

  std::vector<RunProcess>::iterator take_off(std::vector<RunProcess>::iterator process) {
    threads_ -= threads(process->run());
    bytes_ -= estimate(process->run()).bytes;
    return at_work_.erase(process);
  }

  void settle(std::size_t run, const RunEnd& end) {
    switch (end.how) {
      case RunEnd::How::done:
        ++out_.done;
        out_.resumed += end.resumed ? 1 : 0;
        done_[run] = true;
        remove_failure(o_.dir, plan_.runs[run].name);
        break;
      case RunEnd::How::cannot_write: out_.obstacle = end.why; break;
      case RunEnd::How::failed:
        if (!allotment_->is_mine(run)) {  // which is why it failed
          others_.push_back(run);
          return;
        }
        out_.failures.emplace(run, end.why);
        write_failure(plan_, o_.dir, run, end.why);
    }
    allotment_->give_back(run);
  }

  void give_up_what_is_lost() {
    for (const std::size_t run : allotment_->beat()) {
      const auto process =
          std::find_if(at_work_.begin(), at_work_.end(), [&](const auto& p) { return p.run() == run; });
      if (process == at_work_.end()) continue;
      process->stop();
      take_off(process);
      others_.push_back(run);
    }
  }

  void look_at_others() {
    if (!queue_.empty()) return;
    for (const std::size_t run : allotment_->freed(others_)) {
      others_.erase(std::find(others_.begin(), others_.end(), run));
      queue_.push_back(run);
    }
  }

  SweepProgress progress() const {
    return {o_.runs.size(), out_.kept + out_.done, out_.failures.size(), at_work_.size(),
            total_work_ > 0 ? done_work_ / total_work_ : 1};
  }

  const study::Plan& plan_;
  const SweepOptions& o_;
  const std::function<void(const SweepProgress&)>& look_;
  std::optional<Allotment> allotment_;
  std::vector<study::Estimate> estimates_;  // by run of the plan
  std::vector<bool> done_;                  // the same
  std::vector<bool> looks_back_;            // the same: something is left of it
  std::vector<std::size_t> queue_;
  std::vector<std::size_t> others_;  // that other workers have
  std::vector<RunProcess> at_work_;
  SweepOutcome out_;
  bool is_idle_ = false;  // it has nothing to do but to look at others
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
                     const std::function<void(const SweepProgress&)>& look) {
  const bool is_new = !fs::exists(options.dir);
  const std::string folder = study::results_of(options.dir);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("--out: cannot create {}: {}", folder, error.message()));
  const WorkLock lock(options.dir, options.shard, options.leases.has_value());
  refuse_others(plan, options);
  const HeldSignal held;
  try {
    return Sweep(plan, options, look).run();
  } catch (const InputError&) {
    // others that share it may have begun
    if (is_new && !options.is_shared() && fs::is_empty(folder)) fs::remove_all(options.dir);
    throw;
  }
}

}  // namespace weir::run
