#include "events_table.h"

#include <string_view>

#include "rows.h"
#include "units.h"
#include "weir/base/error.h"

namespace weir::python {
namespace {

// Those that the table tells: of what hosts do (`did`, the last kind) it has no columns.
constexpr unsigned kTold = static_cast<unsigned>(net::EventKind::did);

net::EventKinds kinds_of(const std::vector<std::string>& names) {
  unsigned out = 0;
  for (const std::string& name : names) {
    unsigned kind = 0;
    while (kind < kTold && net::name_of(static_cast<net::EventKind>(kind)) != name) ++kind;
    if (kind == kTold) {
      std::string valid;
      for (unsigned k = 0; k < kTold; ++k)
        valid += (k == 0 ? "" : ", ") + std::string(net::name_of(static_cast<net::EventKind>(k)));
      throw InputError("kinds", "'" + name + "' is no kind of event; valid is " + valid);
    }
    out |= net::kind_bit(static_cast<net::EventKind>(kind));
  }
  if (out == 0) throw InputError("kinds", "there are none; name at least one");
  return static_cast<net::EventKinds>(out);
}

void add_packet(Rows& rows, const net::TraceEvent& event) {
  const net::PacketView& p = event.packet;
  rows.text("packet", net::name_of(p.kind));
  rows.whole("seq_bytes", p.seq);
  rows.whole("size_bytes", p.wire);
  rows.whole("queued_bytes", event.queued);
  rows.whole("class", static_cast<std::int64_t>(p.traffic_class) - 1);
  rows.whole("entropy", p.entropy);
  rows.whole("ce", p.marks.ce || p.marks.echoes_ce ? 1 : 0);
  rows.whole("retransmission", p.marks.retransmission ? 1 : 0);
}

void add_flow(Rows& rows, const net::TraceEvent& event) {
  const bool is_loss = event.kind == net::EventKind::told_loss;
  rows.text("packet", "");
  rows.whole("seq_bytes", is_loss ? event.first.count : 0);
  rows.whole("size_bytes", is_loss ? event.window.count : event.first.count);
  for (const char* name : {"queued_bytes", "class", "entropy", "ce", "retransmission"}) rows.whole(name, 0);
}

}  // namespace

net::TraceFilter filter_of(const engine::NetworkView& network, const std::vector<std::string>& kinds,
                           const std::optional<std::vector<std::uint32_t>>& ports, nanobind::handle since,
                           nanobind::handle until) {
  net::TraceFilter out{.kinds = kinds_of(kinds)};
  if (ports) {
    out.ports.resize(network.ports());
    for (const std::uint32_t port : *ports) {
      if (port >= network.ports())
        throw InputError("ports", "there is no port " + std::to_string(port) + "; valid is 0 to " +
                                      std::to_string(network.ports() - 1));
      out.ports[port] = true;
    }
  }
  if (!since.is_none()) out.from = time_of(since, "since");
  if (!until.is_none()) out.until = time_of(until, "until");
  return out;
}

Table table_of(net::TraceEvents events) {
  Rows rows;
  for (const net::TraceEvent& event : events) {
    const bool is_controlled = event.kind == net::EventKind::controlled;
    rows.whole("time_ps", event.time.ps);
    rows.text("kind", net::name_of(event.kind));
    rows.whole("port", event.port);
    rows.whole("flow_id", event.flow == net::kNoFlow ? -1 : static_cast<std::int64_t>(event.flow));
    rows.whole("src", event.src);
    rows.whole("dst", event.packet.dst);
    if (net::is_of_flow(event.kind))
      add_flow(rows, event);
    else
      add_packet(rows, event);
    rows.whole("window_bytes", is_controlled ? event.window.count : 0);
    rows.whole("rate_bps", is_controlled ? event.rate.bits_per_second : 0);
    rows.text("cause", net::name_of(event.cause));
    rows.end_row();
  }
  return rows.take();
}

}  // namespace weir::python
