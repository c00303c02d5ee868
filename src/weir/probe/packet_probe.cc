#include "weir/probe/packet_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/engine/model/model.h"

namespace weir::probe {
std::vector<IdRange> parse_ids(std::string_view list) {
  const auto number = [&](std::string_view text) {
    const auto from = text.find_first_not_of(' ');
    const auto to = text.find_last_not_of(' ');
    const std::string_view digits = from == std::string_view::npos ? "" : text.substr(from, to - from + 1);
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
      throw InputError(fmt::format("'{}' is no flow id; valid is a list of ids and ranges, as \"0, 17, 200-299\"",
                                   printable(digits)));
    return out;
  };
  std::vector<IdRange> out;
  if (list.find_first_not_of(' ') == std::string_view::npos) return out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string_view item = list.substr(at, comma - at);
    at = comma + 1;
    const std::size_t dash = item.find('-');
    const std::uint64_t first = number(item.substr(0, dash));
    const std::uint64_t last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
    if (last < first) throw InputError(fmt::format("the range {}-{} ends before it begins", first, last));
    out.push_back({first, last});
  }
  std::sort(out.begin(), out.end(), [](const IdRange& a, const IdRange& b) { return a.first < b.first; });
  return out;
}

bool contains(const std::vector<IdRange>& ranges, std::uint64_t id) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const IdRange& r) { return r.first <= id && id <= r.last; });
}

void PacketProbe::check(const Params& params, const Checks& checks) {
  check_ports(params.ports, checks);
  checks.of_key("flows", [&] { parse_ids(params.flows); });
}

PacketProbe::PacketProbe(const Params& params, const Context& context)
    : topology_(model_of(context.engine).topology), flows_(parse_ids(params.flows)) {
  if (context.out == nullptr) return;
  file_.emplace(context.out->table("packets.csv"));
  context.engine.trace(
      trace_filter(topology_, params.ports, params.start, params.stop),
      [this](net::TraceEvents events) { write(events); }, net::Telling::beside);
}

void PacketProbe::finish(Summary&) {
  if (file_) file_->close();
}

bool PacketProbe::chosen(std::uint64_t flow) const { return flows_.empty() || contains(flows_, flow); }

void PacketProbe::write(net::TraceEvents events) {
  for (const net::TraceEvent& event : events)
    if (net::is_of_port(event.kind) || chosen(event.flow)) write(event);
}

void PacketProbe::write(const net::TraceEvent& event) {
  const net::PacketView& p = event.packet;
  file_->print("{},{},{},{},{},", event.time.ps, net::name_of(event.kind), event.port, topology_.port_owner(event.port),
               topology_.port_peer(event.port));
  if (net::is_of_port(event.kind)) {
    file_->print(",class {},,,,,,,,,\n", static_cast<unsigned>(p.traffic_class) - 1);
    return;
  }
  if (event.flow != net::kNoFlow) file_->print("{}", event.flow);
  if (!net::is_of_flow(event.kind)) {
    const bool marked = p.to_receiver() ? p.marks.ce : p.marks.echoes_ce;
    file_->print(",{},{},{},", net::is_any(p.kind, net::kEndsWithLink) ? "" : net::name_of(p.kind), p.seq, p.wire);
    if (!net::is_at_far_end(event.kind)) file_->print("{}", event.queued);
    file_->print(",{},{},{},,,\n", p.entropy, marked ? 1 : 0, p.marks.retransmission ? 1 : 0);
    return;
  }
  file_->write(",,");
  if (event.kind == net::EventKind::told_loss) {
    file_->print("{},,,,,,,,{}\n", event.first.count, event.window.count);
  } else if (event.kind == net::EventKind::controlled) {
    file_->write(",,,,,,");
    if (event.window != cc::kNoWindow) file_->print("{}", event.window.count);
    file_->write(",");
    if (event.rate.bits_per_second != 0) file_->print("{}", event.rate.bits_per_second);
    file_->write(",\n");
  } else {
    file_->write(",,,,,,,,\n");
  }
}

}  // namespace weir::probe
