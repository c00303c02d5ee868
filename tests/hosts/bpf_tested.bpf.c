/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The programs of hosts/bpf with others around them, for tests and for measuring: the rule alone, fed with events of a
   map; and packets that are new each time the same test packet is run. */
#include "tests/hosts/bpf_tested.h"
#include "hosts/bpf/on_ramp.bpf.h"

SEC("tc")
int weir_egress(struct __sk_buff* skb) { return at_egress(skb); }

SEC("tc")
int weir_ingress(struct __sk_buff* skb) { return at_ingress(skb); }

/* What running a program costs by itself. */
SEC("tc")
int nothing(__attribute__((unused)) struct __sk_buff* skb) { return PASS; }

/* The next packet of a flow, of IPv4 and without VLAN tags, leaves. */
SEC("tc")
int next_leaves(struct __sk_buff* skb) {
  void* data = (void*)(long)skb->data;
  struct iphdr* ip = data + ETH_HLEN;
  struct tcphdr* tcp = (void*)(ip + 1);
  if ((void*)(tcp + 1) > (void*)(long)skb->data_end) return PASS;
  tcp->seq = WEIR_BE32(WEIR_BE32(tcp->seq) + WEIR_BE16(ip->tot_len) - sizeof *ip - 4 * tcp->doff);
  return at_egress(skb);
}

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, unsigned);
  __type(value, struct prepared_or_acks);
} prepared SEC(".maps");

/* The next one of the OR-ACKs that stand ready arrives. */
SEC("tc")
int next_arrives(struct __sk_buff* skb) {
  const unsigned zero = 0;
  struct prepared_or_acks* ready = bpf_map_lookup_elem(&prepared, &zero);
  if (!ready) return PASS;
  const unsigned* words = ready->words[ready->next++ % PREPARED_OR_ACKS];
  unsigned* to = (void*)(long)skb->data + ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr);
  if ((void*)(to + WEIR_OR_ACK_WORDS_V4) > (void*)(long)skb->data_end) return PASS;
#pragma unroll
  for (int i = 0; i < WEIR_OR_ACK_WORDS_V4; ++i) to[i] = words[i];
  return at_ingress(skb);
}

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, unsigned);
  __type(value, struct rule_batch);
} batch SEC(".maps");

/* One event of the batch; 0: there are no more. The verifier looks at a global function once, whoever calls it. */
__attribute__((noinline)) int step(unsigned at) {
  const unsigned zero = 0;
  struct rule_batch* b = bpf_map_lookup_elem(&batch, &zero);
  if (!b || at >= RULE_EVENTS) return 0;
  struct rule_event* e = &b->events[at];
  if (e->kind == RULE_START) weir_on_ramp_start(&b->rule, &b->params);
  if (e->kind == RULE_SEND) weir_on_ramp_on_send(&b->rule, &b->params, e->seq, e->length, e->now);
  if (e->kind == RULE_OR_ACK) e->result = weir_on_ramp_on_or_ack(&b->rule, &b->params, e->seq, e->delay, e->now);
  e->pause_end = b->rule.pause_end;
  e->beta = b->rule.beta;
  return 1;
}

SEC("tc")
int run_rule(__attribute__((unused)) struct __sk_buff* skb) {
  for (unsigned i = 0; i < RULE_EVENTS; ++i)
    if (step(i) == 0) break;
  return PASS;
}

char _license[] SEC("license") = "GPL";
