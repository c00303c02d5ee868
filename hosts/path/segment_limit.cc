#include "hosts/path/segment_limit.h"

#include <net/if.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace weir::hosts {
namespace {

// Kernels whose interfaces take more have a size for IPv4 apart.
constexpr std::uint32_t kMostIpv4 = 65'536;

}  // namespace

SegmentLimit::SegmentLimit(Netlink& netlink, const std::string& interface, std::uint32_t bytes,
                           const BeforeChange& before_change)
    : netlink_(&netlink), before_(netlink.link(interface)) {
  const std::uint32_t size = before_.gso_max_size;
  const std::uint32_t ipv4 = before_.gso_ipv4_max_size;
  if (size == 0 || (size <= bytes && ipv4 <= bytes)) return;
  const auto step = [&](std::uint32_t to) -> Undo {
    return {.what = "segment size of " + interface,
            .command = {"ip", "link", "set", "dev", interface, "gso_max_size", std::to_string(to)},
            .interface = interface,
            .ifindex = before_.ifindex};
  };
  // The last one told is undone first, and one that is not larger sets that of IPv4 as well.
  if (size > kMostIpv4) undo_.push_back(step(size));
  undo_.push_back(step(std::min(size, kMostIpv4)));
  if (before_change)
    for (const Undo& one : undo_) before_change(one);
  netlink.set_gso(before_.ifindex, std::min(size, bytes), std::min(ipv4, bytes));
  changed_ = true;
}

SegmentLimit::SegmentLimit(SegmentLimit&& other) noexcept
    : netlink_(other.netlink_),
      before_(std::move(other.before_)),
      undo_(std::move(other.undo_)),
      changed_(std::exchange(other.changed_, false)) {}

SegmentLimit::~SegmentLimit() {
  try {
    put_back();
  } catch (const std::system_error&) {
    // Whoever wants to know calls it.
  }
}

void SegmentLimit::put_back() {
  if (!std::exchange(changed_, false) || ::if_nametoindex(before_.name.c_str()) != before_.ifindex) return;
  netlink_->set_gso(before_.ifindex, before_.gso_max_size, before_.gso_ipv4_max_size);
}

}  // namespace weir::hosts
