#include "weir/scenario/htsim_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "weir/base/text.h"
#include "weir/scenario/document.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/uet_connections.h"

namespace weir::scenario {
namespace {

using replica::kNoTrigger;
using replica::UetConnection;
using replica::UetConnections;

constexpr std::uint32_t kMostNodes = 1u << 20;
constexpr std::int64_t kMostRows = 10'000'000;
constexpr std::int64_t kMostUs = 1 << 24;             // whole numbers of a float
constexpr std::uint32_t kOwnNumbers = 1'000'000'000;  // of flows that the file does not number
constexpr int kOnePath = 7;                           // a priority

// The words of a file, line by line, without comments and empty lines.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : text_(text), where_{file, 0} {}

  bool next() {
    words_.clear();
    at_ = 0;
    while (words_.empty() && !text_.empty()) {
      const auto end = text_.find('\n');
      split(text_.substr(0, end));
      text_ = end == std::string_view::npos ? "" : text_.substr(end + 1);
      ++where_.line;
    }
    return !words_.empty();
  }
  const Where& where() const { return where_; }
  Where whole_file() const { return {where_.file, 0}; }
  [[noreturn]] void fail(const std::string& what) const { weir::fail(where_, one_line(what)); }

  bool more() const { return at_ < words_.size(); }
  std::string_view word(std::string_view what) {
    if (!more()) fail(fmt::format("the line ends before {}", what));
    return words_[at_++];
  }
  std::int64_t whole(std::string_view what, std::int64_t min, std::int64_t max) {
    return whole(word(what), what, min, max);
  }
  std::int64_t whole(std::string_view text, std::string_view what, std::int64_t min, std::int64_t max) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
      fail(fmt::format("{}: '{}' is not valid; write a whole number from {} to {}", what, text, min, max));
    return value;
  }
  void end() const {
    if (more()) fail(fmt::format("'{}' is too much; end the line before it", words_[at_]));
  }

 private:
  void split(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    for (auto begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
      const auto end = std::min(line.find_first_of(kBlank, begin), line.size());
      if (words_.empty() && line[begin] == '#') return;
      words_.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(kBlank, end);
    }
  }

  std::string_view text_;
  Where where_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

class MatrixReader {
 public:
  MatrixReader(std::string_view text, const std::string& file) : lines_(text, file) {}

  HtsimMatrix read() {
    while (lines_.next()) read_line();
    if (out_.nodes == 0) weir::fail(lines_.whole_file(), "Nodes is missing; write 'Nodes N' first");
    check_count("Connections", out_.connections.rows.size());
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
    const std::string word(lines_.word(""));
    if (word == "Nodes" || word == "Connections" || word == "Triggers" || word == "Failures") {
      read_count(word);
    } else if (word == "trigger") {
      read_trigger();
    } else if (word == "failure") {
      lines_.fail(
          "failures are not possible: htsim_uec stops at them with an assertion; take them out, and write "
          "Failures 0");
    } else if (const auto arrow = word.find("->"); arrow != std::string::npos) {
      read_connection(std::string_view(word).substr(0, arrow), std::string_view(word).substr(arrow + 2));
    } else {
      lines_.fail(fmt::format("'{}' is not known{}; valid is Nodes, Connections, Triggers, Failures, trigger, a->b",
                              word, did_you_mean(word, {"Nodes", "Connections", "Triggers", "Failures", "trigger"})));
    }
  }

  void read_count(const std::string& name) {
    const bool nodes = name == "Nodes";
    const std::int64_t value = lines_.whole(name, nodes ? 2 : 0, nodes ? kMostNodes : kMostRows);
    lines_.end();
    const auto [known, is_new] = counts_.emplace(name, Count{value, lines_.where()});
    if (!is_new) lines_.fail(fmt::format("{} is there already, in line {}", name, known->second.where.line));
    if (!nodes) return;
    out_.nodes = static_cast<std::uint32_t>(value);
    out_.nodes_where = lines_.where();
  }

