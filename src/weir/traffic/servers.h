// Parameters of traffic that knows servers: which hosts form a server, and its scale-up links beside the network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weir/base/limits.h"
#include "weir/base/params.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/scale_up.h"

namespace weir::traffic {

// How messages of a server share its scale-up links. `serial`: each GPU sends one message after the other and the way
// in is not shared, which is exact as long as no two messages come to a GPU at once: in rings, trees and pairwise
// exchange. `max_min`: all messages of a server share the rates of the ways out and in (Desk::move).
enum class Sharing : std::uint8_t { serial, max_min };

// Sends a message of this desk's host by its serial link, after all messages that were handed to the link before, by
// any driver. Returns the time of its arrival, at least Desk::lag() from now.
inline Time carry(const ScaleUp& by, Desk& desk, Bytes size) {
  Time& free = desk.scale_up_free();
  free = std::max(free, desk.now()) + transmission_time(size, by.rate);
  return std::max(free + by.latency, desk.now() + desk.lag());
}

// The largest server that PXN supports.
inline constexpr std::uint32_t kMostOnRails = 65'000;
// Throws InputError about `pxn` unless the links are shared max-min and all GPUs of each server take part: PXN may send
// by any of them.
void check_pxn(bool pxn, std::uint32_t group, Sharing sharing, const std::vector<std::uint32_t>& hosts);

// The GPU that sends a message to the network: the one of the sender's server on the receiver's rail, or the sender
// itself if both hosts are in one server.
inline std::uint32_t by_rail(const ScaleUp& by, std::uint32_t src, std::uint32_t dst) {
  return by.joins(src, dst) ? src : by.first_of(src) + dst % by.group;
}

template <class T>
ScaleUp scale_up_of(const T& t) {
  return {.group = t.group, .rate = t.scale_up_rate, .latency = t.scale_up_latency};
}

// `by_line`: the lines of a file can set `group` themselves.
template <class T>
void describe_servers(ParamList<T>& p, bool by_line = false) {
  p.integer("group", &T::group, 1, kMaxHosts,
            "number of GPUs of a server, which are consecutive hosts; messages between them go by scale-up links, such "
            "as NVLink, instead of the network. If it is not written it is topology.hosts_per_server where whole "
            "servers take part");
  const auto of_servers = [&](Param& param) {
    if (!by_line) param.not_with("group", {"1"});
  };
  of_servers(p.rate("scale_up_rate", &T::scale_up_rate, "of each GPU to those of its server, in each direction",
                    "NVLink 4: 450 GB/s", Rate{1'000'000'000}, Rate{100'000'000'000'000}));
  of_servers(p.time("scale_up_latency", &T::scale_up_latency,
                    "of a message there, beside its transmission; serial: no message takes less than an epoch", "",
                    Time{0}, Time{1'000'000'000}));
  of_servers(p.choice(
      "scale_up_sharing", &T::scale_up_sharing, {"serial", "max-min"},
      "serial: a GPU sends one message of its server after the other, of all traffic with this value, and those that "
      "come to one GPU do not share its way in; max-min: all messages of a server share its GPUs' ways out and in, "
      "max-min fairly"));
}

template <class T>
Param& describe_pxn(ParamList<T>& p) {
  return p.flag(
      "pxn", &T::pxn,
      "a message to another rail of another server goes by the scale-up links to the GPU of its own server that is on "
      "the rail of its receiver, and from there by that rail; needs scale_up_sharing = \"max-min\"",
      "NCCL 2.12, PXN: PCI x NVLink");
}

}  // namespace weir::traffic
