// What leaves a device, seen behind its qdisc: how long TCP's packets have waited, and whether any overtook another.
//
// Packets tell by their timestamps when TCP made them, if net.ipv4.tcp_timestamps is 2: CLOCK_MONOTONIC in ms.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/hosts/vm/load/netns.h"

namespace weir::hosts::load {

class Departures {
 public:
  Departures(const std::string& ns, const std::string& device);

  int descriptor() const { return socket_.get(); }
  // Takes what has left since.
  void read();
  void begin();

  // From TCP to the wire, ms; too small by up to 1 ms, never too large.
  const std::vector<double>& waits() const { return waits_; }
  // Packets of new data that left before what comes before them.
  int overtaking() const { return overtaking_; }

 private:
  struct Ports {
    std::uint32_t addresses;  // a sum, which is good enough to tell flows of a host apart
    std::uint16_t from;
    std::uint16_t to;
    auto operator<=>(const Ports&) const = default;
  };
  void packet(const unsigned char* frame, std::size_t length, std::int64_t time);

  Descriptor socket_;
  std::int64_t realtime_ = 0;  // CLOCK_REALTIME - CLOCK_MONOTONIC, ns
  std::map<Ports, std::uint32_t> ends_;
  std::vector<double> waits_;
  int overtaking_ = 0;
};

}  // namespace weir::hosts::load
