#include "hosts/queue/filters.h"

#include <fmt/format.h>
#include <linux/if_packet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace weir::hosts {
namespace {

constexpr std::uint32_t kAll = 0xffff;  // what a filter answers: so many bytes, or "matches"
constexpr std::uint32_t kFinSynRst = 0x07;

// How many steps a jump leaves out.
constexpr std::uint8_t kNext = 0;

sock_filter load(std::uint16_t size, std::uint32_t at) {
  return BPF_STMT(static_cast<std::uint16_t>(BPF_LD | size | BPF_ABS), at);
}
sock_filter load_x(std::uint16_t size, std::uint32_t at) {
  return BPF_STMT(static_cast<std::uint16_t>(BPF_LD | size | BPF_IND), at);
}
sock_filter jump(std::uint16_t test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, yes, no);
}
sock_filter answer(std::uint32_t value) { return BPF_STMT(BPF_RET | BPF_K, value); }

void append(Filter& filter, std::initializer_list<sock_filter> more) { filter.insert(filter.end(), more); }
void append(Filter& filter, const Filter& more) { filter.insert(filter.end(), more.begin(), more.end()); }

std::uint32_t word(const Address& address, std::size_t index) {
  std::uint32_t out = 0;
  std::memcpy(&out, address.bytes.data() + 4 * index, 4);
  return ntohl(out);
}

// Goes on behind itself if the segment has data, or one of the flags; else answers 0. A length of 0 is that of a packet
// too long for it.
Filter has_data(bool v6, std::uint32_t flags) {
  Filter out;
  const std::uint32_t tcp = v6 ? 40 : 0;
  if (v6) {
    append(out, {load(BPF_H, 4), jump(BPF_JEQ, 0, 11, kNext), BPF_STMT(BPF_ST, 0)});
    append(out, {BPF_STMT(BPF_LDX | BPF_IMM, 0)});
  } else {
    append(out, {load(BPF_H, 2), jump(BPF_JEQ, 0, 12, kNext)});
    append(out, {BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0), BPF_STMT(BPF_ST, 0)});
  }
  // M[0]: bytes of TCP; X: where it begins, less `tcp`. Flags first, for the length takes X's place.
  append(out, {load_x(BPF_B, tcp + 13), jump(BPF_JSET, flags, 7, kNext)});
  append(out,
         {load_x(BPF_B, tcp + 12), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0), BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 2)});
  append(out, {BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_MEM, 0)});
  append(out, {BPF_JUMP(BPF_JMP | BPF_JGT | BPF_X, 0, 1, kNext), answer(0)});
  return out;
}

// Answers "all" if the address is one of these, else 0.
Filter has_address(bool v6, End end, std::span<const Address> addresses) {
  Filter out;
  const std::uint32_t at = v6 ? (end == End::source ? 8 : 24) : (end == End::source ? 12 : 16);
  const auto is_wanted = [v6](const Address& a) { return a.v6 == v6; };
  if (static_cast<std::size_t>(std::count_if(addresses.begin(), addresses.end(), is_wanted)) > kMostAddresses)
    return {answer(kAll)};
  if (!v6) append(out, {load(BPF_W, at)});
  for (const Address& address : addresses) {
    if (!is_wanted(address)) continue;
    if (v6) {
      for (std::uint32_t i = 0; i != 4; ++i)
        append(out, {load(BPF_W, at + 4 * i),
                     jump(BPF_JEQ, word(address, i), kNext, static_cast<std::uint8_t>(2 * (3 - i) + 1))});
    } else {
      append(out, {jump(BPF_JEQ, word(address, 0), kNext, 1)});
    }
    append(out, {answer(kAll)});
  }
  append(out, {answer(0)});
  return out;
}

// Goes on behind itself with TCP that is no later fragment; else answers 0. With a super-packet of more than 64 KB,
// whose length is in an option of IPv6, it goes on behind the next `skip` steps.
Filter is_tcp(bool v6, std::size_t skip) {
  if (v6)
    return {load(BPF_B, 6), jump(BPF_JEQ, IPPROTO_TCP, 2, kNext),
            jump(BPF_JEQ, IPPROTO_HOPOPTS, static_cast<std::uint8_t>(skip + 1), kNext), answer(0)};
  return {load(BPF_B, 9), jump(BPF_JEQ, IPPROTO_TCP, kNext, 2), load(BPF_H, 6), jump(BPF_JSET, 0x1fff, kNext, 1),
          answer(0)};
}

}  // namespace

Filter data_filter(bool v6, End end, std::span<const Address> addresses) {
  const Filter data = has_data(v6, 0);
  Filter out = is_tcp(v6, data.size());
  append(out, data);
  append(out, has_address(v6, end, addresses));
  return out;
}

Filter leaving_filter(std::span<const Address> addresses) {
  constexpr auto kPacketType = static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_PKTTYPE);
  const Filter v4 = data_filter(false, End::destination, addresses);
  const Filter v6 = data_filter(true, End::destination, addresses);
  Filter out{load(BPF_B, kPacketType), jump(BPF_JEQ, PACKET_OUTGOING, 1, kNext), answer(0)};
  append(out, {load(BPF_B, 0), BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4), jump(BPF_JEQ, 4, 3, kNext),
               jump(BPF_JEQ, 6, kNext, 1), BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(v4.size() + 1)),
               answer(0)});
  append(out, v4);
  append(out, v6);
  return out;
}

Filter waiting_filter(bool v6) {
  Filter out;
  // TCP behind extension headers waits too, for nobody has looked where it is.
  if (v6) append(out, {load(BPF_B, 6), jump(BPF_JEQ, IPPROTO_TCP, 1, kNext), answer(kAll)});
  append(out, has_data(v6, kFinSynRst));
  append(out, {answer(kAll)});
  return out;
}

std::string to_bytecode(const Filter& filter) {
  std::string out = std::to_string(filter.size());
  for (const sock_filter& step : filter)
    fmt::format_to(std::back_inserter(out), ",{} {} {} {}", step.code, step.jt, step.jf, step.k);
  return out;
}

}  // namespace weir::hosts
