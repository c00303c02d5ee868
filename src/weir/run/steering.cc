#include "weir/run/steering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/toml/document.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"
#include "weir/toml/writer.h"

namespace weir::run {
namespace {

struct At {
  Time at;
  static void describe(ParamList<At>& p) {
    p.time("at", &At::at, "when it was made, between two epochs").required = true;
  }
};

const std::vector<std::string> kCommon{"at", "kind"};

// What a row says, with the keys that all rows have beside it.
template <class What>
What read_what(const scenario::TableReader& row) {
  What out;
  row.read(params_of<What>(), &out, kCommon);
  return out;
}

// The place in a list of what has this name; the first place for "".
template <class List, class NameOf>
std::uint16_t index_of(const List& list, const std::string& name, const char* key, NameOf&& name_of) {
  if (name.empty()) return 0;
  const auto at = std::find_if(list.begin(), list.end(), [&](const auto& one) { return name_of(one) == name; });
  if (at != list.end()) return static_cast<std::uint16_t>(at - list.begin());
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(name_of(one));
  throw InputError(key, fmt::format("there is no {} '{}'; valid is {}", key, name, fmt::join(names, ", ")));
}

struct Writer {
  scenario::TomlWriter& out;

  void operator()(const SentFlow& flow) const {
    out.text("kind", "flow");
    out.value("src", flow.src);
    out.value("dst", flow.dst);
    out.text("size", format_value(flow.size));
    if (!flow.tag.empty()) out.text("tag", flow.tag);
    if (!flow.profile.empty()) out.text("profile", flow.profile);
  }
  void operator()(const TurnedLinks& links) const {
    out.text("kind", "link");
    out.value("a", links.a);
    out.value("b", links.b);
    out.text("state", links.state == engine::LinkState::down ? "down" : "up");
  }
  void operator()(const SetKeys& keys) const {
    out.text("kind", "set");
    std::vector<std::string> texts;
    for (const std::string& one : keys.assignments) texts.push_back(scenario::toml_text(one));
    out.line("set", fmt::format("[{}]", fmt::join(texts, ", ")));
  }
};

}  // namespace

void SentFlow::describe(ParamList<SentFlow>& p) {
  p.integer("src", &SentFlow::src, 0, kMaxHosts, "sending host").required = true;
  p.integer("dst", &SentFlow::dst, 0, kMaxHosts, "receiving host").required = true;
  p.bytes("size", &SentFlow::size, "payload", "", Bytes{1}, traffic::kMaxFlowSize).required = true;
  p.text("tag", &SentFlow::tag, "one of the tags of the scenario's traffic");
  p.text("profile", &SentFlow::profile, "one of the scenario's profiles");
}

void TurnedLinks::describe(ParamList<TurnedLinks>& p) {
  p.integer("a", &TurnedLinks::a, 0, kMaxHosts + net::kMaxSwitches, "a node ...").required = true;
  p.integer("b", &TurnedLinks::b, 0, kMaxHosts + net::kMaxSwitches, "... and another").required = true;
  p.choice("state", &TurnedLinks::state, {"down", "up"}, "of the links from then on").required = true;
}

std::string to_text(const Change& change) {
  if (const auto* flow = std::get_if<SentFlow>(&change.what))
    return fmt::format("flow {} -> {} of {}{}{}", flow->src, flow->dst, format_value(flow->size),
                       flow->tag.empty() ? "" : ", tag " + flow->tag,
                       flow->profile.empty() ? "" : ", profile " + flow->profile);
  if (const auto* links = std::get_if<TurnedLinks>(&change.what))
    return fmt::format("link {}-{} {}", links->a, links->b, links->state == engine::LinkState::down ? "down" : "up");
  return fmt::format("{}", fmt::join(std::get<SetKeys>(change.what).assignments, ", "));
}

std::string to_toml(const std::vector<Change>& changes) {
  scenario::TomlWriter out("What was changed while the run went on: weir run before.toml --steer steering.toml");
  for (const Change& change : changes) {
    out.section("[[change]]");
    out.text("at", format_value(change.at));
    std::visit(Writer{out}, change.what);
  }
  return out.take();
}

std::vector<Change> read_changes(const std::string& text, const std::string& file) {
  const scenario::Value root = scenario::parse_toml(text, file);
  const scenario::TableReader table(root, "");
  table.allow_only({"change"});
  std::vector<Change> out;
  for (const scenario::TableReader& row : table.tables("change")) {
    At at;
    row.read_known(params_of<At>(), &at);
    Change change{.at = at.at, .what = {}};
    const std::string kind = row.required_text("kind", "\"flow\", \"link\" or \"set\"");
    if (kind == "flow") {
      change.what = read_what<SentFlow>(row);
    } else if (kind == "link") {
      change.what = read_what<TurnedLinks>(row);
    } else if (kind == "set") {
      row.allow_only({"at", "kind", "set"});
      change.what = SetKeys{row.texts("set")};
    } else {
      throw row.error_at("kind", fmt::format("it is '{}'; valid is flow, link, set", kind));
    }
    if (!out.empty() && change.at < out.back().at)
      throw row.error_at("at", "it is before the change above; sort them by time");
    out.push_back(std::move(change));
  }
  return out;
}

traffic::Flow flow_of(const SentFlow& sent, Time start, const std::vector<std::string>& tags,
                      const scenario::Scenario& s) {
  traffic::Flow out;
  out.start = start;
  out.src = sent.src;
  out.dst = sent.dst;
  out.size = sent.size;
  out.tag = index_of(
      tags, sent.tag, "tag", [](const std::string& tag) -> const auto& { return tag; });
  out.profile = index_of(
      s.profiles, sent.profile, "profile", [](const scenario::ProfileSettings& p) -> const auto& { return p.name; });
  return out;
}

}  // namespace weir::run
