#include "weir/cc/newreno.h"

namespace weir::cc {

void NewReno::Params::describe(ParamList<Params>& p) {
  p.integer("initial_window", &Params::initial_window, 1, 1'000'000, "packets in the first window",
            "RFC 6928, section 2");
  p.integer("abc_limit", &Params::abc_limit, 1, 1'000, "L: most packets that slow start adds per acknowledgement",
            "RFC 5681 equation 2 (1); RFC 3465, section 2.3 (2)");
  p.flag("ecn", &Params::ecn, "a mark counts as a loss", "RFC 3168, section 6.1.2");
  p.integer("min_window", &Params::min_window, 1, 1'000'000, "packets of the window that marks leave at least",
            "RFC 3168, section 6.1.2 (1)");
}

NewReno::NewReno(const Params& p, const FlowFacts& facts, Control& control)
    : window_(facts.payload * p.initial_window, kNoWindow) {
  window_.answer(control);
}

void NewReno::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  window_.hear(ack);
  if (p.ecn && ack.ecn && window_.may_reduce())
    window_.reduce(half_of_flight(ack.in_flight + ack.acked, facts.payload * p.min_window), ack.now, ack.snd_nxt);
  else
    window_.grow(ack, facts.payload, p.abc_limit);
  window_.answer(control);
}

void NewReno::on_loss(const Params&, const FlowFacts& facts, const Loss& loss, Control& control) {
  window_.on_loss(loss, facts.payload);
  window_.answer(control);
}

}  // namespace weir::cc
