// Interfaces and their queueing disciplines, asked of and told to the kernel by rtnetlink. What the kernel does not do
// is thrown as std::system_error with its number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::hosts {

struct Link {
  unsigned ifindex = 0;
  std::string name;
  unsigned type = 0;    // ARPHRD_*
  unsigned queues = 1;  // that send
  std::uint32_t gso_max_size = 0;
  std::uint32_t gso_ipv4_max_size = 0;  // 0: kernels before 6.3 have one for both
};

struct Qdisc {
  std::string kind;
  std::uint32_t handle = 0;  // 0: nobody has chosen it, it is the kernel's default
  std::uint32_t parent = 0;  // TC_H_ROOT, or a class of another one
};

class Netlink {
 public:
  Netlink();
  ~Netlink();
  Netlink(const Netlink&) = delete;
  Netlink& operator=(const Netlink&) = delete;

  // By its name. ENODEV: there is none.
  Link link(const std::string& name);
  // Of super-packets, in bytes. gso_ipv4_max_size is only told if it is not 0.
  void set_gso(unsigned ifindex, std::uint32_t gso_max_size, std::uint32_t gso_ipv4_max_size);

  // All of the interface, with the kernel's defaults among them.
  std::vector<Qdisc> qdiscs(unsigned ifindex);
  // Puts one with default options in the place of whatever is there. ENOENT: the kernel does not know the kind.
  void replace_qdisc(unsigned ifindex, const Qdisc& qdisc);
  // In the place of the root the kernel's default appears. ENOENT, EINVAL: it is not there.
  void delete_qdisc(unsigned ifindex, const Qdisc& qdisc);
  // Whether there are any at the qdisc clsact.
  bool has_filters(unsigned ifindex);

 private:
  struct Request;
  void talk(Request& request, int (*take)(const void* message, void* out), void* out);

  void* socket_;  // mnl_socket
  unsigned sequence_ = 0;
};

}  // namespace weir::hosts
