// Trainer: environments side by side, a learner, validation, checkpoints and results.
//
// Each update lets every environment run until its flows have decided often enough, in parallel, and then learns from
// all of them in their order. Nothing depends on the number of threads. Environments begin anew every reset_every
// updates.
//
// Files, if there is a directory: checkpoint (after each update), progress.csv, curriculum.toml; at the end policy.toml
// (the best by validation), last.toml and inputs.csv. A checkpoint has the learner as it is, and as it was when the
// environments last began: whoever goes on repeats the updates since then, which are fewer than reset_every, and
// arrives at the same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weir/learn/curriculum.h"
#include "weir/learn/environment.h"
#include "weir/learn/evaluation.h"
#include "weir/learn/learner.h"

namespace weir::learn {

struct TrainerOptions {
  std::string directory;  // "" = no files
  unsigned threads = 1;
  bool resume = false;  // go on from the directory's checkpoint, or begin if there is none
};

// What an update has seen, over all environments.
struct Update {
  std::uint32_t number = 0;     // of updates done, this one included
  std::uint64_t decisions = 0;  // of all updates so far
  double rate = 0;              // of learning
  double loss = 0;
  double reward = 0;    // mean over decisions: less the square of the signal before its scale, or the method's own
  double fairness = 0;  // least flow's mean rate by the largest one's, mean over environments
  double queue = 0;     // mean round trip beyond that of the empty path, s
  bool validated = false;
  double score = 0;  // of the validation
};

// A policy's validation: one for each number of flows and seed.
struct Validation {
  std::uint32_t update = 0;
  std::vector<Evaluation> runs;
  double score = 0;  // the least
};

// Runs the curriculum's validations, of which `make` gives the actors, so many at once.
Validation validate(const Curriculum& curriculum, const MakeActor& make, unsigned threads);

class Trainer {
 public:
  // Throws InputError if the directory has a checkpoint of another curriculum, seed or version, or has one at all
  // without `resume`.
  Trainer(const Curriculum& curriculum, const TrainerOptions& options);
  ~Trainer();

  const Curriculum& curriculum() const { return curriculum_; }
  bool done() const { return update_ >= curriculum_.learner.updates; }
  std::uint32_t updates() const { return update_; }
  // One update.
  Update step();
  // Writes what stands at the end. Call it when done().
  void finish();

  const Validation& best() const { return best_; }
  const Learner& learner() const { return *learner_; }
  // Makes the learner what it was at the best validation.
  void return_to_best();

 private:
  struct Place;  // an environment with its actor

  Update learn_once();
  void begin_environments();
  void run_environment(Place& place);
  void read_checkpoint(const std::string& content);
  std::string checkpoint();
  std::string state_of_learner();
  void write_inputs();

  Curriculum curriculum_;
  TrainerOptions options_;
  std::string digest_;
  std::unique_ptr<Learner> learner_;
  std::vector<std::unique_ptr<Place>> places_;
  std::uint32_t update_ = 0;
  std::uint64_t decisions_ = 0;
  std::uint32_t begun_ = 0;               // the update at which the environments last began ...
  std::uint64_t decisions_at_begin_ = 0;  // ... and decisions_ and the learner then
  std::string state_at_begin_;
  Validation best_;
  std::string best_state_;  // "" = nothing has been validated
};

}  // namespace weir::learn
