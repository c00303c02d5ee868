#include "weir/learn/learner.h"

#include "weir/learn/adpg_learner.h"
#include "weir/learn/ppo.h"

namespace weir::learn {

std::unique_ptr<Learner> make_learner(const Curriculum& curriculum, std::uint64_t seed) {
  if (curriculum.learner.method == Method::adpg)
    return std::make_unique<AdpgLearner>(curriculum.learner, curriculum.policy, seed);
  return std::make_unique<PpoLearner>(curriculum.learner, curriculum.policy, seed);
}

}  // namespace weir::learn
