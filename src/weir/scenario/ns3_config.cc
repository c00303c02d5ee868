#include "weir/scenario/ns3_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/replica/ns3_clock.h"
#include "weir/scenario/document.h"

namespace weir::scenario {
namespace {

enum class Use { model, output, nothing };

// Keys of third.cc. `values` = 0: a map, whose first value says how many pairs follow.
struct Key {
  std::string_view name;
  std::size_t values = 1;
  Use use = Use::model;
};
constexpr Key kKeys[] = {
    {"ENABLE_QCN"},
    {"USE_DYNAMIC_PFC_THRESHOLD", 1, Use::nothing},
    {"CLAMP_TARGET_RATE"},
    {"PAUSE_TIME", 1, Use::nothing},
    {"DATA_RATE", 1, Use::nothing},
    {"LINK_DELAY", 1, Use::nothing},
    {"PACKET_PAYLOAD_SIZE"},
    {"L2_CHUNK_SIZE"},
    {"L2_ACK_INTERVAL"},
    {"L2_BACK_TO_ZERO"},
    {"TOPOLOGY_FILE"},
    {"FLOW_FILE"},
    {"TRACE_FILE"},
    {"TRACE_OUTPUT_FILE", 1, Use::output},
    {"SIMULATOR_STOP_TIME"},
    {"ALPHA_RESUME_INTERVAL"},
    {"RP_TIMER"},
    {"EWMA_GAIN"},
    {"FAST_RECOVERY_TIMES"},
    {"RATE_AI"},
    {"RATE_HAI"},
    {"ERROR_RATE_PER_LINK"},
    {"CC_MODE"},
    {"RATE_DECREASE_INTERVAL"},
    {"MIN_RATE"},
    {"FCT_OUTPUT_FILE", 1, Use::output},
    {"HAS_WIN"},
    {"GLOBAL_T"},
    {"MI_THRESH"},
    {"VAR_WIN"},
    {"FAST_REACT"},
    {"U_TARGET"},
    {"INT_MULTI"},
    {"RATE_BOUND"},
    {"ACK_HIGH_PRIO"},
    {"DCTCP_RATE_AI"},
    {"PFC_OUTPUT_FILE", 1, Use::output},
    {"LINK_DOWN", 3},
    {"ENABLE_TRACE"},
    {"KMAX_MAP", 0},
    {"KMIN_MAP", 0},
    {"PMAX_MAP", 0},
    {"BUFFER_SIZE"},
    {"QLEN_MON_FILE", 1, Use::output},
    {"QLEN_MON_START"},
    {"QLEN_MON_END"},
    {"MULTI_RATE"},
    {"SAMPLE_FEEDBACK"},
    {"PINT_LOG_BASE", 1, Use::nothing},
    {"PINT_PROB", 1, Use::nothing},
};

const Key& key_named(const std::string& name, const Where& where) {
  for (const Key& key : kKeys)
    if (key.name == name) return key;
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  fail(where, fmt::format("unknown key '{}'{}", one_line(name, kQuoted), did_you_mean(name, names)));
}

// The number at the beginning of a text, and what follows it.
std::optional<double> leading_number(std::string_view text, std::string_view& rest) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

double read_number(const std::string& text, double min, double max, const Where& where, std::string_view name) {
  std::string_view rest;
  const auto value = leading_number(text, rest);
  if (!value || !rest.empty() || *value < min || *value > max)
    fail(where,
         fmt::format("{}: '{}' is not valid; write a number from {} to {}", name, one_line(text, kQuoted), min, max));
  return *value;
}

std::uint64_t read_whole(const std::string& text, std::uint64_t min, std::uint64_t max, const Where& where,
                         std::string_view name) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
    fail(where, fmt::format("{}: '{}' is not valid; write a whole number from {} to {}", name, one_line(text, kQuoted),
                            min, max));
  return value;
}

std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string> words;
  for (;;) {
    const auto begin = line.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(kSpace), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <class Call>
void for_each_line(std::string_view text, Call&& call) {
  for (int line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    call(words_of(text.substr(0, end)), line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The words of a file without keys, one after the other.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : where_{file, 1} {
    for_each_line(text, [this](const std::vector<std::string>& words, int line) {
      for (const auto& w : words) words_.push_back({w, line});
    });
  }

  const std::string& next(std::string_view name) {
    if (at_ == words_.size()) fail(where_, fmt::format("the file ends before {}", name));
    where_.line = words_[at_].line;
    return words_[at_++].text;
  }
  std::uint32_t whole(std::string_view name, std::uint64_t min, std::uint64_t max) {
    const std::string& text = next(name);
    return static_cast<std::uint32_t>(read_whole(text, min, max, where_, name));
  }
  double number(std::string_view name, double min, double max) {
    const std::string& text = next(name);
    return read_number(text, min, max, where_, name);
  }
  void finish(std::string_view all) {
    if (at_ == words_.size()) return;
    fail({where_.file, words_[at_].line}, fmt::format("'{}' comes after {}; the number at the beginning is too small",
                                                      one_line(words_[at_].text, kQuoted), all));
  }
  const Where& where() const { return where_; }

 private:
  struct Word {
    std::string text;
    int line = 0;
  };
  Where where_;
  std::vector<Word> words_;
  std::size_t at_ = 0;
};

Time parse_ns3_delay(const std::string& text, const Where& where) {
  struct Unit {
    std::string_view name;
    double ns = 0;
  };
  constexpr Unit kUnits[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
  std::string_view unit;
  const auto value = leading_number(text, unit);
  const auto known = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == unit; });
  if (value && known != std::end(kUnits)) {
    const double ns = *value * known->ns;
    if (ns >= 0 && ns <= 1e9 && std::abs(ns - std::round(ns)) < 1e-6) return {1000 * std::llround(ns)};
  }
  fail(where, fmt::format("delay: '{}' is not valid; write whole nanoseconds up to 1 s, like 1000ns or 0.001ms",
                          one_line(text, kQuoted)));
}

}  // namespace

Rate parse_ns3_rate(const std::string& text, const Where& where) {
  struct Unit {
    std::string_view name;
    double bits = 0;
  };
  constexpr double kKi = 1024;
  constexpr Unit kPrefixes[] = {{"", 1},    {"k", 1e3},  {"K", 1e3},        {"M", 1e6},
                                {"G", 1e9}, {"Ki", kKi}, {"Mi", kKi * kKi}, {"Gi", kKi * kKi * kKi}};
  constexpr Unit kUnits[] = {{"bps", 1}, {"b/s", 1}, {"Bps", 8}, {"B/s", 8}};
  std::string_view rest;
  if (const auto value = leading_number(text, rest))
    for (const Unit& prefix : kPrefixes)
      for (const Unit& unit : kUnits)
        if (rest == fmt::format("{}{}", prefix.name, unit.name)) {
          const double rate = *value * (prefix.bits * unit.bits);
          if (rate >= 1 && rate <= static_cast<double>(kMaxRate.bits_per_second))
            return {static_cast<std::int64_t>(rate)};
        }
  fail(where, fmt::format("rate: '{}' is not valid; write 1 bps to {}, like 100Gbps or 50Mb/s", one_line(text, kQuoted),
                          format_value(kMaxRate)));
}

Ns3Config::Ns3Config(std::string_view text, const std::string& file) : file_(file) {
  for_each_line(text, [this](const std::vector<std::string>& words, int line) {
    if (words.empty()) return;
    const Where here{file_, line};
    const Key& key = key_named(words[0], here);
    std::size_t expected = key.values;
    if (key.values == 0 && words.size() > 1) expected = 1 + 2 * read_whole(words[1], 1, 1000, here, key.name);
    if (words.size() - 1 != expected)
      fail(here, key.values == 0
                     ? fmt::format("{}: write how many rates there are, then each rate and its value", key.name)
                     : fmt::format("{}: {} values; write {}", key.name, words.size() - 1, expected));
    const auto [known, is_new] = entries_.try_emplace(words[0]);
    if (!is_new) fail(here, fmt::format("{} is there already, in line {}", key.name, known->second.line));
    known->second = {line, {words.begin() + 1, words.end()}};
  });
}

const Ns3Config::Entry* Ns3Config::find(const std::string& key) const {
  const auto known = entries_.find(key);
  return known == entries_.end() ? nullptr : &known->second;
}

Where Ns3Config::where(const std::string& key) const {
  const Entry* entry = find(key);
  return {file_, entry == nullptr ? 0 : entry->line};
}

void Ns3Config::fail_at(const std::string& key, const std::string& what) const {
  fail(where(key), fmt::format("{}: {}", key, what));
}

std::vector<std::string> Ns3Config::without_effect() const {
  std::vector<std::pair<int, std::string>> found;
  for (const Key& key : kKeys)
    if (const Entry* entry = find(std::string(key.name)); entry != nullptr && key.use != Use::model)
      found.emplace_back(entry->line, key.name);
  std::sort(found.begin(), found.end());
  std::vector<std::string> out;
  for (const auto& [line, name] : found) out.push_back(name);
  return out;
}

std::uint64_t Ns3Config::whole(const std::string& key, std::uint64_t fallback, std::uint64_t min,
                               std::uint64_t max) const {
  const Entry* entry = find(key);
  return entry == nullptr ? fallback : read_whole(entry->values[0], min, max, where(key), key);
}

bool Ns3Config::flag(const std::string& key, bool fallback) const { return whole(key, fallback, 0, 1) != 0; }

double Ns3Config::number(const std::string& key, double fallback, double min, double max) const {
  const Entry* entry = find(key);
  return entry == nullptr ? fallback : read_number(entry->values[0], min, max, where(key), key);
}

Rate Ns3Config::rate(const std::string& key, Rate fallback) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return fallback;
  try {
    return parse_ns3_rate(entry->values[0], {});
  } catch (const InputError& error) {
    fail_at(key, error.what());
  }
}

std::string Ns3Config::file(const std::string& key) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return "";
  return (std::filesystem::path(file_).parent_path() / entry->values[0]).string();
}

