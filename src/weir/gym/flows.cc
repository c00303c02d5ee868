#include "weir/gym/flows.h"

#include <algorithm>
#include <cmath>

namespace weir::gym {
namespace {

// least * (most / least)^u for u in [0, 1). The power is a product of roots, because the one of libm is not the same on
// every machine.
double log_uniform(double least, double most, double u) {
  double out = least;
  double root = most / least;
  for (int bit = 0; bit < 30 && u > 0; ++bit) {
    root = std::sqrt(root);
    u *= 2;
    if (u < 1) continue;
    u -= 1;
    out *= root;
  }
  return std::clamp(out, least, most);
}

}  // namespace

void Flows::clear(std::uint64_t seed) {
  seed_ = seed;
  count_ = 0;
  states_.clear();
  rows_.clear();
  free_.clear();
  places_.clear();
  forget_news();
}

void Flows::forget_news() {
  started_.clear();
  ended_.clear();
}

std::uint32_t Flows::start(const cc::FlowFacts& facts, double& rate) {
  std::uint32_t place = 0;
  if (free_.empty()) {
    place = static_cast<std::uint32_t>(states_.size());
    states_.emplace_back();
    rows_.resize(rows_.size() + width_);
  } else {
    place = free_.back();
    free_.pop_back();
  }
  const std::uint64_t flow = facts.random.entity();
  states_[place] = {.flow = flow, .last = facts.start, .number = count_++, .active = true};
  float* row = rows_.data() + place * width_;
  for (std::size_t i = 0; i < width_; ++i) row[i] = i % 2 == 0 ? 1.0f : 0.0f;  // factor 1, signal 0
  places_[flow] = place;
  started_.push_back({flow, states_[place].number});
  if (settings_.most_first_rate > 0) {
    const RandomStream random(seed_, facts.random.entity(), Purpose::first_rate);
    rate = log_uniform(settings_.least_first_rate, settings_.most_first_rate, random.uniform(0));
  }
  return place;
}

Question Flows::observe(std::uint32_t place, Time now, const policy::Observation& o, float* out) {
  State& state = states_[place];
  const double signal = policy::signal(settings_.signal, o);
  Question q{.now = now,
             .interval = now - state.last,
             .flow = state.flow,
             .number = state.number,
             .first = !state.asked,
             .seen = o,
             .place = place};
  state.last = now;
  if (state.asked) {
    const double plain = signal / settings_.signal.scale;
    q.reward = static_cast<float>(settings_.reward == Reward::signal ? -std::abs(signal) : -(plain * plain));
  }
  state.asked = true;
  const auto clipped = [this](double x) { return static_cast<float>(std::clamp(x, -settings_.clip, settings_.clip)); };
  float* row = rows_.data() + place * width_;
  if (settings_.inputs == policy::Inputs::code) {
    std::copy_backward(row, row + width_ - 2, row + width_);
    row[0] = clipped(state.factor);
    row[1] = clipped(signal);
  } else {
    const double sent = std::max(o.sent, 1u);
    row[0] = clipped(o.rate);
    row[1] = clipped(static_cast<double>(o.rtt.ps) / static_cast<double>(o.base_rtt.ps));
    row[2] = clipped(o.cnps / sent);
    row[3] = clipped(o.nacks / sent);
  }
  std::copy(row, row + width_, out);
  return q;
}

bool Flows::finish(std::uint64_t flow) {
  const auto known = places_.find(flow);
  if (known == places_.end()) return false;
  State& state = states_[known->second];
  state.active = false;
  ended_.push_back({flow, state.number});
  free_.push_back(known->second);
  places_.erase(known);
  return true;
}

}  // namespace weir::gym
