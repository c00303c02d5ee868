// --shard auto: which share a process is of, by what starters of jobs and of MPI tell it.
#include "weir/sweep/job_environment.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "weir/base/error.h"

namespace weir::run {
namespace {

using Environment = std::map<std::string, std::string>;

std::string share(const Environment& environment) {
  try {
    const auto shard = shard_of_job([&](const char* name) -> const char* {
      const auto at = environment.find(name);
      return at == environment.end() ? nullptr : at->second.c_str();
    });
    return std::to_string(shard.i) + "/" + std::to_string(shard.n);
  } catch (const InputError& error) {
    return error.what();
  }
}

Environment slurm(const std::string& task, const std::string& first, const std::string& last, const std::string& step,
                  const std::string& count) {
  return {{"SLURM_ARRAY_TASK_ID", task},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_MAX", last},
          {"SLURM_ARRAY_TASK_STEP", step},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

Environment operator+(Environment a, const Environment& b) {
  a.insert(b.begin(), b.end());
  return a;
}

TEST(JobEnvironment, TasksOfArrays) {
  EXPECT_EQ(share(slurm("3", "1", "4", "1", "4")), "3/4");
  EXPECT_EQ(share(slurm("0", "0", "15", "1", "16")), "1/16");
  EXPECT_EQ(share(slurm("7", "3", "11", "4", "3")), "2/3");
  EXPECT_EQ(share({{"LSB_JOBINDEX", "2"}, {"LSB_JOBINDEX_END", "8"}, {"LSB_JOBINDEX_STEP", "1"}}), "2/8");
  EXPECT_EQ(share({{"SGE_TASK_ID", "5"}, {"SGE_TASK_FIRST", "1"}, {"SGE_TASK_LAST", "9"}, {"SGE_TASK_STEPSIZE", "2"}}),
            "3/5");
}

TEST(JobEnvironment, RanksOfStarters) {
  EXPECT_EQ(share({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), "2/2");
  EXPECT_EQ(share({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}}), "1/3");
  EXPECT_EQ(share({{"SLURM_PROCID", "4"}, {"SLURM_STEP_NUM_TASKS", "8"}}), "5/8");
  // mpirun under Slurm starts its own by srun
  EXPECT_EQ(share({{"OMPI_COMM_WORLD_RANK", "3"},
                   {"OMPI_COMM_WORLD_SIZE", "4"},
                   {"SLURM_PROCID", "0"},
                   {"SLURM_STEP_NUM_TASKS", "1"}}),
            "4/4");
  EXPECT_EQ(share(slurm("2", "1", "2", "1", "2") + Environment{{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}}), "5/6");
}

// A batch script of Slurm that is no array has SLURM_PROCID, too, and no step: it is alone, whatever SLURM_NTASKS says.
TEST(JobEnvironment, WhoIsNoneIsRefused) {
  const std::string none =
      "--shard auto: this is no task of an array job and no rank of mpirun or srun, by the environment; start it as "
      "one, or write --shard i/n";
  EXPECT_EQ(share({}), none);
  EXPECT_EQ(share({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), none);
  EXPECT_EQ(share({{"LSB_JOBINDEX", "0"}, {"LSB_JOBINDEX_END", "0"}}), none);
  EXPECT_EQ(share({{"SGE_TASK_ID", "undefined"}, {"SGE_TASK_LAST", "undefined"}}), none);
}

TEST(JobEnvironment, WhatDoesNotTellAllIsRefused) {
  EXPECT_EQ(
      share({{"PBS_ARRAY_INDEX", "3"}}),
      "--shard auto: PBS tells that this is task 3 (PBS_ARRAY_INDEX), and not of how many; write --shard i/n, from "
      "1/n to n/n");
  EXPECT_NE(share(slurm("7", "1", "7", "1", "3")).find("are no range of numbers at equal distances"),
            std::string::npos);
  EXPECT_NE(share(slurm("9", "1", "8", "1", "8")).find("SLURM_ARRAY_TASK_ID is 9"), std::string::npos);
  EXPECT_EQ(share(slurm("two", "1", "8", "1", "8")), "--shard auto: SLURM_ARRAY_TASK_ID is 'two', which is no number");
  EXPECT_EQ(share({{"PMI_RANK", "3"}, {"PMI_SIZE", "3"}}),
            "--shard auto: PMI_RANK is 3, and PMI_SIZE is 3: there is no such rank");
}

}  // namespace
}  // namespace weir::run
