// What tests of algorithms that losses and marks drive have in common: a flow that is told of them by hand, and the
// stream of feedback of their snapshots.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tests/cc/snapshot.h"
#include "weir/cc/algorithm.h"

namespace weir::cc {

// Packets of 1,000 bytes, 1,048 on the wire. With T = 13 us a NIC of 100 Gb/s has 162,500 B in flight.
inline FlowFacts loss_facts() {
  FlowFacts f;
  f.line_rate = {100'000'000'000};
  f.path_rate = {100'000'000'000};
  f.base_rtt = {10'000'000};
  f.network_rtt = {13'000'000};
  f.payload = {1'000};
  f.wire = {1'048};
  return f;
}

// What an acknowledgement says, unless the test says otherwise: one packet, that had filled the window (100 KB where
// there is none), and that was sent after all that happened before.
struct Heard {
  Bytes acked{1'000};
  bool ecn = false;
  Time sent_at{-1};
  Bytes in_flight{-1};
  Time rtt{10'000'000};
};

template <class A>
struct Driven {
  using Params = typename A::Params;
  explicit Driven(const Params& p = {}, const FlowFacts& f = loss_facts()) : params(p), flow(f), a(p, f, control) {}

  void ack(Time now, const Heard& heard = {}) {
    una += heard.acked;
    Ack ack;
    ack.now = now;
    ack.rtt = heard.rtt;
    ack.sent_at = heard.sent_at.ps < 0 ? now : heard.sent_at;
    ack.seq = una;
    ack.acked = heard.acked;
    const Bytes window = control.window == kNoWindow ? Bytes{100'000} : control.window;
    ack.in_flight = heard.in_flight.count < 0 ? window - heard.acked : heard.in_flight;
    ack.snd_nxt = una + ack.in_flight;
    ack.ecn = heard.ecn;
    a.on_ack(params, flow, ack, control);
  }
  void acks(int n, Time now, const Heard& heard = {}) {
    for (int i = 0; i < n; ++i) ack(now, heard);
  }
  // All that is in flight is lost, as go-back-N has it.
  void lose(Time now, Bytes in_flight, Loss::Kind kind = Loss::Kind::nack) {
    a.on_loss(
        params, flow,
        {.kind = kind, .now = now, .seq = una, .lost = in_flight, .snd_nxt = una + in_flight, .in_flight = in_flight},
        control);
  }

  Params params;
  FlowFacts flow;
  Control control;
  A a;
  Bytes una;
};

template <class P>
P preset_of(std::span<const Preset> presets, std::string_view name) {
  P params;
  for (const auto& p : presets) {
    if (p.name != name) continue;
    for (const auto& [key, value] : p.values) {
      const Param* param = params_of<P>().find(key);
      param->set(&params, parse_value(*param, value));
    }
    return params;
  }
  ADD_FAILURE() << "no preset " << name;
  return params;
}

// Window and rate after each line of tests/cc/data/loss.csv.
template <class A>
std::string answers_to_losses(const typename A::Params& params) {
  FlowFacts f = loss_facts();
  f.path_rate = {10'000'000'000};
  f.base_rtt = f.network_rtt = {7'063'680};
  f.random = RandomStream(1, 1, Purpose::algorithm);
  Control control;
  A algorithm(params, f, control);
  std::string out = "time_ps,event,window,rate_bps\n";
  for (const auto& row : read_stream("loss")) {
    const Time now{whole(row[0])};
    if (row[1] == "ack") {
      Ack ack;
      ack.now = now;
      ack.seq = {whole(row[2])};
      ack.acked = {whole(row[3])};
      ack.snd_nxt = {whole(row[4])};
      ack.in_flight = {whole(row[5])};
      ack.sent_at = {whole(row[6])};
      ack.rtt = now - ack.sent_at;
      ack.ecn = whole(row[7]) != 0;
      ack.delivered = {whole(row[8])};
      ack.delivery_span = {whole(row[9])};
      algorithm.on_ack(params, f, ack, control);
    } else {
      algorithm.on_loss(params, f,
                        {.kind = row[1] == "timeout" ? Loss::Kind::timeout : Loss::Kind::nack,
                         .now = now,
                         .seq = {whole(row[2])},
                         .lost = {whole(row[3])},
                         .snd_nxt = {whole(row[4])},
                         .in_flight = {whole(row[5])}},
                        control);
    }
    out += fmt::format("{},{},{},{}\n", now.ps, row[1], control.window.count, control.rate.bits_per_second);
  }
  return out;
}

}  // namespace weir::cc
