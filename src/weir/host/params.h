// What hosts add to the delays of the network: [host].
#pragma once

#include "weir/base/params.h"
#include "weir/base/units.h"

namespace weir::host {

struct HostParams {
  Time receive_delay;
  Time receive_jitter;
  Time cnp_delay;
  Time timestamp_jitter;

  // Whether a receiver's answer may leave later than the data packet arrives.
  bool answers_late() const { return receive_delay + receive_jitter + cnp_delay > Time{}; }
  // Whether something is drawn, or waits, at receiving hosts.
  bool delays() const { return answers_late() || timestamp_jitter > Time{}; }

  static void describe(ParamList<HostParams>& p) {
    using H = HostParams;
    constexpr Time kLongest{1'000'000'000'000};
    p.time("receive_delay", &H::receive_delay,
           "what a receiving host takes before it hands an acknowledgement, a NACK or an OR-ACK to its NIC",
           "Swift 3.1: the endpoint's part of a round trip", Time{0}, kLongest);
    p.time("receive_jitter", &H::receive_jitter,
           "mean of an exponentially distributed time that comes on top; answers of a host keep their order", "",
           Time{0}, kLongest);
    p.time("cnp_delay", &H::cnp_delay, "what a receiving NIC takes before it sends a CNP as a packet of its own", "",
           Time{0}, kLongest);
    p.time("timestamp_jitter", &H::timestamp_jitter,
           "mean of an exponentially distributed time by which the time stamps that OR-ACKs carry are late",
           "On-Ramp 5.1.4: time stamps of virtual machines are off by around 50 us", Time{0}, kLongest);
  }
};

}  // namespace weir::host
