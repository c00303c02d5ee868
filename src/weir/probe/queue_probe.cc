#include "weir/probe/queue_probe.h"

#include <string_view>

namespace weir::probe {

QueueProbe::QueueProbe(const QueuesParams& params, engine::Engine& simulation, ResultDirectory* out)
    : params_(params),
      simulation_(simulation),
      out_(out),
      ports_(choose_ports(simulation.model().topology, params.ports)),
      tiers_(simulation.model().topology, ports_),
      by_tier_(tiers_.names.size()) {
  if (out == nullptr || !params.series) return;
  series_.emplace(out->file("queues.csv"));
  series_->write("time_ps,port,from,to,queue_bytes\n");
}

void QueueProbe::sample(Time now) {
  if (now < params_.start || (params_.stop.ps != 0 && now >= params_.stop)) return;
  ++instants_;
  const net::Topology& topology = simulation_.model().topology;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::uint32_t queued = simulation_.queued_bytes(ports_[i]);
    by_tier_[tiers_.of_port[i]].add(queued);
    if (series_)
      series_->print("{},{},{},{},{}\n", now.ps, ports_[i], topology.port_owner(ports_[i]),
                     topology.port_peer(ports_[i]), queued);
  }
}

QueueSummary QueueProbe::finish() {
  Histogram all;
  for (const auto& tier : by_tier_) all.merge(tier);

  if (series_) series_->close();
  if (out_ != nullptr) {
    ResultFile file = out_->file("queue_cdf.csv");
    file.write("tier,queue_bytes,samples,cumulative\n");
    const auto write = [&](std::string_view tier, const Histogram& h) {
      std::uint64_t below = 0;
      h.for_each([&](double value, std::uint64_t count) {
        below += count;
        file.print("{},{:.7g},{},{:.9g}\n", tier, value, count,
                   static_cast<double>(below) / static_cast<double>(h.count()));
      });
    };
    write("all", all);
    for (std::size_t i = 0; i < by_tier_.size(); ++i) write(tiers_.names[i], by_tier_[i]);
    file.close();
  }

  QueueSummary summary{.interval = params_.interval,
                       .ports = static_cast<std::uint32_t>(ports_.size()),
                       .instants = instants_,
                       .all = all.distribution(),
                       .by_tier = {}};
  for (std::size_t i = 0; i < by_tier_.size(); ++i)
    summary.by_tier.push_back({tiers_.names[i], by_tier_[i].distribution()});
  return summary;
}

}  // namespace weir::probe
