#include "weir/scenario/effective.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/probe/catalogue.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/tables.h"
#include "weir/toml/document.h"
#include "weir/toml/writer.h"

namespace weir::scenario {
namespace {

// Whose preset a profile has.
std::string preset_text(const ProfileSettings& p) {
  for (const cc::Preset& preset : p.algorithm->presets)
    if (preset.name == p.preset)
      return fmt::format("{}; where the values below differ from it, they count", preset.source);
  return "";
}

class Writer {
 public:
  Writer(const Scenario& s, const std::string& folder)
      : scenario_(s), folder_(folder.empty() ? "./" : fmt::format("./{}/", folder)) {}

  Effective write() {
    const Scenario& s = scenario_;
    toml_.text("title", s.title);
    if (s.traffic.empty() && own_flows(s).empty()) toml_.line("traffic", "[]", "none: a program sends the flows");
    tables_of(s, tables().first(1), "");
    if (const ParamSet* set = s.run.fidelity->params) {
      toml_.section("[fidelity]");
      params(*set, s.fidelity_params.get(), "fidelity");
    }
    toml_.section("[topology]");
    toml_.text("kind", s.topology.name, s.topology.kind == nullptr ? "a graph file" : s.topology.kind->meaning);
    params(s.topology.list(), s.topology.params.get(), "topology");
    tables_of(s, tables().subspan(1), "");
    for (std::size_t i = 0; i < s.profiles.size(); ++i) profile(s.profiles[i], i);
    for (std::size_t i = 0; i < s.traffic.size(); ++i) source(s.traffic[i], i);
    for (const auto& kind : probe::probe_kinds())
      if (const void* object = s.probes.get(kind)) {
        toml_.section(fmt::format("[probes.{}]", kind.name));
        params(*kind.params, object);
      }
    out_.toml = toml_.take();
    return std::move(out_);
  }

 private:
  // `prefix` is before the paths.
  template <class Owner>
  void tables_of(const Owner& owner, std::span<const TableKind<Owner>> list, std::string_view prefix) {
    for (const auto& kind : list)
      for (std::size_t i = 0; i < kind.count(owner); ++i) {
        const std::string path = join(prefix, kind.path);
        if (!kind.path.empty()) toml_.section(header_of(kind.occurs, path));
        if (kind.remark != nullptr)
          if (const std::string remark = kind.remark(owner); !remark.empty()) toml_.comment(remark);
        params(*kind.params, kind.get(owner, i));
      }
  }

  // `owner` begins the names of attached data files.
  void params(const ParamSet& set, const void* object, std::string_view owner = "") {
    for (const Param& p : set.params()) {
      ParamValue value = p.get(object);
      if (p.names_file != nullptr && p.names_file(std::get<std::string>(value)))
        value = attach(std::get<std::string>(value), owner, p.name);
      toml_.line(p.name, toml_value(value), p.meaning);
    }
  }

  // The './' makes any name a file's, even one without the end that tells it apart from a word.
  std::string attach(const std::string& file, std::string_view owner, std::string_view param) {
    const std::filesystem::path path = std::filesystem::path(scenario_.folder) / file;
    const std::string name = attachment_name(path.filename().string(), owner, param);
    out_.attachments.push_back({name, read_text_file(path.string(), "a data file of the scenario")});
    return folder_ + name;
  }

  // "topology-ring.graph" of ring.graph, and of itself; by the parameter if the name is long, with a number if it is
  // taken.
  std::string attachment_name(const std::string& file, std::string_view owner, std::string_view param) const {
    constexpr std::size_t kLong = 150;  // bytes; file systems take 255
    const std::string before = fmt::format("{}-", owner);
    const auto is_free = [&](const std::string& name) {
      return std::none_of(out_.attachments.begin(), out_.attachments.end(),
                          [&](const Attachment& other) { return other.name == name; });
    };
    std::string name = file.starts_with(before) ? file : before + file;
    const std::string end = std::filesystem::path(file).extension().string();
    if (name.size() > kLong) name = fmt::format("{}{}{}", before, param, end);
    for (int number = 2; !is_free(name); ++number) name = fmt::format("{}{}-{}{}", before, param, number, end);
    return name;
  }

  void profile(const ProfileSettings& p, std::size_t i) {
    const bool is_default = i == 0;
    toml_.section(is_default ? "[algorithm]" : "[[profile]]");
    toml_.text("name", p.name);
    if (!is_default) toml_.text("algorithm", p.algorithm->about.name);
    if (!p.preset.empty()) toml_.text("preset", p.preset, preset_text(p));
    tables_of(p, profile_tables().first(1), "");
    params(*p.algorithm->params, p.params.get(), is_default ? "algorithm" : fmt::format("profile-{}", i - 1));
    tables_of(p, profile_tables().subspan(1), is_default ? "algorithm" : "profile");
  }

  void source(const TrafficSource& t, std::size_t i) {
    toml_.section("[[traffic]]");
    toml_.text("kind", t.kind->name, t.kind->meaning);
    toml_.text("tag", t.tag);
    toml_.text("profile", t.profile);
    if (t.completion) toml_.line("completion", "true", "the flows of the source are one collective");
    if (t.flows.empty()) {
      params(*t.kind->params, t.params.get(), fmt::format("traffic-{}", i));
      return;
    }
    toml_.lines("flow = [\n");
    for (const InlineFlow& flow : t.flows) {
      std::string fields;
      for (const Param& p : params_of<InlineFlow>().params())
        fields += fmt::format("{}{} = {}", fields.empty() ? "" : ", ", p.name, toml_value(p.get(&flow)));
      toml_.lines(fmt::format("  {{ {} }},\n", fields));
    }
    toml_.lines("]\n");
  }

  const Scenario& scenario_;
  const std::string folder_;  // of attachments, as the text names it
  TomlWriter toml_{"A scenario with all its values. Running it again gives the same result."};
  Effective out_;
};

}  // namespace

Effective effective(const Scenario& s, const std::string& folder) { return Writer(s, folder).write(); }

}  // namespace weir::scenario
