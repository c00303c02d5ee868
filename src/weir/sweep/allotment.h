// Which runs are a sweep's to do: all of those it was given, or, of several workers, those that it has leased.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weir/study/plan.h"
#include "weir/sweep/sweep.h"
#include "weir/sweep/sweep_leases.h"

namespace weir::run {

class Allotment {
 public:
  // Throws InputError if --since names no file, std::system_error if nothing can be leased. Both outlive this.
  Allotment(const study::Plan& plan, const SweepOptions& options);

  // Asks for a run that may be free. `mine`: it is this worker's until it is given back. `others`: another worker has
  // it. `done`, `failed`: another worker has done it, or failed with it, meanwhile.
  enum class Answer { mine, others, done, failed };
  Answer ask(std::size_t run);
  void give_back(std::size_t run);
  // Why another worker has failed with the run.
  std::string failure(std::size_t run) const;

  // Keeps this worker's leases alive; call it several times a second. Returns the runs that others have taken over
  // since the last call, as this worker was too slow.
  std::vector<std::size_t> beat();
  // Whether the run is still this worker's.
  bool is_mine(std::size_t run) const;
  // Whether the run has been another worker's, which may have left something of it.
  bool was_anothers(std::size_t run) const { return was_anothers_[run]; }

  // Those of the runs of other workers that may be free now. Looks once in a while.
  std::vector<std::size_t> freed(const std::vector<std::size_t>& others);
  // Whether the workers of all these have shown signs of life since watch_anew().
  bool are_beating(const std::vector<std::size_t>& others) const;
  void watch_anew();
  // Looks which worker has which run.
  void look();
  // Removes the leases that killed workers have left of runs that are done.
  void remove_leases(const std::vector<bool>& done);

 private:
  const std::string& name(std::size_t run) const { return plan_.runs[run].name; }
  bool has_failed(std::size_t run) const;

  const study::Plan& plan_;
  const SweepOptions& o_;
  std::optional<SweepLeases> leases_;
  std::int64_t since_ = 0;  // ns since 1970, by the file server
  std::vector<bool> was_anothers_;
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace weir::run