  void check_count(const std::string& name, std::size_t actual) const {
    const auto known = counts_.find(name);
    if (known == counts_.end() && actual > 0)
      weir::fail(lines_.whole_file(), fmt::format("{} is missing; write '{} {}' first", name, name, actual));
    if (known != counts_.end() && static_cast<std::size_t>(known->second.value) != actual)
      weir::fail(known->second.where, fmt::format("{} is {}, but there are {}", name, known->second.value, actual));
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
        lines_.fail(
            fmt::format("'{}' is not valid here; valid is id N, and one of oneshot, multishot, barrier count N", word));
      }
    }
    if (!id) lines_.fail("a trigger without a number; write id N");
    if (kind.empty()) lines_.fail("a trigger without a kind; write oneshot, multishot, or barrier count N");
    if ((kind == "barrier") != (count > 0)) lines_.fail("a count, which a barrier needs, and the others have not");
    Trigger& t = trigger(*id);
    if (t.defined) lines_.fail(fmt::format("trigger {} is there already", *id));
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
    if (out_.nodes == 0) lines_.fail("a connection before 'Nodes N'; write that first");
    return static_cast<std::uint32_t>(lines_.whole(text, what, 0, out_.nodes - 1));
  }

  void read_connection(std::string_view from, std::string_view to) {
    if (static_cast<std::int64_t>(out_.connections.rows.size()) == kMostRows)
      lines_.fail(fmt::format("more than {} connections", kMostRows));
    UetConnection c;
    c.src = host(from, "the source");
    c.dst = host(to, "the destination");
    if (c.src == c.dst) lines_.fail(fmt::format("connection of host {} to itself", c.src));
    std::set<std::string> seen;
    while (lines_.more()) {
      const std::string word(lines_.word(""));
      if (!seen.insert(word).second) lines_.fail(fmt::format("'{}' is there twice", word));
      read_field(c, word);
    }
    if (!seen.contains("size")) lines_.fail("no size; write size BYTES");
    if (seen.contains("start") == seen.contains("trigger"))
      lines_.fail("write either start MICROSECONDS or trigger N, which says when it starts");
    // As the simulator's counter gives them to senders; receivers take every second one.
    if (c.number == 0) c.number = kOwnNumbers + 1 + 2 * static_cast<std::uint32_t>(out_.connections.rows.size());
    if (!numbers_.insert(c.number).second) lines_.fail(fmt::format("id {} is there already", c.number));
    out_.connections.rows.push_back(c);
    where_.push_back(lines_.where());
  }

  void read_field(UetConnection& c, const std::string& word) {
    if (word == "id") {
      c.number = static_cast<std::uint32_t>(lines_.whole("id", 1, kOwnNumbers - 1));
    } else if (word == "start") {
      c.start = {lines_.whole("start, in microseconds", 0, kMostUs) * 1'000'000};
    } else if (word == "size") {
      c.size = {lines_.whole("size", 1, kUetMaxFlowSize.count)};
    } else if (word == "trigger") {
      Trigger& t = trigger(lines_.whole("trigger", 1, UINT32_MAX));
      ++t.flows;
      c.trigger = t.index;
    } else if (word == "send_done_trigger") {
      Trigger& t = trigger(lines_.whole("send_done_trigger", 1, UINT32_MAX));
      ++t.callers;
      c.triggers = t.index;
    } else if (word == "recv_done_trigger") {
      lines_.fail(
          "recv_done_trigger: htsim_uec calls it only with -conn_reuse, which is not possible; write "
          "send_done_trigger");
    } else if (word == "prio") {
      c.one_path = lines_.whole("prio", INT32_MIN, INT32_MAX) == kOnePath;
    } else if (word == "msg") {
      lines_.fail(
          "msg: htsim_uec knows messages only with -conn_reuse, which is not possible; write a connection each");
    } else {
      const std::vector<std::string> valid{"id", "start", "size", "trigger", "send_done_trigger", "prio"};
      lines_.fail(fmt::format("'{}' is not valid here{}; valid is {}", word, did_you_mean(word, valid),
                              fmt::join(valid, ", ")));
    }
  }

  // Where the simulator would stop with an assertion, or wait for ever.
  void check_triggers() const {
    for (const auto& [id, t] : triggers_) {
      if (!t.defined)
        weir::fail(t.first, fmt::format("trigger {} is not there; write 'trigger id {} oneshot'", id, id));
      if (t.flows == 0) weir::fail(t.first, fmt::format("trigger {} starts no connection", id));
      const std::uint32_t calls = out_.connections.triggers[t.index].calls;
      if (t.kind != "multishot" && t.callers != calls)
        weir::fail(t.first,
                   fmt::format("trigger {} waits for {} calls, but {} connections call it", id, calls, t.callers));
    }
    if (const auto row = never_started(out_.connections))
      weir::fail(where_[*row],
                 "the connection never starts: what triggers it waits for it in turn, or is called too few "
                 "times");
  }

  Lines lines_;
  HtsimMatrix out_;
  std::map<std::string, Count> counts_;
  std::map<std::int64_t, Trigger> triggers_;
  std::size_t defined_ = 0;
  std::set<std::uint32_t> numbers_;
  std::vector<Where> where_;  // of connections
};

