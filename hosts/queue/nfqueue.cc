#include "hosts/queue/nfqueue.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <libnetfilter_queue/libnetfilter_queue.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

#include "hosts/path/data_path.h"
#include "hosts/path/system_error.h"
#include "hosts/queue/segment.h"

namespace weir::hosts {
namespace {

constexpr int kReceiveBuffer = 8 << 20;
constexpr std::size_t kVerdictBytes = MNL_ALIGN(sizeof(nlmsghdr)) + MNL_ALIGN(sizeof(nfgenmsg)) +
                                      MNL_ALIGN(sizeof(nlattr)) + MNL_ALIGN(sizeof(nfqnl_msg_verdict_hdr));
constexpr std::size_t kVerdictsAtOnce = 256;

// Messages of the kernel's queue, made in place: the same bytes whether or not there is a heap.
nlmsghdr* header(char* at, std::uint16_t number, int type, bool wants_answer) {
  nlmsghdr* message = mnl_nlmsg_put_header(at);
  message->nlmsg_type = static_cast<std::uint16_t>(NFNL_SUBSYS_QUEUE << 8 | type);
  message->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | (wants_answer ? NLM_F_ACK : 0));
  auto* family = static_cast<nfgenmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(nfgenmsg)));
  family->nfgen_family = AF_UNSPEC;
  family->version = NFNETLINK_V0;
  family->res_id = htons(number);
  return message;
}

nlmsghdr* put_command(char* at, std::uint16_t number, std::uint8_t command, bool wants_answer) {
  nlmsghdr* message = header(at, number, NFQNL_MSG_CONFIG, wants_answer);
  nfq_nlmsg_cfg_put_cmd(message, AF_UNSPEC, command);
  return message;
}

nlmsghdr* put_room(char* at, std::uint16_t number, std::uint32_t packets) {
  nlmsghdr* message = header(at, number, NFQNL_MSG_CONFIG, false);
  nfq_nlmsg_cfg_put_qmaxlen(message, packets);
  return message;
}

nlmsghdr* put_verdict(char* at, std::uint16_t number, int type, std::uint32_t id) {
  nlmsghdr* message = header(at, number, type, false);
  nfq_nlmsg_verdict_put(message, static_cast<int>(id), NF_ACCEPT);
  return message;
}

std::optional<QueuedPacket> read_packet(const nlmsghdr* message) {
  if (message->nlmsg_type != (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET)) return std::nullopt;
  std::array<nlattr*, NFQA_MAX + 1> parts{};
  if (nfq_nlmsg_parse(message, parts.data()) < 0 || parts[NFQA_PACKET_HDR] == nullptr) return std::nullopt;
  const auto* packet = static_cast<const nfqnl_msg_packet_hdr*>(mnl_attr_get_payload(parts[NFQA_PACKET_HDR]));
  QueuedPacket out{.id = ntohl(packet->packet_id)};
  if (const nlattr* part = parts[NFQA_PAYLOAD])
    out.headers = {static_cast<const std::uint8_t*>(mnl_attr_get_payload(part)), mnl_attr_get_payload_len(part)};
  const nlattr* whole = parts[NFQA_CAP_LEN];
  out.length = whole != nullptr ? ntohl(mnl_attr_get_u32(whole)) : out.headers.size();
  return out;
}

void send_message(int socket, const void* message, std::size_t size) {
  const sockaddr_nl kernel{.nl_family = AF_NETLINK};
  // Verdicts are carried out within this call. It fails for those of packets that are gone, which does no harm.
  (void)::sendto(socket, message, size, 0, reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel);
}

}  // namespace

NfQueue::NfQueue(std::uint16_t number)
    : number_(number),
      socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_NETFILTER)),
      buffers_(std::make_unique<std::array<std::array<char, kRoomOfMessage>, kBatch>>()),
      verdicts_(kVerdictsAtOnce * kVerdictBytes) {
  if (!socket_) throw errno_error("a netlink socket");
  const sockaddr_nl any{.nl_family = AF_NETLINK};
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0)
    throw errno_error("a netlink socket");
  const int size = kReceiveBuffer;
  if (::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
    (void)::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  // Messages that found no room belong to packets that have passed.
  const int on = 1;
  (void)::setsockopt(socket_.get(), SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof on);
}

