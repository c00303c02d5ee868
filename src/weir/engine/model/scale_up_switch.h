// The scale-up switch of one server, such as NVLink's, without packets: what its hosts send each other shares the rates
// of their links to and from the switch max-min fairly. Only a host's own links can be full; the switch does not block.
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
    Time settled;     // until when `left` holds
    double left = 0;  // bits
    double rate = 0;  // bits per second
    Time ends;
  };

  ScaleUpSwitch() = default;  // to be loaded
  // Joins so many hosts in a row, of which the first is a multiple of that.
  ScaleUpSwitch(std::uint32_t hosts, Rate rate) : hosts_(hosts), rate_(rate) {}

  bool is(std::uint32_t hosts, Rate rate) const { return hosts_ == hosts && rate_ == rate; }

  // It has a rate from the next share() on.
  void begin(const traffic::Message& message, std::uint32_t driver, Time now);
  // What has ended by now, in the order in which it had begun.
  std::vector<Transfer> take_ended(Time now);
  // Gives all their rates, from now on. Returns when the next one ends; Time::max() = there is none.
  Time share(Time now);
  // How often rates have been given. Whoever notes when the next transfer ends notes this with it: if it has changed by
  // then, the note is out of date.
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

// Of one server's switches the one that such links lead to, which is made if there is none.
ScaleUpSwitch& switch_for(std::vector<ScaleUpSwitch>& of_server, const traffic::ScaleUp& by);

// How long a message takes to the switch, and from it: half of the latency each, and `lag` at least.
Time ahead_of_switch(const traffic::ScaleUp& by, Time lag);
Time behind_switch(const traffic::ScaleUp& by, Time lag);

// Throws InputError unless a host may move the message (traffic::Desk::move); `hosts` are as many as there are.
void check_move(const traffic::ScaleUp& by, std::uint32_t host, const traffic::Message& message, std::uint32_t hosts);

}  // namespace weir::engine
