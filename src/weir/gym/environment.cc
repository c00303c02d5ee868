#include "weir/gym/environment.h"

#include <algorithm>
#include <stdexcept>

#include "weir/base/error.h"

namespace weir::gym {

Environment::Environment(const Scenario& scenario, const Settings& settings)
    : outside_(scenario, settings), latency_(outside_.latency()), flows_(settings) {
  if (latency_ <= Time{})
    throw InputError("decision_latency",
                     "it is 0, so that each question would have to be answered at once; set it to a time above 0, such "
                     "as 2 us, or take the environment that stops at each question");
}

void Environment::close() {
  has_ended_ = true;
  run_ = {};
  questions_.clear();
  rows_.clear();
}

void Environment::reset(std::uint64_t seed) {
  close();
  flows_.clear(seed);
  now_ = {};
  run_ = outside_.build(seed, *this);
  run_.simulation->on_finish([this](const host::FlowRecord& record) { flows_.finish(record.id); });
  has_ended_ = false;
}

bool Environment::advance() {
  questions_.clear();
  rows_.clear();
  while (!has_ended_) {
    const Time end = now_ + latency_;
    has_ended_ = true;  // unless this call returns
    has_ended_ = run_.simulation->advance(end);
    now_ = has_ended_ ? run_.simulation->now() : end;
    drop_questions_of_ended_flows();
    if (!questions_.empty()) return true;
  }
  return false;
}

void Environment::drop_questions_of_ended_flows() {
  if (flows_.ended().empty()) return;
  const std::size_t width = flows_.width();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    if (!flows_.is_active(questions_[i])) continue;
    if (kept != i) {
      questions_[kept] = questions_[i];
      std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  rows_.begin() + static_cast<std::ptrdiff_t>(kept * width));
    }
    ++kept;
  }
  questions_.resize(kept);
  rows_.resize(kept * width);
}

std::uint32_t Environment::start(const cc::FlowFacts& facts, double& rate) { return flows_.start(facts, rate); }

double Environment::decide(std::uint32_t, Time, const policy::Observation&) {
  throw std::logic_error("an environment with a decision latency is asked for a decision at once");
}

void Environment::ask(std::uint32_t flow, Time now, const policy::Observation& observation) {
  rows_.resize(rows_.size() + flows_.width());
  questions_.push_back(flows_.observe(flow, now, observation, rows_.data() + rows_.size() - flows_.width()));
  flows_.decided(flow, 1);  // unless it is answered
}

double Environment::answer(std::uint32_t flow, Time) { return flows_.factor(flow); }

}  // namespace weir::gym
