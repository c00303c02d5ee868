// Senders: decisions that an algorithm asks for and that come from outside the run (host/decisions.h). Included by
// engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <type_traits>

#include "weir/base/error.h"
#include "weir/host/senders.h"

namespace weir::host {

// Checks an answer from outside: a negative window or rate throws InputError. A timer that is not in the future is set
// to the next picosecond.
inline void admit_decision(cc::Control& control, Time now) {
  if (control.window < Bytes{} || control.rate < Rate{})
    throw InputError(
        "a decision has a window or a rate below 0; valid are a window from 0 on and a rate from 0 on, where "
        "a rate of 0 is no pacing");
  control.timer = std::max(control.timer, now + Time{1});
}

template <class P>
inline void Senders<P>::request_decision(const Host& host, Flow& flow, Time now) {
  if constexpr (std::remove_reference_t<decltype(this->tracer())>::kOn) {
    if (!flow.control.ask) return;
    flow.control.ask = false;
    decisions().ask({.now = now,
                     .flow = flow.id,
                     .src = network().ports[host.nic()].owner,
                     .dst = flow.dst,
                     .profile = flow.profile,
                     .tag = flow.tag,
                     .facts = &flow.facts,
                     .state = flow.state(),
                     .slot = flow.slot,
                     .generation = flow.generation},
                    flow.control);
    admit_decision(flow.control, now);
  }
}

template <class P>
void Senders<P>::take_decision(std::uint32_t h, const Question& question, const cc::Control& control, Time now) {
  Host& host = network().hosts[h];
  Flow* flow = host.find(question.slot, question.generation);
  if (flow == nullptr) return;
  flow->control = control;
  admit_decision(flow->control, now);
  trace(net::EventKind::controlled, host, *flow, now);
  repace(*flow);
  if (flow->is_connection) drivers().on_feedback(h, *flow, now);
  nics().arm(host, *flow);
  nics().consider(host, *flow, now);
  nics().update_wake(h, now);
}

}  // namespace weir::host
