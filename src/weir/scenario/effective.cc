#include "weir/scenario/effective.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/scenario/ecn_choice.h"

namespace weir::scenario {
namespace {

std::string toml_value(const ParamValue& value) {
  if (std::holds_alternative<bool>(value) || std::holds_alternative<std::int64_t>(value)) return format_value(value);
  if (const auto* number = std::get_if<double>(&value)) {
    const auto text = format_value(*number);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  return toml_text(format_value(value));
}

// Whose preset a profile has.
std::string preset_text(const Profile& p) {
  for (const cc::Preset& preset : p.algorithm->presets)
    if (preset.name == p.preset)
      return fmt::format("{}; where the values below differ from it, they count", preset.source);
  return "";
}

class Writer {
 public:
  explicit Writer(const Scenario& s) : scenario_(s) {}

  Effective write() {
    const Scenario& s = scenario_;
    out_.toml = "# A scenario with all its values. Running it again gives the same result.\n";
    line("title", toml_text(s.title), "");
    section("[run]");
    params(params_of<RunParams>(), &s.run);
    if (const ParamSet* list = s.fidelity_list()) {
      section("[fidelity]");
      params(*list, s.fidelity_params(), "fidelity");
    }
    section("[topology]");
    line("kind", toml_text(s.topology.name), s.topology.kind == nullptr ? "a graph file" : s.topology.kind->meaning);
    params(s.topology.list(), s.topology.params.get(), "topology");
    section("[network]");
    params(params_of<engine::NetworkParams>(), &s.network);
    section("[network.buffer]");
    params(params_of<net::BufferParams>(), &s.buffer);
    section("[network.pfc.watchdog]");
    params(params_of<net::WatchdogParams>(), &s.watchdog);
    section("[network.adaptive]");
    params(params_of<engine::AdaptiveParams>(), &s.adaptive);
    section("[network.ecn]");
    if (const std::string whose = recommended_by(s); !whose.empty())
      out_.toml += fmt::format("# thresholds that come with {}\n", one_line(whose));
    params(params_of<engine::EcnParams>(), &s.ecn);
    rows("[[network.ecn.rate]]", s.ecn_overrides);
    rows("[[network.class]]", s.classes);
    rows("[[network.loss]]", s.faults.loss);
    rows("[[network.failure]]", s.faults.failures);
    rows("[[network.link_event]]", s.faults.link_events);
    rows("[[host.pause]]", s.faults.host_pauses);
    section("[transport]");
    params(params_of<host::TransportParams>(), &s.transport);
    if (s.clocks) {
      section("[clocks]");
      params(params_of<host::ClockParams>(), &*s.clocks);
    }
    for (const Profile& p : s.profiles) profile(p, &p == &s.profiles.front());
    for (std::size_t i = 0; i < s.traffic.size(); ++i) source(s.traffic[i], i);
    for (const auto& kind : probe::probe_kinds())
      if (const void* object = kind.get(s.probes)) {
        section(fmt::format("[probes.{}]", kind.name));
        params(*kind.params, object);
      }
    return std::move(out_);
  }

 private:
  void section(std::string_view header) { out_.toml += fmt::format("\n{}\n", header); }

  void line(std::string_view key, std::string_view value, std::string_view comment) {
    out_.toml += fmt::format("{} = {}", key, value);
    if (!comment.empty()) out_.toml += fmt::format("  # {}", comment);
    out_.toml += '\n';
  }

  template <class Row>
  void rows(std::string_view header, const std::vector<Row>& list) {
    for (const Row& row : list) {
      section(header);
      params(params_of<Row>(), &row);
    }
  }

  // `owner` begins the names of attached data files.
  void params(const ParamSet& set, const void* object, std::string_view owner = "") {
    for (const Param& p : set.params()) {
      ParamValue value = p.get(object);
      if (p.names_file != nullptr && p.names_file(std::get<std::string>(value)))
        value = attach(std::get<std::string>(value), owner, p.name);
      line(p.name, toml_value(value), p.meaning);
    }
  }

  // The './' makes any name a file's, even one without the end that tells it apart from a word.
  std::string attach(const std::string& file, std::string_view owner, std::string_view param) {
    const std::filesystem::path path = std::filesystem::path(scenario_.folder) / file;
    const std::string name = attachment_name(path.filename().string(), owner, param);
    out_.attachments.push_back({name, read_text_file(path.string(), "a data file of the scenario")});
    return "./" + name;
  }

  // "topology-ring.graph" of ring.graph, and of itself; by the parameter if the name is long or taken.
  std::string attachment_name(const std::string& file, std::string_view owner, std::string_view param) const {
    constexpr std::size_t kLong = 150;  // bytes; file systems take 255
    const std::string before = fmt::format("{}-", owner);
    std::string name = file.starts_with(before) ? file : before + file;
    const bool taken = std::any_of(out_.attachments.begin(), out_.attachments.end(),
                                   [&](const Attachment& other) { return other.name == name; });
    if (!taken && name.size() <= kLong) return name;
    return fmt::format("{}{}{}", before, param, std::filesystem::path(file).extension().string());
  }

  void profile(const Profile& p, bool is_default) {
    section(is_default ? "[algorithm]" : "[[profile]]");
    line("name", toml_text(p.name), "");
    if (!is_default) line("algorithm", toml_text(p.algorithm->about.name), "");
    if (!p.preset.empty()) line("preset", toml_text(p.preset), preset_text(p));
    params(params_of<Sending>(), &p.sending);
    params(*p.algorithm->params, p.params.get());
    const std::string_view table = is_default ? "algorithm" : "profile";
    section(fmt::format("[{}.recovery]", table));
    params(params_of<host::RecoveryParams>(), &p.recovery);
    section(fmt::format("[{}.load_balancing]", table));
    params(params_of<host::BalancingParams>(), &p.balancing);
    if (!p.on_ramp) return;
    section(fmt::format("[{}.on_ramp]", table));
    params(params_of<cc::OnRamp::Params>(), &*p.on_ramp);
  }

  void source(const TrafficSource& t, std::size_t i) {
    section("[[traffic]]");
    line("kind", toml_text(t.kind->name), t.kind->meaning);
    line("tag", toml_text(t.tag), "");
    line("profile", toml_text(t.profile), "");
    if (t.completion) line("completion", "true", "the flows of the source are one collective");
    if (t.flows.empty()) {
      params(*t.kind->params, t.params.get(), fmt::format("traffic-{}", i));
      return;
    }
    out_.toml += "flow = [\n";
    for (const InlineFlow& flow : t.flows) {
      std::string fields;
      for (const Param& p : params_of<InlineFlow>().params())
        fields += fmt::format("{}{} = {}", fields.empty() ? "" : ", ", p.name, toml_value(p.get(&flow)));
      out_.toml += fmt::format("  {{ {} }},\n", fields);
    }
    out_.toml += "]\n";
  }

  const Scenario& scenario_;
  Effective out_;
};

}  // namespace

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == 127) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

Effective effective(const Scenario& s) { return Writer(s).write(); }

}  // namespace weir::scenario
