// Connection matrices (.cm).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "weir/base/params.h"
#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/import/htsim_files.h"
#include "weir/import/htsim_lines.h"
#include "weir/scenario/replica_rules.h"
#include "weir/scenario/uet_connections.h"
#include "weir/toml/document.h"
#include "weir/traffic/flow.h"

namespace weir::scenario {
namespace {

using replica::UetConnection;
using replica::UetConnections;

constexpr std::size_t kMostRows = 10'000'000;
constexpr std::int64_t kMostUs = 1 << 24;             // whole numbers of a float
constexpr std::uint32_t kOwnNumbers = 1'000'000'000;  // of flows that the file does not number
constexpr int kOnePath = 7;                           // a priority

// Of decimals; more than any valid one if the text is none.
Time microseconds(const std::string& text) {
  try {
    return parse_time(text + " us");
  } catch (const InputError&) {
    return Time::max();
  }
}

class MatrixReader {
 public:
  MatrixReader(std::string_view text, const std::string& file, HtsimMatrixRules rules)
      : lines_(text, file), rules_(rules) {}

  HtsimMatrix read() {
    while (lines_.next()) read_line();
    if (out_.nodes == 0) throw InputError(lines_.whole_file(), "Nodes is missing; write 'Nodes N' first");
    check_count("Connections", rows_);
    check_count("Triggers", defined_);
    check_triggers();
    return std::move(out_);
  }

 private:
  struct Count {
    std::int64_t value = 0;
    Where where;
  };
  struct Trigger {
    std::uint32_t index = 0;
    Where first;  // where it is named first
    bool defined = false;
    std::string kind;
    std::uint32_t callers = 0;
    std::uint32_t flows = 0;
  };

  void read_line() {
    const std::string word = first_word();
    if (word == "Nodes" || word == "Connections" || word == "Triggers" || word == "Failures") {
      read_count(word);
    } else if (word == "trigger") {
      read_trigger();
    } else if (word == "failure") {
      throw lines_.error(
          "failures are not possible: htsim_uec stops at them with an assertion; take them out, and write "
          "Failures 0");
    } else if (const auto arrow = word.find("->"); arrow != std::string::npos) {
      read_connection(std::string_view(word).substr(0, arrow), std::string_view(word).substr(arrow + 2));
    } else {
      throw lines_.error(
          fmt::format("'{}' is not known{}; valid is Nodes, Connections, Triggers, Failures, trigger, a->b", word,
                      did_you_mean(word, {"Nodes", "Connections", "Triggers", "Failures", "trigger"})));
    }
  }

  // What a line is about. Blanks may stand around the arrow of a connection, which is one word here.
  std::string first_word() {
    std::string word(lines_.word(""));
    if (lines_.next_begins("->")) word += lines_.word("");
    if (word.ends_with("->") && lines_.more()) word += lines_.word("");
    return word;
  }

  void read_count(const std::string& name) {
    const bool nodes = name == "Nodes";
    const std::int64_t value = lines_.whole(name, nodes ? 2 : 0, nodes ? kMostHtsimNodes : kMostRows);
    lines_.end();
    const auto [known, is_new] = counts_.emplace(name, Count{value, lines_.where()});
    if (!is_new) throw lines_.error(fmt::format("{} is there already, in line {}", name, known->second.where.line));
    if (!nodes) return;
    out_.nodes = static_cast<std::uint32_t>(value);
    out_.nodes_where = lines_.where();
  }

  void check_count(const std::string& name, std::size_t actual) const {
    const auto known = counts_.find(name);
    if (known == counts_.end() && actual > 0)
      throw InputError(lines_.whole_file(), fmt::format("{} is missing; write '{} {}' first", name, name, actual));
    if (known != counts_.end() && static_cast<std::size_t>(known->second.value) != actual)
      throw InputError(known->second.where,
                       fmt::format("{} is {}, but there are {}", name, known->second.value, actual));
  }

