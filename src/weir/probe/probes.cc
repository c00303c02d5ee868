#include "weir/probe/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "weir/probe/collective_report.h"
#include "weir/probe/delay_probe.h"
#include "weir/probe/flow_probe.h"
#include "weir/probe/link_probe.h"
#include "weir/probe/packet_probe.h"
#include "weir/probe/pfc_probe.h"
#include "weir/probe/port_choice.h"
#include "weir/probe/queue_probe.h"
#include "weir/probe/rate_probe.h"

namespace weir::probe {
namespace {

template <class P>
ProbeKind kind(std::string_view name, std::string_view meaning) {
  return {.name = name, .meaning = meaning, .params = &params_of<P>()};
}

// The entry of a probe that is on when `Field` holds something.
template <class P, std::optional<P> ProbeParams::*Field>
ProbeKind optional_kind(std::string_view name, std::string_view meaning) {
  ProbeKind k = kind<P>(name, meaning);
  k.enable = [](ProbeParams& all) -> void* { return &((all.*Field) ? *(all.*Field) : (all.*Field).emplace()); };
  k.get = [](const ProbeParams& all) -> const void* { return (all.*Field) ? &*(all.*Field) : nullptr; };
  return k;
}

ProbeKind flows_kind() {
  ProbeKind k = kind<FlowsParams>("flows", "completion time and slowdown of every flow; always on");
  k.enable = [](ProbeParams& all) -> void* { return &all.flows; };
  k.get = [](const ProbeParams& all) -> const void* { return &all.flows; };
  return k;
}

}  // namespace

std::span<const ProbeKind> probe_kinds() {
  static const std::array kinds{
      flows_kind(),
      optional_kind<QueuesParams, &ProbeParams::queues>("queues", "lengths of egress queues at regular instants"),
      optional_kind<RatesParams, &ProbeParams::rates>("rates", "rates of flows over time, fairness and convergence"),
      optional_kind<DelaysParams, &ProbeParams::delays>("delays",
                                                        "delays of packets under On-Ramp, as its OR-ACKs tell them"),
      optional_kind<PfcParams, &ProbeParams::pfc>("pfc", "how often and how long ports were paused"),
      optional_kind<LinksParams, &ProbeParams::links>("links", "utilisation of links, marks and drops of switches"),
      optional_kind<PacketsParams, &ProbeParams::packets>("packets",
                                                          "what happens to single packets and flows, event by event"),
  };
  return kinds;
}

void check(const ProbeParams& params, const engine::Model& model, const std::vector<std::string>& tags) {
  const net::Topology& topology = model.topology;
  const auto checked = [&](std::string_view probe, std::string_view key, auto&& use) {
    under_key(fmt::format("{}.{}", probe, key), use);
  };
  checked("flows", "buckets", [&] { parse_buckets(params.flows.buckets); });
  if (params.queues) checked("queues", "ports", [&] { choose_ports(topology, params.queues->ports); });
  if (params.pfc) checked("pfc", "ports", [&] { choose_ports(topology, params.pfc->ports); });
  if (params.links) checked("links", "ports", [&] { choose_ports(topology, params.links->ports); });
  if (params.packets) {
    checked("packets", "ports", [&] { choose_ports(topology, params.packets->ports); });
    checked("packets", "flows", [&] { parse_ids(params.packets->flows); });
  }
  if (params.delays)
    checked("delays", "interval", [&] {
      const auto has = [](const auto& profile) { return profile.on_ramp.has_value(); };
      if (std::any_of(model.profiles.begin(), model.profiles.end(), has)) return;
      throw InputError("no flow has On-Ramp, whose OR-ACKs tell delays; add a table [algorithm.on_ramp]");
    });
  if (params.rates && !params.rates->tag.empty())
    checked("rates", "tag", [&] {
      const std::string& tag = params.rates->tag;
      if (std::find(tags.begin(), tags.end(), tag) != tags.end()) return;
      throw InputError(fmt::format("no traffic has the tag '{}'; tags are {}", tag, fmt::join(tags, ", ")));
    });
}

struct Probes::Parts {
  Parts(const ProbeParams& params, engine::Engine& s, const std::vector<std::string>& tag_names, ResultDirectory* o)
      : simulation(s), out(o), tags(tag_names), flows(params.flows, s, tags, o), pfc(params.pfc) {
    if (params.queues) queues.emplace(*params.queues, s, tags, o);
    if (params.rates) rates.emplace(*params.rates, s, tags, o);
    if (params.delays) delays.emplace(*params.delays, s, o);
    if (params.links) links.emplace(*params.links, s, o);
    if (params.packets && o != nullptr) packets.emplace(*params.packets, s, *o);
  }

