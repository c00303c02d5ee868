#include "hosts/queue/segment_limit.h"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace weir::hosts {
namespace {

[[noreturn]] void fail(const std::string& interface) {
  throw std::system_error(errno, std::generic_category(), "the segment size of " + interface);
}

int read_size(const nlattr* part, void* out) {
  if (mnl_attr_get_type(part) == IFLA_GSO_MAX_SIZE) *static_cast<std::uint32_t*>(out) = mnl_attr_get_u32(part);
  return MNL_CB_OK;
}

int find_size(const nlmsghdr* message, void* out) { return mnl_attr_parse(message, sizeof(ifinfomsg), read_size, out); }

// Asks the kernel about the interface, or with `size` tells it; returns the size if it was asked. 0 and errno: failed.
std::uint32_t talk(unsigned ifindex, std::uint32_t size) {
  const std::unique_ptr<mnl_socket, int (*)(mnl_socket*)> socket(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC),
                                                                 mnl_socket_close);
  if (!socket || mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) < 0) return 0;
  alignas(nlmsghdr) std::array<char, 1 << 15> text{};
  nlmsghdr* message = mnl_nlmsg_put_header(text.data());
  message->nlmsg_type = size == 0 ? RTM_GETLINK : RTM_NEWLINK;
  message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  message->nlmsg_seq = 1;
  auto* link = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
  link->ifi_family = AF_UNSPEC;
  link->ifi_index = static_cast<int>(ifindex);
  if (size != 0) mnl_attr_put_u32(message, IFLA_GSO_MAX_SIZE, size);
  if (mnl_socket_sendto(socket.get(), message, message->nlmsg_len) < 0) return 0;
  std::uint32_t found = size;
  for (;;) {
    const ssize_t got = mnl_socket_recvfrom(socket.get(), text.data(), text.size());
    if (got < 0) return 0;
    const int more = mnl_cb_run(text.data(), static_cast<std::size_t>(got), 1, mnl_socket_get_portid(socket.get()),
                                find_size, &found);
    if (more < 0) return 0;
    if (more == MNL_CB_STOP) return found;
  }
}

}  // namespace

SegmentLimit::SegmentLimit(const std::string& interface, std::uint32_t bytes, const BeforeChange& before_change) {
  const unsigned ifindex = ::if_nametoindex(interface.c_str());
  if (ifindex == 0) fail(interface);
  errno = EOPNOTSUPP;
  const std::uint32_t now = talk(ifindex, 0);
  if (now == 0) fail(interface);
  undo_ = {.what = "segment size of " + interface,
           .command = {"ip", "link", "set", "dev", interface, "gso_max_size", std::to_string(now)},
           .interface = interface,
           .ifindex = ifindex};
  if (now <= bytes) return;
  if (before_change) before_change(undo_);
  if (talk(ifindex, bytes) == 0) fail(interface);
  before_ = now;
}

SegmentLimit::SegmentLimit(SegmentLimit&& other) noexcept
    : before_(std::exchange(other.before_, 0)), undo_(std::move(other.undo_)) {}

SegmentLimit::~SegmentLimit() {
  try {
    put_back();
  } catch (const std::system_error&) {
    // Whoever wants to know calls it.
  }
}

void SegmentLimit::put_back() {
  const std::uint32_t size = std::exchange(before_, 0);
  if (size == 0 || ::if_nametoindex(undo_.interface.c_str()) != undo_.ifindex) return;
  if (talk(undo_.ifindex, size) == 0) fail(undo_.interface);
}

}  // namespace weir::hosts
