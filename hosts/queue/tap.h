// Packets as they pass by, copied as far as their headers: an AF_PACKET socket with a filter.
//
// The receiving side only has to know that a data packet came, and when. Of what could tell it, a packet socket
// disturbs least and costs least: the packet goes its way at once (with NFQUEUE it would wait for user space), the
// filter runs on the shared buffer and only what passes it is copied, the kernel stamps it where it takes it from the
// driver, and no rule of a firewall is needed (as with NFLOG, which is no cheaper). A socket per IP version is asked
// about packets of that version only, while one for all protocols would cost each packet that leaves a copy.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hosts/path/address.h"
#include "hosts/path/descriptor.h"
#include "hosts/queue/segment.h"

namespace weir::hosts {

class Tap {
 public:
  enum class Way : std::uint8_t {
    in_v4,  // IPv4 that arrives from the addresses
    in_v6,  // the same with IPv6
    out,    // both, that leaves for the addresses: seen behind the queueing discipline
  };

  // TCP segments with data that pass the interface with this number. Addresses may be none. Throws std::system_error.
  Tap(Way way, unsigned ifindex, std::span<const Address> peers);

  void watch(std::span<const Address> peers);
  int descriptor() const { return socket_.get(); }
  // Calls `take` with each segment and when the kernel saw it (CLOCK_MONOTONIC, ns), until there are no more or for
  // some hundred. False if the interface is gone or down.
  bool read(const std::function<void(const Segment&, std::int64_t)>& take);

 private:
  static constexpr std::size_t kBatch = 64;

  Way way_;
  Descriptor socket_;
  std::unique_ptr<std::array<std::array<std::uint8_t, kHeaderBytes>, kBatch>> buffers_;
};

}  // namespace weir::hosts
