#include "weir/probe/link_probe.h"
#include "weir/engine/model.h"

#include <algorithm>
#include <string>

namespace weir::probe {
namespace {

double share_of_capacity(std::uint64_t bytes, double bits_per_second, Time span) {
  return span.ps > 0 ? static_cast<double>(bytes) * 8 / (bits_per_second * span.seconds()) : 0;
}

struct Sums {
  LinkTier tier;
  double capacity = 0;

  void add(std::uint64_t sent, Rate rate, double utilisation) {
    ++tier.ports;
    tier.sent_bytes += sent;
    tier.max_utilisation = std::max(tier.max_utilisation, utilisation);
    capacity += static_cast<double>(rate.bits_per_second);
  }
  LinkTier result(std::string name, Time run) {
    tier.name = std::move(name);
    tier.utilisation = share_of_capacity(tier.sent_bytes, capacity, run);
    return tier;
  }
};

}  // namespace

void LinkProbe::check(const Params& params, const Checks& checks) { check_ports(params.ports, checks); }

void LinkProbe::add_possible(const Params& params, const Setting& setting, Summary& out) {
  add_possible_tiers(out.links.emplace(), setting.model.topology, params.ports);
}

LinkProbe::LinkProbe(const Params& params, const Context& context)
    : simulation_(context.engine),
      out_(context.out),
      ports_(choose_ports(simulation_.model().topology, params.ports)),
      tiers_(simulation_.model().topology, ports_) {
  if (out_ == nullptr || !params.series) return;
  sent_.resize(ports_.size());
  series_.emplace(out_->table("link_series.csv"));
  simulation_.every(params.interval, [this](Time now) { sample(now); });
}

void LinkProbe::sample(Time now) {
  const net::Topology& topology = simulation_.model().topology;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::uint64_t sent = simulation_.sent_bytes(ports_[i]);
    const Rate rate = topology.links[ports_[i] / 2].rate;
    if (now > last_)
      series_->print("{},{},{},{},{},{:.7g}\n", now.ps, ports_[i], topology.port_owner(ports_[i]),
                     topology.port_peer(ports_[i]), sent - sent_[i],
                     share_of_capacity(sent - sent_[i], static_cast<double>(rate.bits_per_second), now - last_));
    sent_[i] = sent;
  }
  last_ = now;
}

void LinkProbe::finish(Summary& out) {
  const net::Topology& topology = simulation_.model().topology;
  const Time run = simulation_.now();
  if (series_) {
    if (last_ < run) sample(run);
    series_->close();
  }
  std::optional<ResultFile> file;
  if (out_ != nullptr) {
    file.emplace(out_->table("links.csv"));
  }
  Sums all;
  std::uint64_t lost_packets = 0;
  std::vector<Sums> by_tier(tiers_.names.size());
  std::vector<Sums> by_direction(tiers_.groups.size());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::uint64_t sent = simulation_.sent_bytes(ports_[i]);
    const Rate rate = topology.links[ports_[i] / 2].rate;
    const double utilisation = share_of_capacity(sent, static_cast<double>(rate.bits_per_second), run);
    all.add(sent, rate, utilisation);
    by_tier[tiers_.tier_of(i)].add(sent, rate, utilisation);
    by_direction[tiers_.of_port[i]].add(sent, rate, utilisation);
    const std::uint64_t lost = simulation_.lost(ports_[i]);
    lost_packets += lost;
    if (file)
      file->print("{},{},{},{},{},{},{:.7g},{},{}\n", ports_[i], topology.port_owner(ports_[i]),
                  topology.port_peer(ports_[i]), tiers_.names[tiers_.tier_of(i)], rate.bits_per_second, sent,
                  utilisation, simulation_.marked(ports_[i]), lost);
  }
  if (file) file->close();

  LinkSummary& summary = out.links.emplace();
  summary.all = all.result("all", run);
  summary.lost_packets = lost_packets;
  for (std::size_t i = 0; i < by_tier.size(); ++i) summary.by_tier.push_back(by_tier[i].result(tiers_.names[i], run));
  for (std::size_t i = 0; i < by_direction.size(); ++i)
    summary.by_direction.push_back(by_direction[i].result(tiers_.groups[i].name, run));
  write_switches(summary);
}

void LinkProbe::write_switches(LinkSummary& summary) {
  const auto& model = simulation_.model();
  std::optional<ResultFile> file;
  if (out_ != nullptr) {
    file.emplace(out_->table("switches.csv"));
  }
  for (std::uint32_t s = 0; s < model.topology.switches; ++s) {
    std::uint64_t marked = 0;
    for (const std::uint32_t port : model.routing.ports(s)) marked += simulation_.marked(port);
    summary.marked_packets += marked;
    summary.dropped_packets += simulation_.dropped(s);
    const std::uint32_t node = model.topology.hosts + s;
    if (file)
      file->print("{},{},{},{},{}\n", node, tier_name(model.topology.tier[node]), marked, simulation_.dropped(s),
                  simulation_.pauses_sent(s));
  }
  if (file) file->close();
}

}  // namespace weir::probe
