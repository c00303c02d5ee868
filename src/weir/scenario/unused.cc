#include "weir/scenario/unused.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "weir/probe/catalogue.h"
#include "weir/scenario/tables.h"
#include "weir/toml/document.h"
#include "weir/toml/writer.h"
#include "weir/traffic/calls.h"
#include "weir/traffic/collective_choice.h"

namespace weir::scenario {
namespace {

// Of what facts are: a parameter with this value in this scenario.
struct Subject {
  const Scenario& scenario;
  const engine::Model& model;
  ParamValue value;
};

// What a parameter may need that is no value of another one.
struct Fact {
  std::string_view key;
  std::string_view meaning;  // of what is needed
  bool (*holds)(const Subject&);
};

template <auto of_profile>
bool any_profile(const Subject& subject) {
  return std::any_of(subject.model.profiles.begin(), subject.model.profiles.end(), of_profile);
}

template <class Holds>
bool any_host(const engine::Model& model, Holds&& holds) {
  for (std::uint32_t host = 0; host < model.topology.hosts; ++host)
    if (holds(host)) return true;
  return false;
}

constexpr Fact kFacts[] = {
    {"algorithm.cnp_packet", "CNPs that are packets of their own, as with algorithm.cnp_packet = true of dcqcn",
     any_profile<[](const host::Profile& p) { return p.receiver.cnp_packet; }>},
    {"algorithm.on_ramp", "a table [algorithm.on_ramp]",
     any_profile<[](const host::Profile& p) { return p.on_ramp.has_value(); }>},
    {"algorithm.telemetry", "an algorithm that reads telemetry",
     any_profile<[](const host::Profile& p) { return p.reads_telemetry(); }>},
    {"network.class", "several [[network.class]]", [](const Subject& s) { return s.model.data_classes() > 1; }},
    {"network.changes", "a row [[network.link_event]] or [[network.failure]]",
     [](const Subject& s) { return !s.scenario.faults.link_events.empty() || !s.scenario.faults.failures.empty(); }},
    {"host.slow", "a row [[host.slow]]", [](const Subject& s) { return !s.model.faults.slow.empty(); }},
    {"host.ports", "hosts with several ports",
     [](const Subject& s) {
       return any_host(s.model, [&](std::uint32_t h) { return s.model.routing.ports_of(h).size() > 1; });
     }},
    {"host.rate", "hosts whose ports together are quicker than that",
     [](const Subject& s) {
       const Rate rate = std::get<Rate>(s.value);
       return any_host(s.model, [&](std::uint32_t h) { return s.model.routing.rate_of_host(h) > rate; });
     }},
    {"run.end", "a time before run.stop",
     [](const Subject& s) { return s.scenario.run.stop == Time{} || std::get<Time>(s.value) < s.scenario.run.stop; }},
    {"network.egress_drops", "network.buffer.mode = \"lossy\", or a [[network.class]] with pfc = false",
     [](const Subject& s) {
       const engine::Model& m = s.model;
       const unsigned all = (1u << m.data_classes()) - 1;
       return m.buffer.mode == net::BufferMode::lossy ||
              (m.buffer.mode == net::BufferMode::lossless && m.pfc_classes() != all);
     }},
};

// A value of a scenario with the text by which parameters name it.
using Found = std::optional<std::string>;

Found value_in(const ParamSet& set, const void* object, std::string_view name) {
  const Param* p = set.find(name);
  if (p == nullptr) return std::nullopt;
  return format_value(p->get(object));
}

// Of a key below an owner's tables, "recovery.kind"; the first row where there are several.
template <class Owner>
Found value_below(const Owner& owner, std::span<const TableKind<Owner>> list, std::string_view key) {
  const auto* kind = find_kind(list, parent_of(key));
  if (kind == nullptr || kind->count(owner) == 0) return std::nullopt;
  return value_in(*kind->params, kind->get(owner, 0), last_of(key));
}

class Check {
 public:
  Check(const Scenario& s, const engine::Model& model) : scenario_(s), model_(model) {}

