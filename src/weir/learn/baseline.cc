#include "weir/learn/baseline.h"

namespace weir::learn {

Baseline::Baseline(const Curriculum& curriculum, unsigned threads)
    : trainer_(curriculum, {.directory = "", .threads = threads}) {
  while (!trainer_.done()) trainer_.step();
}

Evaluation Baseline::run(std::uint32_t flows, bool explores) const {
  const Curriculum& curriculum = trainer_.curriculum();
  return evaluate(curriculum.star(flows),
                  [&](const RandomStream& stream, const FirstRates& rates) {
                    return trainer_.learner().actor(stream, rates, explores);
                  },
                  {curriculum.validation.first_load_low, curriculum.validation.first_load_high},
                  {.duration = curriculum.validation.duration,
                   .measured = curriculum.validation.measured,
                   .spread = curriculum.randomise.spread,
                   .seed = curriculum.learner.seed,
                   .signal = curriculum.policy.signal()});
}

}  // namespace weir::learn
