/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* On-Ramp between TCP and the NIC, on both ends: what the programs at egress and ingress of an interface do. Whatever
   goes wrong, packets pass. */
#pragma once

#include "hosts/bpf/common.bpf.h"
#include "hosts/bpf/packet.bpf.h"
#include "hosts/bpf/receiving.bpf.h"
#include "hosts/bpf/sending.bpf.h"

/* Other programs of the interface have their turn. */
enum { PASS = TC_ACT_UNSPEC };

INLINE int at_egress(struct __sk_buff* skb) {
  int verdict;
  if (becomes_or_ack(skb, &verdict)) return verdict;
  struct packet p;
  if (parse(skb, &p, true) != IS_TCP) return PASS;
  const struct weir_peer* peer = bpf_map_lookup_elem(&peers, p.key.remote);
  if (!peer) return PASS;
  const long long now = bpf_ktime_get_ns();
  const bool matters = p.length != 0 || (p.flags & (SYN | FIN | RST));
  if (!live(now)) {
    struct weir_counters* c = count();
    if (c && settings.hold && peer->held && p.length != 0) ++c->bypassed;
    if (matters) stay_behind(skb, &p, now);
    return PASS;
  }
  if (matters) send(skb, &p, peer, now);
  answer_due(skb, &p, peer, now);
  return PASS;
}

INLINE int at_ingress(struct __sk_buff* skb) {
  /* Some drivers leave the headers of what they received in a page. */
  const unsigned most = ETH_HLEN + 8 + sizeof(struct ipv6hdr) + sizeof(struct tcphdr);
  const unsigned wanted = skb->len < most ? skb->len : most;
  if ((void*)(long)skb->data + wanted > (void*)(long)skb->data_end) bpf_skb_pull_data(skb, wanted);
  struct packet p;
  const int kind = parse(skb, &p, false);
  if (kind == IS_OR_ACK) {
    hear(skb, &p);
    return TC_ACT_SHOT;
  }
  if (kind != IS_TCP || p.length == 0) return PASS;
  const struct weir_peer* peer = bpf_map_lookup_elem(&peers, p.key.remote);
  if (!peer) return PASS;
  const long long now = bpf_ktime_get_ns();
  if (live(now)) arrive(skb, &p, peer, now);
  return PASS;
}
