// Which runs are a sweep's to do: all of those it was given, or, of several workers, those that it has claimed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weir/study/plan.h"
#include "weir/sweep/claims.h"
#include "weir/sweep/sweep.h"

namespace weir::run {

class Allotment {
 public:
  // Throws InputError if --since names no file, std::system_error if nothing can be claimed. Both outlive this.
  Allotment(const study::Plan& plan, const SweepOptions& options);

  // Of a run that may be free: `mine` until it is given back, another's, or another has done it or failed with it
  // meanwhile.
  enum class Answer { mine, others, done, failed };
  Answer ask(std::size_t run);
  void give_back(std::size_t run);
  // Why another one has failed with it.
  std::string failure(std::size_t run) const;

  // To be called several times a second; the runs that others have taken away since, because this one was not.
  std::vector<std::size_t> beat();
  // Whether no one has taken it away.
  bool is_mine(std::size_t run) const;
  // Whether it has been another's, which may have left something of it.
  bool was_anothers(std::size_t run) const { return was_anothers_[run]; }

  // Of the runs that are other workers': those that may be free now. Looks once in a while.
  std::vector<std::size_t> freed(const std::vector<std::size_t>& others);
  // Whether the workers of all these have shown signs of life since watch_anew().
  bool are_beating(const std::vector<std::size_t>& others) const;
  void watch_anew();
  // Looks who holds what.
  void look();
  // Removes what killed workers have left of claims of runs that are done.
  void remove_claims(const std::vector<bool>& done);

 private:
  const std::string& name(std::size_t run) const { return plan_.runs[run].name; }
  bool has_failed(std::size_t run) const;

  const study::Plan& plan_;
  const SweepOptions& o_;
  std::optional<Claims> claims_;
  std::int64_t since_ = 0;  // ns since 1970, by the file server
  std::vector<bool> was_anothers_;
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace weir::run
