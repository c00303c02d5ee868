// What the agent is told: the file /etc/weir/host.toml, read strictly. docs/guides/on-hosts.md has the reference of its
// keys; package/host.toml is an example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/path/data_path.h"
#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/units.h"

namespace weir::hosts {

enum class Mode : std::uint8_t { observe, bpf, queue };

std::string_view name_of(Mode mode);
// Throws InputError that says what would be valid.
Mode parse_mode(std::string_view text);

// T: given, or derived from what the clocks measure.
using Threshold = std::optional<std::int64_t>;  // ns

struct PeerConfig {
  Address address;
  std::optional<Address> local;        // of this host as that peer sees it; nothing: the one that the routes choose
  std::optional<Threshold> threshold;  // nothing: that of the file
  bool hold = true;                    // false: measured only
  Where where;
};

// How packets are held.
struct HoldTable {
  Time at_most{10'000'000'000};
  Time many{100'000'000'000};
  Time live_for{500'000'000'000};
  static void describe(ParamList<HoldTable>&);
};

struct RuleTable {
  enum class Kind : std::uint8_t { strawman, final };
  Kind kind = Kind::final;
  double gain = 1.0 / 16;
  double initial_beta = 1;
  Time max_pause{10'000'000'000};
  static void describe(ParamList<RuleTable>&);
};

struct OrAckTable {
  std::uint32_t packets = 10;
  Bytes bytes{65'536};
  Time gap{100'000'000};
  std::uint32_t per_second = 100'000;
  std::uint16_t port = kOrAckPort;
  static void describe(ParamList<OrAckTable>&);
};

struct ClockTable {
  Time max_error{100'000'000};
  Time stale_after{700'000'000'000};
  std::uint32_t neighbours = 10;
  Time interval{4'000'000'000};
  Time relaxed{40'000'000'000};
  Time enough{300'000};
  Time window{2'000'000'000'000};
  Time step{500'000'000'000};
  Time epsilon{1'000'000};
  double wander = 5;  // ns per s, within a second
  bool hardware = true;
  std::uint16_t port = kAgentPort;
  std::string reference;  // Config::steering has these two
  std::string refclock;
  static void describe(ParamList<ClockTable>&);
};

struct KeyTable {
  Time lifetime{3600 * kPicosecondsPerSecond};
  static void describe(ParamList<KeyTable>&);
};

struct MetricsTable {
  std::string listen = "127.0.0.1:9471";
  static void describe(ParamList<MetricsTable>&);
};

struct ControlTable {
  std::string group;
  static void describe(ParamList<ControlTable>&);
};

// chronyd is told a peer's time of day.
struct Steering {
  Address reference;
  std::string socket;  // of chronyd
};

// For tests on one machine, whose hosts all have the same clock.
struct TestTable {
  double clock_offset = 0;  // ns
  double clock_drift = 0;   // ns per s
  static void describe(ParamList<TestTable>&);
};

struct Config {
  std::string file;  // as it was named; "" for one that no file gives
  std::vector<std::string> interfaces;
  Mode mode = Mode::observe;
  Threshold threshold;
  Time headroom{50'000'000};
  std::string key_file = "/etc/weir/host.key";
  std::optional<std::uint32_t> segment;  // bytes of a super-packet at most; nothing: derived from T and the link's rate
  Rate rate;                             // of the link, to derive it; 0: what the interface says
  std::vector<PeerConfig> peers;
  HoldTable hold;
  RuleTable rule;
  OrAckTable or_ack;
  ClockTable clock;
  std::optional<Steering> steering;
  KeyTable keys;
  MetricsTable metrics;
  ControlTable control;
  TestTable test;
};

// The text of such a file; `file` is its name for messages. Throws InputError with file, line and key.
Config parse_config(std::string_view text, const std::string& file);
Config load_config(const std::string& file);

// What a data path is told of it. `segment` is the limit of super-packets that was derived, 0 = as it is.
PathSettings path_settings(const Config& config, std::uint32_t segment);

// A place to listen, "127.0.0.1:9471" or "[::1]:9471", which must be of this host alone.
struct Listen {
  Address address;
  std::uint16_t port = 0;
};
// Throws InputError. "" and "off" are nothing.
std::optional<Listen> parse_listen(const std::string& text);

constexpr std::int64_t nanoseconds(Time t) { return t.ps / 1'000; }

}  // namespace weir::hosts