  // In the order of files and lines.
  std::vector<std::string> all() {
    tables_of(scenario_, tables(), "", nullptr);
    for (std::size_t i = 0; i < scenario_.profiles.size(); ++i) {
      const ProfileSettings& p = scenario_.profiles[i];
      const std::string path = i == 0 ? "algorithm" : fmt::format("profile.{}", i - 1);
      tables_of(p, profile_tables(), path, &p);
      const auto start = preset_params(*p.algorithm, p.preset);
      table(*p.algorithm->params, p.params.get(), start.get(), {path}, &p);
    }
    for (std::size_t i = 0; i < scenario_.traffic.size(); ++i)
      if (const TrafficSource& source = scenario_.traffic[i]; source.params != nullptr)
        table(*source.kind->params, source.params.get(), source.kind->params->make().get(),
              {fmt::format("traffic.{}", i)}, nullptr, source.chosen_for);
    for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) lines_of(i);
    std::stable_sort(found_.begin(), found_.end(), [](const Warning& a, const Warning& b) {
      return std::tie(a.where.file, a.where.line) < std::tie(b.where.file, b.where.line);
    });
    std::vector<std::string> out;
    for (const Warning& w : found_) {
      const std::string more =
          w.lines == 1 ? "" : fmt::format(" and {} more line{}", w.lines - 1, w.lines == 2 ? "" : "s");
      out.push_back(fmt::format("{}{}: {}", w.where.text(), more, w.text));
    }
    return out;
  }

 private:
  struct Warning {
    Where where;
    std::string text;
    std::size_t lines = 1;  // of the file that say the same, from `where` on
  };
  // Where a table's values are written: in a scenario, or all in one line of another file.
  struct Place {
    std::string path;  // of the table; "" in another file
    std::optional<Where> line = {};
  };

  // Of a file of collective operations, which has a table in each line. An operation that is chosen may use any column.
  void lines_of(std::size_t source) {
    const TrafficSource& from = scenario_.traffic[source];
    if (from.params == nullptr || from.kind->params != &params_of<traffic::Calls>()) return;
    traffic::Context context;
    context.folder = scenario_.folder;
    const auto& calls = *static_cast<const traffic::Calls*>(from.params.get());
    if (!read_.insert(calls.file).second) return;
    for (const traffic::NamedCall& call : traffic::read_calls(calls, context)) {
      if (traffic::is_to_choose(call.what.operation)) continue;
      const traffic::Collective start = traffic::without_columns(calls);
      table(params_of<traffic::Collective>(), &call.what, &start, {"", call.where}, nullptr);
    }
  }

  template <class Owner>
  void tables_of(const Owner& owner, std::span<const TableKind<Owner>> list, const std::string& prefix,
                 const ProfileSettings* profile) {
    for (const auto& kind : list)
      for (std::size_t i = 0; i < kind.count(owner); ++i) {
        const std::string path = kind.path.empty() ? prefix : join(prefix, kind.path);
        table(*kind.params, kind.get(owner, i), kind.params->make().get(),
              {kind.occurs == Occurs::rows ? fmt::format("{}.{}", path, i) : path}, profile);
      }
  }

  // Values that are those of `start` are as good as not written. `chosen_for`: the operation that is written, if that
  // in the table has been chosen for it.
  void table(const ParamSet& set, const void* object, const void* start, const Place& place,
             const ProfileSettings* profile, std::string_view chosen_for = "") {
    const std::string& path = place.path;
    std::vector<std::pair<Reason, std::vector<std::string>>> unmet;  // why, and which
    for (const Param& p : set.params()) {
      const bool is_written = place.line || scenario_.places.contains(join(path, p.name));
      if (!is_written || p.get(object) == p.get(start)) continue;
      const auto need = std::find_if(p.needs.begin(), p.needs.end(), [&](const Need& n) {
        const bool by_choice = !chosen_for.empty() && n.key == "operation" && !n.other &&
                               std::find(n.values.begin(), n.values.end(), chosen_for) != n.values.end();
        const auto holds = [&](const Need& one) { return is_met(one, set, object, profile, p); };
        return !by_choice && !holds(n) && std::none_of(n.or_else.begin(), n.or_else.end(), holds);
      });
      if (need == p.needs.end()) continue;
      const Reason why = reason(*need, path, profile);
      const auto known =
          std::find_if(unmet.begin(), unmet.end(), [&](const auto& other) { return other.first == why; });
      if (known != unmet.end())
        known->second.push_back(p.name);
      else
        unmet.push_back({why, {p.name}});
    }
    for (const auto& [why, names] : unmet) tell(place, names, why);
  }

