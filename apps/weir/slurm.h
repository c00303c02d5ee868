// weir sweep --executor slurm: job scripts, and their submission.
//
// An array of workers, each of which takes runs until none is left, and a job that collects when all of them have
// ended, however they have. What is missing by then it sends again, if it may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::app {

struct SlurmJob {
  std::string weir;                    // path of the command on all nodes
  std::vector<std::string> sweep;      // "sweep", the study, and the options that workers and collection have in common
  std::vector<std::string> worker;     // options of workers
  std::vector<std::string> collector;  // options of the collection
  std::string folder;                  // of scripts and logs: DIR/slurm
  std::string name;
  std::size_t workers = 1;
  int processors = 1;             // of a worker
  std::uint64_t memory = 0;       // bytes, of a worker
  std::uint64_t minutes = 1;      // of a worker
  std::vector<std::string> more;  // further options of sbatch, for both: "--partition=short"
};

// The scripts, which can be read and submitted by hand.
std::string worker_script(const SlurmJob& job);
std::string collector_script(const SlurmJob& job);

// Throws InputError that says what to install if there is no sbatch.
void require_slurm();

struct SlurmJobs {
  std::string workers;  // numbers of jobs, as sbatch tells them
  std::string collector;
};
// Writes both scripts and submits them, both or none. Throws InputError if sbatch refuses one, which has told why.
SlurmJobs submit(const SlurmJob& job);

}  // namespace weir::app
