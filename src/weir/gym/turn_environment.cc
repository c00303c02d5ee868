#include "weir/gym/turn_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "weir/base/error.h"
#include "weir/policy/policy_file.h"

namespace weir::gym {
namespace {

// How far a run that nobody wants any more may still go.
constexpr Time kSlice{100'000'000};

std::shared_ptr<const policy::Decider> decider_of(const SingleFlow& single, const Outside& outside) {
  if (single.others.empty()) return outside.decider();
  return std::make_shared<const policy::Decider>(policy::find_policy(single.others));
}

}  // namespace

TurnEnvironment::TurnEnvironment(const Scenario& scenario, const Settings& settings, std::optional<SingleFlow> single)
    : outside_(scenario, settings),
      single_(std::move(single)),
      others_(single_ ? decider_of(*single_, outside_) : nullptr),
      flows_(settings),
      row_(flows_.width()),
      row_of_other_(flows_.width()) {}

TurnEnvironment::~TurnEnvironment() { leave(); }

void TurnEnvironment::close() {
  leave();
  has_ended_ = true;
  run_ = {};
}

void TurnEnvironment::reset(std::uint64_t seed) {
  close();
  flows_.clear(seed);
  memories_.clear();
  single_has_ended_ = false;
  end_ = {};
  run_ = outside_.build(seed, *this);
  run_.simulation->on_finish([this](const host::FlowRecord& record) {
    if (flows_.finish(record.id) && single_ && flows_.ended().back().number == single_->number)
      single_has_ended_ = true;
  });
  has_ended_ = false;
  fiber_ = std::make_unique<Fiber>([this] { simulate(); });
  go_on();
}

void TurnEnvironment::require_question() const {
  if (!has_ended_) return;
  const std::size_t started = flows_.started().size();
  if (single_ && single_->number >= started)
    throw InputError("flow",
                     fmt::format("there is no flow {}: in this episode {} can be decided", single_->number, started));
  throw InputError("the flow has ended before its first question; give it a larger size or a later run.stop");
}

void TurnEnvironment::step(double factor) {
  if (has_ended_) throw std::logic_error("the episode has ended; call reset() first");
  check_factor(factor, 0);
  factor_ = factor;
  go_on();
}

// Simulates up to the next question, or to the end.
void TurnEnvironment::go_on() {
  fiber_->resume();
  if (!fiber_->has_ended()) return;
  fiber_ = nullptr;
  has_ended_ = true;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

// Lets a run that stands at a question end: nothing may leave the engine in its midst, so it goes on to the end of a
// slice.
void TurnEnvironment::leave() {
  if (fiber_ == nullptr) return;
  leaving_ = true;
  fiber_->resume();
  leaving_ = false;
  fiber_ = nullptr;
  error_ = nullptr;
}

void TurnEnvironment::simulate() {
  try {
    while (!leaving_ && !single_has_ended_ && !run_.simulation->advance(run_.simulation->now() + kSlice)) {
    }
    end_ = run_.simulation->now();
  } catch (...) {
    error_ = std::current_exception();
  }
}

std::uint32_t TurnEnvironment::start(const cc::FlowFacts& facts, double& rate) {
  const std::uint32_t place = flows_.start(facts, rate);
  if (others_) {
    if (place >= memories_.size()) memories_.resize(place + 1);
    others_->start(memories_[place].bytes.data());
  }
  return place;
}

double TurnEnvironment::decide(std::uint32_t flow, Time now, const policy::Observation& observation) {
  if (leaving_) return 1;
  if (others_ && flows_.number(flow) != single_->number) {
    flows_.observe(flow, now, observation, row_of_other_.data());
    const double factor = others_->decide(observation, memories_[flow].bytes.data());
    flows_.decided(flow, factor);
    return factor;
  }
  question_ = flows_.observe(flow, now, observation, row_.data());
  fiber_->pause();
  const double factor = leaving_ ? 1 : factor_;
  flows_.decided(flow, factor);
  return factor;
}

void TurnEnvironment::ask(std::uint32_t flow, Time now, const policy::Observation& observation) {
  decide(flow, now, observation);
}

}  // namespace weir::gym
