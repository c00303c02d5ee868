#include "weir/gym/vector_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "weir/base/error.h"

namespace weir::gym {
namespace {

constexpr std::int64_t kMostEnvironments = 65'536;
constexpr std::int64_t kMostSlots = 1'048'576;
constexpr std::uint32_t kDefaultSlots = 4'096;
constexpr std::int64_t kMostThreads = 1'024;

// Calls use(array, name, value) for each array, with a function from a question to its value.
template <class Use>
void for_each_sight(const Sights& seen, Use&& use) {
  using Q = Question;
  use(seen.intervals, "intervals", [](const Q& q) { return q.interval.ps; });
  use(seen.rtts, "rtts", [](const Q& q) { return q.seen.rtt.ps; });
  use(seen.base_rtts, "base_rtts", [](const Q& q) { return q.seen.base_rtt.ps; });
  use(seen.rates, "rates", [](const Q& q) { return static_cast<float>(q.seen.rate); });
  use(seen.sent, "sent", [](const Q& q) { return static_cast<std::int32_t>(q.seen.sent); });
  use(seen.marked, "marked", [](const Q& q) { return static_cast<std::int32_t>(q.seen.cnps); });
  use(seen.lost, "lost", [](const Q& q) { return static_cast<std::int32_t>(q.seen.nacks); });
  use(seen.acknowledged, "acknowledged", [](const Q& q) { return q.seen.acknowledged.count; });
}

}  // namespace

const VectorShape& checked(const VectorShape& shape) {
  const auto require = [](std::int64_t value, std::int64_t least, std::int64_t most, const char* key) {
    if (value < least || value > most)
      throw InputError(key, fmt::format("{} is not possible; valid is {} to {}", value, least, most));
  };
  require(shape.environments, 1, kMostEnvironments, "environments");
  require(shape.slots, 0, kMostSlots, "slots");
  require(shape.threads, 0, kMostThreads, "threads");
  return shape;
}

VectorEnvironment::VectorEnvironment(const std::vector<Scenario>& scenarios, const Settings& settings,
                                     const VectorShape& shape)
    : slots_(static_cast<std::uint32_t>(checked(shape).slots)), workers_(static_cast<unsigned>(shape.threads)) {
  if (scenarios.empty()) throw InputError("scenarios", "there is none; give at least one");
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.environments); ++i)
    environments_.push_back(std::make_unique<Environment>(scenarios[i % scenarios.size()], settings));
  progress_.resize(environments_.size());
  if (slots_ == 0) slots_ = std::max(1u, environments_.front()->outside().count_flows(kDefaultSlots));
}

void VectorEnvironment::check_room(const Batch& out) const {
  const std::size_t rows = capacity();
  const auto require = [rows](std::size_t size, std::size_t width, const char* name) {
    if (size < rows * width)
      throw InputError(std::string(name),
                       fmt::format("the array has room for {} numbers; {} are needed", size, rows * width));
  };
  require(out.observations.size(), width(), "observations");
  require(out.rewards.size(), 1, "rewards");
  require(out.flows.size(), 1, "flows");
  require(out.environments.size(), 1, "environments");
  require(out.episodes.size(), 1, "episodes");
  require(out.times.size(), 1, "times");
  require(out.first.size(), 1, "first");
  for_each_sight(out.seen, [&](const auto& array, const char* name, auto) {
    if (!array.empty()) require(array.size(), 1, name);
  });
}

template <class Work>
void VectorEnvironment::for_each(Work&& work) {
  usable_ = false;
  workers_.run(environments_.size(), [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      progress_[i].error = std::current_exception();
    }
  });
  for (Progress& p : progress_)
    if (p.error) std::rethrow_exception(std::exchange(p.error, nullptr));
  usable_ = true;
}

std::size_t VectorEnvironment::reset(std::uint64_t seed, const Batch& out) {
  check_room(out);
  seed_ = seed;
  for_each([this](std::size_t i) {
    progress_[i] = {};
    environments_[i]->reset(seed_of(seed_, i, environments_.size(), 0));
    go_on(i);
  });
  return write(out);
}

// Lets environment i go on to the questions that it gives out next.
void VectorEnvironment::go_on(std::size_t i) {
  Environment& environment = *environments_[i];
  Progress& p = progress_[i];
  p.begin += p.count;
  for (int empty_episodes = 0; p.begin >= environment.questions().size();) {
    p.begin = 0;
    const std::uint32_t flows_before = environment.flows().count();
    environment.forget_news();
    if (environment.advance()) break;
    // The second episode that has ended here had no question at all.
    if (++empty_episodes == 2)
      throw InputError(
          fmt::format("environment {}: in a whole episode, in which {} flows started, no flow has asked for "
                      "a decision; give it longer flows or a later run.stop",
                      i, flows_before));
    ++p.episode;
    environment.reset(seed_of(seed_, i, environments_.size(), p.episode));
  }
  p.count = std::min<std::size_t>(slots_, environment.questions().size() - p.begin);
}

template <class Number>
std::size_t VectorEnvironment::step_with(std::span<const Number> factors, const Batch& out) {
  if (!usable_) throw std::logic_error("the environments have not begun an episode; call reset() first");
  check_room(out);
  if (factors.size() != given_)
    throw InputError("actions", fmt::format("there are {}; valid is one for each question of the last call, {}",
                                            factors.size(), given_));
  for (std::size_t k = 0; k < factors.size(); ++k) check_factor(static_cast<double>(factors[k]), k);

  std::size_t at = 0;
  for (std::size_t i = 0; i < environments_.size(); ++i)
    for (std::size_t k = 0; k < progress_[i].count; ++k)
      environments_[i]->answer(progress_[i].begin + k, static_cast<double>(factors[at++]));
  for_each([this](std::size_t i) { go_on(i); });
  return write(out);
}

template std::size_t VectorEnvironment::step_with(std::span<const float> factors, const Batch& out);
template std::size_t VectorEnvironment::step_with(std::span<const double> factors, const Batch& out);

std::size_t VectorEnvironment::write(const Batch& out) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < environments_.size(); ++i) {
    const Environment& environment = *environments_[i];
    const Progress& p = progress_[i];
    const auto rows = environment.observations().subspan(p.begin * width(), p.count * width());
    std::copy(rows.begin(), rows.end(), out.observations.begin() + static_cast<std::ptrdiff_t>(at * width()));
    const auto questions = environment.questions().subspan(p.begin, p.count);
    for_each_sight(out.seen, [&](const auto& array, const char*, auto value) {
      if (array.empty()) return;
      for (std::size_t k = 0; k < questions.size(); ++k) array[at + k] = value(questions[k]);
    });
    for (const Question& q : questions) {
      out.rewards[at] = q.reward;
      out.flows[at] = static_cast<std::int64_t>(q.flow);
      out.environments[at] = static_cast<std::int32_t>(i);
      out.episodes[at] = static_cast<std::int32_t>(p.episode);
      out.times[at] = q.now.ps;
      out.first[at] = q.first;
      ++at;
    }
  }
  given_ = at;
  return at;
}

}  // namespace weir::gym
