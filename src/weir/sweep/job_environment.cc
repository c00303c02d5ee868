#include "weir/sweep/job_environment.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/base/error.h"
#include "weir/base/text.h"

namespace weir::run {
namespace {

// Variables of a batch system's array: the number of this task, and first, last and step of all.
struct Array {
  const char* system;
  const char* task;
  const char* first;  // null = 1
  const char* last;   // null = it does not tell
  const char* step;
  const char* count;  // of tasks; null = it does not tell
};
constexpr std::array kArrays{
    Array{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
          "SLURM_ARRAY_TASK_COUNT"},
    Array{"LSF", "LSB_JOBINDEX", nullptr, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP", nullptr},
    Array{"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", nullptr},
    Array{"PBS", "PBS_ARRAY_INDEX", nullptr, nullptr, nullptr, nullptr},
    Array{"PBS", "PBS_ARRAYID", nullptr, nullptr, nullptr, nullptr},
};

struct Ranks {
  const char* rank;  // from 0
  const char* size;
};
// Those of MPI first: mpirun starts its processes by srun, once per node, which has told its own by then.
constexpr std::array kRanks{
    Ranks{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Ranks{"PMI_RANK", "PMI_SIZE"},
    Ranks{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

class Reader {
 public:
  explicit Reader(const Variables& variables) : variables_(variables) {}

  bool has(const char* name) const { return name != nullptr && !text(name).empty(); }

  std::int64_t number(const char* name) const {
    const std::string_view value = text(name);
    std::int64_t out = 0;
    const auto end = std::from_chars(value.data(), value.data() + value.size(), out);
    if (end.ec != std::errc{} || end.ptr != value.data() + value.size() || out < 0)
      throw InputError(fmt::format("--shard auto: {} is '{}', which is no number", name, one_line(value, kQuoted)));
    return out;
  }

 private:
  std::string_view text(const char* name) const {
    const char* const value = variables_(name);
    return value == nullptr ? "" : value;
  }
  const Variables& variables_;
};

// LSF has 0, and Grid Engine "undefined", in jobs that are no arrays.
bool is_task(const Variables& variables, const Array& array) {
  const char* const value = variables(array.task);
  return value != nullptr && !std::string_view(value).empty() && std::string_view(value) != "undefined" &&
         (std::string_view(value) != "0" || array.first != nullptr || array.last == nullptr);
}

std::optional<study::Shard> task_of(const Variables& variables) {
  const Reader reader(variables);
  for (const Array& array : kArrays) {
    if (!is_task(variables, array)) continue;
    const std::int64_t task = reader.number(array.task);
    if (!reader.has(array.last))
      throw InputError(fmt::format(
          "--shard auto: {} tells that this is task {} ({}), and not of how many; write --shard i/n, from 1/n to n/n",
          array.system, task, array.task));
    const std::int64_t first = reader.has(array.first) ? reader.number(array.first) : 1;
    const std::int64_t last = reader.number(array.last);
    const std::int64_t step = reader.has(array.step) ? reader.number(array.step) : 1;
    const std::int64_t count = step > 0 && last >= first ? (last - first) / step + 1 : 0;
    if (task < first || task > last || count == 0 || (task - first) % step != 0 ||
        (reader.has(array.count) && reader.number(array.count) != count))
      throw InputError(
          fmt::format("--shard auto: the tasks of this array of {} are no range of numbers at equal distances ({} is "
                      "{}); submit one like 1-{}, or use --claim",
                      array.system, array.task, task, reader.has(array.count) ? reader.number(array.count) : 8));
    return study::Shard{static_cast<std::size_t>((task - first) / step + 1), static_cast<std::size_t>(count)};
  }
  return std::nullopt;
}

std::optional<study::Shard> rank_of(const Variables& variables) {
  const Reader reader(variables);
  for (const Ranks& ranks : kRanks) {
    if (!reader.has(ranks.rank) || !reader.has(ranks.size)) continue;
    const std::int64_t rank = reader.number(ranks.rank);
    const std::int64_t size = reader.number(ranks.size);
    if (rank >= size)
      throw InputError(fmt::format("--shard auto: {} is {}, and {} is {}: there is no such rank", ranks.rank, rank,
                                   ranks.size, size));
    return study::Shard{static_cast<std::size_t>(rank + 1), static_cast<std::size_t>(size)};
  }
  return std::nullopt;
}

}  // namespace

study::Shard shard_of_job(const Variables& variables) {
  const auto task = task_of(variables);
  const auto rank = rank_of(variables);
  if (!task && !rank)
    throw InputError(
        "--shard auto: this is no task of an array job and no rank of mpirun or srun, by the environment; start it as "
        "one, or write --shard i/n");
  const study::Shard t = task.value_or(study::Shard{});
  const study::Shard r = rank.value_or(study::Shard{});
  return {(t.i - 1) * r.n + r.i, t.n * r.n};
}

}  // namespace weir::run
