// Hosts that are network namespaces of this machine, each with a link to a switch that routes. Nothing outside of them
// is touched; they have no names and end with the process, whatever happens to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hosts/path/address.h"

namespace weir::hosts::test {

class ClockLab {
 public:
  // What is missing for it on this machine, or "".
  static std::string missing();

  // Links of 100 Mb/s (HTB at both ends, with queues of 1 MB). Throws std::runtime_error if a command fails.
  explicit ClockLab(std::size_t hosts);
  ~ClockLab();
  ClockLab(const ClockLab&) = delete;
  ClockLab& operator=(const ClockLab&) = delete;

  std::size_t size() const { return hosts_.size(); }
  Address address(std::size_t host, bool v6 = false) const;
  // Sends a datagram that claims to be from one host's address to another's, from the switch.
  void forge(std::size_t from, std::size_t to, std::uint16_t port, std::span<const std::uint8_t> bytes) const;
  // Runs it in the host's namespace, on a thread of its own. Exceptions come through.
  void in(std::size_t host, const std::function<void()>& what) const;
  // A command of a shell there; throws if it fails.
  void command(std::size_t host, const std::string& text) const;

  // Flows of TCP between all hosts from a process of its own: so much of each link's rate, until stop_load or `seconds`
  // have passed.
  void start_load(double share, double seconds, std::uint32_t seed);
  void stop_load();
  // What a host has sent since it was made.
  std::uint64_t bytes_sent(std::size_t host) const;

 private:
  std::vector<int> hosts_;  // descriptors of namespaces
  int switch_ = -1;
  int raw_ = -1;  // a socket of the switch that takes whole packets of IP
  pid_t load_ = -1;
};

}  // namespace weir::hosts::test
