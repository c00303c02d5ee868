#include "hosts/agent/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <net/if.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/toml/parser.h"
#include "weir/toml/reader.h"

namespace weir::hosts {
namespace {

constexpr std::array<std::string_view, 3> kModeNames{"observe", "bpf", "queue"};
constexpr Time kMicrosecond{1'000'000};
constexpr Time kMillisecond{1'000'000'000};
constexpr Time kSecond{kPicosecondsPerSecond};

// The keys outside all tables, as far as they are plain values.
struct TopTable {
  std::string mode = "observe";
  std::string threshold = "auto";
  Time headroom{50'000'000};
  std::string key_file = "/etc/weir/host.key";
  std::string segment = "auto";
  Rate rate;

  static void describe(ParamList<TopTable>& p) {
    p.text("mode", &TopTable::mode, "observe, bpf or queue");
    p.text("T", &TopTable::threshold, "one-way delay above which a flow is held, or \"auto\"");
    p.time("headroom", &TopTable::headroom, "part of T, if it is derived, for errors of measurement and some queueing",
           "", kMicrosecond, kSecond);
    p.text("key_file", &TopTable::key_file, "the master key that all hosts share");
    p.text("segment", &TopTable::segment, "largest super-packet: \"auto\", \"keep\" or a size");
    p.rate("rate", &TopTable::rate, "of the links, for \"auto\"; 0 = what the interface says");
  }
};

struct PeerTable {
  std::string address;
  std::string local;
  std::string threshold;
  bool hold = true;

  static void describe(ParamList<PeerTable>& p) {
    p.text("address", &PeerTable::address, "of the other host, IPv4 or IPv6").required = true;
    p.text("local", &PeerTable::local, "of this host as that one sees it; empty = the one that the routes choose");
    p.text("T", &PeerTable::threshold, "instead of the file's; empty = that");
    p.flag("hold", &PeerTable::hold, "false: measured only");
  }
};

Threshold parse_threshold(const std::string& text) {
  if (text == "auto") return std::nullopt;
  Time out;
  try {
    out = parse_time(text);
  } catch (const InputError&) {
    throw InputError(
        fmt::format("'{}' is no threshold; write \"auto\" or a time such as \"50 us\"", one_line(text, kQuoted)));
  }
  if (out < kMicrosecond || out > kSecond)
    throw InputError(fmt::format("{} is out of range; valid is 1 us to 1 s, or \"auto\"", one_line(text, kQuoted)));
  return nanoseconds(out);
}

std::optional<std::uint32_t> parse_segment(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "keep") return 0;
  constexpr Bytes kLeast{2'000};
  constexpr Bytes kMost{65'536};
  Bytes out;
  try {
    out = parse_bytes(text);
  } catch (const InputError&) {
    throw InputError(
        fmt::format("'{}' is no limit; write \"auto\", \"keep\" or a size such as \"4 KB\"", one_line(text, kQuoted)));
  }
  if (out < kLeast || out > kMost)
    throw InputError(
        fmt::format("{} is out of range; valid is 2000 B to 64 KiB, \"auto\" or \"keep\"", one_line(text, kQuoted)));
  return static_cast<std::uint32_t>(out.count);
}

Address parse_host(const std::string& text) {
  const auto out = parse_address(text);
  if (!out)
    throw InputError(
        fmt::format("'{}' is no address; write one of IPv4 or IPv6, such as \"10.0.0.2\", names are not "
                    "looked up",
                    one_line(text, kQuoted)));
  return *out;
}

// Calls read() for the value of `key` and tells where it stands if it is wrong.
template <class Read>
auto at_key(const scenario::TableReader& table, std::string_view key, Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw table.error_at(key, error.reason());
  }
}

std::vector<std::string> read_interfaces(const scenario::TableReader& root) {
  const scenario::Value* value = root.find("interface");
  if (value == nullptr)
    throw root.error_at("interface",
                        "missing; write the name of the network interface, such as \"eth0\", or a list of them");
  std::vector<std::string> out;
  if (value->as<std::string>() != nullptr) {
    out.push_back(root.text("interface"));
  } else if (value->as<scenario::List>() != nullptr) {
    out = root.texts("interface");
  } else {
    throw root.error_at("interface",
                        fmt::format("it is {}; write text in quotes or a list of texts", value->type_name()));
  }
  if (out.empty()) throw root.error_at("interface", "it is empty; write at least one name, such as \"eth0\"");
  for (const auto& name : out) {
    const bool odd = name.empty() || name.size() >= IFNAMSIZ || name == "." || name == ".." ||
                     std::any_of(name.begin(), name.end(), [](char c) {
                       return c <= ' ' || c > '~' || c == '/' || c == ':' || c == '"' || c == '\\';
                     });
    if (odd)
      throw root.error_at("interface", fmt::format("'{}' cannot be the name of an interface; it has 1 to {} printable "
                                                   "characters without '/', ':' and quotes",
                                                   one_line(name, kQuoted), IFNAMSIZ - 1));
    if (std::count(out.begin(), out.end(), name) > 1) throw root.error_at("interface", fmt::format("'{}' twice", name));
  }
  return out;
}

PeerConfig read_peer(const scenario::TableReader& table) {
  PeerTable values;
  table.read(params_of<PeerTable>(), &values);
  PeerConfig out;
  out.where = table.where();
  out.hold = values.hold;
  out.address = at_key(table, "address", [&] { return parse_host(values.address); });
  if (!values.local.empty()) {
    out.local = at_key(table, "local", [&] { return parse_host(values.local); });
    if (out.local->v6 != out.address.v6) throw table.error_at("local", "it must be of the same family as 'address'");
    if (*out.local == out.address) throw table.error_at("local", "it is the peer's own address");
  }
  if (!values.threshold.empty()) out.threshold = at_key(table, "T", [&] { return parse_threshold(values.threshold); });
  return out;
}

// What the tables cannot say of values one by one.
void check_clock(const scenario::TableReader& table, const ClockTable& clock) {
  if (clock.window < clock.interval * 100)
    throw table.error_at("window",
                         fmt::format("it must be 100 intervals at least, {}", format_value(clock.interval * 100)));
  if (clock.step > clock.window)
    throw table.error_at("step", fmt::format("it must be a window at most, {}", format_value(clock.window)));
  if (const Time least = std::max(clock.interval, clock.relaxed) * 10; clock.stale_after < least)
    throw table.error_at("stale_after",
                         fmt::format("it must be 10 times interval and relaxed at least, {}", format_value(least)));
}

// Both keys or none, a peer of the file, and a path that a socket can have.
std::optional<Steering> read_steering(const scenario::TableReader& table, const ClockTable& clock,
                                      const std::vector<PeerConfig>& peers) {
  if (clock.reference.empty() && clock.refclock.empty()) return std::nullopt;
  if (clock.refclock.empty())
    throw table.error_at("reference",
                         "'refclock' is missing; write the socket that chronyd listens on, such as "
                         "\"/run/chrony.weir.sock\"");
  if (clock.reference.empty())
    throw table.error_at("refclock",
                         "'reference' is missing; write the address of the peer whose time of day chronyd is told");
  const Address reference = at_key(table, "reference", [&] { return parse_host(clock.reference); });
  if (std::none_of(peers.begin(), peers.end(), [&](const PeerConfig& peer) { return peer.address == reference; }))
    throw table.error_at(
        "reference", fmt::format("{} is no peer; write the address of one of the [[peer]] tables", to_text(reference)));
  constexpr std::size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
  if (clock.refclock.front() != '/' || clock.refclock.size() > kMost)
    throw table.error_at("refclock",
                         fmt::format("'{}' cannot be a socket; write a path from the root on, of at most {} "
                                     "characters, such as \"/run/chrony.weir.sock\"",
                                     one_line(clock.refclock, kQuoted), kMost));
  return Steering{reference, clock.refclock};
}

template <class T>
void read_table(const scenario::TableReader& root, std::string_view key, T& values) {
  root.table(key).read(params_of<T>(), &values);
}

}  // namespace

void HoldTable::describe(ParamList<HoldTable>& p) {
  p.time("at_most", &HoldTable::at_most, "no packet is held longer, unless flows are many", "", kMicrosecond * 100,
         kMillisecond * 100);
  p.time("many", &HoldTable::many,
         "mode queue: where flows are many, a packet is held for three rounds of theirs, but no longer than this", "",
         kMicrosecond * 100, kMillisecond * 100);
  p.time("live_for", &HoldTable::live_for,
         "time after the last sign of life of the agent from which nothing is held any more", "", kMillisecond * 200,
         kSecond * 5);
}

void RuleTable::describe(ParamList<RuleTable>& p) {
  p.choice("kind", &RuleTable::kind, {"strawman", "final"},
           "pause for the whole excess of delay, or take off what one's own pauses will have done", "On-Ramp 3.1, 3.2");
  p.number("gain", &RuleTable::gain, 1e-6, 1, "g: weight of a new sample in beta", "On-Ramp 3.2");
  p.number("initial_beta", &RuleTable::initial_beta, 0, 1,
           "beta before the first sample; with 0 a connection pauses as the strawman does until it has measured");
  p.time("max_pause", &RuleTable::max_pause, "longest pause for one OR-ACK", "", kMicrosecond * 10, kMillisecond * 100);
}

void OrAckTable::describe(ParamList<OrAckTable>& p) {
  p.integer("packets", &OrAckTable::packets, 0, 1'000'000,
            "packets of a flow for each OR-ACK; 0 = packets do not count");
  p.bytes("bytes", &OrAckTable::bytes, "bytes of a flow for each OR-ACK; 0 = bytes do not count", "", Bytes{0},
          Bytes{100'000'000});
  p.time("gap", &OrAckTable::gap, "silence of a flow after which its first packet is answered", "", kMicrosecond,
         kSecond);
  p.integer("per_second", &OrAckTable::per_second, 1, 10'000'000, "most OR-ACKs of this host in a second");
  p.integer("port", &OrAckTable::port, 1, 65'535, "UDP port, the same on all hosts");
}

void ClockTable::describe(ParamList<ClockTable>& p) {
  p.time("max_error", &ClockTable::max_error, "error of a peer's clock above which only a rise of its delay counts", "",
         kMicrosecond / 10, kSecond);
  p.time("stale_after", &ClockTable::stale_after,
         "time without news of a peer's clock after which flows to it are not held", "", kMillisecond * 200,
         kSecond * 3600);
  p.integer("neighbours", &ClockTable::neighbours, 2, 28, "most peers that are probed");
  p.time("interval", &ClockTable::interval, "mean time between the coded pairs of probes to each of them",
         "Huygens 4.1", kMillisecond, kMillisecond * 100);
  p.time("relaxed", &ClockTable::relaxed, "the same where the pair's clocks are known well enough", "", Time{},
         kMillisecond * 100);
  p.time("enough", &ClockTable::enough, "error up to which clocks are known well enough", "", Time{}, kMillisecond);
  p.time("window", &ClockTable::window, "of probes that a line is fitted to", "Huygens 4.2", kMillisecond * 100,
         kSecond * 60);
  p.time("step", &ClockTable::step, "between fits", "", kMillisecond * 10, kSecond * 2);
  p.time("epsilon", &ClockTable::epsilon, "by which the packets of a pure pair may have moved against each other",
         "Huygens 4.1", Time{1'000}, kMillisecond);
  p.number("wander", &ClockTable::wander, 0, 1e6, "by which a clock's drift may change in a second, ns per s");
  p.flag("hardware", &ClockTable::hardware, "use timestamps of the NIC where its stamping is switched on");
  p.integer("port", &ClockTable::port, 1, 65'535, "UDP port of the agents, the same on all hosts");
  p.text("reference", &ClockTable::reference, "the peer whose time of day chronyd is told; empty = none");
  p.text("refclock", &ClockTable::refclock, "the socket that chronyd listens on for it; empty = none");
}

void KeyTable::describe(ParamList<KeyTable>& p) {
  p.time("lifetime", &KeyTable::lifetime, "of the keys of a pair of hosts, the same on all hosts", "", kSecond * 2,
         kSecond * 86'400);
}

void MetricsTable::describe(ParamList<MetricsTable>& p) {
  p.text("listen", &MetricsTable::listen, "where Prometheus reads, an address of this host alone; \"off\" = nowhere");
}

void ControlTable::describe(ParamList<ControlTable>& p) {
  p.text("group", &ControlTable::group, "whose members may ask the agent, besides root");
}

void TestTable::describe(ParamList<TestTable>& p) {
  p.number("clock_offset", &TestTable::clock_offset, -1e15, 1e15, "added to this host's clock, ns");
  p.number("clock_drift", &TestTable::clock_drift, -1e6, 1e6, "by which this host's clock is fast, ns per s");
}

std::string_view name_of(Mode mode) { return kModeNames.at(static_cast<std::size_t>(mode)); }

Mode parse_mode(std::string_view text) {
  const auto found = std::find(kModeNames.begin(), kModeNames.end(), text);
  if (found == kModeNames.end())
    throw InputError(fmt::format("unknown mode '{}'{}; valid is {}", one_line(text, kQuoted),
                                 did_you_mean(text, {kModeNames.begin(), kModeNames.end()}),
                                 fmt::join(kModeNames, ", ")));
  return static_cast<Mode>(found - kModeNames.begin());
}

Config parse_config(std::string_view text, const std::string& file) {
  const scenario::Value document = scenario::parse_toml(text, file);
  const scenario::TableReader root(document, "");
  TopTable top;
  root.read(params_of<TopTable>(), &top,
            {"interface", "peer", "hold", "rule", "or_ack", "clock", "keys", "metrics", "control", "test"});
  Config out;
  out.file = file;
  out.interfaces = read_interfaces(root);
  out.mode = at_key(root, "mode", [&] { return parse_mode(top.mode); });
  out.threshold = at_key(root, "T", [&] { return parse_threshold(top.threshold); });
  out.segment = at_key(root, "segment", [&] { return parse_segment(top.segment); });
  out.headroom = top.headroom;
  out.key_file = top.key_file;
  out.rate = top.rate;
  if (out.key_file.empty())
    throw root.error_at("key_file", "it is empty; write the path of a file that weir-host key made");
  read_table(root, "hold", out.hold);
  read_table(root, "rule", out.rule);
  read_table(root, "or_ack", out.or_ack);
  read_table(root, "clock", out.clock);
  read_table(root, "keys", out.keys);
  read_table(root, "metrics", out.metrics);
  read_table(root, "control", out.control);
  read_table(root, "test", out.test);
  check_clock(root.table("clock"), out.clock);
  const auto or_ack = root.table("or_ack");
  if (out.or_ack.packets == 0 && out.or_ack.bytes.count == 0)
    throw or_ack.error_at("bytes", "it is 0 as well as 'packets', so that nothing would be answered; set one of them");
  if (out.or_ack.port == out.clock.port)
    throw or_ack.error_at("port", fmt::format("{} is the port of the agents, clock.port", out.or_ack.port));
  at_key(root.table("metrics"), "listen", [&] { return parse_listen(out.metrics.listen); });
  for (const auto& table : root.tables("peer")) {
    PeerConfig peer = read_peer(table);
    for (const auto& other : out.peers)
      if (other.address == peer.address)
        throw table.error_at("address",
                             fmt::format("{} stands in line {} already", to_text(peer.address), other.where.line));
    out.peers.push_back(std::move(peer));
  }
  out.steering = read_steering(root.table("clock"), out.clock, out.peers);
  return out;
}

Config load_config(const std::string& file) {
  return parse_config(read_document(file, "a configuration of weir-host in TOML"), file);
}

PathSettings path_settings(const Config& config, std::uint32_t segment) {
  const auto fixed_point = [](double x) { return static_cast<std::uint32_t>(std::llround(x * (1u << 24))); };
  PathSettings out;
  out.interfaces = config.interfaces;
  out.hold = config.mode != Mode::observe;
  out.max_hold = nanoseconds(config.hold.at_most);
  out.many_hold = nanoseconds(config.hold.many);
  out.live_for = nanoseconds(config.hold.live_for);
  out.rule.max_pause = nanoseconds(config.rule.max_pause);
  out.rule.gain = fixed_point(config.rule.gain);
  out.rule.initial_beta = fixed_point(config.rule.initial_beta);
  out.rule.strawman = config.rule.kind == RuleTable::Kind::strawman;
  out.or_ack.packets = config.or_ack.packets;
  out.or_ack.bytes = static_cast<std::uint32_t>(config.or_ack.bytes.count);
  out.or_ack.burst_gap = nanoseconds(config.or_ack.gap);
  out.or_ack.per_second = config.or_ack.per_second;
  out.or_ack.port = config.or_ack.port;
  out.segment_limit = out.hold ? segment : 0;
  out.test_clock_offset = std::llround(config.test.clock_offset);
  out.test_clock_drift = std::llround(config.test.clock_drift * 1.073741824);  // 2^30 ns are 1.0737 s
  return out;
}

std::optional<Listen> parse_listen(const std::string& text) {
  if (text.empty() || text == "off") return std::nullopt;
  const auto invalid = [&](std::string_view why) {
    return InputError(
        fmt::format("'{}' {}; write \"127.0.0.1:9471\", \"[::1]:9471\" or \"off\"", one_line(text, kQuoted), why));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw invalid("has no port");
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const auto address = parse_address(host);
  if (!address || address->v6 != (text.front() == '[')) throw invalid("is no address with a port");
  const std::string digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos ||
      std::stoi(digits) > 65'535)
    throw invalid("has no port of 0 to 65535");
  Address loopback{{}, true};
  loopback.bytes[15] = 1;
  if (address->v6 ? *address != loopback : address->bytes[0] != 127) throw invalid("is reached by other hosts");
  return Listen{*address, static_cast<std::uint16_t>(std::stoi(digits))};
}

}  // namespace weir::hosts
