// Environment: a run that asks for decisions in batches.
//
// The scenario's decision_latency L is above 0. The run goes on by windows of L: [0, L), [L, 2 L), ... What flows ask
// in a window is answered after it, and each answer takes effect L after its question, which is in the next window. So
// results do not depend on how many questions are answered together.
//
//   Environment e(scenario, {});
//   e.reset(1);
//   while (e.advance()) {
//     for (each of e.questions()) ...    // e.observations() has a row for each
//     e.answer(factors);                 // of all questions, in the same order
//   }
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/cc/decision_maker.h"
#include "weir/gym/flows.h"
#include "weir/gym/outside.h"
#include "weir/gym/settings.h"
#include "weir/scenario.h"

namespace weir::gym {

class Environment final : private cc::DecisionMaker {
 public:
  // Throws InputError if the scenario or the settings are not valid, or if decision_latency is 0.
  Environment(const Scenario& scenario, const Settings& settings);
  Environment(const Environment&) = delete;
  ~Environment() override = default;

  // Begins an episode with this seed (run.seed), at the time 0.
  void reset(std::uint64_t seed);
  // Goes on to the end of the next window in which flows have asked. Questions that were not answered keep the rates.
  // Returns false if the run has ended. Call reset() first.
  bool advance();
  // Ends the episode.
  void close();

  // The questions of the window, in order of time, and their observations, width() numbers each.
  std::span<const Question> questions() const { return questions_; }
  std::span<const float> observations() const { return rows_; }
  std::size_t width() const { return flows_.width(); }
  // Answers the question at this place: the factor for the flow's rate, which is above 0 and finite (check_factor).
  void answer(std::size_t place, double factor) {
    const Question& q = questions_[place];
    if (flows_.is_active(q)) flows_.decided(q.place, factor);
  }

  Time now() const { return now_; }
  Time latency() const { return latency_; }
  // Flows that have started and ended since reset(), or since the last call of forget_news(); see Flows.
  const Flows& flows() const { return flows_; }
  void forget_news() { flows_.forget_news(); }
  const Outside& outside() const { return outside_; }
  // The run, between the calls above and after reset().
  engine::Engine& engine() { return *run_.simulation; }

 private:
  std::uint32_t start(const cc::FlowFacts& facts, double& rate) override;
  double decide(std::uint32_t flow, Time now, const policy::Observation& observation) override;
  void ask(std::uint32_t flow, Time now, const policy::Observation& observation) override;
  double answer(std::uint32_t flow, Time now) override;

  void drop_questions_of_ended_flows();

  Outside outside_;
  const Time latency_;
  Flows flows_;
  scenario::Run run_;
  Time now_;
  bool has_ended_ = true;
  std::vector<Question> questions_;
  std::vector<float> rows_;
};

}  // namespace weir::gym
