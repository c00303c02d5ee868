// TurnEnvironment: a run that stops at each single question, at the instant at which it is asked.
//
// The answer is known before anything else happens. With a decision_latency of 0 it takes effect at once, which no
// batch can do; with a larger one, that much later. The run has a stack of its own, which waits while the caller
// decides.
//
//   TurnEnvironment e(scenario, {});
//   for (e.reset(1); !e.has_ended(); e.step(factor)) ...  // e.question(), e.observation()
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weir/cc/decision_maker.h"
#include "weir/gym/fiber.h"
#include "weir/gym/flows.h"
#include "weir/gym/outside.h"
#include "weir/gym/settings.h"
#include "weir/policy/decider.h"
#include "weir/scenario.h"

namespace weir::gym {

// Only one of the flows is decided by the caller.
struct SingleFlow {
  std::uint32_t number = 0;  // of those that could be, in the order in which they start
  std::string others;        // the policy that decides for the rest, a file or one of Weir's; "" = the scenario's
};

class TurnEnvironment final : private cc::DecisionMaker {
 public:
  // Throws InputError if the scenario or the settings are not valid.
  TurnEnvironment(const Scenario& scenario, const Settings& settings, std::optional<SingleFlow> single = {});
  TurnEnvironment(const TurnEnvironment&) = delete;
  ~TurnEnvironment() override;

  // Begins an episode with this seed (run.seed) and goes on to its first question. May throw InputError.
  void reset(std::uint64_t seed);
  // Answers the question with a factor for the flow's rate and goes on to the next one. Throws InputError, before
  // anything has changed, unless the factor is finite and above 0; std::logic_error if the episode has ended.
  void step(double factor);
  // Ends the episode.
  void close();
  // Throws InputError, which says why, if the single flow of this episode has no first question. Call it after reset().
  void require_question() const;

  // The run has ended, or the single flow has; there is no question then.
  bool has_ended() const { return has_ended_; }
  const Question& question() const { return question_; }
  std::span<const float> observation() const { return row_; }
  Time now() const { return has_ended_ ? end_ : question_.now; }
  // The single flow has ended: the episode's end is not that of the run.
  bool single_has_ended() const { return single_has_ended_; }
  // Flows that have started and ended since reset(), or since the last call of forget_news(). A flow's end becomes
  // known at the end of an epoch of the engine.
  const Flows& flows() const { return flows_; }
  void forget_news() { flows_.forget_news(); }
  const Outside& outside() const { return outside_; }
  // The run, between the calls above and after reset().
  engine::Engine& engine() { return *run_.simulation; }

 private:
  struct alignas(8) Memory {
    std::array<std::byte, policy::Decider::kMaxMemory> bytes;
  };

  std::uint32_t start(const cc::FlowFacts& facts, double& rate) override;
  double decide(std::uint32_t flow, Time now, const policy::Observation& observation) override;
  void ask(std::uint32_t flow, Time now, const policy::Observation& observation) override;
  double answer(std::uint32_t flow, Time) override { return flows_.factor(flow); }

  void simulate();
  void go_on();
  void leave();

  Outside outside_;
  const std::optional<SingleFlow> single_;
  const std::shared_ptr<const policy::Decider> others_;  // null without a single flow
  Flows flows_;
  scenario::Run run_;
  Question question_;
  std::vector<float> row_;
  std::vector<float> row_of_other_;
  std::vector<Memory> memories_;  // of flows that `others` decides for, by place
  double factor_ = 1;
  bool has_ended_ = true;
  bool single_has_ended_ = false;
  Time end_;
  std::exception_ptr error_;
  bool leaving_ = false;
  std::unique_ptr<Fiber> fiber_;  // simulates, and is in the midst of it while a question is open
};

}  // namespace weir::gym