class TreeReader {
 public:
  TreeReader(std::string_view text, const std::string& file) : lines_(text, file) {}

  HtsimTree read() {
    while (lines_.next()) read_line();
    for (const char* name : {"nodes", "tiers", "podsize"})
      if (!where_.contains(name)) weir::fail(lines_.whole_file(), fmt::format("{} is missing", name));
    for (std::uint32_t t = 0; t < out_.tiers; ++t) check_tier(t);
    check_shape();
    out_.where = place(0, "downlink_speed_gbps");
    return out_;
  }

 private:
  static std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
  }
  std::string key(std::uint32_t tier, std::string_view name) const { return fmt::format("tier {} {}", tier, name); }
  Where place(std::uint32_t tier, std::string_view name) const {
    const auto known = where_.find(key(tier, name));
    return known == where_.end() ? lines_.whole_file() : known->second;
  }

  std::uint32_t once(const std::string& name, std::string_view word, std::uint32_t min, std::uint32_t max) {
    const auto value = static_cast<std::uint32_t>(lines_.whole(word, min, max));
    lines_.end();
    const auto [known, is_new] = where_.emplace(name, lines_.where());
    if (!is_new) lines_.fail(fmt::format("{} is there already, in line {}", word, known->second.line));
    return value;
  }

  void read_line() {
    constexpr std::uint32_t kMost = 1'000'000'000;
    const std::string word = lower(lines_.word(""));
    if (word == "nodes") {
      out_.nodes = once(word, word, 2, kMostNodes);
    } else if (word == "tiers") {
      out_.tiers = once(word, word, 2, 3);
    } else if (word == "podsize") {
      out_.pod = once(word, word, 1, kMostNodes);
    } else if (word == "tier") {
      tier_ = static_cast<std::uint32_t>(lines_.whole(word, 0, 2));
      lines_.end();
      if (!tiers_.insert(*tier_).second) lines_.fail(fmt::format("tier {} is there already", *tier_));
    } else if (!tier_) {
      lines_.fail(fmt::format("'{}' is not valid here; valid is Nodes, Tiers, Podsize, and then Tier 0", word));
    } else {
      HtsimTier& t = out_.tier[*tier_];
      const auto value = [&](std::uint32_t min) { return once(key(*tier_, word), word, min, kMost); };
      if (word == "downlink_speed_gbps")
        t.gbps = value(1);
      else if (word == "downlink_latency_ns")
        t.latency_ns = value(1);
      else if (word == "switch_latency_ns")
        t.switch_latency_ns = value(0);
      else if (word == "radix_down")
        t.radix_down = value(1);
      else if (word == "radix_up" && *tier_ < 2)
        t.radix_up = value(1);
      else if (word == "bundle")
        t.bundle = value(1);
      else if (word == "oversubscribed")
        t.oversubscribed = value(1);
      else if (word == "queue_down" || word == "queue_up")
        out_.queues = value(0) > 0 || out_.queues;
      else
        lines_.fail(
            fmt::format("'{}' is not valid here; valid is Tier, Downlink_speed_Gbps, Downlink_Latency_ns, "
                        "Switch_Latency_ns, Radix_Down, Radix_Up (but of the last tier), Bundle, "
                        "Oversubscribed, Queue_down, Queue_up",
                        word));
    }
  }

  void check_tier(std::uint32_t t) const {
    constexpr std::int64_t kMostGbps = 100'000;
    const HtsimTier& tier = out_.tier[t];
    const auto need = [&](bool there, std::string_view name) {
      if (!there) weir::fail(lines_.whole_file(), fmt::format("{} of tier {} is missing", name, t));
    };
    need(tier.gbps > 0, "Downlink_speed_Gbps");
    need(tier.latency_ns > 0, "Downlink_Latency_ns");
    need(tier.radix_down > 0, "Radix_Down");
    need(t + 1 == out_.tiers || tier.radix_up > 0, "Radix_Up");
    if (tier.gbps > kMostGbps)
      weir::fail(place(t, "downlink_speed_gbps"), fmt::format("valid is at most {}", kMostGbps));
    if (tier.radix_down % tier.bundle != 0)
      weir::fail(place(t, "radix_down"),
                 fmt::format("{} is no multiple of this tier's Bundle, {}", tier.radix_down, tier.bundle));
    if (t + 1 < out_.tiers && tier.radix_up % out_.tier[t + 1].bundle != 0)
      weir::fail(place(t, "radix_up"), fmt::format("{} is no multiple of the Bundle of tier {}, {}", tier.radix_up,
                                                   t + 1, out_.tier[t + 1].bundle));
    if (t + 1 == out_.tiers) return;
    const std::int64_t down = tier.radix_down * tier.gbps;
    const std::int64_t up = std::int64_t{tier.radix_up} * out_.tier[t + 1].gbps * tier.oversubscribed;
    if (down != up)
      weir::fail(place(t, "radix_up"),
                 fmt::format("{} links down of {} Gbps and {} up of {} Gbps, which is not Oversubscribed {}",
                             tier.radix_down, tier.gbps, tier.radix_up, out_.tier[t + 1].gbps, tier.oversubscribed));
  }

  void check_shape() const {
    const auto& tier = out_.tier;
    if (tier[0].bundle != 1) weir::fail(place(0, "bundle"), "hosts have one link; valid is 1");
    if (out_.nodes % out_.pod != 0)
      weir::fail(where_.at("podsize"), fmt::format("{} does not divide Nodes, {}", out_.pod, out_.nodes));
    if (out_.tiers == 2 && out_.pod != out_.nodes)
      weir::fail(where_.at("podsize"), fmt::format("two tiers are one pod; valid is {}", out_.nodes));
    if (out_.pod % tier[0].radix_down != 0)
      weir::fail(place(0, "radix_down"), fmt::format("{} does not divide Podsize, {}", tier[0].radix_down, out_.pod));
    const std::uint64_t edges = std::uint64_t{out_.edges_per_pod()} * tier[1].bundle;
    if (tier[1].radix_down != edges)
      weir::fail(place(1, "radix_down"),
                 fmt::format("{}, but a pod has {} links to each switch of this tier; valid is {}", tier[1].radix_down,
                             edges, edges));
    if (out_.tiers < 3) return;
    const std::uint64_t pods = std::uint64_t{out_.pods()} * tier[2].bundle;
    if (tier[2].radix_down != pods)
      weir::fail(place(2, "radix_down"), fmt::format("{}, but there are {} links from pods to each core; valid is {}",
                                                     tier[2].radix_down, pods, pods));
  }

  Lines lines_;
  HtsimTree out_;
  std::map<std::string, Where> where_;
  std::optional<std::uint32_t> tier_;
  std::set<std::uint32_t> tiers_;
};

}  // namespace

HtsimMatrix parse_htsim_matrix(std::string_view text, const std::string& file) {
  return MatrixReader(text, file).read();
}

HtsimTree parse_htsim_tree(std::string_view text, const std::string& file) { return TreeReader(text, file).read(); }

}  // namespace weir::scenario
