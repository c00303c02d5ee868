#include "weir/scenario/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/cc/algorithm.h"
#include "weir/cc/marking.h"
#include "weir/net/model/topologies.h"
#include "weir/probe/catalogue.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/scenario.h"
#include "weir/scenario/tables.h"
#include "weir/traffic/catalogue.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/size_distribution.h"
#include "weir/traffic/workloads.h"

namespace weir::scenario {
namespace {

ReferenceItem item(std::string name, std::string meaning, std::string header, const ParamSet* params) {
  return {.name = std::move(name), .meaning = std::move(meaning), .tables = {{std::move(header), params}}};
}

ReferencePreset item_preset(const cc::Preset& preset) {
  ReferencePreset out{std::string(preset.name), "", std::string(preset.source), {}, {}};
  for (const auto& [key, value] : preset.values) out.values.emplace_back(key, value);
  return out;
}

ReferenceSection algorithms() {
  ReferenceSection out{"algorithms", "congestion control, [algorithm] and [[profile]]", {}};
  for (const cc::Algorithm& a : cc::catalogue()) {
    auto& entry = out.items.emplace_back(item(std::string(a.about.name), std::string(a.about.title),
                                              fmt::format("[algorithm] name = \"{}\"", a.about.name), a.params));
    entry.source = a.about.source;
    if (const auto* marking = cc::marking_of(a, "")) entry.marking = to_text(*marking);
    for (const auto& preset : a.presets) {
      ReferencePreset p = item_preset(preset);
      if (const auto* marking = cc::marking_of(a, preset.name); marking != cc::marking_of(a, ""))
        p.marking = to_text(*marking);
      entry.presets.push_back(std::move(p));
    }
  }
  return out;
}

ReferenceSection topologies() {
  ReferenceSection out{"topologies", "networks, [topology]; a preset's name is a kind as well", {}};
  for (const auto& kind : net::topology_kinds()) {
    auto& entry = out.items.emplace_back(item(std::string(kind.name), std::string(kind.meaning),
                                              fmt::format("[topology] kind = \"{}\"", kind.name), kind.params));
    for (const auto& preset : kind.presets) {
      ReferencePreset p{std::string(preset.name), std::string(preset.meaning), std::string(preset.source), {}, {}};
      for (const auto& [key, value] : preset.values) p.values.emplace_back(key, value);
      entry.presets.push_back(std::move(p));
    }
  }
  out.items.push_back(item(std::string(kGraphKind), "any network, from a graph file",
                           fmt::format("[topology] kind = \"{}\"", kGraphKind), &params_of<GraphParams>()));
  return out;
}

ReferenceSection workloads() {
  ReferenceSection out{"workloads", "flow sizes, [[traffic]] sizes", {}};
  for (const auto& w : traffic::workloads()) {
    const auto sizes = traffic::SizeDistribution::named(w.name);
    auto& entry = out.items.emplace_back();
    entry.name = w.name;
    // the first comment of the file says where it is from
    const auto end = w.cdf.find('\n');
    if (w.cdf.starts_with("# ")) entry.meaning = w.cdf.substr(2, end - 2);
    entry.facts.emplace_back("mean", fmt::format("{:.0f} B", sizes.mean()));
    for (const auto& [name, u] :
         {std::pair{"p1", 0.01}, {"p10", 0.1}, {"p25", 0.25}, {"p50", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p99", 0.99}})
      entry.facts.emplace_back(name, format_value(sizes.quantile(u)));
    entry.facts.emplace_back("largest", format_value(sizes.largest()));
  }
  return out;
}

ReferenceSection traffic_kinds() {
  ReferenceSection out{"traffic", "sources of flows, [[traffic]]; each also takes tag, profile and completion", {}};
  for (const traffic::Kind& kind : traffic::kinds()) {
    auto& entry = out.items.emplace_back(
        item(kind.name, kind.meaning, fmt::format("[[traffic]] kind = \"{}\"", kind.name), kind.params));
    if (kind.params == &params_of<traffic::FlowList::Params>())
      entry.tables.push_back({"or [[traffic.flow]], one per flow", &params_of<InlineFlow>()});
  }
  return out;
}

ReferenceSection probes() {
  ReferenceSection out{"probes", "what is observed, [probes.NAME]", {}};
  for (const auto& kind : probe::probe_kinds())
    out.items.push_back(item(kind.name, kind.meaning, fmt::format("[probes.{}]", kind.name), kind.params));
  return out;
}

// `list`'s tables of the section. `header` tells how a path is written. A table whose outer one is
// a table within another, as [[network.ecn.rate]], stands with that.
template <class Owner, class Header>
void add_tables(ReferenceSection& section, std::span<const TableKind<Owner>> list, Header&& header) {
  for (const auto& kind : list) {
    if (kind.section != section.name) continue;
    const std::string text = header(kind);
    const auto* outer = find_kind(list, parent_of(kind.path));
    if (outer != nullptr && outer->path.find('.') != std::string_view::npos)
      section.items.back().tables.push_back({text, kind.params});
    else
      section.items.push_back(item(kind.path.empty() ? "sending" : std::string(last_of(kind.path)),
                                   std::string(kind.meaning), text, kind.params));
    for (const auto& preset : kind.presets) section.items.back().presets.push_back(item_preset(preset));
  }
}

ReferenceSection section_of(std::string name, std::string meaning) {
  ReferenceSection out{std::move(name), std::move(meaning), {}};
  add_tables(out, tables(), [](const auto& kind) { return header_of(kind.occurs, kind.path); });
  add_tables(out, profile_tables(), [](const auto& kind) {
    return kind.path.empty() ? "[algorithm] and [[profile]]"
                             : fmt::format("[algorithm.{}] or [profile.{}]", kind.path, kind.path);
  });
  return out;
}

ReferenceSection rules() {
  ReferenceSection out{"fidelities", "by whose rules a run is simulated, [run] fidelity", {}};
  for (const Fidelity& f : fidelities()) {
    auto& entry = out.items.emplace_back();
    entry.name = f.name;
    std::vector<std::string_view> lacks;
    if (!f.runs_programs) lacks.emplace_back("collectives");
    if (!f.can_be_saved) lacks.emplace_back("checkpoints");
    if (!f.tells_events) lacks.emplace_back("single events");
    entry.meaning =
        lacks.empty() ? std::string(f.meaning) : fmt::format("{}; without {}", f.meaning, fmt::join(lacks, ", "));
    entry.source = f.source;
    if (f.params != nullptr) entry.tables.push_back({"[fidelity]", f.params});
  }
  return out;
}

}  // namespace

std::vector<ReferenceSection> reference() {
  return {algorithms(),
          topologies(),
          workloads(),
          traffic_kinds(),
          probes(),
          section_of("transport",
                     "how data are cut into packets, acknowledged and sent again: [transport] and the tables of each "
                     "way of sending"),
          section_of("host", "what hosts add to the network: [host] and its tables"),
          section_of("network",
                     "how switches queue, mark, pause and lose packets, and how links fail: [network] and its tables"),
          section_of("run", "seed, end, threads and rules of a run: [run] and its tables"),
          rules()};
}

std::string default_text(const Param& p) {
  if (p.required) return "required";
  const auto text = format_value(p.fallback);
  return p.type_name() == "text" ? fmt::format("\"{}\"", text) : text;
}

}  // namespace weir::scenario
