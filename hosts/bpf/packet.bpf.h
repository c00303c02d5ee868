/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Headers of a packet: Ethernet with up to two VLAN tags, IPv4 without options or IPv6 without extension headers, TCP
   or UDP. What is anything else passes. */
#pragma once

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "hosts/bpf/common.bpf.h"

enum { OTHER = 0, IS_TCP = 1, IS_OR_ACK = 2 };
enum { FIN = 1, SYN = 2, RST = 4 };
enum { TCP = 6, UDP = 17 };

struct packet {
  struct weir_flow_key key;
  unsigned l3;     /* where the IP header begins */
  unsigned seq;    /* of TCP; of the first byte of data, if there is one */
  unsigned length; /* of TCP: bytes of data; of UDP: what IP says of its size */
  unsigned char flags;
  unsigned char v6;
  unsigned char class; /* of traffic, without the bits of ECN */
};

INLINE void map_v4(unsigned* to, unsigned address) {
  to[0] = 0;
  to[1] = 0;
  to[2] = WEIR_BE32(0xffff);
  to[3] = address;
}

INLINE void copy_v6(unsigned* to, const struct in6_addr* from) {
  to[0] = from->in6_u.u6_addr32[0];
  to[1] = from->in6_u.u6_addr32[1];
  to[2] = from->in6_u.u6_addr32[2];
  to[3] = from->in6_u.u6_addr32[3];
}

/* TCP, or UDP, in `size` bytes at `at`. */
INLINE int parse_transport(struct packet* p, void* at, void* end, unsigned protocol, unsigned size, bool leaves) {
  if (protocol == TCP) {
    const struct tcphdr* tcp = at;
    if ((void*)(tcp + 1) > end) return OTHER;
    const unsigned header = 4 * tcp->doff;
    if (header > size) return OTHER;
    p->flags = ((const unsigned char*)at)[13] & (FIN | SYN | RST);
    p->length = size - header;
    p->seq = WEIR_BE32(tcp->seq) + (p->flags & SYN ? 1 : 0);
    p->key.local_port = leaves ? tcp->source : tcp->dest;
    p->key.remote_port = leaves ? tcp->dest : tcp->source;
    return IS_TCP;
  }
  if (protocol != UDP || leaves) return OTHER;
  const struct udphdr* udp = at;
  if ((void*)(udp + 1) > end || udp->dest != settings.port) return OTHER;
  p->length = size;
  return IS_OR_ACK;
}

/* What the packet is, as far as its headers are at hand. Sizes are those that IP says: short frames are padded, and
   only where IP cannot say it the frame's counts. */
INLINE int parse(struct __sk_buff* skb, struct packet* p, bool leaves) {
  void* data = (void*)(long)skb->data;
  void* end = (void*)(long)skb->data_end;
  if (data + ETH_HLEN > end) return OTHER;
  unsigned short protocol = ((struct ethhdr*)data)->h_proto;
  unsigned l3 = ETH_HLEN;
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (protocol == WEIR_BE16(ETH_P_8021Q) || protocol == WEIR_BE16(ETH_P_8021AD)) {
      if (data + l3 + 4 > end) return OTHER;
      protocol = *(unsigned short*)(data + l3 + 2);
      l3 += 4;
    }
  p->l3 = l3;

  if (protocol == WEIR_BE16(ETH_P_IP)) {
    const struct iphdr* ip = data + l3;
    if ((void*)(ip + 1) > end) return OTHER;
    if (ip->version != 4 || ip->ihl != 5 || (ip->frag_off & WEIR_BE16(0x3fff)) != 0) return OTHER;
    const unsigned whole = skb->len - l3;
    unsigned size = WEIR_BE16(ip->tot_len);
    if (size == 0) size = whole;
    if (size > whole || size < sizeof *ip) return OTHER;
    p->v6 = 0;
    p->class = ip->tos & 0xfc;
    map_v4(p->key.local, leaves ? ip->saddr : ip->daddr);
    map_v4(p->key.remote, leaves ? ip->daddr : ip->saddr);
    return parse_transport(p, (void*)(ip + 1), end, ip->protocol, size - sizeof *ip, leaves);
  }
  if (protocol == WEIR_BE16(ETH_P_IPV6)) {
    const struct ipv6hdr* ip = data + l3;
    if ((void*)(ip + 1) > end || ip->version != 6) return OTHER;
    const unsigned whole = skb->len - l3 - sizeof *ip;
    unsigned size = WEIR_BE16(ip->payload_len);
    if (size == 0) size = whole;
    if (size > whole) return OTHER;
    p->v6 = 1;
    p->class = (WEIR_BE32(*(const unsigned*)ip) >> 20) & 0xfc;
    copy_v6(p->key.local, leaves ? &ip->saddr : &ip->daddr);
    copy_v6(p->key.remote, leaves ? &ip->daddr : &ip->saddr);
    return parse_transport(p, (void*)(ip + 1), end, ip->nexthdr, size, leaves);
  }
  return OTHER;
}
