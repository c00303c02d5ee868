#include "hosts/queue/mangle_table.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cstdint>

#include "hosts/path/descriptor.h"

namespace weir::hosts {
namespace {

constexpr const char* kTable = "mangle";
constexpr int kReplySeconds = 2;

using Buffer = std::array<char, 1 << 13>;

// Messages that are built one behind the other, and what the kernel answers. libmnl's own sockets ask for memory, which
// the watchdog's process must not do; its messages and attributes do not.
class Talk {
 public:
  explicit Talk(bool v6)
      : family_(v6 ? NFPROTO_IPV6 : NFPROTO_IPV4),
        socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER)) {
    const timeval limit{.tv_sec = kReplySeconds};
    const sockaddr_nl kernel{.nl_family = AF_NETLINK};
    if (socket_ && (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel) != 0 ||
                    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0))
      socket_ = Descriptor();
  }

  // Asks for one object; true if it is there.
  bool ask(int type, const char* chain, mnl_cb_t look, void* out) {
    nlmsghdr* message = add(NFNL_SUBSYS_NFTABLES << 8 | type, NLM_F_ACK, 0);
    name(message, chain);
    return send() && receive(look, out);
  }

  // Asks for the generation of all rules.
  bool ask_generation(mnl_cb_t look, void* out) {
    add(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETGEN, NLM_F_ACK, 0);
    return send() && receive(look, out);
  }

  // Deletes one object if nothing is in it.
  void erase(int type, const char* chain) {
    add(NFNL_MSG_BATCH_BEGIN, 0, NFNL_SUBSYS_NFTABLES);
    name(add(NFNL_SUBSYS_NFTABLES << 8 | type, NLM_F_ACK | NLM_F_NONREC, 0), chain);
    add(NFNL_MSG_BATCH_END, 0, NFNL_SUBSYS_NFTABLES);
    if (send()) receive(nullptr, nullptr);
  }

 private:
  nlmsghdr* add(int type, int flags, int subsystem) {
    nlmsghdr* message = mnl_nlmsg_put_header(text_.data() + used_);
    message->nlmsg_type = static_cast<std::uint16_t>(type);
    message->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    message->nlmsg_seq = 1;
    auto* general = static_cast<nfgenmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(nfgenmsg)));
    *general = {.nfgen_family = static_cast<std::uint8_t>(subsystem == 0 ? family_ : AF_UNSPEC),
                .version = NFNETLINK_V0,
                .res_id = htons(static_cast<std::uint16_t>(subsystem))};
    used_ += message->nlmsg_len;
    return message;
  }

  void name(nlmsghdr* message, const char* chain) {
    used_ -= message->nlmsg_len;
    if (chain == nullptr) {
      mnl_attr_put_strz(message, NFTA_TABLE_NAME, kTable);
    } else {
      mnl_attr_put_strz(message, NFTA_CHAIN_TABLE, kTable);
      mnl_attr_put_strz(message, NFTA_CHAIN_NAME, chain);
    }
    used_ += message->nlmsg_len;
  }

  bool send() {
    const bool sent = socket_ && ::send(socket_.get(), text_.data(), used_, 0) >= 0;
    used_ = 0;
    return sent;
  }

  bool receive(mnl_cb_t look, void* out) {
    for (;;) {
      Buffer answer;
      const ssize_t size = ::recv(socket_.get(), answer.data(), answer.size(), 0);
      if (size <= 0) return false;
      // Only what is sent to this socket arrives there, whatever the number that it has.
      constexpr unsigned kAnyNumber = 0;
      const int more = mnl_cb_run(answer.data(), static_cast<std::size_t>(size), 1, kAnyNumber, look, out);
      if (more < 0) return false;
      if (more == MNL_CB_STOP) return true;
    }
  }

  int family_;
  Descriptor socket_;
  Buffer text_{};
  std::size_t used_ = 0;
};

int read_policy(const nlattr* part, void* out) {
  if (mnl_attr_get_type(part) == NFTA_CHAIN_POLICY) *static_cast<std::uint32_t*>(out) = ntohl(mnl_attr_get_u32(part));
  return MNL_CB_OK;
}

int find_policy(const nlmsghdr* message, void* out) {
  return mnl_attr_parse(message, sizeof(nfgenmsg), read_policy, out);
}

int read_generation(const nlattr* part, void* out) {
  if (mnl_attr_get_type(part) == NFTA_GEN_ID)
    static_cast<std::optional<std::uint32_t>*>(out)->emplace(ntohl(mnl_attr_get_u32(part)));
  return MNL_CB_OK;
}

int find_generation(const nlmsghdr* message, void* out) {
  return mnl_attr_parse(message, sizeof(nfgenmsg), read_generation, out);
}

}  // namespace

bool has_mangle_table(bool v6) { return Talk(v6).ask(NFT_MSG_GETTABLE, nullptr, nullptr, nullptr); }

bool remove_empty_mangle_table(bool v6) {
  if (!has_mangle_table(v6)) return false;
  Talk talk(v6);
  for (const char* chain : {"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"}) {
    std::uint32_t policy = NF_DROP;
    if (talk.ask(NFT_MSG_GETCHAIN, chain, find_policy, &policy) && policy == NF_ACCEPT)
      talk.erase(NFT_MSG_DELCHAIN, chain);
  }
  talk.erase(NFT_MSG_DELTABLE, nullptr);
  return !has_mangle_table(v6);
}

std::optional<std::uint32_t> ruleset_generation() {
  std::optional<std::uint32_t> out;
  Talk(false).ask_generation(find_generation, &out);
  return out;
}

}  // namespace weir::hosts
