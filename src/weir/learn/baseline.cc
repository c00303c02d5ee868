#include "weir/learn/baseline.h"

#include "weir/learn/trainer.h"

namespace weir::learn {

Evaluation run_baseline(const Curriculum& curriculum, std::uint32_t flows, unsigned threads) {
  Trainer trainer(curriculum, {.directory = "", .threads = threads});
  while (!trainer.done()) trainer.step();
  return evaluate(curriculum.star(flows),
                  [&](const RandomStream& stream, const FirstRates& rates) {
                    return trainer.learner().actor(stream, rates, false);
                  },
                  {curriculum.validation.first_load_low, curriculum.validation.first_load_high},
                  {.duration = curriculum.validation.duration,
                   .measured = curriculum.validation.measured,
                   .spread = curriculum.randomise.spread,
                   .seed = curriculum.learner.seed,
                   .signal = curriculum.policy.signal()});
}

}  // namespace weir::learn
