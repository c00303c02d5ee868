#include "weir/probe/queue_probe.h"
#include "weir/engine/model.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace weir::probe {

QueueProbe::QueueProbe(const QueuesParams& params, engine::Engine& simulation, std::vector<std::string> tags,
                       ResultDirectory* out)
    : params_(params),
      simulation_(simulation),
      tags_(std::move(tags)),
      out_(out),
      ports_(choose_ports(simulation.model().topology, params.ports)),
      tiers_(simulation.model().topology, ports_),
      by_direction_(tiers_.groups.size()),
      by_port_(ports_.size()) {
  if (out == nullptr || !params.series) return;
  series_.emplace(out->table("queues.csv"));
}

PortName QueueProbe::name_of(std::size_t place) const {
  const net::Topology& topology = simulation_.model().topology;
  const std::uint32_t port = ports_[place];
  return {port, topology.port_owner(port), topology.port_peer(port), tiers_.groups[tiers_.of_port[place]].name};
}

void QueueProbe::sample(Time now) {
  if (now < params_.start || (params_.stop.ps != 0 && now >= params_.stop)) return;
  ++instants_;
  const net::Topology& topology = simulation_.model().topology;
  std::size_t longest = 0;
  std::uint64_t most = peak_ ? peak_->bytes : 0;
  bool is_peak = false;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::uint32_t queued = simulation_.queued_bytes(ports_[i]);
    const std::uint32_t bin = Histogram::index(queued);
    by_direction_[tiers_.of_port[i]].add(queued, bin);
    if (queued > 0) by_port_[i].add(queued, bin);
    if (queued > most) {
      most = queued;
      longest = i;
      is_peak = true;
    }
    if (series_)
      series_->print("{},{},{},{},{}\n", now.ps, ports_[i], topology.port_owner(ports_[i]),
                     topology.port_peer(ports_[i]), queued);
  }
  if (!is_peak) return;
  peak_.emplace();
  peak_->time = now;
  peak_->port = name_of(longest);
  peak_->bytes = most;
  look_into(*peak_);
}

// Whose packets are in the queue.
void QueueProbe::look_into(QueuePeak& peak) {
  std::map<std::uint64_t, QueuePeak::Share> shares;
  peak.has_flows =
      simulation_.for_each_queued(peak.port.port, [&](const host::Flow* flow, std::uint32_t src, std::uint32_t bytes) {
        if (flow == nullptr) {
          peak.ended_bytes += bytes;
          return;
        }
        auto& share = shares[flow->id];
        share.flow = flow->id;
        share.src = src;
        share.dst = flow->dst;
        share.tag = tags_.at(flow->tag);
        share.bytes += bytes;
      });
  std::map<std::string, QueuePeak::TagShare> by_tag;
  for (auto& [id, share] : shares) {
    QueuePeak::TagShare& of_tag = by_tag[share.tag];
    of_tag.tag = share.tag;
    ++of_tag.flows;
    of_tag.bytes += share.bytes;
    peak.top.push_back(std::move(share));
  }
  for (auto& [tag, share] : by_tag) peak.by_tag.push_back(std::move(share));
  std::stable_sort(peak.by_tag.begin(), peak.by_tag.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  std::stable_sort(peak.top.begin(), peak.top.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  while (peak.top.size() > QueuePeak::kTop) {
    ++peak.other_flows;
    peak.other_bytes += peak.top.back().bytes;
    peak.top.pop_back();
  }
}

QueueSummary QueueProbe::finish() {
  Histogram all;
  std::vector<Histogram> by_tier(tiers_.names.size());
  for (std::size_t i = 0; i < by_direction_.size(); ++i) {
    all.merge(by_direction_[i]);
    by_tier[tiers_.groups[i].tier].merge(by_direction_[i]);
  }
  if (series_) series_->close();
  if (out_ != nullptr) write_distributions(all, by_tier);

  QueueSummary summary;
  summary.interval = params_.interval;
  summary.ports = static_cast<std::uint32_t>(ports_.size());
  summary.instants = instants_;
  summary.all = all.distribution();
  for (std::size_t i = 0; i < by_tier.size(); ++i)
    summary.by_tier.push_back({tiers_.names[i], by_tier[i].distribution()});
  for (std::size_t i = 0; i < by_direction_.size(); ++i)
    summary.by_direction.push_back({tiers_.groups[i].name, by_direction_[i].distribution()});
  find_busiest(all, summary);
  summary.peak = std::move(peak_);
  return summary;
}

// Each tier, and behind it its directions.
void QueueProbe::write_distributions(const Histogram& all, const std::vector<Histogram>& by_tier) {
  ResultFile file = out_->table("queue_cdf.csv");
  const auto write = [&](std::string_view tier, const Histogram& h) {
    std::uint64_t below = 0;
    h.for_each([&](double value, std::uint64_t count) {
      below += count;
      file.print("{},{:.7g},{},{:.9g}\n", tier, value, count,
                 static_cast<double>(below) / static_cast<double>(h.count()));
    });
  };
  write("all", all);
  for (std::size_t tier = 0; tier < by_tier.size(); ++tier) {
    write(tiers_.names[tier], by_tier[tier]);
    for (std::size_t i = 0; i < by_direction_.size(); ++i)
      if (tiers_.groups[i].tier == tier && tiers_.groups[i].name != tiers_.names[tier])
        write(tiers_.groups[i].name, by_direction_[i]);
  }
  file.close();
}

void QueueProbe::find_busiest(const Histogram& all, QueueSummary& summary) const {
  const auto busiest = std::max_element(by_port_.begin(), by_port_.end(),
                                        [](const auto& a, const auto& b) { return a.sum() < b.sum(); });
  if (busiest->sum() == 0) return;
  summary.busiest = name_of(static_cast<std::size_t>(busiest - by_port_.begin()));
  summary.busiest_port = busiest->distribution(instants_, all);
}

}  // namespace weir::probe
