#include "weir/scenario/uet_connections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "weir/base/csv.h"
#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/text_file.h"
#include "weir/replica/uet_params.h"
#include "weir/scenario/build.h"
#include "weir/scenario/replica_rules.h"
#include "weir/toml/document.h"
#include "weir/traffic/fields.h"

namespace weir::scenario {
namespace {

using replica::kNoTrigger;
using replica::UetConnection;
using replica::UetConnections;
using replica::UetTrigger;

constexpr std::size_t kMostFlows = 10'000'000;
constexpr Bytes kMostOfConnection{100'000'000'000};  // all its messages
constexpr std::int64_t kLatestNs = 1'000'000'000'000'000;
const std::vector<std::string> kColumns{"number",   "src",        "dst",    "size_bytes",
                                        "start_ns", "started_by", "starts", "one_path"};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, std::uint32_t hosts, bool kept)
      : csv_(text, file), file_(file), hosts_(hosts), kept_(kept) {}

  UetConnections read() {
    if (!csv_.next(fields_)) throw InputError(Where{file_, 0}, "empty; the first line names the columns");
    if (fields_ != kColumns)
      throw InputError(csv_.where(), fmt::format("the columns are not right; write {}", fmt::join(kColumns, ",")));
    while (csv_.next(fields_)) read_row();
    if (out_.rows.empty()) throw InputError(Where{file_, 0}, "no connection; write at least one");
    check_triggers();
    return std::move(out_);
  }

 private:
  struct Known {
    std::uint32_t index = 0;
    Where first;       // where it is named first
    std::string rule;  // "" until a connection says it
    std::uint32_t callers = 0;
  };

  std::int64_t whole(std::size_t column, std::string_view field, std::int64_t min, std::int64_t max) const {
    return traffic::whole_number(field, kColumns[column], min, max, csv_.where());
  }

  void read_row() {
    if (fields_.size() != kColumns.size())
      throw InputError(csv_.where(),
                       fmt::format("{} fields; the file has {} columns", fields_.size(), kColumns.size()));
    if (out_.rows.size() == kMostFlows)
      throw InputError(csv_.where(), fmt::format("more than {} connections", kMostFlows));
    UetConnection c;
    c.number = static_cast<std::uint32_t>(whole(0, fields_[0], 1, UINT32_MAX));
    if (!kept_ && !numbers_.insert(c.number).second)
      throw InputError(csv_.where(), fmt::format("number {} is there already", c.number));
    c.src = static_cast<std::uint32_t>(whole(1, fields_[1], 0, hosts_ - 1));
    c.dst = static_cast<std::uint32_t>(whole(2, fields_[2], 0, hosts_ - 1));
    if (c.src == c.dst) throw InputError(csv_.where(), fmt::format("connection of host {} to itself", c.src));
    c.size = {whole(3, fields_[3], 1, kUetMaxFlowSize.count)};
    if (kept_ && !(fields_[5].empty() && fields_[6].empty()))
      throw InputError(csv_.where(), "kept connections have no triggers; leave started_by and starts empty");
    if (fields_[4].empty() == fields_[5].empty()) throw InputError(csv_.where(), "write either start_ns or started_by");
    if (!fields_[4].empty()) c.start = {whole(4, fields_[4], 0, kLatestNs) * 1000};
    if (!fields_[5].empty()) c.trigger = started_by(fields_[5]);
    if (!fields_[6].empty()) {
      Known& called = trigger(whole(6, fields_[6], 1, UINT32_MAX));
      c.triggers = called.index;
      ++called.callers;
    }
    if (fields_[7] != "yes" && fields_[7] != "no")
      throw InputError(csv_.where(), fmt::format("one_path = '{}' is not valid; write yes or no", fields_[7]));
    c.one_path = fields_[7] == "yes";
    if (kept_) {
      add_message(out_, known_, c, csv_.where());
      return;
    }
    out_.rows.push_back(c);
    where_.push_back(csv_.where());
  }

  Known& trigger(std::int64_t number) {
    const auto [known, is_new] = triggers_.try_emplace(static_cast<std::uint32_t>(number));
    if (is_new) {
      known->second = {static_cast<std::uint32_t>(out_.triggers.size()), csv_.where(), ""};
      out_.triggers.emplace_back();
    }
    return known->second;
  }

