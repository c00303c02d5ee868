#include "weir/learn/trained.h"

#include <algorithm>

#include "weir/learn/environment.h"
#include "weir/scenario/each_flow.h"
#include "weir/scenario/policy_ranges.h"

namespace weir::learn {
namespace {

class Ranges {
 public:
  void add(const World& world) {
    const auto model = scenario::build_model(world.scenario);
    const auto path = [&](std::uint32_t src, std::uint32_t dst, std::uint16_t profile) {
      if (profile != world.profile) return;
      scenario::include_path(*model, profile, src, dst, paths_++ == 0, out_);
    };
    for_each_added(world, model->topology.hosts,
                   [&](std::uint32_t src, std::uint32_t dst) { path(src, dst, world.profile); });
    if (!world.scenario.traffic.empty())
      scenario::for_each_flow(world.scenario, *model,
                              [&](std::uint32_t src, std::uint32_t dst, Bytes, std::uint16_t profile) {
                                path(src, dst, profile);
                                return true;
                              });
    if (world.flows == 0) return;
    const std::int64_t flows = world.flows;
    if (!has_flows_) out_.flows = {flows, flows};
    out_.flows.include(flows);
    has_flows_ = true;
  }
  const policy::Trained& result() const { return out_; }

 private:
  policy::Trained out_;
  std::uint64_t paths_ = 0;
  bool has_flows_ = false;
};

}  // namespace

policy::Trained trained_of(const Curriculum& curriculum) {
  Ranges out;
  for (const World& world : curriculum.environments) out.add(world);
  for (const World& world : curriculum.validations) out.add(world);
  return out.result();
}

}  // namespace weir::learn
