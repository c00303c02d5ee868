#include "weir/learn/curriculum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "weir/base/checksum.h"
#include "weir/base/error.h"
#include "weir/base/text_file.h"
#include "weir/scenario/effective.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"
#include "weir/toml/writer.h"

namespace weir::learn {
namespace {

using scenario::List;
using scenario::Table;
using scenario::TableReader;
using scenario::Value;

constexpr std::uint32_t kMostSenders = 64;  // table 6 of the paper has no more
constexpr std::uint32_t kMostFlows = 65'536;
constexpr std::string_view kAlgorithm = "pcc_rl";

std::uint16_t learning_profile(const scenario::Scenario& s, const Where& where, std::string_view key) {
  for (std::size_t i = 0; i < s.profiles.size(); ++i)
    if (s.profiles[i].algorithm->about.name == kAlgorithm) return static_cast<std::uint16_t>(i);
  throw scenario::key_error(
      where, key,
      fmt::format("its scenario has no flows that learn; set algorithm.name = \"{}\" in it, or take a "
                  "profile of that algorithm",
                  kAlgorithm));
}

std::uint32_t senders(std::uint32_t flows, std::uint32_t hosts) {
  return hosts > 0 ? hosts : std::min(flows, kMostSenders);
}

void set_if_absent(Value& document, const std::string& key, std::string_view first, Value value) {
  const auto* table = document.as<Table>();
  const Value* found = table->find(first);
  const std::string_view rest = std::string_view(key).substr(std::min(key.size(), first.size() + 1));
  if (found != nullptr &&
      (rest.empty() || (found->as<Table>() != nullptr && found->as<Table>()->find(rest) != nullptr)))
    return;
  scenario::set_key(document, key, std::move(value));
}

// The star of [scenario] with so many senders and a receiver, host 0.
scenario::Scenario star_of(const Value& base, std::uint32_t hosts, const std::vector<std::string>& set,
                           const std::string& file) {
  Value document = base;
  const Where where = base.where;
  set_if_absent(document, "topology.kind", "topology", {where, std::string("star")});
  set_if_absent(document, "topology.hosts", "topology", {where, std::int64_t{hosts} + 1});
  set_if_absent(document, "algorithm.name", "algorithm", {where, std::string(kAlgorithm)});
  set_if_absent(document, "traffic", "traffic", {where, List{}});
  for (const std::string& assignment : set) scenario::apply_override(document, assignment);
  return scenario::read_scenario(document, file);
}

// Of a scenario file, which is named relative to the curriculum.
std::string path_of(const Curriculum& c, const std::string& file) {
  return (std::filesystem::path(c.file).parent_path() / file).string();
}

World world_of(const Curriculum& c, const EnvironmentRow& row, const TableReader& table) {
  const EnvironmentParams& p = row.params;
  World out;
  out.flows = p.flows;
  out.pattern = p.pattern;
  out.size = p.size;
  if (p.file.empty() && p.flows == 0)
    throw table.error_at("flows", "without a scenario file there must be flows; write a number from 1 on");
  try {
    if (p.file.empty()) {
      out.hosts = senders(p.flows, p.hosts);
      out.scenario = star_of(c.base, out.hosts, row.set, c.file);
    } else {
      const std::string path = path_of(c, p.file);
      if (!std::filesystem::exists(path)) throw table.error_at("file", fmt::format("there is no file {}", path));
      out.scenario = scenario::load_scenario_file(path, row.set);
    }
  } catch (const InputError& error) {
    if (row.set.empty() || !scenario::is_override(error.where())) throw;
    throw table.error_at("set", error.what());
  }
  out.profile = learning_profile(out.scenario, table.where(), table.path());
  if (!p.file.empty()) out.hosts = p.hosts;
  if (out.flows == 0 && out.scenario.traffic.empty())
    throw table.error_at("flows", "neither the scenario has traffic nor are there flows; write a number from 1 on");
  return out;
}

void read_rows(const Curriculum& c, const std::vector<TableReader>& tables, std::vector<EnvironmentRow>& rows,
               std::vector<World>& worlds) {
  for (const TableReader& table : tables) {
    EnvironmentRow& row = rows.emplace_back();
    table.read(params_of<EnvironmentParams>(), &row.params, {"set"});
    row.set = table.texts("set");
    worlds.push_back(world_of(c, row, table));
  }
}

std::vector<std::uint32_t> read_flow_counts(const TableReader& table) {
  std::vector<std::uint32_t> out;
  const Value* value = table.find("flows");
  if (value == nullptr) return {3, 16, 128};
  const auto* list = value->as<List>();
  const auto error = [&] {
    return table.error_at("flows",
                          fmt::format("write a list of whole numbers, 2 to {}, like [3, 16, 128]", kMostFlows));
  };
  if (list == nullptr || list->empty()) throw error();
  for (const Value& item : *list) {
    const auto* n = item.as<std::int64_t>();
    if (n == nullptr || *n < 2 || *n > kMostFlows) throw error();
    out.push_back(static_cast<std::uint32_t>(*n));
  }
  return out;
}

void check(const TableReader& root, const Curriculum& c) {
  const LearnerParams& l = c.learner;
  if (l.horizon > 0 && l.horizon + l.delay > l.rollout)
    throw root.table("learner").error_at(
        "horizon",
        fmt::format("with delay = {} a decision is held to account for signals up to {} decisions later, and a rollout "
                    "has {}; write 1 to {}",
                    l.delay, l.horizon + l.delay, l.rollout, l.delay < l.rollout ? l.rollout - l.delay : 1));
  if (c.randomise.first_rate_low > c.randomise.first_rate_high)
    throw root.table("randomise")
        .error_at("first_rate_low", fmt::format("it is above first_rate_high = {}", c.randomise.first_rate_high));
  if (c.validation.first_load_low > c.validation.first_load_high)
    throw root.table("validation")
        .error_at("first_load_low", fmt::format("it is above first_load_high = {}", c.validation.first_load_high));
  const PolicyParams& p = c.policy;
  if (p.queue_unit > Time{} && p.base_rtt > Time{})
    throw root.table("policy").error_at("base_rtt", "with queue_unit each flow's own counts; write base_rtt = \"0 s\"");
  if (p.queue_unit == Time{} && p.queue_packets > 0)
    throw root.table("policy").error_at("queue_packets", "it is without queue_unit; write that, too, or leave it away");
  if (p.inputs == policy::Inputs::paper && p.history != 1)
    throw root.table("policy").error_at("history", "the inputs \"paper\" are of the last decision alone; write 1");
}

template <class T>
void write_table(scenario::TomlWriter& out, std::string_view header, const T& object) {
  out.section(header);
  for (const Param& p : params_of<T>().params()) out.line(p.name, scenario::toml_value(p.get(&object)));
}

// A value as TOML, tables and lists in line.
std::string inline_text(const Value& value) {
  std::string out;
  if (const auto* table = value.as<Table>()) {
    for (const auto& [key, item] : table->entries)
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", scenario::toml_text(key), inline_text(item));
    return fmt::format("{{ {} }}", out);
  }
  if (const auto* list = value.as<List>()) {
    for (const Value& item : *list) out += (out.empty() ? "" : ", ") + inline_text(item);
    return fmt::format("[{}]", out);
  }
  if (const auto* text = value.as<std::string>()) return scenario::toml_text(*text);
  if (const auto* flag = value.as<bool>()) return scenario::toml_value(*flag);
  if (const auto* whole = value.as<std::int64_t>()) return scenario::toml_value(*whole);
  if (const auto* number = value.as<double>()) return scenario::toml_value(*number);
  throw scenario::key_error(value.where, "scenario", "nothing in a scenario is a date");
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& text : texts) out += (out.size() > 1 ? ", " : "") + scenario::toml_text(text);
  return out + "]";
}

// Scenario files are named relative to `folder`.
void write_rows(scenario::TomlWriter& out, std::string_view header, const std::vector<EnvironmentRow>& rows,
                const Curriculum& c, const std::filesystem::path& folder) {
  for (const EnvironmentRow& row : rows) {
    EnvironmentParams params = row.params;
    if (!params.file.empty() && !folder.empty())
      params.file = std::filesystem::proximate(path_of(c, params.file), folder).string();
    write_table(out, header, params);
    if (!row.set.empty()) out.line("set", list_of(row.set));
  }
}

}  // namespace

