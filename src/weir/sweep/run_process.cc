#include "weir/sweep/run_process.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "weir/base/system_error.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/whole_files.h"
#include "weir/run/execute.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fidelity.h"
#include "weir/study/kept_runs.h"
#include "weir/study/measurements.h"
#include "weir/sweep/left_runs.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

// Exit statuses of the process.
constexpr int kDone = 0;
constexpr int kResumed = 4;  // and done
constexpr int kFailed = 1;
constexpr int kCannotWrite = 3;

// Why no file can be written, for whichever run.
bool is_full(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EROFS || error == EIO;
}

// Leaves in the directory what is to be kept.
void trim(const study::Plan& plan, probe::ResultDirectory& directory, const scenario::Scenario& s) {
  if (plan.study.keep_all) return;
  auto kept = plan.kept_files();
  for (const auto& file : scenario::effective(s).attachments) kept.push_back(file.name);
  for (const auto& [name, facts] : directory.contents())
    if (std::find(kept.begin(), kept.end(), name) == kept.end()) directory.remove(name);
}

struct Task {
  const study::Plan& plan;
  std::size_t run;
  const std::string& target;
  const std::string& partial;
  const RunRules& rules;
};

// The result gets its name, unless another process has given it to the same one.
void give_name(const Task& t) {
  std::error_code error;
  fs::rename(result_in(t.partial), t.target, error);
  if (error && !(study::is_result(t.target) && study::difference(t.plan, t.run, t.target).empty()))
    throw fs::filesystem_error("cannot rename", result_in(t.partial), t.target, error);
  fs::remove_all(t.partial);
}

// True if it went on from a checkpoint. The result appears under its name whole, with its measures.
bool do_run(const Task& t) {
  fs::create_directory(t.partial);
  const auto s = t.plan.scenario(t.run);
  ExecutionOptions options{.memory = t.rules.memory};
  if (s.run.fidelity->can_be_saved) options.checkpoints.wall_s = t.rules.checkpoint_s;
  std::unique_ptr<Resumed> work;
  if (t.rules.looks_back) work = resume_left(t.target, t.partial, s, options);
  const bool resumed = work != nullptr;
  if (!resumed) {
    work = std::make_unique<Resumed>();
    work->directory = std::make_unique<probe::ResultDirectory>(result_in(t.partial));
    work->outcome = execute(s, work->directory.get(), options);
  }
  probe::ResultDirectory& directory = *work->directory;
  const probe::Manifest& manifest = work->outcome.manifest;
  // what it has measured so far is not what the study asks for
  if (!manifest.reason.empty())
    throw std::runtime_error(fmt::format("ended at {:.3f} ms: {}", manifest.sim_time.seconds() * 1e3, manifest.reason));
  directory.write("measures.json", study::measures_json(t.plan.study, directory.partial()));
  trim(t.plan, directory, s);
  probe::write_manifest(directory, manifest);
  directory.commit();
  work.reset();
  give_name(t);
  return resumed;
}

// One line, into a page of zeros that is `size` long.
void tell(char* message, std::size_t size, std::string_view what) {
  std::replace_copy(what.begin(), what.begin() + static_cast<std::ptrdiff_t>(std::min(what.size(), size)), message,
                    '\n', ' ');
}

int do_run_and_tell(const Task& task, char* message, std::size_t size) {
  try {
    return do_run(task) ? kResumed : kDone;
  } catch (const std::bad_alloc&) {
    tell(message, size, "out of memory");
  } catch (const std::system_error& error) {
    tell(message, size, error.what());
    if (is_full(error.code().value())) return kCannotWrite;
  } catch (const std::exception& error) {
    tell(message, size, error.what());
  }
  return kFailed;
}

std::string death(int status) {
  if (WIFEXITED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("ended by signal {} ({}){}", signal, strsignal(signal),
                     signal == SIGKILL ? "; the system may have been out of memory" : "");
}

// The parent decides what signals mean, and the process ends when the parent does.
void follow_parent() {
  end_with_parent();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // what a limit does, write() tells, as of a full disk
}

}  // namespace

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

RunProcess::RunProcess(const study::Plan& plan, const std::string& dir, std::size_t run, const RunRules& rules)
    : run_(run), target_(study::result_of(dir, plan.runs[run].name)), partial_(partial_name(target_, new_token())) {
  void* page = ::mmap(nullptr, kMessageSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw errno_error("cannot start a process");
  message_.reset(static_cast<char*>(page));
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw errno_error("cannot start a process");
  if (pid_ > 0) return;
  follow_parent();
  if (::getppid() != parent) ::_exit(kFailed);  // it ended before
  ::_exit(do_run_and_tell({plan, run, target_, partial_, rules}, message_.get(), kMessageSize));
}

std::optional<RunEnd> RunProcess::end() {
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended < 0) throw errno_error("cannot wait for a process");
  if (ended == 0) return std::nullopt;
  if (WIFEXITED(status) && (WEXITSTATUS(status) == kDone || WEXITSTATUS(status) == kResumed))
    return RunEnd{RunEnd::How::done, "", WEXITSTATUS(status) == kResumed};
  // Who killed it may have meant anything; what it did itself it would do again.
  remove_partial(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? Left::checkpoint : Left::nothing);
  const std::string told(message_.get(), ::strnlen(message_.get(), kMessageSize));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotWrite) return RunEnd{RunEnd::How::cannot_write, told, false};
  return RunEnd{RunEnd::How::failed, told.empty() ? death(status) : told, false};
}

void RunProcess::stop() {
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  remove_partial(Left::checkpoint);
}

void RunProcess::remove_partial(Left stays) const {
  if (stays == Left::checkpoint && has_checkpoint(partial_)) return;
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
}

}  // namespace weir::run
