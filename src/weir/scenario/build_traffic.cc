#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "weir/base/suggestion.h"
#include "weir/scenario/build.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/shared_gpus.h"
#include "weir/toml/document.h"
#include "weir/traffic/flow_list.h"

namespace weir::scenario {
namespace {

// The list of tags, and where each of them stands in it.
class Tags {
 public:
  std::uint16_t index_of(const std::string& name, const Where& where, std::string_view key = "") {
    const auto [known, is_new] = index_.emplace(name, static_cast<std::uint16_t>(names_.size()));
    if (is_new) {
      if (names_.size() > UINT16_MAX) {
        const auto what = fmt::format("more than {} different tags", names_.size());
        if (key.empty()) throw InputError(where, what);
        throw key_error(where, key, what);
      }
      names_.push_back(name);
    }
    return known->second;
  }

  // All of them, which it has no more.
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint16_t> index_;
};

std::uint16_t profile_index(const Scenario& s, const std::string& name, const Where& where) {
  std::vector<std::string> names;
  for (const auto& p : s.profiles) names.push_back(p.name);
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end())
    throw InputError(where, fmt::format("no profile '{}' is defined{}; valid is {}", name, did_you_mean(name, names),
                                        fmt::join(names, ", ")));
  return static_cast<std::uint16_t>(known - names.begin());
}

std::unique_ptr<traffic::Source> inline_flows(const Scenario& s, const std::string& key, const TrafficSource& source,
                                              std::uint32_t hosts, Tags& tags) {
  std::vector<traffic::Flow> flows;
  for (std::size_t i = 0; i < source.flows.size(); ++i) {
    const InlineFlow& f = source.flows[i];
    const std::string row = fmt::format("{}.flow.{}", key, i);
    traffic::Flow flow{.start = f.start, .src = f.src, .dst = f.dst, .size = f.size};
    flow.tag = tags.index_of(f.tag, s.place(row), row);
    flow.profile = profile_index(s, f.profile, {});
    at_its_place(s, row, [&] { traffic::check_flow(flow, hosts, {}); });
    flows.push_back(flow);
  }
  return std::make_unique<traffic::FlowList>(std::move(flows));
}

}  // namespace

std::unique_ptr<traffic::Traffic> build_traffic(const Scenario& s, const engine::Model& model,
                                                const std::function<void(const std::string&)>& notice) {
  Tags tags;
  traffic::Context context;
  for (std::uint32_t h = 0; h < model.topology.hosts; ++h)
    context.host_rates.push_back(model.host.capped(model.routing.rate_of_host(h)));
  context.seed = s.run.seed;
  context.folder = s.folder;
  context.notice = notice;
  context.tag_of = [&tags](const std::string& name, const Where& where) { return tags.index_of(name, where); };
  context.profile_of = [&s](const std::string& name, const Where& where) { return profile_index(s, name, where); };

  // Flows that come from elsewhere have the tag of the parameter that names them.
  if (!own_flows(s).empty())
    tags.index_of(std::string(s.run.fidelity->flows_param), {});
  else if (s.traffic.empty())
    tags.index_of("program", {});

  auto out = std::make_unique<traffic::Traffic>(model.topology.hosts);
  for (std::size_t i = 0; i < s.traffic.size(); ++i) {
    const TrafficSource& source = s.traffic[i];
    const std::string key = fmt::format("traffic.{}", i);
    context.source = static_cast<std::uint32_t>(i);
    context.labels = {tags.index_of(source.tag, s.place(key), key), profile_index(s, source.profile, s.place(key))};
    context.completion = source.completion;
    if (!source.flows.empty()) {
      auto flows = inline_flows(s, key, source, model.topology.hosts, tags);
      if (source.completion)
        out->add(traffic::independent(*flows, std::nullopt, context.labels.tag));
      else
        out->add(std::move(flows), std::nullopt);
      continue;
    }
    at_its_place(s, key, [&] { source.kind->add(*out, source.params.get(), context); });
  }
  check_shared_gpus(s, model);
  out->name_tags(tags.take());
  return out;
}

}  // namespace weir::scenario
