#include "weir/engine/parallel/partitions.h"

#include <algorithm>

#include "weir/engine/parallel/local_partitions.h"

namespace weir::engine {
namespace {

// Whether nodes take turns. They do if a busy port has a packet or more in each turn, and two or more where calls at
// intervals cut turns short: the more packets there are in a turn, the more is gained.
bool nodes_take_turns(const Model& model, const Network& network, const RunOptions& options) {
  if (options.scheduler != SchedulerKind::automatic) return false;
  for (const auto& profile : model.profiles)
    if (cc::has(profile.algorithm->about.needs, cc::Needs::order | cc::Needs::decisions)) return false;
  Rate fastest;
  for (const auto& link : model.topology.links) fastest = std::max(fastest, link.rate);
  const Time packet = transmission_time(model.transport.payload, fastest);
  return turn_length(model.topology, network.soonest_news) >= packet && options.shortest_interval >= 2 * packet;
}

}  // namespace

std::unique_ptr<Partitions> make_partitions(const Model& model, Network& network, const RunOptions& options) {
  const std::uint32_t ranks = options.ranks == nullptr ? 1 : options.ranks->size();
  const std::uint32_t partitions = options.partitions == 0 ? options.threads * ranks : options.partitions;
  const auto make = [&]<class S>() -> std::unique_ptr<Partitions> {
    if (options.traced) return std::make_unique<LocalPartitions<S, net::Recorder>>(model, network, partitions, options);
    return std::make_unique<LocalPartitions<S, net::NoTracer>>(model, network, partitions, options);
  };
  if (options.scheduler == SchedulerKind::heap) return make.template operator()<sim::HeapScheduler>();
  if (nodes_take_turns(model, network, options)) return make.template operator()<sim::NodeScheduler>();
  return make.template operator()<sim::WheelScheduler>();
}

}  // namespace weir::engine