  bool is_met(const Need& need, const ParamSet& set, const void* object, const ProfileSettings* profile,
              const Param& of) const {
    if (need.values.empty()) {
      const auto* fact =
          std::find_if(std::begin(kFacts), std::end(kFacts), [&](const Fact& f) { return f.key == need.key; });
      if (fact == std::end(kFacts)) throw std::logic_error(fmt::format("there is no fact '{}'", need.key));
      return fact->holds({scenario_, model_, of.get(object)});
    }
    const auto suits = [&](const Found& value) { return value && need.is_met_by(*value); };
    if (need.is_of_component()) return set.meets(need, object);
    if (profile != nullptr) return suits(value_below(*profile, profile_tables(), need.key));
    const std::string_view any = "algorithm.";
    if (!need.key.starts_with(any)) return suits(value_below(scenario_, tables(), need.key));
    return std::any_of(scenario_.profiles.begin(), scenario_.profiles.end(), [&](const ProfileSettings& p) {
      return suits(value_below(p, profile_tables(), std::string_view(need.key).substr(any.size())));
    });
  }

  // Why keys have no effect: of the value of another one, "A = 1", or for want of one.
  struct Reason {
    bool is_hindered = false;  // by the condition; else it would be needed
    std::string condition;

    bool operator==(const Reason&) const = default;
  };

  static Reason reason(const Need& need, const std::string& path, const ProfileSettings* profile) {
    if (need.other && need.or_else.empty()) return {true, value_text(need, " =", path, profile)};
    Reason out{false, condition_text(need, path, profile)};
    for (const Need& other : need.or_else) out.condition += ", or " + condition_text(other, path, profile);
    return out;
  }

  static std::string condition_text(const Need& need, const std::string& path, const ProfileSettings* profile) {
    for (const Fact& fact : kFacts)
      if (need.values.empty() && fact.key == need.key) return std::string(fact.meaning);
    return value_text(need, need.other ? " other than" : " =", path, profile);
  }

  // Of keys without a dot, and of a profile's, `path` is the table.
  static std::string value_text(const Need& need, std::string_view is, const std::string& path,
                                const ProfileSettings* profile) {
    std::vector<std::string> values;
    for (const std::string& value : need.values) values.push_back(is_bare(value) ? value : toml_text(value));
    const bool of_table = need.key.find('.') == std::string::npos;
    const std::string table = of_table ? path : profile != nullptr ? path.substr(0, path.find('.')) : "";
    return fmt::format("{}{} {}", join(table, need.key), is, fmt::join(values, " or "));
  }

  static bool is_bare(const std::string& value) {
    if (value.empty()) return false;
    return value == "true" || value == "false" || value.find_first_not_of("0123456789.") == std::string::npos;
  }

  void tell(const Place& place, const std::vector<std::string>& names, const Reason& why) {
    const Where where = place.line ? *place.line : scenario_.place(join(place.path, names.front()));
    const bool one = names.size() == 1;
    const std::string_view link = why.is_hindered ? " with" : one ? ": it needs" : ": each needs";
    const std::string text =
        fmt::format("{} {} no effect{} {}", join(place.path, fmt::format("{}", fmt::join(names, ", "))),
                    one ? "has" : "have", link, why.condition);
    const auto same = std::find_if(found_.begin(), found_.end(), [&](const Warning& w) {
      return place.line && w.where.file == where.file && w.text == text;
    });
    if (same != found_.end())
      ++same->lines;
    else
      found_.push_back({where, text});
  }

  const Scenario& scenario_;
  const engine::Model& model_;
  std::vector<Warning> found_;
  std::set<std::string> read_;  // files of collective operations
};

}  // namespace

void warn_of_unused(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  for (std::string& warning : Check(s, model).all()) out.push_back(std::move(warning));
}

}  // namespace weir::scenario
