#include "weir/scenario/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "weir/base/suggestion.h"
#include "weir/base/text_file.h"
#include "weir/net/model/graph_file.h"
#include "weir/probe/catalogue.h"
#include "weir/result/used_plugins.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/nic_choice.h"
#include "weir/scenario/perturbation.h"
#include "weir/scenario/server_choice.h"
#include "weir/scenario/tables.h"
#include "weir/toml/document.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"
#include "weir/toml/writer.h"
#include "weir/traffic/flow_list.h"

namespace weir::scenario {
namespace {

// Calls `find`, and tells its complaint about a name where that name stands.
template <class Find>
auto look_up(const TableReader& table, std::string_view key, Find&& find) {
  try {
    return find();
  } catch (const InputError& error) {
    throw table.error_at(key, error.what());
  }
}

Topology read_topology(const TableReader& root) {
  std::vector<std::string> names;
  for (const auto& kind : net::topology_kinds()) {
    names.emplace_back(kind.name);
    for (const auto& preset : kind.presets) names.emplace_back(preset.name);
  }
  names.emplace_back(kGraphKind);
  const TableReader table = root.table("topology");
  Topology out;
  out.name = table.required_text("kind", fmt::format("one of {}", fmt::join(names, ", ")));
  if (std::find(names.begin(), names.end(), out.name) == names.end())
    throw table.error_at("kind", fmt::format("unknown topology '{}'{}; valid is {}", out.name,
                                             did_you_mean(out.name, names), fmt::join(names, ", ")));
  std::shared_ptr<void> params;
  if (out.name == kGraphKind) {
    params = std::make_shared<GraphParams>();
  } else {
    const auto choice = net::find_topology(out.name);
    out.kind = choice.kind;
    params = choice.params;
  }
  table.read(out.list(), params.get(), {"kind"});
  out.params = std::move(params);
  return out;
}

void apply(const cc::Preset& preset, const ParamSet& set, void* object) {
  for (const auto& [key, value] : preset.values) {
    const Param& p = *set.find(key);
    p.set(object, parse_value(p, value));
  }
}

// The preset that the table names, of `whose`; null if it names none.
const cc::Preset* read_preset(const TableReader& table, std::span<const cc::Preset> presets, std::string_view whose) {
  if (table.find("preset") == nullptr) return nullptr;
  const std::string name = table.text("preset");
  std::vector<std::string> names;
  for (const cc::Preset& p : presets) {
    if (p.name == name) return &p;
    names.emplace_back(p.name);
  }
  if (name.empty()) return nullptr;
  throw table.error_at("preset", presets.empty()
                                     ? fmt::format("'{}' has no presets; remove it", whose)
                                     : fmt::format("unknown preset '{}' of '{}'{}; valid is {}", name, whose,
                                                   did_you_mean(name, names), fmt::join(names, ", ")));
}

// Reads what is written of one kind of table.
template <class Owner>
void read_table(const TableReader& root, const TableKind<Owner>& kind, std::span<const TableKind<Owner>> list,
                Owner& out) {
  TableReader parent = root;
  const std::string_view path = parent_of(kind.path);
  for (std::size_t end = 0; end < path.size();) {
    const std::size_t begin = end == 0 ? 0 : end + 1;
    end = std::min(path.find('.', begin), path.size());
    parent = parent.table(path.substr(begin, end - begin));
    // one that holds nothing but tables has no parameters that would be checked
    if (find_kind(list, path.substr(0, end)) == nullptr) parent.allow_only(children_of(list, path.substr(0, end)));
  }
  const std::string_view key = last_of(kind.path);
  auto others = children_of(list, kind.path);
  if (!kind.presets.empty()) others.emplace_back("preset");
  const auto read = [&](const TableReader& table) {
    void* const object = kind.add(out);
    if (const cc::Preset* preset = kind.presets.empty() ? nullptr : read_preset(table, kind.presets, kind.path))
      apply(*preset, *kind.params, object);
    table.read(*kind.params, object, others);
  };
  if (kind.occurs == Occurs::rows)
    for (const auto& row : parent.tables(key)) read(row);
  else if (kind.occurs == Occurs::always || parent.find(key) != nullptr)
    read(parent.table(key));
}

// Whether a value was written beside another one of `name` than is there now.
bool is_of_another(const Value& name, const Value& value) {
  const bool together = name.where.file == value.where.file || (is_override(name.where) && is_override(value.where));
  return !name.replaced.empty() && !together;
}

// Keys that are left from another algorithm, instead of which an override names this one, are told as such.
void read_params(const TableReader& table, const cc::Algorithm& algorithm, std::string_view name_key, void* params,
                 const std::vector<std::string>& others) {
  try {
    table.read(*algorithm.params, params, others);
  } catch (const InputError& error) {
    const Value& name = *table.find(name_key);
    if (!is_override(name.where) || name.replaced.empty() || is_override(error.where())) throw;
    throw InputError(error.where(), fmt::format("{}; the file's keys are of '{}', instead of which {} has '{}': "
                                                "--set '{}={{ {} = \"{}\" }}' leaves them all out",
                                                error.reason(), name.replaced, name.where.text(), algorithm.about.name,
                                                table.path(), name_key, algorithm.about.name));
  }
}

// The table gives the algorithm's name under `name_key`, a preset and parameters.
ProfileSettings read_algorithm(const TableReader& table, std::string_view name_key, std::vector<std::string> others,
                               std::vector<std::string>& notices) {
  std::vector<std::string> names;
  for (const auto& a : cc::catalogue()) names.emplace_back(a.about.name);
  ProfileSettings out;
  const auto name = table.required_text(name_key, fmt::format("one of {}", fmt::join(names, ", ")));
  out.algorithm = cc::find_algorithm(name);
  if (out.algorithm == nullptr) {
    const std::string plugins = result::plugin_options_beside(table.where().file);
    throw table.error_at(
        name_key,
        fmt::format("unknown algorithm '{}'{}; valid is {}{}", name, did_you_mean(name, names), fmt::join(names, ", "),
                    plugins.empty() ? "" : "; the run that wrote this scenario was started with" + plugins));
  }
  out.name = name;

  if (const cc::Preset* preset = read_preset(table, out.algorithm->presets, name)) {
    out.preset = preset->name;
    const Value& written = *table.find("preset");
    if (const Value& now = *table.find(name_key); is_of_another(now, written)) {
      std::vector<std::string_view> presets;
      for (const auto& p : out.algorithm->presets) presets.push_back(p.name);
      notices.push_back(
          fmt::format("{}: '{}' instead of '{}', for which {} names the preset '{}'; taken is that of '{}', {}; set "
                      "{} for another "
                      "one, {}",
                      now.where.text(), name, now.replaced, written.where.text(), out.preset, name, preset->source,
                      join(table.path(), "preset"), fmt::join(presets, ", ")));
    }
  }
  others.emplace_back(name_key);
  others.emplace_back("preset");
  for (const auto& key : children_of(profile_tables(), "")) others.push_back(key);
  for (const auto& kind : profile_tables())
    if (kind.path.empty()) {
      table.read_known(*kind.params, kind.add(out));
      for (const auto& key : kind.params->names()) others.push_back(key);
    }
  const auto params = preset_params(*out.algorithm, out.preset);
  read_params(table, *out.algorithm, name_key, params.get(), others);
  out.params = params;
  for (const auto& kind : profile_tables())
    if (!kind.path.empty()) read_table(table, kind, profile_tables(), out);
  return out;
}

std::vector<ProfileSettings> read_profiles(const TableReader& root, std::vector<std::string>& notices) {
  std::vector<ProfileSettings> out{read_algorithm(root.table("algorithm"), "name", {}, notices)};
  for (const auto& table : root.tables("profile")) {
    const auto name = table.required_text("name", "the name that traffic calls it by");
    if (name.empty()) throw table.error_at("name", "it is empty; write the name that traffic calls it by");
    ProfileSettings profile = read_algorithm(table, "algorithm", {"name"}, notices);
    profile.name = name;
    if (std::any_of(out.begin(), out.end(), [&](const ProfileSettings& p) { return p.name == name; }))
      throw table.error_at("name", fmt::format("there is a profile '{}' already{}; write another name", name,
                                               name == out.front().name ? ", that of [algorithm]" : ""));
    out.push_back(std::move(profile));
  }
  return out;
}

void check_profile(const TableReader& table, const std::string& name, const std::vector<ProfileSettings>& profiles) {
  std::vector<std::string> names;
  for (const auto& p : profiles) names.push_back(p.name);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw table.error_at("profile", fmt::format("no profile '{}' is defined{}; valid is {}, or add a [[profile]]", name,
                                                did_you_mean(name, names), fmt::join(names, ", ")));
}

TrafficSource read_source(const TableReader& table, const std::vector<ProfileSettings>& profiles) {
  std::vector<std::string> kinds;
  for (const auto& k : traffic::kinds()) kinds.push_back(k.name);
  const auto name = table.required_text("kind", fmt::format("one of {}", fmt::join(kinds, ", ")));
  TrafficSource out;
  out.kind = look_up(table, "kind", [&] { return &traffic::kind_named(name); });
  out.tag = table.find("tag") == nullptr ? out.kind->name : table.text("tag");
  out.profile = table.find("profile") == nullptr ? profiles.front().name : table.text("profile");
  check_profile(table, out.profile, profiles);

  if (const Value* value = table.find("completion")) {
    const auto* on = value->as<bool>();
    if (on == nullptr)
      throw table.error_at("completion", fmt::format("it is {}; write true or false", value->type_name()));
    out.completion = *on;
  }

  std::vector<std::string> others{"kind", "tag", "profile", "completion"};
  const bool is_list = out.kind->params == &params_of<traffic::FlowList::Params>();
  const auto params = out.kind->params->make();
  if (is_list) others.emplace_back("flow");
  if (!is_list || table.find("flow") == nullptr) {
    table.read(*out.kind->params, params.get(), others);
  } else {
    if (table.find("file") != nullptr)
      throw table.error_at("file", "the flows are listed under 'flow' already; keep one");
    table.allow_only(others);
    for (const auto& row : table.tables("flow")) {
      InlineFlow& flow = out.flows.emplace_back();
      flow.tag = out.tag;
      flow.profile = out.profile;
      row.read(params_of<InlineFlow>(), &flow);
      check_profile(row, flow.profile, profiles);
    }
    if (out.flows.empty()) throw table.error_at("flow", "empty; write at least one flow");
  }
  out.params = params;
  return out;
}

// Sets what the scenario does not write to what the fidelity stands for.
void read_fidelity(const TableReader& root, Scenario& out) {
  const Fidelity& fidelity = *out.run.fidelity;
  if (fidelity.set_defaults != nullptr) fidelity.set_defaults(out);
  if (fidelity.params != nullptr) {
    const auto params = fidelity.params->make();
    root.table("fidelity").read(*fidelity.params, params.get());
    out.fidelity_params = params;
  } else if (root.find("fidelity") != nullptr) {
    throw root.error_at("fidelity", fmt::format("of use only with run.fidelity = {}; set that, or remove this",
                                                names_of([](const Fidelity& f) { return f.params != nullptr; })));
  }
}

// A probe is on when its table is there, or with `name = true`.
void read_probes(const TableReader& table, probe::ProbeParams& out) {
  std::vector<std::string> names;
  for (const auto& kind : probe::probe_kinds()) names.push_back(kind.name);
  table.allow_only(names);
  for (const auto& kind : probe::probe_kinds()) {
    const Value* value = table.find(kind.name);
    if (value == nullptr) continue;
    const auto* on = value->as<bool>();
    if (on != nullptr && !*on) {
      if (kind.is_always_on) throw table.error_at(kind.name, "always on; remove it");
      continue;
    }
    const std::shared_ptr<void> params = kind.params->make();
    if (on == nullptr) table.table(kind.name).read(*kind.params, params.get());
    out.set(kind, params);
  }
}

}  // namespace

std::shared_ptr<void> preset_params(const cc::Algorithm& algorithm, std::string_view preset) {
  auto params = algorithm.params->make();
  for (const cc::Preset& known : algorithm.presets)
    if (known.name == preset) apply(known, *algorithm.params, params.get());
  return params;
}

Where Scenario::place(std::string_view key) const {
  for (;;) {
    if (const auto known = places.find(key); known != places.end()) return known->second;
    if (key.empty()) return {file, 0};
    const auto dot = key.rfind('.');
    key = dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
  }
}

InputError key_error(const Scenario& s, std::string_view key, std::string_view what) {
  return key_error(s.place(key), key, what);
}

InputError placed(const Scenario& s, std::string_view path, const InputError& error) {
  if (!error.where().file.empty()) return error;
  const std::string key = *error.under(path).key();
  return key_error(s, key, error.reason());
}

Scenario load_scenario(std::string_view text, const std::string& file, const std::vector<std::string>& overrides,
                       const std::vector<Option>& options) {
  if (net::looks_like_graph(text))
    throw InputError(Where{file, 0},
                     fmt::format("this is a graph file; a scenario names it, [topology] kind = \"file\" and file = {}, "
                                 "and 'weir list topology' shows it alone",
                                 toml_text(std::filesystem::path(file).filename().string())));
  Value document = parse_toml(text, file);
  for (const auto& o : overrides) apply_override(document, o);
  for (const auto& o : options) apply_override(document, o.assignment, o.name);
  return read_scenario(document, file);
}

Scenario read_scenario(const Value& document, const std::string& file) {
  const TableReader root(document, "");
  if (root.find("study") != nullptr)
    throw root.error_at("study",
                        "this is a study, of which 'weir sweep' makes its runs; a scenario has no table [study]");
  // in the order in which a scenario is written
  std::vector<std::string> keys{"algorithm", "profile", "traffic", "probes"};
  const auto listed = children_of(tables(), "");
  keys.insert(keys.begin(), listed.begin() + 1, listed.end());
  keys.insert(keys.begin(), {"title", listed.front(), "fidelity", "topology"});
  root.allow_only(keys);

  Scenario out;
  out.file = file;
  out.folder = std::filesystem::path(file).parent_path().string();
  out.places = places_of(document);
  out.title = root.text("title");
  read_table(root, tables().front(), tables(), out);
  read_fidelity(root, out);
  const std::string other_flows = own_flows(out);
  for (const auto& key : {"topology", "algorithm", "traffic"})
    if (root.find(key) == nullptr && (other_flows.empty() || key != std::string_view("traffic")))
      throw root.error_at(key, "missing; a scenario needs [topology], [algorithm] and [[traffic]]");
  out.topology = read_topology(root);

  for (const auto& kind : tables().subspan(1)) read_table(root, kind, tables(), out);
  if (out.classes.size() > net::kDataClasses)
    throw root.table("network").error_at(
        "class", fmt::format("{} classes; at most {} are possible", out.classes.size(), net::kDataClasses));

  out.profiles = read_profiles(root, out.notices);
  choose_ecn(root.table("network").table("ecn"), out);
  choose_nics(root.table("host"), out);
  for (const auto& table : root.tables("traffic")) {
    TrafficSource& source = out.traffic.emplace_back(read_source(table, out.profiles));
    choose_servers(table, out, source);
    choose_algorithm(out, source);
  }
  if (!other_flows.empty() && !out.traffic.empty())
    throw root.error_at("traffic", fmt::format("all flows are those of {}; remove one of the two", other_flows));
  read_probes(root.table("probes"), out.probes);
  perturb(out);
  return out;
}

Scenario load_scenario_file(const std::string& file, const std::vector<std::string>& overrides,
                            const std::vector<Option>& options) {
  return load_scenario(read_document(file, "a scenario, a TOML file"), file, overrides, options);
}

}  // namespace weir::scenario
