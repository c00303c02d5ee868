#include "weir/run/run_process.h"

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

#include "weir/probe/probes.h"
#include "weir/probe/whole_files.h"
#include "weir/run/earlier_runs.h"
#include "weir/run/execute.h"
#include "weir/scenario/effective.h"
#include "weir/study/kept.h"
#include "weir/study/measurements.h"

namespace weir::run {
namespace {

namespace fs = std::filesystem;

// Exit statuses of the process.
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

// The result appears under its name whole, with its measures.
void do_run(const study::Plan& plan, std::size_t run, const std::string& target, std::uint64_t memory) {
  const std::string partial = partial_name(target, ::getpid());
  fs::create_directory(partial);
  const std::string result = partial + "/run";
  const auto s = plan.scenario(run);
  {
    probe::ResultDirectory directory(result);
    const Outcome outcome = execute(s, &directory, {.memory = memory});
    // what it has measured so far is not what the study asks for
    if (const auto& reason = outcome.manifest.reason; !reason.empty())
      throw std::runtime_error(
          fmt::format("ended at {:.3f} ms: {}", outcome.manifest.sim_time.seconds() * 1e3, reason));
    directory.write("measures.json", study::measures_json(plan.study, directory.partial()));
    trim(plan, directory, s);
    probe::write_manifest(directory, outcome.manifest);
    directory.commit();
  }
  fs::rename(result, target);
  fs::remove(partial);
}

// One line, into a page of zeros that is `size` long.
void tell(char* message, std::size_t size, std::string_view what) {
  std::replace_copy(what.begin(), what.begin() + static_cast<std::ptrdiff_t>(std::min(what.size(), size)), message,
                    '\n', ' ');
}

int do_run_and_tell(const study::Plan& plan, std::size_t run, const std::string& target, std::uint64_t memory,
                    char* message, std::size_t size) {
  try {
    do_run(plan, run, target, memory);
    return 0;
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

[[noreturn]] void fail_with(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

RunProcess::RunProcess(const study::Plan& plan, const std::string& dir, std::size_t run, std::uint64_t memory)
    : run_(run), target_(study::result_of(dir, plan.runs[run].name)) {
  void* page = ::mmap(nullptr, kMessageSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) fail_with("cannot start a process");
  message_.reset(static_cast<char*>(page));
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail_with("cannot start a process");
  if (pid_ > 0) return;
  follow_parent();
  if (::getppid() != parent) ::_exit(kFailed);  // it ended before
  ::_exit(do_run_and_tell(plan, run, target_, memory, message_.get(), kMessageSize));
}

std::optional<RunEnd> RunProcess::end() {
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended < 0) fail_with("cannot wait for a process");
  if (ended == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return RunEnd{RunEnd::How::done, ""};
  remove_partial();
  const std::string told(message_.get(), ::strnlen(message_.get(), kMessageSize));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotWrite) return RunEnd{RunEnd::How::cannot_write, told};
  return RunEnd{RunEnd::How::failed, told.empty() ? death(status) : told};
}

void RunProcess::stop() {
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  remove_partial();
}

void RunProcess::remove_partial() const {
  std::error_code ignored;
  fs::remove_all(partial_name(target_, pid_), ignored);
}

}  // namespace weir::run
