// Which of several processes this one is, by the environment that batch systems and starters of MPI give to each.
#pragma once

#include <functional>
#include <string>

#include "weir/study/plan.h"

namespace weir::run {

// The value of an environment variable; null if there is none.
using Variables = std::function<const char*(const char*)>;

// The share of a task of an array job (Slurm, LSF, Grid Engine), of a rank of mpirun or srun, or of a rank within a
// task. Throws InputError that names --shard if nobody has said which of how many this is, as PBS, which does not tell
// how many tasks there are, or if it is not a range of numbers at equal distances.
//
// Sources: sbatch(1) and srun(1) of Slurm 22.05, OUTPUT ENVIRONMENT VARIABLES; mpirun(1) of Open MPI 4.1, ENVIRONMENT
// VARIABLES; MPICH's wiki on Hydra; bsub(1) of LSF, job arrays; qsub(1) of Grid Engine and of PBS Professional.
study::Shard shard_of_job(const Variables& variables);

}  // namespace weir::run