  void read_trigger() {
    std::optional<std::int64_t> id;
    std::string kind;
    std::int64_t count = 0;
    while (lines_.more()) {
      const std::string word(lines_.word(""));
      if (word == "id") {
        id = lines_.whole("id", 1, UINT32_MAX);
      } else if (word == "count") {
        count = lines_.whole("count", 1, UINT32_MAX);
      } else if ((word == "oneshot" || word == "multishot" || word == "barrier") && kind.empty()) {
        kind = word;
      } else {
        throw lines_.error(
            fmt::format("'{}' is not valid here; valid is id N, and one of oneshot, multishot, barrier count N", word));
      }
    }
    if (!id) throw lines_.error("a trigger without a number; write id N");
    if (kind.empty()) throw lines_.error("a trigger without a kind; write oneshot, multishot, or barrier count N");
    if ((kind == "barrier") != (count > 0))
      throw lines_.error("a count, which a barrier needs, and the others have not");
    Trigger& t = trigger(*id);
    if (t.defined) throw lines_.error(fmt::format("trigger {} is there already", *id));
    t.defined = true;
    t.kind = kind;
    out_.connections.triggers[t.index] = {static_cast<std::uint32_t>(std::max<std::int64_t>(1, count)),
                                          kind == "multishot"};
    out_.trigger_where[t.index] = lines_.where();
    ++defined_;
  }

  Trigger& trigger(std::int64_t id) {
    const auto [known, is_new] = triggers_.try_emplace(id);
    if (is_new) {
      known->second.index = static_cast<std::uint32_t>(out_.connections.triggers.size());
      known->second.first = lines_.where();
      out_.connections.triggers.emplace_back();
      out_.trigger_where.push_back(lines_.where());
    }
    return known->second;
  }

  std::uint32_t host(std::string_view text, std::string_view what) const {
    if (out_.nodes == 0) throw lines_.error("a connection before 'Nodes N'; write that first");
    return static_cast<std::uint32_t>(lines_.whole(text, what, 0, out_.nodes - 1));
  }

  void read_connection(std::string_view from, std::string_view to) {
    if (rows_++ == kMostRows) throw lines_.error(fmt::format("more than {} connections", kMostRows));
    UetConnection c;
    c.src = host(from, "the source");
    c.dst = host(to, "the destination");
    if (c.src == c.dst) throw lines_.error(fmt::format("connection of host {} to itself", c.src));
    std::set<std::string> seen;
    while (lines_.more()) {
      const std::string word(lines_.word(""));
      if (!seen.insert(word).second) throw lines_.error(fmt::format("'{}' is there twice", word));
      read_field(c, word);
    }
    if (!seen.contains("size")) throw lines_.error("no size; write size BYTES");
    if (seen.contains("start") == seen.contains("trigger"))
      throw lines_.error("write either start MICROSECONDS or trigger N, which says when it starts");
    if (rules_.kept) {
      add_kept(c, seen.contains("msg"));
      return;
    }
    // As the simulator's counter gives them to senders; receivers take every second one.
    if (c.number == 0) c.number = kOwnNumbers + 1 + 2 * static_cast<std::uint32_t>(out_.connections.rows.size());
    if (!numbers_.insert(c.number).second) throw lines_.error(fmt::format("id {} is there already", c.number));
    out_.connections.rows.push_back(c);
    where_.push_back(lines_.where());
  }

  // Where htsim_uec would take a row for another one, or stop with an assertion.
  void add_kept(const UetConnection& c, bool is_message) {
    if (c.number == 0) throw lines_.error("no id, which -conn_reuse needs in each row; write id NUMBER");
    const auto known = kept_.find(c.number);
    if (known != kept_.end() && !is_message)
      throw lines_.error(
          fmt::format("id {} is there already; with -conn_reuse write msg NUMBER for a further message "
                      "of the same connection",
                      c.number));
    add_message(out_.connections, kept_, c, lines_.where());
    if (known != kept_.end()) return;
    const auto [other, is_new] = starts_.try_emplace({c.src, c.start}, c.number);
    if (!is_new)
      throw lines_.error(
          fmt::format("connection {} of host {} starts at the same time, at which htsim_uec stops with "
                      "-conn_reuse; write another start",
                      other->second, c.src));
  }

