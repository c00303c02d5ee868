/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Programs of tc at the clsact qdisc of an interface. The one at egress decides when packets leave by giving them a
   time of departure, which the fq qdisc behind it keeps; the one at ingress hears OR-ACKs, and has OR-ACKs sent. Data
   packets are not changed. */
#include "hosts/bpf/on_ramp.bpf.h"

SEC("tc")
int weir_egress(struct __sk_buff* skb) { return at_egress(skb); }

SEC("tc")
int weir_ingress(struct __sk_buff* skb) { return at_ingress(skb); }

/* What the kernel asks for before it lets a program tell the time; docs/developers/dependencies.md says what that means. */
char _license[] SEC("license") = "GPL";
