/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The receiving side: which of the packets that arrive are answered, and how OR-ACKs are made.

   A program cannot make a packet, only clone one. A small packet that arrives is cloned at once, and sent back as an
   OR-ACK. To cut down a large one (a super-packet of receive offload) the kernel would copy all of it, so its OR-ACK is
   made of the next packet that leaves on that connection, mostly TCP's acknowledgement of it at the same instant; the
   time of arrival is the one that it had. The clone passes the egress program of the same interface, which finds the
   finished OR-ACK in the order of its processor and writes it over the packet. */
#pragma once

#include "hosts/bpf/common.bpf.h"
#include "hosts/bpf/packet.bpf.h"

enum {
  SMALL = 2048,           /* bytes that are copied if need be */
  SINGLE = 9600,          /* the same for a packet that was one on the network */
  WAIT = 1000000,         /* ns for a packet that leaves, before the next one that arrives is copied after all */
  HINT_VALID = 100000000, /* ns after which nobody looks for OR-ACKs that are due */
  TTL = 64,
};

/* Whether the host may send one more OR-ACK now. */
INLINE bool within_rate(long long now) {
  for (int i = 0; i < 4; ++i) {
    const long long used = *(volatile long long*)&state.or_ack_at;
    const long long next = larger(used, now) + settings.or_ack_gap;
    if (next - now > settings.or_ack_reserve) return false;
    if (__sync_val_compare_and_swap(&state.or_ack_at, used, next) == used) return true;
  }
  return false;
}

INLINE unsigned folded(unsigned long long sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (unsigned)sum;
}

/* Head, seq, ports, time and tag of the payload at `words`, whose addresses are there. */
INLINE void sign(unsigned* words, unsigned words_count, unsigned flags, const struct packet* p,
                 const struct weir_peer* peer, unsigned seq, long long received) {
  unsigned* last = words + words_count;
  words[WEIR_OR_ACK_AT_HEAD] = weir_or_ack_head(flags, peer->send_id);
  words[WEIR_OR_ACK_AT_SEQ] = WEIR_BE32(seq);
  last[-WEIR_OR_ACK_PORTS_BEFORE_END] =
      WEIR_BE32((unsigned)WEIR_BE16(p->key.remote_port) << 16 | WEIR_BE16(p->key.local_port));
  weir_or_ack_put(last - WEIR_OR_ACK_RECEIVED_BEFORE_END, (unsigned long long)shown(received));
  weir_or_ack_put(last - WEIR_OR_ACK_TAG_BEFORE_END, weir_or_ack_tag(words, words_count, peer->send));
}

/* From the IP header on. UDP goes without a checksum; what the NIC may write (or_ack_wire.h) does no harm. */
INLINE void write_v4(unsigned* f, const struct packet* p, const struct weir_peer* peer, unsigned seq,
                     long long received) {
  const unsigned size = sizeof(struct iphdr) + sizeof(struct udphdr) + WEIR_OR_ACK_SIZE_V4;
  f[0] = WEIR_BE32(0x45000000 | (unsigned)p->class << 16 | size);
  f[1] = WEIR_BE32(0x4000); /* not to be fragmented */
  f[2] = WEIR_BE32(TTL << 24 | UDP << 16);
  f[3] = p->key.local[3];
  f[4] = p->key.remote[3];
  const unsigned sum = folded((unsigned long long)f[0] + f[1] + f[2] + f[3] + f[4]);
  *((unsigned short*)&f[2] + 1) = (unsigned short)~sum;
  f[5] = settings.port | settings.port << 16;
  f[6] = WEIR_BE32((sizeof(struct udphdr) + WEIR_OR_ACK_SIZE_V4) << 16);
  f[7 + WEIR_OR_ACK_AT_SOURCE] = p->key.remote[3];
  f[7 + WEIR_OR_ACK_AT_DESTINATION_V4] = p->key.local[3];
  sign(f + 7, WEIR_OR_ACK_WORDS_V4, 0, p, peer, seq, received);
}

/* With IPv6 UDP has a checksum. The bytes that a NIC may write over with the checksum of all from the UDP header on
   begin with the sum of the pseudo-header, so that the other one is right before and after. */
INLINE void write_v6(unsigned* f, const struct packet* p, const struct weir_peer* peer, unsigned seq,
                     long long received) {
  const unsigned size = sizeof(struct udphdr) + WEIR_OR_ACK_SIZE_V6;
  f[0] = WEIR_BE32(0x60000000 | (unsigned)p->class << 20);
  f[1] = WEIR_BE32(size << 16 | UDP << 8 | TTL);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    f[2 + i] = p->key.local[i];
    f[6 + i] = p->key.remote[i];
    f[12 + WEIR_OR_ACK_AT_SOURCE + i] = p->key.remote[i];
    f[12 + WEIR_OR_ACK_AT_DESTINATION_V6 + i] = p->key.local[i];
  }
  f[10] = settings.port | settings.port << 16;
  f[11] = WEIR_BE32(size << 16);
  sign(f + 12, WEIR_OR_ACK_WORDS_V6, WEIR_OR_ACK_V6, p, peer, seq, received);
  unsigned long long sum = WEIR_BE32(size + UDP);
#pragma unroll
  for (int i = 2; i < 10; ++i) sum += f[i];
  const unsigned pseudo = folded(sum);
  *(unsigned short*)&f[12 + WEIR_OR_ACK_AT_SOURCE] = (unsigned short)pseudo;
  sum = pseudo;
#pragma unroll
  for (int i = 10; i < 27; ++i) sum += f[i];
  const unsigned checksum = folded(sum) ^ 0xffff;
  *((unsigned short*)&f[11] + 1) = (unsigned short)(checksum != 0 ? checksum : 0xffff);
}