World Curriculum::star(std::uint32_t flows) const {
  World out;
  out.flows = flows;
  out.hosts = senders(flows, 0);
  out.scenario = star_of(base, out.hosts, {}, file);
  out.profile = learning_profile(out.scenario, base.where, "scenario");
  return out;
}

Curriculum parse_curriculum(std::string_view text, const std::string& file) {
  const Value document = scenario::parse_toml(text, file);
  const TableReader root(document, "");
  root.allow_only({"title", "learner", "policy", "scenario", "environment", "randomise", "validation"});
  Curriculum out;
  out.file = file;
  out.title = root.text("title");
  root.table("learner").read(params_of<LearnerParams>(), &out.learner);
  root.table("policy").read(params_of<PolicyParams>(), &out.policy);
  root.table("randomise").read(params_of<RandomiseParams>(), &out.randomise);
  const TableReader validation = root.table("validation");
  validation.read(params_of<ValidationParams>(), &out.validation, {"flows", "network"});
  out.validation_flows = read_flow_counts(validation);
  check(root, out);

  const Value* base = root.find("scenario");
  if (base != nullptr && base->as<Table>() == nullptr) throw root.error_at("scenario", "write a table [scenario]");
  out.base.where.file = file;
  out.base.data.emplace<Table>();
  if (base != nullptr) out.base = *base;
  const auto rows = root.tables("environment");
  if (rows.empty()) throw root.error_at("environment", "missing; write [[environment]] at least once");
  read_rows(out, rows, out.rows, out.environments);
  for (const std::uint32_t flows : out.validation_flows) out.validations.push_back(out.star(flows));
  const auto networks = validation.tables("network");
  read_rows(out, networks, out.validation_rows, out.validations);
  for (std::size_t i = 0; i < networks.size(); ++i)
    if (out.validation_rows[i].params.flows == 0)
      throw networks[i].error_at("flows", "what is measured are flows to one host; write how many, a number from 1 on");
  return out;
}