  std::uint32_t started_by(std::string_view text) {
    const auto space = text.find(' ');
    Known& known = trigger(whole(5, text.substr(0, space), 1, UINT32_MAX));
    const std::string rule(space == std::string_view::npos ? "at once" : text.substr(space + 1));
    if (!known.rule.empty() && known.rule != rule)
      throw InputError(csv_.where(), fmt::format("started_by = '{}', but another connection of the trigger says '{}'",
                                                 text, known.rule));
    known.rule = rule;
    UetTrigger& trigger = out_.triggers[known.index];
    constexpr std::string_view kAfter = "after ";
    trigger.one_each = rule == "one each";
    if (rule.starts_with(kAfter))
      trigger.calls = static_cast<std::uint32_t>(whole(5, std::string_view(rule).substr(kAfter.size()), 1, UINT32_MAX));
    else if (rule != "at once" && !trigger.one_each)
      throw InputError(
          csv_.where(),
          fmt::format(
              "started_by = '{}' is not valid; write a trigger's number, which 'after N' or 'one each' may follow",
              text));
    return known.index;
  }

  void check_triggers() const {
    for (const auto& [number, known] : triggers_) {
      if (known.rule.empty()) throw InputError(known.first, fmt::format("trigger {} starts no connection", number));
      if (known.callers < out_.triggers[known.index].calls)
        throw InputError(known.first, fmt::format("trigger {} waits for {} calls, but {} connections call it", number,
                                                  out_.triggers[known.index].calls, known.callers));
    }
    if (const auto row = never_started(out_))
      throw InputError(where_[*row],
                       "the connection never starts: what triggers it waits for it in turn, or is called too few "
                       "times");
  }

  CsvReader csv_;
  std::string file_;
  std::uint32_t hosts_;
  bool kept_;
  std::vector<std::string> fields_;
  std::set<std::uint32_t> numbers_;
  std::map<std::uint32_t, std::uint32_t> known_;  // rows of kept connections, by their numbers
  std::map<std::uint32_t, Known> triggers_;
  UetConnections out_;
  std::vector<Where> where_;  // of rows
};

// Of the file: connections, or their messages.
std::vector<UetConnection> rows_of(const UetConnections& connections) {
  if (connections.messages.empty()) return connections.rows;
  std::vector<UetConnection> out;
  for (const replica::UetMessage& m : connections.messages) {
    UetConnection& row = out.emplace_back(connections.rows[m.row]);
    row.size = m.size;
    row.start = m.start;
  }
  return out;
}

}  // namespace

UetConnections parse_connections(std::string_view text, const std::string& file, std::uint32_t hosts, bool kept) {
  return Reader(text, file, hosts, kept).read();
}

void add_message(UetConnections& connections, std::map<std::uint32_t, std::uint32_t>& rows,
                 const UetConnection& message, const Where& where) {
  const auto [known, is_new] = rows.try_emplace(message.number, static_cast<std::uint32_t>(connections.rows.size()));
  connections.messages.push_back({known->second, message.size, message.start});
  if (is_new) {
    connections.rows.push_back(message);
    return;
  }
  UetConnection& c = connections.rows[known->second];
  if (c.src != message.src || c.dst != message.dst || c.one_path != message.one_path)
    throw InputError(where, fmt::format("a message of connection {}, which leads from host {} to host {}{}; write the "
                                        "same in all its rows",
                                        c.number, c.src, c.dst, c.one_path ? " on one path" : ""));
  c.size += message.size;
  if (c.size > kMostOfConnection)
    throw InputError(where, fmt::format("the messages of connection {} are more than {}", c.number,
                                        format_value(kMostOfConnection)));
}

std::string format_connections(const UetConnections& connections) {
  std::string out = fmt::format("{}\n", fmt::join(kColumns, ","));
  const auto rows = rows_of(connections);
  for (const UetConnection& c : rows) {
    std::string by;
    if (c.trigger != kNoTrigger) {
      const UetTrigger& t = connections.triggers[c.trigger];
      by = fmt::format("{}{}", c.trigger + 1,
                       t.one_each    ? " one each"
                       : t.calls > 1 ? fmt::format(" after {}", t.calls)
                                     : "");
    }
    out += fmt::format("{},{},{},{},{},{},{},{}\n", c.number, c.src, c.dst, c.size.count,
                       by.empty() ? fmt::format("{}", c.start.ps / 1000) : "", by,
                       c.triggers == kNoTrigger ? "" : fmt::format("{}", c.triggers + 1), c.one_path ? "yes" : "no");
  }
  return out;
}

