#include "weir/learn/baseline.h"

#include "weir/learn/trainer.h"

namespace weir::learn {

Baseline run_baseline(const Curriculum& curriculum, std::uint32_t flows, unsigned threads) {
  const EvaluationOptions options{.duration = curriculum.validation.duration,
                                  .measured = curriculum.validation.measured,
                                  .spread = curriculum.randomise.spread,
                                  .seed = curriculum.learner.seed,
                                  .signal = curriculum.policy.signal()};
  const World world = curriculum.star(flows);
  const auto look = [&](const Learner& learner, bool explores) {
    return evaluate(
        world,
        [&](const RandomStream& stream, const FirstRates& rates) { return learner.actor(stream, rates, explores); },
        {curriculum.validation.first_load_low, curriculum.validation.first_load_high}, options);
  };
  Trainer trainer(curriculum, {.directory = "", .threads = threads});
  Baseline out;
  out.untrained = look(trainer.learner(), false);
  out.random = look(trainer.learner(), true);
  while (!trainer.done()) out.decisions = trainer.step().decisions;
  out.trained = look(trainer.learner(), false);
  return out;
}

}  // namespace weir::learn