void Ns3Config::require(const std::vector<std::string>& keys, std::string_view why) const {
  for (const auto& key : keys)
    if (!has(key)) fail({file_, 0}, fmt::format("{} is missing; {}", key, why));
}

std::map<std::uint64_t, double> Ns3Config::by_rate(const std::string& key, double max) const {
  std::map<std::uint64_t, double> out;
  const Entry* entry = find(key);
  if (entry == nullptr) return out;
  const auto most = static_cast<std::uint64_t>(kMaxRate.bits_per_second);
  for (std::size_t i = 1; i < entry->values.size(); i += 2)
    out[read_whole(entry->values[i], 1, most, where(key), key)] =
        read_number(entry->values[i + 1], 0, max, where(key), key);
  return out;
}

std::vector<std::uint64_t> Ns3Config::link_down() const {
  std::vector<std::uint64_t> out(3);
  const Entry* entry = find("LINK_DOWN");
  constexpr std::uint64_t kMost[] = {1'000'000'000'000, net::kMaxHosts, net::kMaxHosts};
  if (entry != nullptr)
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = read_whole(entry->values[i], 0, kMost[i], where("LINK_DOWN"), "LINK_DOWN");
  return out;
}

Ns3Topology parse_ns3_topology(std::string_view text, const std::string& file) {
  Words words(text, file);
  Ns3Topology out;
  net::Topology& t = out.topology;
  t.name = "file";
  const std::uint32_t nodes = words.whole("the number of nodes", 1, net::kMaxHosts);
  t.switches = words.whole("the number of switches", 1, std::min(nodes, net::kMaxSwitches));
  const std::uint32_t links = words.whole("the number of links", 1, net::kMaxLinks);
  t.hosts = nodes - t.switches;
  std::set<std::uint32_t> switches;
  for (std::uint32_t i = 0; i < t.switches; ++i) {
    const std::uint32_t id = words.whole("the number of a switch", 0, nodes - 1);
    if (id < t.hosts)
      fail(words.where(), fmt::format("switch {} is numbered among the hosts; with {} hosts switches have the numbers "
                                      "{} to {} here",
                                      id, t.hosts, t.hosts, nodes - 1));
    if (!switches.insert(id).second) fail(words.where(), fmt::format("switch {} is there twice", id));
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < links; ++i) {
    net::Link link;
    link.a = words.whole("one end of a link", 0, nodes - 1);
    out.where.push_back(words.where());
    link.b = words.whole("the other end of a link", 0, nodes - 1);
    link.rate = parse_ns3_rate(words.next("the rate of a link"), words.where());
    link.delay = parse_ns3_delay(words.next("the delay of a link"), words.where());
    out.loss.push_back(words.number("the error rate of a link", 0, 1));
    try {
      net::check_link(t, link);
    } catch (const InputError& error) {
      fail(words.where(), error.what());
    }
    if (!pairs.insert(std::minmax(link.a, link.b)).second)
      fail(words.where(), fmt::format("a second link {} - {}; there is no room for parallel links", link.a, link.b));
    t.links.push_back(link);
  }
  words.finish(fmt::format("{} links", links));
  try {
    net::check(t);
  } catch (const InputError& error) {
    fail({file, 0}, error.what());
  }
  net::assign_tiers(t);
  return out;
}

