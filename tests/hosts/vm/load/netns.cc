#include "tests/hosts/vm/load/netns.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace weir::hosts::load {
namespace {

[[noreturn]] void fail_with_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int checked(int result, const std::string& what) {
  if (result < 0) fail_with_errno(what);
  return result;
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

SocketAddress socket_address(const std::string& text, std::uint16_t port) {
  SocketAddress result;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    result.length = sizeof *v4;
  } else if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    result.length = sizeof *v6;
  } else {
    throw std::runtime_error("not an address: " + text);
  }
  return result;
}

Descriptor tcp_socket(int family) {
  Descriptor made(checked(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP), "socket"));
  const int on = 1;
  checked(setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
  return made;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

InNamespace::InNamespace(const std::string& name)
    : before_(checked(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), "this namespace")) {
  const Descriptor there(checked(open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC), "namespace " + name));
  checked(setns(there.get(), CLONE_NEWNET), "setns " + name);
}

InNamespace::~InNamespace() {
  if (setns(before_.get(), CLONE_NEWNET) != 0) std::abort();
}

Descriptor listen_at(const Host& host, std::uint16_t port) {
  const InNamespace inside(host.name);
  const SocketAddress address = socket_address(host.address, port);
  Descriptor made = tcp_socket(address.storage.ss_family);
  const int on = 1;
  checked(setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
  checked(bind(made.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length),
          "bind " + host.address);
  checked(listen(made.get(), 1024), "listen");
  return made;
}

Descriptor connect_to(const Host& from, const Host& to, std::uint16_t port) {
  const InNamespace inside(from.name);
  const SocketAddress address = socket_address(to.address, port);
  Descriptor made = tcp_socket(address.storage.ss_family);
  if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0 &&
      errno != EINPROGRESS) {
    fail_with_errno("connect from " + from.name + " to " + to.address);
  }
  return made;
}

std::map<std::string, std::int64_t> tcp_counters(const std::string& ns) {
  const InNamespace inside(ns);
  std::map<std::string, std::int64_t> found;
  for (const char* path : {"/proc/thread-self/net/snmp", "/proc/thread-self/net/netstat"}) {
    std::ifstream file(path);
    std::string names;
    std::string values;
    // Pairs of lines: names, then values, both behind the name of the group.
    while (std::getline(file, names) && std::getline(file, values)) {
      std::istringstream name_words(names);
      std::istringstream value_words(values);
      std::string name;
      std::string value;
      name_words >> name;
      value_words >> value;
      if (name != "Tcp:" && name != "TcpExt:") continue;
      while (name_words >> name && value_words >> value) found[name] = std::stoll(value);
    }
  }
  return found;
}

QueueWatch::QueueWatch(const std::string& ns, const std::string& device) {
  const InNamespace inside(ns);
  socket_ = Descriptor(checked(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "netlink"));
  device_ = static_cast<int>(if_nametoindex(device.c_str()));
  if (device_ == 0) fail_with_errno("device " + device + " in " + ns);
}

QueueState QueueWatch::now() {
  struct {
    nlmsghdr header;
    tcmsg message;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETQDISC;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ECHO;  // the answer is a notification, to us as well
  request.message.tcm_family = AF_UNSPEC;
  request.message.tcm_ifindex = device_;
  request.message.tcm_parent = TC_H_ROOT;
  checked(static_cast<int>(send(socket_.get(), &request, sizeof request, 0)), "asking for a qdisc");
  alignas(nlmsghdr) char buffer[8192];
  const ssize_t length = checked(static_cast<int>(recv(socket_.get(), buffer, sizeof buffer, 0)), "a qdisc");
  const auto* header = reinterpret_cast<const nlmsghdr*>(buffer);
  if (!NLMSG_OK(header, length) || header->nlmsg_type != RTM_NEWQDISC) throw std::runtime_error("no qdisc was told");
  const auto* message = static_cast<const tcmsg*>(NLMSG_DATA(header));
  const auto* attribute =
      reinterpret_cast<const rtattr*>(reinterpret_cast<const char*>(message) + NLMSG_ALIGN(sizeof(tcmsg)));
  int rest = static_cast<int>(header->nlmsg_len - NLMSG_LENGTH(sizeof(tcmsg)));
  for (; RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest)) {
    if (attribute->rta_type != TCA_STATS) continue;
    tc_stats stats{};
    std::memcpy(&stats, RTA_DATA(attribute), std::min<std::size_t>(sizeof stats, RTA_PAYLOAD(attribute)));
    return {stats.backlog, stats.drops, static_cast<std::int64_t>(stats.bytes)};
  }
  throw std::runtime_error("a qdisc without statistics");
}

}  // namespace weir::hosts::load
