#include "weir/import/host_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "weir/base/csv.h"
#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/toml/writer.h"

namespace weir::scenario {
namespace {

constexpr std::int64_t kPayload = 1448;     // of a packet of TCP with time stamps
constexpr std::int64_t kAnswered = 64'000;  // bytes that an OR-ACK stands for at most
constexpr std::int64_t kHeaders = 66;       // Ethernet, IPv4 and TCP with time stamps

struct Message {
  std::int64_t start = 0;  // ns, by the clock of the day
  std::string source;
  std::string destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::int64_t bytes = 0;
};

// A connection while its packets are read.
struct Connection {
  std::size_t message = 0;
  bool begun = false;
  std::int64_t last = 0;  // ns: when its last packet was handed down
  std::uint32_t end = 0;  // the first byte that it has not sent
};

// The messages of one trace. What is sent again counts once.
void add_messages(const result::HostTrace& trace, std::int64_t gap, std::vector<Message>& to) {
  const std::int64_t to_unix = trace.begin_unix() - trace.begin();
  std::vector<Connection> connections(trace.flows.size());
  for (const auto& packet : trace.packets) {
    const auto& flow = trace.flows[packet.flow];
    Connection& c = connections[packet.flow];
    const std::int64_t handed = packet.time - packet.held;
    const std::uint32_t end = packet.seq + packet.length;
    if (!c.begun || handed - c.last >= gap) {
      if (!c.begun) c.end = packet.seq;
      c.message = to.size();
      to.push_back({handed + to_unix, flow.source, flow.destination, flow.source_port, flow.destination_port});
    }
    const auto fresh = static_cast<std::int32_t>(end - c.end);
    if (fresh > 0) {
      to[c.message].bytes += fresh;
      c.end = end;
    }
    c.begun = true;
    c.last = std::max(c.last, handed);
  }
}

std::int64_t least_delay(std::span<const result::HostTrace> traces) {
  std::int64_t out = std::numeric_limits<std::int64_t>::max();
  for (const auto& trace : traces)
    for (const auto& ack : trace.or_acks) out = std::min(out, ack.delay);
  return out;
}

std::int64_t traced_threshold(std::span<const result::HostTrace> traces) {
  std::int64_t out = 0;
  for (const auto& trace : traces)
    for (const auto& flow : trace.flows) out = std::max(out, trace.threshold(flow.destination));
  return out;
}

Rate rate_of(std::span<const result::HostTrace> traces, const HostImportOptions& options) {
  if (options.rate.bits_per_second > 0) return options.rate;
  for (const auto& trace : traces) {
    const auto settings = trace.meta.find("settings");
    if (settings == trace.meta.end() || !settings->is_object()) continue;
    const auto text = settings->value("rate", "");
    if (text.empty()) continue;
    if (const Rate rate = under_key("settings.rate", [&] { return parse_rate(text); }); rate.bits_per_second > 0)
      return rate;
  }
  throw InputError("the traces do not tell the rate of the links; write for example --rate '10 Gbps'");
}

// Of the largest packet that was handed down, in whole packets of the wire; 0 = none.
std::int64_t segment_of(std::span<const result::HostTrace> traces) {
  std::int64_t out = 0;
  for (const auto& trace : traces)
    for (const auto& packet : trace.packets) out = std::max<std::int64_t>(out, packet.length);
  return out;
}

std::string flows_csv(const std::vector<Message>& messages, const std::map<std::string, std::size_t>& hosts,
                      std::int64_t begin) {
  std::string out = "src,dst,size_bytes,start_ns,sport,dport\n";
  for (const Message& m : messages)
    if (m.bytes > 0)
      out += fmt::format("{},{},{},{},{},{}\n", hosts.at(m.source), hosts.at(m.destination), m.bytes, m.start - begin,
                         m.source_port, m.destination_port);
  return out;
}

// One switch between the hosts, whose delays are as the traces tell them.
std::string scenario_of(std::span<const result::HostTrace> traces, const HostImportOptions& options,
                        std::size_t messages, const std::map<std::string, std::size_t>& hosts) {
  const Rate rate = rate_of(traces, options);
  // A packet of full size crosses two links.
  const Time wire{2 * transmission_time(Bytes{kPayload + kHeaders}, rate).ps};
  const std::int64_t least = least_delay(traces);
  const bool delays = least != std::numeric_limits<std::int64_t>::max();
  const Time delay{delays ? std::max<std::int64_t>((least * 1'000 - wire.ps) / 2, 100'000) : 1'000'000};
  const Time threshold = options.threshold ? *options.threshold : Time{traced_threshold(traces) * 1'000};

  TomlWriter toml("What weir-host trace has captured, as one switch between the hosts.");
  toml.text("title", fmt::format("{} messages between {} hosts, as captured", messages, hosts.size()));
  toml.section("[topology]");
  toml.text("kind", "star");
  toml.value("hosts", hosts.size());
  toml.text("rate", format_value(rate));
  toml.text("delay", format_value(delay),
            delays ? "the least one-way delay of the traces, less two transmissions" : "a guess: no OR-ACK was heard");
  for (const auto& [address, host] : hosts) toml.comment(fmt::format("host {} is {}", host, address));
  toml.section("[network.buffer]");
  toml.text("mode", "per-port");
  toml.text("size", format_value(options.buffer), "the traces do not tell");
  toml.section("[transport]");
  toml.text("payload", format_value(Bytes{kPayload}));
  toml.text("header", format_value(Bytes{kHeaders}));
  toml.text("min_rto", "200 ms");
  toml.section("[clocks]");
  toml.section("[algorithm]");
  toml.text("name", "cubic", "the traces do not tell");
  toml.text("preset", "linux");
  toml.section("[algorithm.recovery]");
  toml.text("kind", "sack");
  toml.section("[algorithm.stack]");
  toml.text("pacing", "fq");
  const std::int64_t segment = segment_of(traces);
  if (segment > 0) toml.text("segment", format_value(Bytes{segment}));
  if (threshold.ps > 0) {
    toml.section("[algorithm.on_ramp]");
    toml.text("T", format_value(threshold));
    // Hosts time, hold and answer super-packets, which are the segments of the stack; a new connection knows nothing.
    if (const auto most = std::min(segment, kAnswered); most > kPayload) {
      toml.value("packets_per_ack", (most + kPayload - 1) / kPayload);
      toml.text("burst_gap", "0 us");
    }
    toml.value("memory", false);
    toml.section("[probes.delays]");
  }
  toml.section("[[traffic]]");
  toml.text("kind", "flows");
  toml.text("file", options.flows_name);
  toml.section("[probes.queues]");
  toml.value("series", true);
  toml.text("interval", "1 ms");
  return toml.take();
}

}  // namespace

HostImport import_host(std::span<const result::HostTrace> traces, const HostImportOptions& options) {
  std::vector<Message> messages;
  for (const auto& trace : traces) add_messages(trace, options.gap.ps / 1'000, messages);
  std::erase_if(messages, [](const Message& m) { return m.bytes == 0; });
  if (messages.empty()) throw InputError("no packet in the traces; trace while connections to peers send");
  std::stable_sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  std::map<std::string, std::size_t> hosts;
  for (const Message& m : messages) hosts.try_emplace(m.source), hosts.try_emplace(m.destination);
  std::size_t number = 0;
  for (auto& [address, host] : hosts) host = number++;

  return {scenario_of(traces, options, messages.size(), hosts), flows_csv(messages, hosts, messages.front().start)};
}

}  // namespace weir::scenario
