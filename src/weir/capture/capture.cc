#include "weir/capture/capture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstring>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/base/version.h"
#include "weir/capture/choice.h"

namespace weir::capture {
namespace {

// Of any Ethernet; longer ones are whole anyway.
constexpr std::uint32_t kMostSnaplen = 262'144;
constexpr std::string_view kPrefix = "--pcap";

std::vector<std::uint32_t> ports_of(const CaptureOptions& o, const net::Topology& topology) {
  const std::string list = o.at.empty() ? "hosts" : fmt::format("{}", fmt::join(o.at, ","));
  return of_option("--pcap-at", [&] {
    std::vector<std::uint32_t> ports = capture_ports(topology, list);
    if (ports.size() > kMostPorts)
      throw InputError(
          fmt::format("{}{} ports are too many: each has a file of its own, and {} may be open at once; "
                      "name some of them, like '--pcap-at 0,1'",
                      o.at.empty() ? "without it all hosts are captured, and " : "", ports.size(), kMostPorts));
    return ports;
  });
}

net::TraceFilter filter_of(const CaptureOptions& o, const net::Topology& topology) {
  net::TraceFilter filter;
  filter.ports.resize(topology.ports());
  for (const std::uint32_t port : ports_of(o, topology)) filter.ports[port] = true;
  filter.kinds = net::kOnWire;
  const Span span = span_of(kPrefix, o.from, o.until);
  filter.from = span.from;
  filter.until = span.until;
  return filter;
}

std::uint32_t snaplen_of(const CaptureOptions& o) {
  if (o.snaplen.empty()) return 0;
  std::uint32_t bytes = 0;
  const char* const end = o.snaplen.data() + o.snaplen.size();
  const auto [at, error] = std::from_chars(o.snaplen.data(), end, bytes);
  if (error != std::errc{} || at != end || bytes < 1 || bytes > kMostSnaplen)
    throw InputError(fmt::format("--pcap-snaplen: '{}' is no number of bytes; valid is 1 to {}, which keeps all",
                                 printable(o.snaplen), kMostSnaplen));
  return bytes;
}

constexpr char kWire[] = "weir wire=";
constexpr char kQueued[] = " queued=";

// `name`: a literal, so that how long it is is known when this is compiled.
template <std::size_t n>
char* append(char* end, const char (&name)[n], std::uint64_t value) {
  const fmt::format_int digits(value);
  std::memcpy(end, name, n - 1);
  end += n - 1;
  for (std::size_t i = 0; i < digits.size(); ++i) end[i] = digits.data()[i];
  return end + digits.size();
}

std::string node_name(const net::Topology& topology, std::uint32_t node, std::string_view between) {
  return fmt::format("{}{}{}", node < topology.hosts ? "host" : "switch", between, node);
}

// "host-3", "switch-320-to-host-0"; of several links between two switches also the number of the port.
std::string file_name(const net::Topology& topology, std::uint32_t port) {
  const std::uint32_t owner = topology.port_owner(port);
  const std::uint32_t peer = topology.port_peer(port);
  if (owner < topology.hosts) return node_name(topology, owner, "-") + ".pcapng";
  std::string name = node_name(topology, owner, "-") + "-to-" + node_name(topology, peer, "-");
  const auto is_like = [&](const net::Link& link) {
    return (link.a == owner && link.b == peer) || (link.a == peer && link.b == owner);
  };
  if (std::count_if(topology.links.begin(), topology.links.end(), is_like) > 1) name += fmt::format("-port-{}", port);
  return name + ".pcapng";
}

}  // namespace

Capture::Capture(const CaptureOptions& o, const engine::Model& model)
    : model_(model),
      filter_(filter_of(o, model.topology)),
      flows_(flows_of(kPrefix, o.flows)),
      snaplen_(snaplen_of(o)),
      frames_(model, o.ipv6),
      directory_(of_option("--pcap", [&] { return probe::ResultDirectory(o.directory); })) {
  const auto payload = static_cast<std::uint32_t>(model.transport.payload.count);
  most_block_ = packet_block_bytes(kMostHead + (snaplen_ == 0 ? 0 : kMostHead + payload), kMostComment);
  const net::Topology& t = model.topology;
  place_of_port_.resize(t.ports());
  std::vector<std::vector<std::uint32_t>> of_host(t.hosts);
  for (std::uint32_t port = 0; port < t.ports(); ++port)
    if (filter_.ports[port] && t.port_owner(port) < t.hosts) of_host[t.port_owner(port)].push_back(port);
  for (std::uint32_t port = 0; port < t.ports(); ++port) {
    if (!filter_.ports[port]) continue;
    const std::uint32_t owner = t.port_owner(port);
    if (owner >= t.hosts)
      open_file(std::array{port});
    else if (of_host[owner].front() == port)
      open_file(of_host[owner]);
  }
}

std::size_t Capture::ports() const {
  return static_cast<std::size_t>(std::count(filter_.ports.begin(), filter_.ports.end(), true));
}

void Capture::open_file(std::span<const std::uint32_t> ports) {
  std::vector<Interface> interfaces;
  for (const std::uint32_t port : ports) {
    place_of_port_[port] = {static_cast<std::uint32_t>(points_.size()), static_cast<std::uint32_t>(interfaces.size())};
    interfaces.push_back(interface_of(port));
  }
  // without a checksum, which takes time and which nobody reads
  const std::string name = "/" + file_name(model_.topology, ports.front());
  const std::string header = file_header("Weir " + std::string(version()), interfaces);
  points_.push_back({probe::ResultFile(directory_.partial() + name, directory_.name() + name),
                     std::vector<char>(kPages + std::max(most_block_, header.size()))});
  bytes_ += header.size();
  points_.back().used = header.size();
  std::memcpy(points_.back().buffer.data(), header.data(), header.size());
}

Interface Capture::interface_of(std::uint32_t port) const {
  const net::Topology& t = model_.topology;
  const net::Link& link = t.links[port / 2];
  return {.name = node_name(t, t.port_owner(port), " ") + " to " + node_name(t, t.port_peer(port), " "),
          .description = fmt::format("port {} of the simulated network, {} and {} to the far end", port,
                                     format_value(link.rate), format_value(link.delay)),
          .rate = link.rate,
          .snaplen = snaplen_ != 0 ? snaplen_ : kMostHead};
}

void Capture::check_flows(std::uint64_t flows) const { capture::check_flows(kPrefix, flows_, flows); }

std::uint64_t Capture::expected_bytes(std::uint32_t src, std::uint32_t dst, Bytes size, std::uint32_t entropy) const {
  constexpr std::uint64_t kComment = 52;
  const bool has_int = std::any_of(model_.profiles.begin(), model_.profiles.end(), [](const host::Profile& profile) {
    return cc::has(profile.algorithm->about.needs, cc::Needs::telemetry);
  });
  const std::uint64_t head = has_int ? 98 : 56;
  const auto payload = static_cast<std::uint64_t>(model_.transport.payload.count);
  const std::uint64_t data = snaplen_ == 0 ? head : std::min<std::uint64_t>(snaplen_, head + payload);
  const std::uint64_t pair = packet_block_bytes(data, kComment) + packet_block_bytes(head, kComment);
  // both ends of each link on the way see it
  std::uint64_t times = 0;
  for (const std::uint32_t port : model_.routing.path(src, dst, entropy))
    times += (filter_.ports[port] ? 1u : 0u) + (filter_.ports[net::Topology::reverse(port)] ? 1u : 0u);
  return (static_cast<std::uint64_t>(size.count) + payload - 1) / payload * times * pair;
}

void Capture::attach(engine::Engine& engine) {
  net::TraceFilter starts;  // whatever the time
  starts.kinds = net::kind_bit(net::EventKind::started);
  const auto add = [this](net::TraceEvents events) { look(events); };
  engine.trace(starts, add, net::Telling::beside);
  engine.trace(filter_, add, net::Telling::beside);
}

void Capture::look(net::TraceEvents events) {
  for (const net::TraceEvent& event : events) {
    if (event.kind == net::EventKind::started)
      table_.add(event);
    else
      write(net::on_wire(event));
  }
}

void Capture::finish() {
  for (Point& point : points_) {
    point.file.write({point.buffer.data(), point.used});
    point.file.close();
  }
  directory_.commit();
}

bool Capture::is_chosen(std::uint64_t flow) const { return flows_.empty() || probe::contains(flows_, flow); }

void Capture::write(const net::WireEvent& event) {
  FlowOfPacket* flow = nullptr;
  if (!event.packet.is_control()) {
    flow = table_.find(event.src, event.packet);
    if (flow == nullptr || !is_chosen(flow->id)) return;
  }
  const bool is_sent = event.kind == net::EventKind::sent;
  const Place place = place_of_port_[event.port];
  Point& point = points_[place.point];
  const std::uint32_t owner = model_.topology.port_owner(event.port);
  const std::uint32_t peer = model_.topology.port_peer(event.port);
  PacketBlock block(point.buffer.data() + point.used);
  const Frame frame = frames_.make(event, is_sent ? owner : peer, is_sent ? peer : owner, flow, block.packet());
  const std::uint32_t kept = std::min(frame.length, snaplen_ == 0 ? frame.head : snaplen_);
  char* const begin = block.keep(place.interface, event.time, is_sent ? Direction::outbound : Direction::inbound,
                                 frame.head, kept, frame.length);
  const std::size_t bytes = block.end(static_cast<std::size_t>(comment(event, flow, begin) - begin));
  assert(bytes <= most_block_);
  point.used += bytes;
  if (point.used >= kPages) point.write_pages();
  ++packets_;
  bytes_ += bytes;
}

void Capture::Point::write_pages() {
  file.write({buffer.data(), kPages});
  used -= kPages;
  std::memcpy(buffer.data(), buffer.data() + kPages, used);
}

// What no header of the packet tells, in words that share/wireshark/weir.lua reads.
char* Capture::comment(const net::TraceEvent& event, const FlowOfPacket* flow, char* at) {
  const net::PacketView& p = event.packet;
  const bool is_sent = event.kind == net::EventKind::sent;
  if (flow == nullptr) {
    at = append(at, kWire, p.wire);
    return is_sent ? append(at, kQueued, event.queued) : at;
  }
  const FlowComment& of_flow = flow_comment(flow->id, p);
  at = of_flow.before.copy_to(at);
  if (is_sent) at = append(at, kQueued, event.queued);
  at = of_flow.behind.copy_to(at);
  if (p.marks.retransmission && p.to_receiver()) {
    constexpr std::string_view kAgain = " again";
    at = std::copy(kAgain.begin(), kAgain.end(), at);
  }
  return at;
}

const Capture::FlowComment& Capture::flow_comment(std::uint64_t flow, const net::PacketView& packet) {
  FlowComment& it = flow_comments_[(2 * flow + (packet.to_receiver() ? 1 : 0)) % flow_comments_.size()];
  if (it.flow != flow || it.entropy != packet.entropy || it.wire != packet.wire) [[unlikely]]
    it = FlowComment(flow, packet.entropy, packet.wire);
  return it;
}

Capture::FlowComment::FlowComment(std::uint64_t flow_id, std::uint32_t path, std::uint32_t bytes)
    : flow(flow_id), entropy(path), wire(bytes) {
  before.length = static_cast<std::size_t>(append(before.text.data(), kWire, wire) - before.text.data());
  char* const end = append(append(behind.text.data(), " flow=", flow), " entropy=", entropy);
  behind.length = static_cast<std::size_t>(end - behind.text.data());
}

}  // namespace weir::capture
