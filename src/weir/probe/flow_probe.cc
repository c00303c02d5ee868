#include "weir/probe/flow_probe.h"

#include <algorithm>

#include "weir/base/csv.h"

namespace weir::probe {
namespace {

std::string csv_field(const std::string& text) {
  std::string field;
  append_csv_field(field, text);
  return field;
}

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v;
  h *= 0x9fb21c651e98df25ull;
  return h ^ (h >> 32);
}

}  // namespace

void FlowProbe::check(const Params& params, const Checks& checks) {
  checks.of_key("buckets", [&] { parse_buckets(params.buckets); });
}

void FlowProbe::add_possible(const Params& params, const Setting& setting, Summary& summary) {
  FlowSummary& out = summary.flows;
  out.finished = 1;
  out.slowdown = kSomeValue;
  for (const auto& tag : setting.tags) out.by_tag.push_back({tag, kSomeValue});
  for (const auto& profile : model_of(setting.network).profiles) out.by_algorithm.push_back({profile.name, kSomeValue});
  const auto edges = parse_buckets(params.buckets);
  for (std::size_t i = 0; i <= edges.size(); ++i)
    out.by_size.push_back(
        {i == 0 ? Bytes{0} : edges[i - 1], i == edges.size() ? SizeBucket::kNoLimit : edges[i], kSomeValue});
  for (std::uint32_t i = 0; i < params.equal_count_buckets; ++i) out.by_equal_count.push_back({{}, {}, kSomeValue});
}

FlowProbe::FlowProbe(const Params& params, const Context& context)
    : params_(params),
      simulation_(context.engine),
      model_(model_of(simulation_)),
      tags_(context.tags),
      edges_(parse_buckets(params.buckets)) {
  for (const auto& profile : model_.profiles) profiles_.push_back(profile.name);
  if (context.out == nullptr) return;
  file_.emplace(context.out->table("flows.csv"));
  if (params.paths) paths_.emplace(context.out->table("paths.csv"));
}

Time FlowProbe::ideal(const host::FlowRecord& r) const {
  const net::Framing framing = model_.framing_without_int(model_.profiles[r.profile]);
  return model_.paths.ideal_fct(r.src, r.dst, r.size, framing, params_.ideal);
}

void FlowProbe::on_finish(const host::FlowRecord& r) {
  const Time fct = r.finish - r.start;
  const Time best = ideal(r);
  double slowdown = static_cast<double>(fct.ps) / static_cast<double>(best.ps);
  // The artifact's formula overestimates short flows; its analysis cuts at 1.
  if (params_.ideal == net::IdealFct::hpcc) slowdown = std::max(slowdown, 1.0);
  const auto kept = static_cast<float>(slowdown);
  table_.add({r.size.count, kept, r.tag, r.profile});
  ++summary_.finished;
  fct_sum_ps_ += fct.ps;
  summary_.max_fct = std::max(summary_.max_fct, fct);
  summary_.last_finish = std::max(summary_.last_finish, r.finish);
  write(r, best, kept);
}

void FlowProbe::write(const host::FlowRecord& r, Time best, float slowdown) {
  for (const std::uint64_t v : {r.id, std::uint64_t{r.src} << 32 | r.dst, static_cast<std::uint64_t>(r.size.count),
                                static_cast<std::uint64_t>(r.start.ps), static_cast<std::uint64_t>(r.finish.ps),
                                std::uint64_t{r.retransmitted} << 32 | std::uint64_t{r.profile} << 16 | r.tag})
    summary_.digest = mix(summary_.digest, v);
  summary_.retransmitted_packets += r.retransmitted;
  if (!file_) return;
  file_->print("{},{},{},{},{},", r.id, r.src, r.dst, r.size.count, r.start.ps);
  if (r.finish == Time::max())
    file_->print(",,{},,", best.ps);
  else
    file_->print("{},{},{},{:.7g},", r.finish.ps, (r.finish - r.start).ps, best.ps, slowdown);
  file_->print("{},{},{}\n", csv_field(profiles_[r.profile]), csv_field(tags_.at(r.tag)), r.retransmitted);
  if (paths_) write_path(r);
}

void FlowProbe::write_path(const host::FlowRecord& r) {
  const net::Topology& topology = model_.topology;
  const std::vector<std::uint32_t> ports = simulation_.path(r);
  if (ports.empty()) paths_->print("{},,,,\n", r.id);
  for (std::size_t hop = 0; hop < ports.size(); ++hop)
    paths_->print("{},{},{},{},{}\n", r.id, hop, ports[hop], topology.port_owner(ports[hop]),
                  topology.port_peer(ports[hop]));
}

void FlowProbe::finish(Summary& out) {
  std::vector<host::FlowRecord> active;
  simulation_.for_each_active([&](const host::FlowView& flow) {
    if (traffic::is_listed(flow.id)) active.push_back(record_of(flow, Time::max()));
  });
  std::sort(active.begin(), active.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  for (const auto& record : active) write(record, ideal(record), 0);
  if (file_) file_->close();
  if (paths_) paths_->close();

  summary_.unfinished = active.size();
  summary_.ideal = params_.ideal;
  if (summary_.finished > 0)
    summary_.mean_fct = {static_cast<std::int64_t>(fct_sum_ps_ / static_cast<std::int64_t>(summary_.finished))};
  summary_.slowdown = table_.all();
  summary_.by_tag = table_.by_tag(tags_);
  summary_.by_algorithm = table_.by_profile(profiles_);
  summary_.by_size = table_.by_size(edges_);
  summary_.by_equal_count = table_.by_equal_count(params_.equal_count_buckets);
  out.flows = summary_;
}

}  // namespace weir::probe