  void on_finish(const host::FlowRecord& r) {
    flows.on_finish(r);
    if (rates) rates->on_finish(r);
    if (delays) delays->on_finish(r);
  }

  template <class A>
  void archive(A& a) {
    flows.archive(a);
    if (queues) queues->archive(a);
    if (rates) rates->archive(a);
    if (delays) delays->archive(a);
    if (links) links->archive(a);
    if (packets) packets->archive(a);
  }

  engine::Engine& simulation;
  ResultDirectory* const out;
  const std::vector<std::string> tags;
  FlowProbe flows;
  std::optional<QueueProbe> queues;
  std::optional<RateProbe> rates;
  std::optional<DelayProbe> delays;
  std::optional<PfcParams> pfc;
  std::optional<LinkProbe> links;
  std::optional<PacketProbe> packets;
};

Probes::Probes(const ProbeParams& params, engine::Engine& simulation, const std::vector<std::string>& tags,
               ResultDirectory* out) {
  check(params, simulation.model(), tags);
  parts_ = std::make_unique<Parts>(params, simulation, tags, out);
  Parts* p = parts_.get();
  simulation.on_finish([p](const host::FlowRecord& r) { p->on_finish(r); });
  if (p->queues) simulation.every(params.queues->interval, [p](Time now) { p->queues->sample(now); });
  if (p->rates) simulation.every(params.rates->interval, [p](Time now) { p->rates->sample(now); });
  if (p->delays) simulation.every(params.delays->interval, [p](Time now) { p->delays->sample(now); });
  if (p->links && p->links->has_series())
    simulation.every(params.links->interval, [p](Time now) { p->links->sample(now); });
}

Probes::~Probes() = default;

void Probes::save(Saver& a) { parts_->archive(a); }

void Probes::load(Loader& a) { parts_->archive(a); }

Summary Probes::finish() {
  Parts& p = *parts_;
  Summary summary;
  summary.sim_time = p.simulation.now();
  summary.flows = p.flows.finish();
  summary.collectives = report_collectives(p.simulation, p.tags);
  if (p.queues) summary.queues = p.queues->finish();
  if (p.rates) summary.fairness = p.rates->finish();
  if (p.delays) p.delays->finish();
  if (p.packets) p.packets->finish();
  if (p.pfc) summary.pfc = report_pfc(*p.pfc, p.simulation, p.out);
  if (p.links) summary.links = p.links->finish();
  return summary;
}

Manifest Probes::manifest(const RunClock& clock) const {
  engine::Engine& s = parts_->simulation;
  // xor alone would let equal halves cancel
  const std::uint64_t digest = parts_->flows.digest() * 0x9fb21c651e98df25ull ^ s.state_digest();
  Manifest m;
  m.seed = s.model().seed;
  m.threads = s.threads();
  m.wall_s = clock.wall_s();
  m.cpu_s = clock.cpu_s();
  m.max_rss_bytes = max_rss_bytes();
  m.sim_time = s.now();
  m.counters = s.counters();
  m.digest = digest;
  if (s.stall() != nullptr) m.stall = *s.stall();
  return m;
}

void store(ResultDirectory& out, const Summary& summary, const Manifest& manifest) {
  out.write("summary.json", to_json(summary));
  write_manifest(out, manifest);
}

void write_manifest(ResultDirectory& out, const Manifest& manifest) {
  out.write(result::kManifest, to_json(manifest, out.contents()));
}

}  // namespace weir::probe
