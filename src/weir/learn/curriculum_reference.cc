#include "weir/learn/curriculum_reference.h"

#include "weir/learn/curriculum.h"

namespace weir::learn {
namespace {

scenario::ReferenceItem item(std::string name, std::string meaning, std::string header, const ParamSet* params) {
  scenario::ReferenceItem out;
  out.name = std::move(name);
  out.meaning = std::move(meaning);
  out.tables.push_back({std::move(header), params});
  return out;
}

}  // namespace

scenario::ReferenceSection curriculum_reference() {
  return {"curricula",
          "what `weir train` reads: how a policy is learned, what signal it gets, and on which networks",
          {item("learner", "how a policy is learned, and for how long", "[learner]", &params_of<LearnerParams>()),
           item("policy", "what a policy is told, and how far it may go", "[policy]", &params_of<PolicyParams>()),
           item("environment",
                "a network to learn on; there may be several. Its `set` is a list of keys of scenarios, like "
                "[\"topology.delay = '2 us'\"]; what all have in common is [scenario], a scenario without traffic",
                "[[environment]]", &params_of<EnvironmentParams>()),
           item("randomise", "what differs from one start of an environment to the next", "[randomise]",
                &params_of<RandomiseParams>()),
           item("validation",
                "how a policy is judged while it learns, so that the best is kept. Its `flows` is a list of numbers of "
                "flows, [3, 16, 128] by default, each in a star of [scenario]; [[validation.network]] has the keys of "
                "[[environment]]",
                "[validation]", &params_of<ValidationParams>())}};
}

}  // namespace weir::learn
