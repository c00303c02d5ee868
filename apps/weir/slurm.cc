#include "weir/slurm.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "weir/base/error.h"
#include "weir/child.h"
#include "weir/probe/whole_files.h"

namespace weir::app {
namespace {

constexpr std::uint64_t kMegabyte = 1u << 20;  // Slurm's

// A word of sh.
std::string sh_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_of(const SlurmJob& job, const std::vector<std::string>& options) {
  std::string out = "exec " + sh_word(job.weir);
  for (const auto* words : {&job.sweep, &options})
    for (const std::string& word : *words) out += " " + sh_word(word);
  return out + "\n";
}

// The value of an option in a line of #SBATCH.
std::string sbatch_value(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// A file in this folder, whose name has patterns that begin with %.
std::string log_in(std::string_view folder, std::string_view name) {
  std::string out;
  for (const char c : folder) out += c == '%' ? std::string("%%") : std::string(1, c);
  return fmt::format("{}/{}", out, name);
}

std::string script(const SlurmJob& job, const std::string& name, const std::string& log,
                   const std::vector<std::string>& own, const std::vector<std::string>& options) {
  std::string out = "#!/bin/sh\n";
  const auto add = [&](const std::string& option) { out += fmt::format("#SBATCH {}\n", option); };
  add("--job-name=" + sbatch_value(name));
  add("--output=" + sbatch_value(log_in(job.folder, log)));
  add("--open-mode=append");
  for (const std::string& option : own) add(option);
  for (const std::string& option : job.more) add(option);
  return out + command_of(job, options);
}

std::string submit_script(const std::string& file, const std::vector<std::string>& options) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(file);
  const auto told = run_program(words);
  if (!told) throw InputError(fmt::format("sbatch refuses {}; what it says stands above", file));
  return told->substr(0, told->find_first_of(";\n"));  // NUMBER[;CLUSTER]
}

}  // namespace

std::string worker_script(const SlurmJob& job) {
  return script(
      job, job.name, "worker-%A-%a.log",
      {fmt::format("--array=1-{}", job.workers), "--ntasks=1", fmt::format("--cpus-per-task={}", job.processors),
       fmt::format("--mem={}M", (job.memory + kMegabyte - 1) / kMegabyte), fmt::format("--time={}", job.minutes)},
      job.worker);
}

// What it reads is small beside a run.
std::string collector_script(const SlurmJob& job) {
  return script(job, job.name + "-collect", "collect-%j.log",
                {"--ntasks=1", fmt::format("--mem={}M", (job.memory + kMegabyte - 1) / kMegabyte), "--time=60"},
                job.collector);
}

void require_slurm() {
  if (!has_program("sbatch"))
    throw InputError(
        "--executor slurm: there is no program sbatch in PATH; log in to a node of the cluster that has it, or install "
        "Slurm's client (Debian: slurm-client)");
}

SlurmJobs submit(const SlurmJob& job) {
  require_slurm();
  std::filesystem::create_directories(job.folder);
  const std::string worker = job.folder + "/worker.sh";
  const std::string collector = job.folder + "/collect.sh";
  probe::write_whole(worker, worker_script(job));
  probe::write_whole(collector, collector_script(job));
  SlurmJobs out;
  out.workers = submit_script(worker, {});
  try {
    out.collector = submit_script(collector, {"--dependency=afterany:" + out.workers});
  } catch (...) {
    run_program({"scancel", out.workers});
    throw;
  }
  return out;
}

}  // namespace weir::app