  void read_field(UetConnection& c, const std::string& word) {
    if (rules_.kept && word.find("trigger") != std::string::npos)
      throw lines_.error(
          fmt::format("{}: with -conn_reuse htsim_uec stops at triggers with an assertion; leave it out "
                      "and write start MICROSECONDS",
                      word));
    if (word == "id") {
      c.number = static_cast<std::uint32_t>(lines_.whole("id", 1, kOwnNumbers - 1));
    } else if (word == "start") {
      c.start = start(std::string(lines_.word("start, in microseconds")));
    } else if (word == "size") {
      c.size = size();
    } else if (word == "trigger") {
      Trigger& t = trigger(lines_.whole("trigger", 1, UINT32_MAX));
      ++t.flows;
      c.trigger = t.index;
    } else if (word == "send_done_trigger") {
      Trigger& t = trigger(lines_.whole("send_done_trigger", 1, UINT32_MAX));
      ++t.callers;
      c.triggers = t.index;
    } else if (word == "recv_done_trigger") {
      throw lines_.error(
          "recv_done_trigger: htsim_uec calls it only with -conn_reuse, where it stops at triggers; write "
          "send_done_trigger");
    } else if (word == "prio") {
      c.one_path = lines_.whole("prio", INT32_MIN, INT32_MAX) == kOnePath;
    } else if (word == "msg") {
      // Messages have the order of their starts, whatever their numbers are.
      if (!rules_.kept)
        throw lines_.error("msg: htsim_uec knows messages only with -conn_reuse; add that, or write a connection each");
      lines_.whole("msg", INT32_MIN, INT32_MAX);
    } else {
      const std::vector<std::string> valid{"id", "msg", "start", "size", "trigger", "send_done_trigger", "prio"};
      throw lines_.error(fmt::format("'{}' is not valid here{}; valid is {}", word, did_you_mean(word, valid),
                                     fmt::join(valid, ", ")));
    }
  }

  // The simulator drops the fraction of a microsecond.
  Time start(const std::string& text) const {
    const Time time = microseconds(text);
    if (time > Time{kMostUs * 1'000'000} || (!rules_.exact && time.ps % 1'000'000 != 0))
      throw lines_.error(fmt::format("start, in microseconds: '{}' is not valid; write a {}number from 0 to {}", text,
                                     rules_.exact ? "" : "whole ", kMostUs));
    return time;
  }

  // htsim_uec sends nothing then; other programs of htsim never stop sending.
  Bytes size() {
    const std::int64_t size = lines_.whole("size", 0, kUetMaxFlowSize.count);
    if (size > 0) return {size};
    if (!rules_.exact)
      throw lines_.error(
          "size 0, of which htsim_uec sends nothing; write a size, or take --exact for a flow without end");
    return traffic::kMaxFlowSize;
  }

  // Where the simulator would stop with an assertion, or wait for ever.
  void check_triggers() const {
    for (const auto& [id, t] : triggers_) {
      if (!t.defined)
        throw InputError(t.first, fmt::format("trigger {} is not there; write 'trigger id {} oneshot'", id, id));
      if (t.flows == 0) throw InputError(t.first, fmt::format("trigger {} starts no connection", id));
      const std::uint32_t calls = out_.connections.triggers[t.index].calls;
      if (t.kind != "multishot" && t.callers != calls)
        throw InputError(
            t.first, fmt::format("trigger {} waits for {} calls, but {} connections call it", id, calls, t.callers));
    }
    if (const auto row = never_started(out_.connections))
      throw InputError(where_[*row],
                       "the connection never starts: what triggers it waits for it in turn, or is called too few "
                       "times");
  }

  HtsimLines lines_;
  const HtsimMatrixRules rules_;
  HtsimMatrix out_;
  std::map<std::string, Count> counts_;
  std::map<std::int64_t, Trigger> triggers_;
  std::size_t defined_ = 0;
  std::size_t rows_ = 0;
  std::map<std::uint32_t, std::uint32_t> kept_;  // rows of connections with messages, by their numbers
  std::map<std::pair<std::uint32_t, Time>, std::uint32_t> starts_;  // of these, by host and time
  std::set<std::uint32_t> numbers_;
  std::vector<Where> where_;  // of connections
};

}  // namespace

HtsimMatrix parse_htsim_matrix(std::string_view text, const std::string& file, HtsimMatrixRules rules) {
  return MatrixReader(text, file, rules).read();
}

}  // namespace weir::scenario
