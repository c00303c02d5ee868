#include "weir/learn/learner.h"

#include "weir/learn/adpg_learner.h"
#include "weir/learn/ddpg.h"
#include "weir/learn/dqn.h"
#include "weir/learn/ppo.h"

namespace weir::learn {

std::unique_ptr<Learner> make_learner(const Curriculum& curriculum, std::uint64_t seed) {
  const LearnerParams& l = curriculum.learner;
  const PolicyParams& p = curriculum.policy;
  switch (l.method) {
    case Method::adpg: return std::make_unique<AdpgLearner>(l, p, seed);
    case Method::dqn: return std::make_unique<DqnLearner>(l, p, seed);
    case Method::ddpg: return std::make_unique<DdpgLearner>(l, p, seed);
    default: return std::make_unique<PpoLearner>(l, p, seed);
  }
}

}  // namespace weir::learn