/* Sends an OR-ACK made of a clone of skb, which is a packet of the connection that arrives or leaves. Pointers into the
   packet are not valid afterwards. */
INLINE void answer(struct __sk_buff* skb, const struct packet* p, const struct weir_peer* peer, unsigned seq,
                   long long received, bool arrives, struct weir_counters* c) {
  const unsigned zero = 0;
  struct weir_order* order = bpf_map_lookup_elem(&orders, &zero);
  if (!order || order->wanted || *(volatile unsigned*)&state.taken_away != 0) return;
  order->l3 = p->l3;
  order->returned = arrives;
  if (p->v6) {
    order->size = sizeof(struct ipv6hdr) + sizeof(struct udphdr) + WEIR_OR_ACK_SIZE_V6;
    write_v6(order->frame, p, peer, seq, received);
  } else {
    order->size = sizeof(struct iphdr) + sizeof(struct udphdr) + WEIR_OR_ACK_SIZE_V4;
    write_v4(order->frame, p, peer, seq, received);
  }
  const unsigned size = p->l3 + order->size;
  const unsigned before = skb->cb[0];
  skb->cb[0] = settings.nonce;
  order->wanted = 1;
  const long failed = bpf_clone_redirect(skb, skb->ifindex, 0);
  skb->cb[0] = before;
  if (order->wanted) {
    /* The egress program has not seen the clone: another one was before it, and may have sent it as it was. Not again.
     */
    order->wanted = 0;
    if (!failed) __sync_fetch_and_add(&state.taken_away, 1);
    return;
  }
  ++c->or_acks_sent;
  c->or_ack_bytes += size;
}

/* Whether the packet that leaves is a clone that is to become an OR-ACK, and what is to be done with it then. */
INLINE bool becomes_or_ack(struct __sk_buff* skb, int* verdict) {
  if (skb->cb[0] != settings.nonce) return false;
  const unsigned zero = 0;
  struct weir_order* order = bpf_map_lookup_elem(&orders, &zero);
  if (!order || !order->wanted) return false;
  order->wanted = 0;
  skb->cb[0] = 0;
  *verdict = TC_ACT_SHOT;
  const unsigned l3 = order->l3;
  const unsigned size = order->size;
  if (bpf_skb_change_tail(skb, l3 + size, 0) != 0) return true;
  if (order->returned) {
    void* data = (void*)(long)skb->data;
    if (data + ETH_HLEN > (void*)(long)skb->data_end) return true;
    unsigned short* mac = data;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const unsigned short other = mac[i];
      mac[i] = mac[i + 3];
      mac[i + 3] = other;
    }
  }
  const long failed = size == sizeof order->frame ? bpf_skb_store_bytes(skb, l3, order->frame, sizeof order->frame, 0)
                                                  : bpf_skb_store_bytes(skb, l3, order->frame, 64, 0);
  if (failed) return true;
  bpf_skb_set_tstamp(skb, 0, BPF_SKB_TSTAMP_UNSPEC);
  *verdict = TC_ACT_UNSPEC;
  return true;
}

/* A TCP packet with data from a peer. */
INLINE void arrive(struct __sk_buff* skb, const struct packet* p, const struct weir_peer* peer, long long now) {
  struct weir_counters* c = count();
  if (!c) return;
  ++c->data_packets;
  c->data_bytes += p->length;
  struct weir_arrivals* a = bpf_map_lookup_elem(&arrivals, &p->key);
  if (!a) {
    const struct weir_arrivals none = {};
    bpf_map_update_elem(&arrivals, &p->key, &none, BPF_NOEXIST);
    a = bpf_map_lookup_elem(&arrivals, &p->key);
    if (!a) return;
  }
  const bool first = now - a->last >= settings.burst_gap;
  const bool last = (p->flags & FIN) != 0;
  const unsigned packets = skb->gso_segs;
  a->last = now;
  a->packets += packets != 0 ? packets : 1;
  a->bytes += p->length;
  if (!first && !last && !(settings.per_packets != 0 && a->packets >= settings.per_packets) &&
      !(settings.per_bytes != 0 && a->bytes >= settings.per_bytes))
    return;
  const unsigned due = *(volatile unsigned*)&a->due;
  if (due != 0 && now - a->received < WAIT) return;
  if (!within_rate(now)) {
    ++c->or_acks_limited;
    return;
  }
  a->packets = 0;
  a->bytes = 0;
  if (due != 0 || skb->len <= SMALL || (packets <= 1 && skb->len <= SINGLE)) {
    a->due = 0;
    answer(skb, p, peer, p->seq, now, true, c);
    return;
  }
  a->seq = p->seq;
  a->received = now;
  state.due_at = now;
  __sync_lock_test_and_set(&a->due, 1);
}

/* A TCP packet leaves for a peer: the OR-ACK that waits for it leaves before. */
INLINE void answer_due(struct __sk_buff* skb, const struct packet* p, const struct weir_peer* peer, long long now) {
  if (now - *(volatile long long*)&state.due_at > HINT_VALID || (p->flags & (SYN | RST))) return;
  struct weir_arrivals* a = bpf_map_lookup_elem(&arrivals, &p->key);
  if (!a || a->due != 1 || __sync_val_compare_and_swap(&a->due, 1, 2) != 1) return;
  const unsigned seq = a->seq;
  const long long received = a->received;
  __sync_lock_test_and_set(&a->due, 0);
  struct weir_counters* c = count();
  if (c) answer(skb, p, peer, seq, received, false, c);
}
