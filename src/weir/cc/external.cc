#include "weir/cc/external.h"

#include <algorithm>
#include <cmath>

namespace weir::cc {

void External::Params::describe(ParamList<Params>& p) {
  p.time("interval", &Params::interval, "a decision is wanted after each of these; 0 = the flow's base RTT");
  p.number("rate", &Params::rate, 0, 1, "pacing rate at the start, as a share of the line rate; 0 = not paced");
  p.number("window", &Params::window, 0, 1000,
           "window at the start, in bandwidth-delay products of the path, at least a full packet; 0 = none");
}

namespace {

Time interval_of(const External::Params& p, const FlowFacts& flow) {
  return p.interval > Time{} ? p.interval : std::max(flow.base_rtt, Time{1});
}

}  // namespace

External::External(const Params& p, const FlowFacts& flow, Control& control) {
  last_.from = last_.until = present_.from = flow.start;
  if (p.rate > 0)
    control.rate = {
        std::max<std::int64_t>(1, std::llround(p.rate * static_cast<double>(flow.line_rate.bits_per_second)))};
  if (p.window > 0) {
    const auto product = static_cast<double>(bytes_in(flow.base_rtt, flow.line_rate).count);
    control.window = {std::max<std::int64_t>(flow.payload.count, std::llround(p.window * product))};
  }
  control.repace = true;
  control.every_loss = true;
  control.timer = flow.start + interval_of(p, flow);
}

void External::on_ack(const Params&, const FlowFacts&, const Ack& ack, Control&) {
  present_.acked = present_.acked + ack.acked;
  present_.least_rtt = std::min(present_.least_rtt, ack.rtt);
  present_.sum_rtt = present_.sum_rtt + ack.rtt;
  ++present_.acks;
  present_.marked += ack.ecn;
}

void External::on_loss(const Params&, const FlowFacts&, const Loss& loss, Control&) {
  present_.lost = present_.lost + loss.lost;
  present_.timeouts += loss.kind == Loss::Kind::timeout;
}

void External::on_send(const Params&, const FlowFacts&, const Send& send, Control&) {
  present_.sent = present_.sent + send.wire;
}

void External::on_timer(const Params& p, const FlowFacts& flow, Time now, Control& control) {
  present_.until = now;
  last_ = present_;
  present_ = {};
  present_.from = now;
  ++intervals_;
  control.timer = now + interval_of(p, flow);
  control.ask = true;
}

}  // namespace weir::cc
