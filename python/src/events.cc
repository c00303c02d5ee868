// The events that algorithms in Python are told of.
#include "events.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "units.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace weir::python {
namespace {

const char* name_of(cc::Loss::Kind kind) {
  switch (kind) {
    case cc::Loss::Kind::nack: return "nack";
    case cc::Loss::Kind::sack_hole: return "sack_hole";
    case cc::Loss::Kind::trim: return "trim";
    case cc::Loss::Kind::timeout: break;
  }
  return "timeout";
}

std::optional<std::int64_t> unless(std::int64_t value, std::int64_t none) {
  return value == none ? std::nullopt : std::optional(value);
}

}  // namespace

void add_events(nb::module_& m) {
  nb::class_<HopTelemetry>(m, "Hop",
                           "The telemetry record of a switch's port; exact unless the transport has wire form.")
      .def_ro("time_ps", &HopTelemetry::time, "Departure of the packet.")
      .def_ro("tx_bytes", &HopTelemetry::tx_bytes, "Bytes that the port had sent before it.")
      .def_ro("queue_bytes", &HopTelemetry::queue, "Bytes that were left behind it.")
      .def_prop_ro("rate_bps", [](const HopTelemetry& h) { return std::int64_t{h.rate_mbps} * 1'000'000; });
  nb::class_<cc::FlowFacts>(m, "FlowFacts", "Facts that hold for a flow's whole life.")
      .def_prop_ro(
          "line_rate_bps", [](const cc::FlowFacts& f) { return f.line_rate.bits_per_second; }, "Of the NIC.")
      .def_prop_ro(
          "path_rate_bps", [](const cc::FlowFacts& f) { return f.path_rate.bits_per_second; },
          "Of the slowest link of the path.")
      .def_prop_ro(
          "base_rtt_ps", [](const cc::FlowFacts& f) { return f.base_rtt.ps; },
          "Unloaded round trip of a full packet and its acknowledgement.")
      .def_prop_ro(
          "network_rtt_ps", [](const cc::FlowFacts& f) { return f.network_rtt.ps; },
          "The largest base RTT between any two hosts.")
      .def_prop_ro(
          "payload_bytes", [](const cc::FlowFacts& f) { return f.payload.count; }, "Of a full packet.")
      .def_prop_ro(
          "wire_bytes", [](const cc::FlowFacts& f) { return f.wire.count; }, "Of a full packet, with all headers.")
      .def_prop_ro(
          "size_bytes", [](const cc::FlowFacts& f) { return f.size.count; }, "Payload of the flow.")
      .def_prop_ro("start_ps", [](const cc::FlowFacts& f) { return f.start.ps; })
      .def_ro("switch_hops", &cc::FlowFacts::switch_hops, "Switches on the path.");
  nb::class_<AckSeen>(m, "Ack", "An acknowledgement that does not complete the flow.")
      .def_prop_ro("now_ps", [](const AckSeen& a) { return a.ack.now.ps; })
      .def_prop_ro(
          "rtt_ps", [](const AckSeen& a) { return a.ack.rtt.ps; },
          "From the transmit time of the packet that triggered it.")
      .def_prop_ro("sent_at_ps", [](const AckSeen& a) { return a.ack.sent_at.ps; })
      .def_prop_ro(
          "endpoint_delay_ps", [](const AckSeen& a) { return a.ack.endpoint_delay.ps; },
          "Part of rtt_ps spent in the receiving host.")
      .def_prop_ro(
          "seq_bytes", [](const AckSeen& a) { return a.ack.seq.count; }, "All bytes below are acknowledged.")
      .def_prop_ro(
          "acked_bytes", [](const AckSeen& a) { return a.ack.acked.count; }, "Newly acknowledged; 0 for a duplicate.")
      .def_prop_ro(
          "next_bytes", [](const AckSeen& a) { return a.ack.snd_nxt.count; }, "Next byte to be sent.")
      .def_prop_ro("in_flight_bytes", [](const AckSeen& a) { return a.ack.in_flight.count; })
      .def_prop_ro(
          "delivered_bytes", [](const AckSeen& a) { return a.ack.delivered.count; },
          "Delivered within delivery_span_ps; needs delivery_rate.")
      .def_prop_ro(
          "delivery_span_ps", [](const AckSeen& a) { return a.ack.delivery_span.ps; }, "0 = no sample.")
      .def_prop_ro(
          "ecn", [](const AckSeen& a) { return a.ack.ecn; }, "The packet was marked.")
      .def_prop_ro(
          "app_limited", [](const AckSeen& a) { return a.ack.app_limited; }, "Nothing waits to be sent.")
      .def_ro("hops", &AckSeen::hops, "Telemetry by switch, in the order of the path; needs telemetry.");
  nb::class_<cc::Loss>(m, "Loss", "The transport has concluded that data was lost.")
      .def_prop_ro(
          "kind", [](const cc::Loss& l) { return name_of(l.kind); }, "nack, sack_hole, trim or timeout.")
      .def_prop_ro("now_ps", [](const cc::Loss& l) { return l.now.ps; })
      .def_prop_ro(
          "seq_bytes", [](const cc::Loss& l) { return l.seq.count; }, "First missing byte.")
      .def_prop_ro(
          "lost_bytes", [](const cc::Loss& l) { return l.lost.count; }, "As far as known.")
      .def_prop_ro(
          "next_bytes", [](const cc::Loss& l) { return l.snd_nxt.count; }, "Next byte, before a rewind.")
      .def_prop_ro("in_flight_bytes", [](const cc::Loss& l) { return l.in_flight.count; });
  nb::class_<cc::Send>(m, "Send", "A data packet is leaving the NIC.")
      .def_prop_ro("now_ps", [](const cc::Send& s) { return s.now.ps; })
      .def_prop_ro("seq_bytes", [](const cc::Send& s) { return s.seq.count; })
      .def_prop_ro("wire_bytes", [](const cc::Send& s) { return s.wire.count; })
      .def_prop_ro(
          "in_flight_bytes", [](const cc::Send& s) { return s.in_flight.count; }, "With this packet.")
      .def_prop_ro(
          "is_again", [](const cc::Send& s) { return s.retransmission; }, "It is a retransmission.");
  nb::class_<Answer>(m, "Control", "The algorithm's answer, which holds until it is changed.")
      .def_prop_rw(
          "window_bytes", [](const Answer& a) { return unless(a.control.window.count, cc::kNoWindow.count); },
          [](Answer& a, nb::handle v) { a.control.window = {answer_of(v, "window_bytes", cc::kNoWindow.count)}; },
          nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def window_bytes(self, value: float | None, /) -> None")),
          "A packet is sent while less is in flight; None = no window.")
      .def_prop_rw(
          "rate_bps", [](const Answer& a) { return a.control.rate.bits_per_second; },
          [](Answer& a, nb::handle v) {
            a.control.rate = {std::min(answer_of(v, "rate_bps", 0), kMaxRate.bits_per_second)};
          },
          nb::for_setter(nb::sig("def rate_bps(self, value: float, /) -> None")),
          "Pacing, in bits per second on the wire; 0 = not paced.")
      .def_prop_rw(
          "timer_ps", [](const Answer& a) { return unless(a.control.timer.ps, cc::kNoTimer.ps); },
          [](Answer& a, nb::handle v) { a.control.timer = {answer_of(v, "timer_ps", cc::kNoTimer.ps)}; },
          nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def timer_ps(self, value: float | None, /) -> None")),
          "on_timer() is called at this time; None = never.");
}

}  // namespace weir::python
