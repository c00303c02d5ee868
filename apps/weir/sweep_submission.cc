#include "weir/sweep_submission.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/cc/plugin.h"
#include "weir/output.h"
#include "weir/run/memory_limit.h"
#include "weir/slurm.h"
#include "weir/study/check.h"
#include "weir/sweep_progress.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkers = 32;
constexpr double kMargin = 300;                   // s, beside the runs: to start and to read what is there
constexpr std::uint64_t kOwnMemory = 64'000'000;  // bytes, of a worker beside what this process has taken by now

// What a worker needs, by the estimates of the runs.
struct Need {
  int jobs = 1;
  std::uint64_t runs_memory = 0;  // bytes, of the runs that it has under way
  double seconds = 0;
  std::size_t workers = 1;
};

Need need_of(const study::Plan& plan, const std::vector<std::size_t>& runs, const SweepOptions& o) {
  std::vector<study::Notice> warnings;
  const auto estimates = study::check_runs(plan, runs, &warnings);
  for (const auto& warning : warnings) show_warning(warning);
  Need out;
  int threads = 1;
  std::uint64_t most = 0;
  double sum = 0;
  double longest = 0;
  for (const std::size_t run : runs) {
    const auto& e = estimates[run];
    threads = std::max(threads, e.threads);
    most = std::max(most, e.bytes);
    sum += e.seconds;
    longest = std::max(longest, e.seconds);
  }
  out.jobs = o.jobs > 0 ? o.jobs : threads;
  const auto at_once = static_cast<std::size_t>(std::max(1, out.jobs / threads));
  out.workers = std::min<std::size_t>(o.workers > 0 ? o.workers : kWorkers, (runs.size() + at_once - 1) / at_once);
  out.runs_memory = o.memory.empty() ? most * at_once : run::memory_limit(o.memory);
  for (const std::size_t run : runs)
    run::refuse_beyond(out.runs_memory, estimates[run].bytes, "run " + plan.runs[run].name);
  // no run begins later than when all others together are done
  out.seconds = sum / static_cast<double>(out.workers * at_once) + longest;
  return out;
}

std::uint64_t memory_of_this_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

SlurmJob job_of(const Need& need, const SweepOptions& o) {
  const std::string dir = fs::absolute(o.out).lexically_normal().string();
  SlurmJob job;
  job.weir = fs::read_symlink("/proc/self/exe");
  job.folder = dir + "/slurm";
  job.name = "weir-" + fs::path(o.file).stem().string();
  job.sweep = {"sweep", fs::absolute(o.file).lexically_normal().string(), "--out", dir};
  const auto add = [](std::vector<std::string>& words, const std::string& option, const std::string& value) {
    words.push_back(option);
    words.push_back(value);
  };
  if (o.seeds > 0) add(job.sweep, "--seeds", fmt::format("{}", o.seeds));
  if (!o.only.empty()) add(job.sweep, "--only", o.only);
  for (const cc::Plugin& plugin : cc::loaded_plugins())
    add(job.sweep, "--plugin", fs::absolute(plugin.file).lexically_normal().string());
  job.worker = {"--claim", "--quiet", "--since", job.folder + "/worker.sh"};
  add(job.worker, "--lease", fmt::format("{}", o.lease_s));
  add(job.worker, "--checkpoint-seconds", fmt::format("{}", o.checkpoint_s));
  add(job.worker, "--jobs", fmt::format("{}", need.jobs));
  add(job.worker, "--memory", fmt::format("{} B", need.runs_memory));
  if (o.fresh) job.worker.emplace_back("--fresh");
  job.collector = {"--collect"};
  if (o.retries > 0) {
    add(job.collector, "--executor", o.executor);
    add(job.collector, "--retries", fmt::format("{}", o.retries - 1));
    add(job.collector, "--lease", fmt::format("{}", o.lease_s));
    add(job.collector, "--checkpoint-seconds", fmt::format("{}", o.checkpoint_s));
    if (o.workers > 0) add(job.collector, "--workers", fmt::format("{}", o.workers));
    if (o.jobs > 0) add(job.collector, "--jobs", fmt::format("{}", o.jobs));
    if (!o.memory.empty()) add(job.collector, "--memory", o.memory);
    if (o.fresh) job.collector.emplace_back("--fresh");
    for (const std::string& option : o.sbatch) job.collector.push_back("--sbatch=" + option);
  }
  job.workers = need.workers;
  job.processors = need.jobs;
  job.memory = need.runs_memory + memory_of_this_process() + kOwnMemory;
  job.minutes = static_cast<std::uint64_t>(std::ceil((need.seconds + kMargin) / 60));
  job.more = o.sbatch;
  return job;
}

}  // namespace

void submit_sweep(const study::Plan& plan, const std::vector<std::size_t>& runs, const SweepOptions& o) {
  require_slurm();
  const Need need = need_of(plan, runs, o);
  const SlurmJob job = job_of(need, o);
  const SlurmJobs jobs = submit(job);
  if (o.json) {
    show_text(nlohmann::ordered_json{{"runs", runs.size()},
                                     {"workers", job.workers},
                                     {"memory_bytes", job.memory},
                                     {"minutes", job.minutes},
                                     {"job", jobs.workers},
                                     {"collection", jobs.collector}}
                  .dump(2) +
              "\n");
    return;
  }
  show("{} runs for {} worker{}, each with {} processor{}, {:.0f} MB and up to {} min\n", runs.size(), job.workers,
       job.workers == 1 ? "" : "s", job.processors, job.processors == 1 ? "" : "s",
       static_cast<double>(job.memory) * 1e-6, job.minutes);
  show("workers     job {}\n", jobs.workers);
  show("collection  job {}, when they have ended\n", jobs.collector);
  show("scripts     {}\n", job.folder);
}

}  // namespace weir::app
