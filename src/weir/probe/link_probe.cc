#include "weir/probe/link_probe.h"
#include "weir/engine/model/model.h"

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
  add_possible_tiers(out.links.emplace(), model_of(setting.network).topology, params.ports);
}

LinkProbe::LinkProbe(const Params& params, const Context& context)
    : params_(params),
      simulation_(context.engine),
      out_(context.out),
      ports_(choose_ports(model_of(simulation_).topology, params.ports)),
      tiers_(model_of(simulation_).topology, ports_) {
  const bool has_series = out_ != nullptr && params.series;
  if (has_series) {
    sent_.resize(ports_.size());
    series_.emplace(out_->table("link_series.csv"));
  }
  if (has_series || is_limited()) simulation_.every(params.interval, [this](Time now) { sample(now); });
}

LinkProbe::Counts LinkProbe::count(Time now) const {
  Counts out{.time = now, .ports = {}, .switches = {}};
  for (const std::uint32_t port : ports_) {
    const engine::PortFigures of = simulation_.port_figures(port);
    out.ports.push_back({of.sent_bytes, of.marked, of.lost});
  }
  const auto& model = model_of(simulation_);
  for (std::uint32_t s = 0; s < model.topology.switches; ++s) {
    OfSwitch& of = out.switches.emplace_back();
    for (const std::uint32_t port : model.routing.ports(s)) of.marked += simulation_.port_figures(port).marked;
    const engine::SwitchFigures figures = simulation_.switch_figures(s);
    of.dropped = figures.dropped;
    of.pauses_sent = figures.pauses_sent;
  }
  return out;
}

LinkProbe::Counts LinkProbe::observed() {
  const Time now = simulation_.now();
  Counts out = params_.stop > Time{} && params_.stop < now ? latest_ : count(now);
  if (out.ports.empty()) out = count(now), first_ = out;  // the run has ended before the begin
  for (std::size_t i = 0; i < first_.ports.size(); ++i) {
    out.ports[i].sent -= first_.ports[i].sent;
    out.ports[i].marked -= first_.ports[i].marked;
    out.ports[i].lost -= first_.ports[i].lost;
  }
  for (std::size_t s = 0; s < first_.switches.size(); ++s) {
    out.switches[s].marked -= first_.switches[s].marked;
    out.switches[s].dropped -= first_.switches[s].dropped;
    out.switches[s].pauses_sent -= first_.switches[s].pauses_sent;
  }
  return out;
}

void LinkProbe::sample(Time now) {
  if (series_) write_series(now);
  if (!is_limited() || now < params_.start || (params_.stop > Time{} && now > params_.stop)) return;
  latest_ = count(now);
  if (first_.ports.empty()) first_ = latest_;
}

void LinkProbe::write_series(Time now) {
  const net::Topology& topology = model_of(simulation_).topology;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::uint64_t sent = simulation_.port_figures(ports_[i]).sent_bytes;
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
  const net::Topology& topology = model_of(simulation_).topology;
  if (series_) {
    if (last_ < simulation_.now()) write_series(simulation_.now());
    series_->close();
  }
  std::optional<ResultFile> file;
  if (out_ != nullptr) {
    file.emplace(out_->table("links.csv"));
  }
  const Counts counts = observed();
  const Time span = counts.time - first_.time;
  Sums all;
  std::uint64_t lost_packets = 0;
  std::vector<Sums> by_tier(tiers_.names.size());
  std::vector<Sums> by_direction(tiers_.groups.size());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto& [sent, marked, lost] = counts.ports[i];
    const Rate rate = topology.links[ports_[i] / 2].rate;
    const double utilisation = share_of_capacity(sent, static_cast<double>(rate.bits_per_second), span);
    all.add(sent, rate, utilisation);
    by_tier[tiers_.tier_of(i)].add(sent, rate, utilisation);
    by_direction[tiers_.of_port[i]].add(sent, rate, utilisation);
    lost_packets += lost;
    if (file)
      file->print("{},{},{},{},{},{},{:.7g},{},{}\n", ports_[i], topology.port_owner(ports_[i]),
                  topology.port_peer(ports_[i]), tiers_.names[tiers_.tier_of(i)], rate.bits_per_second, sent,
                  utilisation, marked, lost);
  }
  if (file) file->close();

  LinkSummary& summary = out.links.emplace();
  summary.begin = first_.time;
  summary.end = counts.time;
  summary.all = all.result("all", span);
  summary.lost_packets = lost_packets;
  for (std::size_t i = 0; i < by_tier.size(); ++i) summary.by_tier.push_back(by_tier[i].result(tiers_.names[i], span));
  for (std::size_t i = 0; i < by_direction.size(); ++i)
    summary.by_direction.push_back(by_direction[i].result(tiers_.groups[i].name, span));
  write_switches(counts, summary);
}

void LinkProbe::write_switches(const Counts& counts, LinkSummary& summary) {
  const auto& model = model_of(simulation_);
  std::optional<ResultFile> file;
  if (out_ != nullptr) {
    file.emplace(out_->table("switches.csv"));
  }
  for (std::uint32_t s = 0; s < model.topology.switches; ++s) {
    const OfSwitch& of = counts.switches[s];
    summary.marked_packets += of.marked;
    summary.dropped_packets += of.dropped;
    const std::uint32_t node = model.topology.hosts + s;
    if (file)
      file->print("{},{},{},{},{}\n", node, tier_name(model.topology.tier[node]), of.marked, of.dropped,
                  of.pauses_sent);
  }
  if (file) file->close();
}

}  // namespace weir::probe
