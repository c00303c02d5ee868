// The scale-up switch of one server, such as NVLink's, without packets: messages between its hosts share the rates of
// the hosts' links to and from the switch max-min fairly. Only these links can be full; the switch does not block.
//
// Rates are worked out for all transfers together whenever some have begun or ended, so that they depend on the set of
// transfers and on the order in which these began, and on nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/traffic/driver.h"

namespace weir::engine {

class ScaleUpSwitch {
 public:
  // A message on its way, of the driver with this number.
  struct Transfer {
    traffic::Message message;
    std::uint32_t driver = 0;
    Time settled;     // the instant of which `left` is the value
    double left = 0;  // bits
    double rate = 0;  // bits per second
    Time ends;
  };

  ScaleUpSwitch() = default;  // to be loaded
  // Joins so many hosts in a row; the number of the first one is a multiple of `hosts`.
  ScaleUpSwitch(std::uint32_t hosts, Rate rate) : hosts_(hosts), rate_(rate) {}

  bool is(std::uint32_t hosts, Rate rate) const { return hosts_ == hosts && rate_ == rate; }

  // Adds a message, which gets a rate by the next share().
  void begin(const traffic::Message& message, std::uint32_t driver, Time now);
  // Removes and returns the transfers that have ended by now, in the order in which they began.
  std::vector<Transfer> take_ended(Time now);
  // Gives each transfer its rate from now on. Returns when the next one ends; Time::max() = there is none.
  Time share(Time now);
  // How often rates have been given. A note of when the next transfer ends is out of date if this number has changed
  // since the note was made.
  std::uint64_t shared() const { return shared_; }
  const std::vector<Transfer>& transfers() const { return transfers_; }

  template <class A>
  void archive(A& a) {
    a.value(hosts_);
    a.value(rate_);
    a.value(shared_);
    a.values(transfers_);
  }

 private:
  std::uint32_t hosts_ = 0;
  Rate rate_;
  std::uint64_t shared_ = 0;
  std::vector<Transfer> transfers_;
};

// The switch of a server that has links like those of `by`, which is made if there is none.
ScaleUpSwitch& switch_for(std::vector<ScaleUpSwitch>& of_server, const traffic::ScaleUp& by);

// How long a message takes to the switch, and from it: half of the latency each, and `lag` at least.
Time ahead_of_switch(const traffic::ScaleUp& by, Time lag);
Time behind_switch(const traffic::ScaleUp& by, Time lag);

// Throws InputError unless a host may move the message (traffic::Desk::move). `hosts` is the number of all hosts.
void check_move(const traffic::ScaleUp& by, std::uint32_t host, const traffic::Message& message, std::uint32_t hosts);

}  // namespace weir::engine