Curriculum read_curriculum(const std::string& file) {
  return parse_curriculum(read_document(file, "a curriculum, a TOML file"), file);
}

std::string Curriculum::network_of(std::size_t number) const {
  if (number < validation_flows.size()) return "star";
  const EnvironmentRow& row = validation_rows.at(number - validation_flows.size());
  const std::string changes = fmt::format("{}", fmt::join(row.set, ", "));
  if (row.params.file.empty()) return changes.empty() ? "star" : changes;
  return changes.empty() ? row.params.file : fmt::format("{}, {}", row.params.file, changes);
}

std::string Curriculum::effective(const std::string& folder) const {
  scenario::TomlWriter out("The curriculum with all its values.");
  if (!title.empty()) out.text("title", title);
  write_table(out, "[learner]", learner);
  write_table(out, "[policy]", policy);
  write_table(out, "[randomise]", randomise);
  write_table(out, "[validation]", validation);
  std::vector<std::string> counts;
  for (const auto n : validation_flows) counts.push_back(fmt::format("{}", n));
  out.line("flows", fmt::format("[{}]", fmt::join(counts, ", ")));
  if (const auto& entries = base.as<Table>()->entries; !entries.empty()) {
    out.section("[scenario]");
    for (const auto& [key, item] : entries) out.line(scenario::toml_text(key), inline_text(item));
  }
  write_rows(out, "[[validation.network]]", validation_rows, *this, folder);
  write_rows(out, "[[environment]]", rows, *this, folder);
  return out.take();
}

std::string Curriculum::digest() const {
  std::string all = effective();
  const auto add_files = [&](const std::vector<EnvironmentRow>& of, const World* worlds) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i].params.file.empty()) continue;
      all += checksum_of(read_document(path_of(*this, of[i].params.file), "a scenario, a TOML file"));
      for (const auto& attachment : scenario::effective(worlds[i].scenario).attachments)
        all += checksum_of(attachment.content);
    }
  };
  add_files(rows, environments.data());
  add_files(validation_rows, validations.data() + validation_flows.size());
  return checksum_of(all);
}

}  // namespace weir::learn
