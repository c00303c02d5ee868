#include "hosts/path/netlink.h"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "hosts/path/system_error.h"

namespace weir::hosts {
namespace {

// linux/if_link.h of Linux 6.3.
constexpr std::uint16_t kGsoIpv4MaxSize = IFLA_ALLMULTI + 2;

int take_link(const nlattr* part, void* out) {
  Link& link = *static_cast<Link*>(out);
  switch (mnl_attr_get_type(part)) {
    case IFLA_IFNAME: link.name = mnl_attr_get_str(part); break;
    case IFLA_NUM_TX_QUEUES: link.queues = mnl_attr_get_u32(part); break;
    case IFLA_GSO_MAX_SIZE: link.gso_max_size = mnl_attr_get_u32(part); break;
    case kGsoIpv4MaxSize: link.gso_ipv4_max_size = mnl_attr_get_u32(part); break;
    default: break;
  }
  return MNL_CB_OK;
}

int take_qdisc(const nlattr* part, void* out) {
  if (mnl_attr_get_type(part) == TCA_KIND) static_cast<Qdisc*>(out)->kind = mnl_attr_get_str(part);
  return MNL_CB_OK;
}

struct Found {
  unsigned ifindex;
  std::vector<Qdisc> qdiscs;
};

}  // namespace

struct Netlink::Request {
  alignas(nlmsghdr) std::array<char, 1024> bytes{};
  nlmsghdr* header;

  Request(std::uint16_t type, unsigned flags) : header(mnl_nlmsg_put_header(bytes.data())) {
    header->nlmsg_type = type;
    header->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  tcmsg* about(unsigned ifindex, const Qdisc& qdisc) {
    auto* message = static_cast<tcmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(tcmsg)));
    message->tcm_family = AF_UNSPEC;
    message->tcm_ifindex = static_cast<int>(ifindex);
    message->tcm_handle = qdisc.handle;
    message->tcm_parent = qdisc.parent;
    if (!qdisc.kind.empty()) mnl_attr_put_strz(header, TCA_KIND, qdisc.kind.c_str());
    return message;
  }
};

Netlink::Netlink() : socket_(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC)) {
  auto* socket = static_cast<mnl_socket*>(socket_);
  if (socket == nullptr) throw errno_error("netlink");
  if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0) {
    const int error = errno;
    mnl_socket_close(socket);
    throw errno_error("netlink", error);
  }
}

Netlink::~Netlink() { mnl_socket_close(static_cast<mnl_socket*>(socket_)); }

void Netlink::talk(Request& request, int (*take)(const void* message, void* out), void* out) {
  auto* socket = static_cast<mnl_socket*>(socket_);
  request.header->nlmsg_seq = ++sequence_;
  if (mnl_socket_sendto(socket, request.header, request.header->nlmsg_len) < 0) throw errno_error("netlink");
  struct Take {
    int (*take)(const void*, void*);
    void* out;
  } each{take, out};
  const auto call = [](const nlmsghdr* message, void* data) {
    const auto& to = *static_cast<Take*>(data);
    return to.take == nullptr ? MNL_CB_OK : to.take(message, to.out);
  };
  alignas(nlmsghdr) std::array<char, 1 << 16> answer{};
  for (int more = MNL_CB_OK; more > MNL_CB_STOP;) {
    const ssize_t size = mnl_socket_recvfrom(socket, answer.data(), answer.size());
    more = size < 0 ? MNL_CB_ERROR
                    : mnl_cb_run(answer.data(), static_cast<std::size_t>(size), sequence_,
                                 mnl_socket_get_portid(socket), call, &each);
    if (more < 0) throw errno_error("netlink");
  }
}

Link Netlink::link(const std::string& name) {
  Request request(RTM_GETLINK, NLM_F_ACK);
  mnl_nlmsg_put_extra_header(request.header, sizeof(ifinfomsg));
  mnl_attr_put_strz(request.header, IFLA_IFNAME, name.c_str());
  Link out;
  talk(
      request,
      [](const void* message, void* to) {
        const auto* header = static_cast<const nlmsghdr*>(message);
        if (header->nlmsg_type != RTM_NEWLINK) return MNL_CB_OK;
        const auto* info = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(header));
        auto* link = static_cast<Link*>(to);
        link->ifindex = static_cast<unsigned>(info->ifi_index);
        link->type = info->ifi_type;
        return mnl_attr_parse(header, sizeof *info, take_link, link);
      },
      &out);
  return out;
}

void Netlink::set_gso(unsigned ifindex, std::uint32_t gso_max_size, std::uint32_t gso_ipv4_max_size) {
  Request request(RTM_NEWLINK, NLM_F_ACK);
  auto* info = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(request.header, sizeof(ifinfomsg)));
  info->ifi_family = AF_UNSPEC;
  info->ifi_index = static_cast<int>(ifindex);
  mnl_attr_put_u32(request.header, IFLA_GSO_MAX_SIZE, gso_max_size);
  if (gso_ipv4_max_size != 0) mnl_attr_put_u32(request.header, kGsoIpv4MaxSize, gso_ipv4_max_size);
  talk(request, nullptr, nullptr);
}

std::vector<Qdisc> Netlink::qdiscs(unsigned ifindex) {
  Request request(RTM_GETQDISC, NLM_F_DUMP);
  request.about(ifindex, {});
  Found found{ifindex, {}};
  talk(
      request,
      [](const void* message, void* to) {
        const auto* header = static_cast<const nlmsghdr*>(message);
        const auto* info = static_cast<const tcmsg*>(mnl_nlmsg_get_payload(header));
        auto* out = static_cast<Found*>(to);
        // A dump is of all interfaces.
        if (header->nlmsg_type != RTM_NEWQDISC || static_cast<unsigned>(info->tcm_ifindex) != out->ifindex)
          return MNL_CB_OK;
        out->qdiscs.push_back({.handle = info->tcm_handle, .parent = info->tcm_parent});
        return mnl_attr_parse(header, sizeof *info, take_qdisc, &out->qdiscs.back());
      },
      &found);
  return found.qdiscs;
}

void Netlink::replace_qdisc(unsigned ifindex, const Qdisc& qdisc) {
  Request request(RTM_NEWQDISC, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE);
  request.about(ifindex, qdisc);
  talk(request, nullptr, nullptr);
}

void Netlink::delete_qdisc(unsigned ifindex, const Qdisc& qdisc) {
  Request request(RTM_DELQDISC, NLM_F_ACK);
  request.about(ifindex, qdisc);
  talk(request, nullptr, nullptr);
}

bool Netlink::has_filters(unsigned ifindex) {
  bool found = false;
  for (const std::uint32_t place : {TC_H_MIN_INGRESS, TC_H_MIN_EGRESS}) {
    Request request(RTM_GETTFILTER, NLM_F_DUMP);
    request.about(ifindex, {.parent = TC_H_MAKE(TC_H_CLSACT, place)});
    talk(
        request,
        [](const void* message, void* to) {
          *static_cast<bool*>(to) |= static_cast<const nlmsghdr*>(message)->nlmsg_type == RTM_NEWTFILTER;
          return MNL_CB_OK;
        },
        &found);
  }
  return found;
}

}  // namespace weir::hosts