void NfQueue::bind() {
  std::array<char, kRoomOfMessage> text{};
  while (::recv(socket_.get(), text.data(), text.size(), 0) >= 0 || errno == EINTR) {
  }
  // All in one message: of a queue that is not told what to copy, the kernel throws packets away.
  nlmsghdr* message = put_command(text.data(), number_, NFQNL_CFG_CMD_BIND, true);
  nfq_nlmsg_cfg_put_params(message, NFQNL_COPY_PACKET, kHeaderBytes);
  nfq_nlmsg_cfg_put_qmaxlen(message, kRoom);
  constexpr std::uint32_t kFlags = NFQA_CFG_F_GSO | NFQA_CFG_F_FAIL_OPEN;
  mnl_attr_put_u32(message, NFQA_CFG_FLAGS, htonl(kFlags));
  mnl_attr_put_u32(message, NFQA_CFG_MASK, htonl(kFlags));
  send_message(socket_.get(), message, message->nlmsg_len);
  const int error = answer();
  if (error == EBUSY || error == EPERM)
    throw Unavailable("queue " + std::to_string(number_) + " of packets cannot be had: " + std::strerror(error),
                      "end the process that has it (its port number is in /proc/net/netfilter/nfnetlink_queue), or run "
                      "as root");
  if (error != 0) throw errno_error("the kernel's queue of packets", error);
}

// The kernel's answer to the configuration, which is there when the call that sent it returns; packets that have come
// before it pass.
int NfQueue::answer() {
  std::array<char, kRoomOfMessage> text{};
  for (;;) {
    const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), 0);
    if (size < 0) return errno;
    const auto* reply = reinterpret_cast<const nlmsghdr*>(text.data());
    if (!mnl_nlmsg_ok(reply, static_cast<int>(size))) continue;
    if (reply->nlmsg_type == NLMSG_ERROR) return -static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(reply))->error;
    if (const auto packet = read_packet(reply)) accept({&packet->id, 1});
  }
}

std::size_t NfQueue::read(const std::function<void(const QueuedPacket&)>& take) {
  constexpr int kRounds = 4;
  std::size_t packets = 0;
  for (int round = 0; round != kRounds; ++round) {
    std::array<mmsghdr, kBatch> headers{};
    std::array<iovec, kBatch> places;
    for (std::size_t i = 0; i != kBatch; ++i) {
      places[i] = {(*buffers_)[i].data(), kRoomOfMessage};
      headers[i].msg_hdr.msg_iov = &places[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = ::recvmmsg(socket_.get(), headers.data(), kBatch, MSG_DONTWAIT, nullptr);
    if (count <= 0) break;
    for (int i = 0; i != count; ++i) {
      const auto* message = reinterpret_cast<const nlmsghdr*>((*buffers_)[i].data());
      if (!mnl_nlmsg_ok(message, static_cast<int>(headers[i].msg_len))) continue;
      if (const auto packet = read_packet(message)) {
        take(*packet);
        ++packets;
      }
    }
    if (static_cast<std::size_t>(count) < kBatch) break;
  }
  return packets;
}

void NfQueue::accept(std::span<const std::uint32_t> ids) {
  while (!ids.empty()) {
    const std::size_t count = std::min(ids.size(), kVerdictsAtOnce);
    std::size_t used = 0;
    for (const std::uint32_t id : ids.first(count))
      used += put_verdict(verdicts_.data() + used, number_, NFQNL_MSG_VERDICT, id)->nlmsg_len;
    send_message(socket_.get(), verdicts_.data(), used);
    ids = ids.subspan(count);
  }
}

void NfQueue::pass_all(int socket, std::uint16_t number, std::uint32_t last) {
  alignas(nlmsghdr) std::array<char, kRoomOfMessage> text{};
  // Numbers count on, and "all up to" compares them modulo 2^32.
  const std::uint32_t all = last + (1u << 30);
  const auto send_it = [&](const nlmsghdr* message) { send_message(socket, message, message->nlmsg_len); };
  // With no room all that comes passes, so that nothing is left to be thrown away when the queue ends. What comes
  // between the two passes those that wait; the first verdict makes these few.
  send_it(put_verdict(text.data(), number, NFQNL_MSG_VERDICT_BATCH, all));
  send_it(put_room(text.data(), number, 0));
  send_it(put_verdict(text.data(), number, NFQNL_MSG_VERDICT_BATCH, all));
  send_it(put_command(text.data(), number, NFQNL_CFG_CMD_UNBIND, false));
}

}  // namespace weir::hosts