std::optional<std::size_t> never_started(const UetConnections& connections) {
  const auto& rows = connections.rows;
  const auto& triggers = connections.triggers;
  std::vector<std::vector<std::size_t>> waiting(triggers.size());
  std::vector<std::size_t> ready;
  std::vector<bool> started(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].trigger == kNoTrigger)
      ready.push_back(i);
    else
      waiting[rows[i].trigger].push_back(i);
  }
  std::vector<std::uint32_t> calls(triggers.size());
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    started[i] = true;
    const std::uint32_t t = rows[i].triggers;
    if (t == kNoTrigger) continue;
    ++calls[t];
    if (triggers[t].one_each && calls[t] <= waiting[t].size()) ready.push_back(waiting[t][calls[t] - 1]);
    if (!triggers[t].one_each && calls[t] == triggers[t].calls)
      ready.insert(ready.end(), waiting[t].begin(), waiting[t].end());
  }
  const auto first = std::find(started.begin(), started.end(), false);
  if (first == started.end()) return std::nullopt;
  return static_cast<std::size_t>(first - started.begin());
}

UetConnections connections_of(traffic::Traffic& traffic, Time stop) {
  UetConnections out;
  while (const auto flow = traffic.next()) {
    if (stop > Time{} && flow->start >= stop) break;
    if (out.rows.size() == kMostFlows) throw InputError(fmt::format("more than {} flows; set run.stop", kMostFlows));
    if (flow->size > kUetMaxFlowSize)
      throw InputError(fmt::format("a flow of {} bytes; valid is up to {} under run.fidelity = \"{}\"",
                                   flow->size.count, kUetMaxFlowSize.count, replica::kHtsimUet));
    UetConnection c;
    c.number = static_cast<std::uint32_t>(flow->id + 1);
    c.src = flow->src;
    c.dst = flow->dst;
    c.size = flow->size;
    c.start = flow->start;
    c.tag = flow->tag;
    c.profile = flow->profile;
    out.rows.push_back(c);
  }
  return out;
}

namespace {

std::uint16_t tag_of(const Scenario& s, const std::vector<std::string>& tags, const std::string& name) {
  const auto tag = std::find(tags.begin(), tags.end(), name);
  if (tag == tags.end())
    throw replica_error(s, "fidelity.one_path",
                        fmt::format("no traffic has the tag '{}'; tags are {}", name, fmt::join(tags, ", ")));
  return static_cast<std::uint16_t>(tag - tags.begin());
}

}  // namespace

replica::UetConnections connections_of(const Scenario& s, const engine::Model& model, traffic::Traffic& traffic) {
  const std::string& name = fidelity_params<replica::UetParams>(s).connections;
  const bool kept = s.transport.connections == host::ConnectionKind::kept;
  if (name.empty() && kept)
    throw replica_error(s, "transport.connections",
                        "only messages of a file, which fidelity.connections names, share connections: remove this");
  const std::string& one_path = fidelity_params<replica::UetParams>(s).one_path;
  if (name.empty()) {
    UetConnections out = at_its_place(s, "traffic", [&] { return connections_of(traffic, s.run.stop); });
    if (one_path.empty()) return out;
    const std::uint16_t tag = tag_of(s, traffic.tags(), one_path);
    for (UetConnection& c : out.rows) c.one_path = c.tag == tag;
    return out;
  }
  if (!one_path.empty())
    throw replica_error(s, "fidelity.one_path", "connections of a file have a column one_path: remove this");
  const std::string file = (std::filesystem::path(s.folder) / name).string();
  const std::string text =
      at_its_place(s, "fidelity", [&] { return read_named_file(file, "a CSV of connections", "connections"); });
  return parse_connections(text, file, model.topology.hosts, kept);
}

}  // namespace weir::scenario
