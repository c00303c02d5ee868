// The socket of probes, with the kernel's time stamps of what leaves and what comes.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hosts/path/address.h"

namespace weir::hosts::clock {

// Stamps that the kernel gave, ns; 0: none.
struct Stamp {
  std::int64_t software = 0;  // CLOCK_REALTIME
  std::int64_t hardware = 0;  // the interface's clock
};

struct Outgoing {
  Address from;
  Address to;
  std::span<const std::uint8_t> bytes;
  bool stamped = false;
};

struct Incoming {
  Address from;
  Address to;
  std::span<const std::uint8_t> bytes;
  Stamp stamp;
};

// UDP on one port and all addresses of one family. It belongs to the network namespace in which it was made.
class UdpSocket {
 public:
  // Throws std::system_error: the port is in use, or the kernel lacks the family.
  UdpSocket(bool v6, std::uint16_t port, bool hardware_stamps);
  ~UdpSocket();
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  // Those that the kernel refuses (no route, no room) are left out. Returns how many it took.
  std::size_t send(std::span<const Outgoing> list);

  // Hands over what has come, `most` datagrams at most; what `take` gets is valid until it returns.
  std::size_t receive(std::size_t most, const std::function<void(const Incoming&)>& take);
  // Hands over stamps of what has left, each with the bytes that were sent behind some headers.
  std::size_t stamps(std::size_t most, const std::function<void(std::span<const std::uint8_t>, const Stamp&)>& take);

  bool v6() const { return v6_; }
  int descriptor() const { return socket_; }

 private:
  struct Batch;

  int socket_ = -1;
  bool v6_;
  std::uint16_t port_;
  bool hardware_;
  std::unique_ptr<Batch> batch_;
};

// Which address of this host the kernel would send from. It belongs to the network namespace in which it was made.
class RouteProbe {
 public:
  RouteProbe();
  ~RouteProbe();
  RouteProbe(const RouteProbe&) = delete;
  RouteProbe& operator=(const RouteProbe&) = delete;

  // Nothing: there is no route.
  std::optional<Address> source_for(const Address& to) const;

 private:
  int v4_ = -1;
  int v6_ = -1;
};

}  // namespace weir::hosts::clock
