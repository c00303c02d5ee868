// What one partition hands over to another at the end of an epoch.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/telemetry.h"
#include "weir/base/units.h"
#include "weir/host/reassembly.h"
#include "weir/net/packet.h"

namespace weir::engine {

// A packet that crosses into another partition; its records are named by their places in the mailbox.
struct HandedOver {
  net::Packet packet;  // departs = its arrival
  std::uint32_t port = 0;
};
// Of a program: a message has started, its flow in this slot of its sender.
struct Expected {
  std::uint32_t node = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};
// Of a program: an event that the node waits for takes effect then.
struct Signal {
  std::uint32_t node = 0;
  Time at;
};

struct Mailbox {
  std::vector<HandedOver> packets;
  std::vector<Telemetry> telemetry;
  std::vector<host::Sack> sacks;
  std::vector<Expected> expected;
  std::vector<Signal> signals;

  bool empty() const { return packets.empty() && expected.empty() && signals.empty(); }
  template <class A>
  void archive(A& a) {
    a.values(packets);
    a.values(telemetry);
    a.values(sacks);
    a.values(expected);
    a.values(signals);
  }
  void clear() {
    packets.clear();
    telemetry.clear();
    sacks.clear();
    expected.clear();
    signals.clear();
  }
};

}  // namespace weir::engine
