// What hosts add to the delays of the network: [host].
#pragma once

#include "weir/base/params.h"
#include "weir/base/units.h"

namespace weir::host {

struct HostParams {
  Time receive_delay;
  Time receive_jitter;
  Time application_delay;
  Time application_jitter;
  Time cnp_delay;
  Time timestamp_jitter;
  double rate_tolerance = 0;
  double send_jitter = 0;
  Rate nic_rate;  // of all ports of a host together; 0 = as fast as they are
  Bytes receive_buffer{1'000'000};
  Bytes pause_above{500'000};
  Bytes resume_below{250'000};

  // What a receiving host adds to a round trip, in the mean.
  Time answer_delay() const { return receive_delay + receive_jitter; }
  // What a sending host's application takes before a flow's first byte, in the mean.
  Time application_time() const { return application_delay + application_jitter; }
  // Whether a receiver's answer may leave later than the data packet arrives.
  bool answers_late() const { return answer_delay() + cnp_delay > Time{}; }
  // Whether something is drawn, or waits, at receiving hosts.
  bool delays() const { return answers_late() || timestamp_jitter > Time{}; }
  // Whether NICs send exactly as their links do, and at once.
  bool ideal_nics() const { return rate_tolerance == 0 && send_jitter == 0; }
  // The smaller one of `rate` and the rate of the NIC, if it has one of its own.
  Rate capped(Rate rate) const { return nic_rate > Rate{} && nic_rate < rate ? nic_rate : rate; }

  static void describe(ParamList<HostParams>& p) {
    using H = HostParams;
    constexpr Time kLongest{1'000'000'000'000};
    p.time("receive_delay", &H::receive_delay,
           "what a receiving host takes before it hands an acknowledgement, a NACK or an OR-ACK to its NIC",
           "Swift 3.1: the endpoint's part of a round trip", Time{0}, kLongest);
    p.time("receive_jitter", &H::receive_jitter,
           "mean of an exponentially distributed time that comes on top; answers of a host keep their order", "",
           Time{0}, kLongest);
    p.time("application_delay", &H::application_delay,
           "what a sending host's application takes from a flow's start until its first byte is there; it is part of "
           "the completion time, and of no round trip; messages that wait for others have none",
           "On-Ramp 5.1.4: TCP between virtual machines has round trips of 25 us at least", Time{0}, kLongest);
    p.time("application_jitter", &H::application_jitter,
           "mean of an exponentially distributed time that comes on top, drawn for each flow", "", Time{0}, kLongest);
    p.time("cnp_delay", &H::cnp_delay, "what a receiving NIC takes before it sends a CNP as a packet of its own", "",
           Time{0}, kLongest)
        .only_with("algorithm.cnp_packet");
    p.time("timestamp_jitter", &H::timestamp_jitter,
           "mean of an exponentially distributed time by which the time stamps that OR-ACKs carry are late",
           "On-Ramp 5.1.4: time stamps of virtual machines are off by around 50 us", Time{0}, kLongest)
        .only_with("algorithm.on_ramp");
    p.number("rate_tolerance", &H::rate_tolerance, 0, 1'000,
             "most by which a NIC is slower than its link, in parts per million; each NIC has a constant part of that, "
             "drawn at random. If it is not written it is 100 where switches drop",
             "IEEE 802.3: clocks are off by up to 100 ppm");
    p.number(
        "send_jitter", &H::send_jitter, 0, 100,
        "most by which a data packet leaves its NIC late, in times of its transmission on the link, drawn for each "
        "packet; packets keep their order, and the NIC its rate. If it is not written it is 1 where switches drop",
        "Floyd and Jacobson 1992: up to the transmission time of a packet");
    p.rate("nic_rate", &H::nic_rate,
           "what a host's NIC takes from the host and sends by all its ports together, packet by packet, such as the "
           "rate of its PCIe slot; 0 = as much as its ports carry",
           "PCI Express: a slot of 16 lanes of generation 4 carries 256 Gb/s, of generation 5 512 Gb/s")
        .only_with("host.rate");
    constexpr Bytes most{1'000'000'000};
    p.bytes("receive_buffer", &H::receive_buffer, "what the NIC of a slow host has room for; more is dropped", "ours",
            Bytes{1}, most)
        .only_with("host.slow");
    p.bytes("pause_above", &H::pause_above,
            "lossless mode: a slow host pauses its switch when more than this waits to be taken", "IEEE 802.1Qbb",
            Bytes{0}, most)
        .only_with("host.slow")
        .only_with("network.buffer.mode", {"lossless"});
    p.bytes("resume_below", &H::resume_below, "lossless mode: it resumes its switch when no more than this waits",
            "IEEE 802.1Qbb", Bytes{0}, most)
        .only_with("host.slow")
        .only_with("network.buffer.mode", {"lossless"});
  }
};

// A span in which a host takes data no faster than `rate`.
struct SlowSpan {
  Rate rate;
  Time from;
  Time until;
};

}  // namespace weir::host
