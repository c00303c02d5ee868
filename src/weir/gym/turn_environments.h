// TurnEnvironments: many runs, in each of which a single flow is decided by the caller, all stepped by one call.
//
// A call takes one move of each environment: an answer to its question, or the seed of its next episode. How many
// threads there are changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "weir/gym/turn_environment.h"
#include "weir/gym/workers.h"

namespace weir::gym {

struct Move {
  bool begins = false;     // an episode with this seed:
  std::uint64_t seed = 0;  // run.seed
  double factor = 1;       // otherwise the answer
};

class TurnEnvironments {
 public:
  // `environments` of the scenario, 1 to 65,536, on so many threads, up to 1,024; 0 = one for each processor. Throws
  // InputError as TurnEnvironment does.
  TurnEnvironments(const Scenario& scenario, const Settings& settings, const SingleFlow& single,
                   std::int64_t environments, std::int64_t threads);

  // One move for each environment. Throws InputError, before anything has changed, if a factor is none or a move is
  // missing, and std::logic_error if one answers an episode that has ended. If another error is thrown, each
  // environment must begin an episode next.
  void go_on(std::span<const Move> moves);
  // Ends the episodes.
  void close();

  std::size_t size() const { return environments_.size(); }
  const TurnEnvironment& operator[](std::size_t i) const { return *environments_[i]; }
  unsigned threads() const { return workers_.threads(); }

 private:
  std::vector<std::unique_ptr<TurnEnvironment>> environments_;
  std::vector<std::exception_ptr> errors_;
  Workers workers_;
};

}  // namespace weir::gym