std::vector<traffic::Flow> parse_ns3_flows(std::string_view text, const std::string& file, std::uint32_t hosts) {
  constexpr std::int64_t kBegin = 2'000'000'000;  // ns
  constexpr std::uint64_t kClass = 3;
  constexpr std::uint32_t kFirstPort = 10'000;
  Words words(text, file);
  const std::uint32_t count = words.whole("the number of flows", 1, UINT32_MAX);
  std::vector<traffic::Flow> out;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ports;
  for (std::uint32_t i = 0; i < count; ++i) {
    traffic::Flow flow;
    flow.id = i;
    flow.src = words.whole("the source of a flow", 0, hosts - 1);
    flow.dst = words.whole("the destination of a flow", 0, hosts - 1);
    if (flow.src == flow.dst) fail(words.where(), fmt::format("flow of host {} to itself", flow.src));
    words.whole("the priority group of a flow", kClass, kClass);
    flow.dport = static_cast<std::uint16_t>(words.whole("the destination port of a flow", 1, 65535));
    flow.size = {words.whole("the size of a flow", 1, UINT32_MAX)};
    const std::int64_t start = replica::seconds_to_ns(words.number("the start of a flow", 2, 1e6));
    flow.start = {(start - kBegin) * 1000};
    if (!out.empty() && flow.start < out.back().start)
      fail(words.where(), "the flow starts before the one above it; sort flows by their starts");
    const std::uint32_t port = kFirstPort + ports[{flow.src, flow.dst}]++;
    if (port > 65535)
      fail(words.where(), fmt::format("more than {} flows from {} to {}", 65536 - kFirstPort, flow.src, flow.dst));
    flow.sport = static_cast<std::uint16_t>(port);
    out.push_back(flow);
  }
  words.finish(fmt::format("{} flows", count));
  return out;
}

std::vector<std::uint32_t> parse_ns3_trace(std::string_view text, const std::string& file, std::uint32_t nodes) {
  Words words(text, file);
  const std::uint32_t count = words.whole("the number of trace nodes", 0, nodes);
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(words.whole("a trace node", 0, nodes - 1));
  words.finish(fmt::format("{} trace nodes", count));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace weir::scenario
