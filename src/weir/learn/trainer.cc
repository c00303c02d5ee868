#include "weir/learn/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/learn/parallel.h"
#include "weir/learn/training_files.h"

namespace weir::learn {

struct Trainer::Place {
  std::unique_ptr<Actor> actor;
  std::unique_ptr<Environment> environment;
  bool ended = false;
};

namespace {

// Fresh numbers for environments and validations: no two purposes share one.
enum class Seeds : std::uint32_t { environment = 3, validation = 4, inputs = 5 };

std::uint64_t seed_of(std::uint64_t seed, Seeds purpose, std::uint64_t i, std::uint64_t k) {
  const RandomStream stream(seed, static_cast<std::uint32_t>(purpose), Purpose::learning);
  return stream.below((i << 20) + k, static_cast<std::uint64_t>(scenario::kMaxSeed) + 1);
}

// Of one environment's complete decisions.
struct Seen {
  std::uint64_t decisions = 0;
  double reward = 0;
  double queueing = 0;
  double fairness = -1;  // below 0: fewer than two flows have decided
};

Seen look_at(const TrajectoryStore& store) {
  Seen out;
  double least = std::numeric_limits<double>::max(), most = 0;
  std::size_t flows = 0;
  for (std::uint32_t flow = 0; flow < store.flows(); ++flow) {
    const auto& steps = store.sequence(flow).steps;
    if (steps.empty()) continue;
    double rate = 0;
    for (const Step& step : steps) {
      out.reward += step.outcome.reward;
      out.queueing += step.outcome.queueing;
      rate += step.outcome.rate;
    }
    rate /= static_cast<double>(steps.size());
    least = std::min(least, rate);
    most = std::max(most, rate);
    out.decisions += steps.size();
    ++flows;
  }
  if (flows > 1 && most > 0) out.fairness = least / most;
  return out;
}

}  // namespace

Trainer::Trainer(const Curriculum& curriculum, const TrainerOptions& options)
    : curriculum_(curriculum),
      options_(options),
      digest_(curriculum.digest()),
      learner_(make_learner(curriculum, curriculum.learner.seed)) {
  const std::string& directory = options_.directory;
  if (directory.empty()) return;
  const auto content = open_training(directory, options_.resume);
  if (content) read_checkpoint(*content);
  write_whole(directory, "curriculum.toml", curriculum_.effective(directory));
  begin_progress(directory, update_);
}

Trainer::~Trainer() = default;

void Trainer::begin_environments() {
  places_.clear();
  const LearnerParams& l = curriculum_.learner;
  const RandomiseParams& r = curriculum_.randomise;
  places_.resize(curriculum_.environments.size());
  parallel_for(options_.threads, places_.size(), [&](std::size_t i) {
    const std::uint64_t seed = seed_of(l.seed, Seeds::environment, i, update_);
    auto place = std::make_unique<Place>();
    place->actor =
        learner_->actor(RandomStream(seed, 1, Purpose::learning), {r.first_rate_low, r.first_rate_high}, true);
    place->environment = std::make_unique<Environment>(curriculum_.environments[i], *place->actor, seed, r.spread);
    places_[i] = std::move(place);
  });
}

void Trainer::run_environment(Place& place) {
  const LearnerParams& l = curriculum_.learner;
  const TrajectoryStore& store = place.actor->store();
  Environment& e = *place.environment;
  const Time last = e.engine().now() + l.most_time;
  while (!place.ended && e.engine().now() < last && store.steps() < l.most_steps) {
    place.ended = !e.advance();
    const std::uint64_t active = e.active();
    if (active > 0 && store.steps() >= active * l.rollout && store.flows_with(l.rollout) >= active) break;
  }
}

Update Trainer::learn_once() {
  const LearnerParams& l = curriculum_.learner;
  const bool all_ended = std::all_of(places_.begin(), places_.end(), [](const auto& p) { return p->ended; });
  if (update_ % l.reset_every == 0 || all_ended) {
    begun_ = update_;
    decisions_at_begin_ = decisions_;
    state_at_begin_ = state_of_learner();
    begin_environments();
  }
  parallel_for(options_.threads, places_.size(), [&](std::size_t i) { run_environment(*places_[i]); });

  Update out;
  std::vector<TrajectoryStore*> stores;
  std::uint64_t decisions = 0, fair = 0;
  for (const auto& place : places_) {
    stores.push_back(&place->actor->store());
    const Seen seen = look_at(*stores.back());
    decisions += seen.decisions;
    out.reward += seen.reward;
    out.queue += seen.queueing;
    if (seen.fairness < 0) continue;
    out.fairness += seen.fairness;
    ++fair;
  }
  if (decisions > 0) out.reward /= static_cast<double>(decisions);
  if (decisions > 0) out.queue /= static_cast<double>(decisions);
  if (fair > 0) out.fairness /= static_cast<double>(fair);
  const double done = l.updates > 1 ? static_cast<double>(update_) / static_cast<double>(l.updates - 1) : 0;
  out.rate = l.learning_rate + (l.final_learning_rate - l.learning_rate) * std::min(done, 1.0);
  out.loss = learner_->learn(stores, out.rate);
  for (TrajectoryStore* store : stores) store->clear();
  decisions_ += decisions;
  out.number = ++update_;
  out.decisions = decisions_;
  return out;
}

Update Trainer::step() {
  Update out = learn_once();
  if (update_ % curriculum_.validation.every == 0 || done()) {
    Validation validation = validate(
        curriculum_,
        [&](const RandomStream& stream, const FirstRates& rates) { return learner_->actor(stream, rates, false); },
        options_.threads);
    validation.update = update_;
    out.validated = true;
    out.score = validation.score;
    if (best_state_.empty() || validation.score > best_.score) {
      best_ = std::move(validation);
      best_state_ = state_of_learner();
    }
  }
  if (!options_.directory.empty()) {
    add_progress(options_.directory, out);
    write_whole(options_.directory, kCheckpointFile, checkpoint());
  }
  return out;
}

Validation validate(const Curriculum& curriculum, const MakeActor& make, unsigned threads) {
  const ValidationParams& v = curriculum.validation;
  Validation out;
  out.runs.resize(curriculum.validations.size() * v.seeds);
  parallel_for(threads, out.runs.size(), [&](std::size_t i) {
    const EvaluationOptions options{.duration = v.duration,
                                    .measured = v.measured,
                                    .spread = curriculum.randomise.spread,
                                    .seed = seed_of(curriculum.learner.seed, Seeds::validation, i, 0),
                                    .signal = curriculum.policy.signal()};
    out.runs[i] = evaluate(curriculum.validations[i / v.seeds], make, {v.first_load_low, v.first_load_high}, options);
  });
  out.score = std::numeric_limits<double>::max();
  for (const Evaluation& run : out.runs) out.score = std::min(out.score, run.score());
  return out;
}

void Trainer::return_to_best() {
  if (best_state_.empty()) return;
  Loader a(best_state_);
  learner_->load(a);
}

std::string Trainer::state_of_learner() {
  Saver a;
  learner_->save(a);
  return a.take();
}

std::string Trainer::checkpoint() {
  Saver a;
  a.text(digest_);
  a.value(update_);
  a.value(decisions_);
  a.value(begun_);
  a.value(decisions_at_begin_);
  a.text(state_at_begin_);
  a.text(state_of_learner());
  a.text(best_state_);
  a.value(best_.update);
  a.value(best_.score);
  a.values(best_.runs);
  return a.take();
}

void Trainer::read_checkpoint(const std::string& content) {
  Loader a(content);
  std::string digest, state;
  a.text(digest);
  if (digest != digest_)
    throw InputError(
        fmt::format("{}/{}: it is of another curriculum or seed than {}; go on with that one, or write "
                    "another --out",
                    options_.directory, kCheckpointFile, curriculum_.file));
  std::uint32_t update = 0;
  std::uint64_t decisions = 0;
  a.value(update);
  a.value(decisions);
  a.value(begun_);
  a.value(decisions_at_begin_);
  a.text(state_at_begin_);
  a.text(state);
  a.text(best_state_);
  a.value(best_.update);
  a.value(best_.score);
  a.values(best_.runs);
  Loader begun(state_at_begin_);
  learner_->load(begun);
  update_ = begun_;
  decisions_ = decisions_at_begin_;
  while (update_ < update) learn_once();
  if (state_of_learner() != state || decisions_ != decisions)
    throw InputError(
        fmt::format("{}/{}: the updates since its environments began do not repeat; it is of another "
                    "version of weir",
                    options_.directory, kCheckpointFile));
}

void Trainer::finish() {
  const std::string& directory = options_.directory;
  if (directory.empty()) return;
  if (const auto last = learner_->policy())
    write_whole(directory, "last.toml", policy_text(*last, curriculum_, digest_, update_, best_.score));
  return_to_best();
  if (const auto best = learner_->policy()) {
    write_whole(directory, "policy.toml", policy_text(*best, curriculum_, digest_, best_.update, best_.score));
    write_inputs();
  }
}

// What the best policy gets in the environments, from fresh starts on.
void Trainer::write_inputs() {
  constexpr std::size_t kRows = 12'000;
  const RandomiseParams& r = curriculum_.randomise;
  const std::size_t share = kRows / curriculum_.environments.size() + 1;
  std::vector<std::string> texts(curriculum_.environments.size());
  const int width = learner_->policy()->width();
  parallel_for(options_.threads, texts.size(), [&](std::size_t i) {
    std::size_t rows = 0;
    // flows of all turns and environments have different numbers
    auto first_flow = static_cast<std::uint32_t>((std::uint64_t{i} << 32) / texts.size());
    for (std::uint64_t turn = 0; rows < share && turn < 1000; ++turn) {
      const std::uint64_t seed = seed_of(curriculum_.learner.seed, Seeds::inputs, i, turn);
      Place place;
      place.actor =
          learner_->actor(RandomStream(seed, 1, Purpose::learning), {r.first_rate_low, r.first_rate_high}, false);
      place.environment = std::make_unique<Environment>(curriculum_.environments[i], *place.actor, seed, r.spread);
      for (std::uint32_t n = 0; n < curriculum_.learner.reset_every; ++n) {
        run_environment(place);
        rows += add_inputs(place.actor->store(), width, first_flow, texts[i]);
        place.actor->store().clear();
      }
      first_flow += static_cast<std::uint32_t>(place.actor->store().flows());
    }
  });
  std::string all = inputs_header(width);
  for (const auto& text : texts) all += text;
  write_whole(options_.directory, "inputs.csv", all);
}

}  // namespace weir::learn
