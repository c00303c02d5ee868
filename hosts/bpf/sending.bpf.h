/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* The sending side: packets that leave are noted and perhaps held, OR-ACKs that arrive are heard. */
#pragma once

#include "hosts/bpf/common.bpf.h"
#include "hosts/bpf/packet.bpf.h"

INLINE void start(struct weir_flow* flow, const struct weir_on_ramp_params* rule) {
  weir_on_ramp_start(&flow->rule, rule);
  flow->started = 1;
  flow->missed = 0;
  flow->ended = 0;
  flow->delay = 0;
  flow->packets = 0;
  flow->bytes = 0;
  flow->held = 0;
  flow->held_ns = 0;
  flow->or_acks = 0;
}

INLINE struct weir_flow* flow_of(const struct packet* p, struct weir_counters* c) {
  struct weir_flow* flow = bpf_map_lookup_elem(&flows, &p->key);
  if (flow || p->length == 0) return flow;
  const unsigned zero = 0;
  const struct weir_flow* nothing = bpf_map_lookup_elem(&blank, &zero);
  if (!nothing) return 0;
  bpf_map_update_elem(&flows, &p->key, nothing, BPF_NOEXIST);
  flow = bpf_map_lookup_elem(&flows, &p->key);
  if (!flow) ++c->flows_refused;
  return flow;
}

/* When a packet leaves that is ready, by the rule and behind the one in front of it. */
INLINE long long time_to_leave(struct weir_flow* flow, const struct weir_peer* peer, long long ready, long long now,
                               struct weir_counters* c) {
  const long long latest = now + settings.max_hold;
  long long until = flow->last_stamp;
  if (peer->held && flow->rule.pause_end > until) {
    until = flow->rule.pause_end;
    if (until > latest) ++c->clipped;
  }
  const long long leave = larger(ready, smaller(until, latest));
  if (leave > flow->last_stamp) flow->last_stamp = leave;
  return leave;
}

/* A TCP packet with data, SYN, FIN or RST that leaves for a peer: it leaves at max(its own time, t_NextPkt, when the
   one in front of it left), but max_hold from now at the latest, unless its own time is later. */
INLINE void send(struct __sk_buff* skb, const struct packet* p, const struct weir_peer* peer, long long now) {
  struct weir_counters* c = count();
  if (!c) return;
  /* What is neither immediate nor to be sent by CLOCK_MONOTONIC is not ours to stamp. */
  const unsigned kind = skb->tstamp_type;
  if (kind > BPF_SKB_TSTAMP_DELIVERY_MONO) return;
  const long long own = kind == BPF_SKB_TSTAMP_DELIVERY_MONO ? (long long)skb->tstamp : 0;
  const long long ready = larger(own, now);

  struct weir_flow* flow = flow_of(p, c);
  if (!flow) {
    if (p->length != 0 && settings.hold && peer->held) ++c->bypassed;
    return;
  }
  const struct weir_on_ramp_params rule = rule_for(peer);
  const bool alone = take(flow);
  if (alone) {
    if (!flow->started || (p->flags & SYN)) start(flow, &rule);
    if (flow->missed) {
      flow->missed = 0;
      weir_on_ramp_forget(&flow->rule, flow->rule.end);
    }
  } else {
    flow->missed = 1;
  }
  /* fq serves the packets of a flow by their times: this one would pass one in front of it that still waits for the
     NIC, even if the stamp of that one is past. */
  const long long stamp_before = flow->last_stamp;
  const long long leave = settings.hold ? time_to_leave(flow, peer, ready, now, c) : ready;
  flow->last = now;
  if (p->flags & (FIN | RST)) flow->ended = 1;
  if (p->length != 0) {
    if (alone) {
      const unsigned before = flow->rule.tail;
      weir_on_ramp_on_send(&flow->rule, &rule, p->seq, p->length, leave);
      c->notes += flow->rule.tail != before;
    }
    ++flow->packets;
    flow->bytes += p->length;
    ++c->packets;
    c->bytes += p->length;
  }
  const long long held_for = leave - ready;
  if (held_for > 0) {
    ++flow->held;
    flow->held_ns += held_for;
  }
  if (alone) give_back(flow);
  if (held_for > 0 || (own != 0 && own < stamp_before)) bpf_skb_set_tstamp(skb, leave, BPF_SKB_TSTAMP_DELIVERY_MONO);
  if (held_for > 0) {
    ++c->held;
    c->held_ns += held_for;
    if (held_for > (long long)c->held_ns_max) c->held_ns_max = held_for;
  }
  if (state.tracing && p->length != 0) {
    const struct weir_decision decision = {
        .key = p->key, .time = leave, .held_for = held_for, .seq = p->seq, .length = p->length};
    tell(&decision, c);
  }
}

/* Nothing is held any more, but some packets still wait. Those that follow one do not pass it: they leave behind it.
   All have left max_hold after the last time at which packets could be held. */
INLINE void stay_behind(struct __sk_buff* skb, const struct packet* p, long long now) {
  if (!settings.hold || now - *(volatile long long*)&state.beat > settings.live_for + settings.max_hold) return;
  const struct weir_flow* flow = bpf_map_lookup_elem(&flows, &p->key);
  if (!flow || skb->tstamp_type > BPF_SKB_TSTAMP_DELIVERY_MONO) return;
  const long long own = skb->tstamp_type == BPF_SKB_TSTAMP_DELIVERY_MONO ? (long long)skb->tstamp : 0;
  const long long leave = smaller(flow->last_stamp, now + settings.max_hold);
  if (leave > larger(own, own != 0 ? 0 : now)) bpf_skb_set_tstamp(skb, leave, BPF_SKB_TSTAMP_DELIVERY_MONO);
}

/* Our time, as others see it, at which the peer's clock showed `theirs`. */
INLINE long long ours(const struct weir_peer* peer, long long theirs) {
  const long long near = theirs - peer->offset;
  return near - weir_drifted(peer->drift, near - peer->at);
}

/* An OR-ACK whose tag is right. */
INLINE void hear_signed(const struct packet* p, const struct weir_peer* peer, unsigned seq, long long received,
                        long long now, struct weir_counters* c) {
  struct weir_flow* flow = bpf_map_lookup_elem(&flows, &p->key);
  if (!flow) {
    ++c->refused_flow;
    return;
  }
  if (!take(flow)) {
    ++c->refused_busy;
    return;
  }
  const struct weir_on_ramp_params rule = rule_for(peer);
  struct weir_on_ramp_note note;
  struct weir_decision decision = {.key = p->key, .or_ack = 1, .time = now, .seq = seq};
  bool heard = false;
  const int place = flow->started && !flow->missed ? weir_on_ramp_find(&flow->rule, seq, &note) : 0;
  if (place == 0) {
    ++c->refused_note;
  } else {
    const long long sent = shown(note.sent);
    const long long arrived = ours(peer, received);
    if (received < 0 || arrived < sent - peer->sigma || arrived > shown(now) + peer->sigma) {
      ++c->refused_time;
    } else {
      decision.delay = arrived - sent;
      heard = true;
      const int result = weir_on_ramp_on_found(&flow->rule, &rule, place, &note, seq, decision.delay, now);
      flow->delay = decision.delay;
      ++flow->or_acks;
      ++c->or_acks_accepted;
      decision.beta = flow->rule.beta;
      if (result == 2) {
        ++c->pauses;
        decision.pause = flow->rule.pause_end - now;
      }
    }
  }
  give_back(flow);
  if (heard && state.tracing) tell(&decision, c);
}

/* Whether the peer's OR-ACKs may be signed with the key of this number, which is then copied. */
INLINE bool receive_key(const struct weir_peer* peer, unsigned id, struct weir_siphash_key* key) {
  if (!peer) return false;
  if (id == peer->receive_id[0]) {
    *key = peer->receive[0];
  } else if (id == peer->receive_id[1]) {
    *key = peer->receive[1];
  } else if (id == peer->receive_id[2]) {
    *key = peer->receive[2];
  } else {
    return false;
  }
  return true;
}

/* A packet for the port of OR-ACKs. It is not handed on, whatever it is. */
INLINE void hear(struct __sk_buff* skb, struct packet* p) {
  struct weir_counters* c = count();
  if (!c) return;
  ++c->or_acks_received;
  const long long now = bpf_ktime_get_ns();
  if (!live(now)) return;
  const unsigned udp = p->l3 + (p->v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)) + sizeof(struct udphdr);
  const unsigned count_words = p->v6 ? WEIR_OR_ACK_WORDS_V6 : WEIR_OR_ACK_WORDS_V4;
  unsigned words[WEIR_OR_ACK_WORDS_V6];
  if (p->length != sizeof(struct udphdr) + 4 * count_words ||
      (p->v6 ? bpf_skb_load_bytes(skb, udp, words, WEIR_OR_ACK_SIZE_V6)
             : bpf_skb_load_bytes(skb, udp, words, WEIR_OR_ACK_SIZE_V4)) != 0) {
    ++c->refused_form;
    return;
  }
  const unsigned head = WEIR_BE32(words[WEIR_OR_ACK_AT_HEAD]);
  if (head >> 16 != (WEIR_OR_ACK_VERSION << 8 | (p->v6 ? WEIR_OR_ACK_V6 : 0))) {
    ++c->refused_form;
    return;
  }
  const struct weir_peer* peer = bpf_map_lookup_elem(&peers, p->key.remote);
  struct weir_siphash_key key;
  if (!receive_key(peer, head & 0xffff, &key)) {
    ++c->refused_peer;
    return;
  }
  /* The addresses are the packet's own. */
  unsigned long long tag;
  unsigned ports;
  long long received;
  if (p->v6) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      words[WEIR_OR_ACK_AT_SOURCE + i] = p->key.local[i];
      words[WEIR_OR_ACK_AT_DESTINATION_V6 + i] = p->key.remote[i];
    }
    const unsigned* last = words + WEIR_OR_ACK_WORDS_V6;
    ports = last[-WEIR_OR_ACK_PORTS_BEFORE_END];
    received = (long long)weir_or_ack_get(last - WEIR_OR_ACK_RECEIVED_BEFORE_END);
    tag = weir_or_ack_get(last - WEIR_OR_ACK_TAG_BEFORE_END) ^ weir_or_ack_tag(words, WEIR_OR_ACK_WORDS_V6, key);
  } else {
    words[WEIR_OR_ACK_AT_SOURCE] = p->key.local[3];
    words[WEIR_OR_ACK_AT_DESTINATION_V4] = p->key.remote[3];
    const unsigned* last = words + WEIR_OR_ACK_WORDS_V4;
    ports = last[-WEIR_OR_ACK_PORTS_BEFORE_END];
    received = (long long)weir_or_ack_get(last - WEIR_OR_ACK_RECEIVED_BEFORE_END);
    tag = weir_or_ack_get(last - WEIR_OR_ACK_TAG_BEFORE_END) ^ weir_or_ack_tag(words, WEIR_OR_ACK_WORDS_V4, key);
  }
  if (tag != 0) {
    ++c->refused_tag;
    return;
  }
  ports = WEIR_BE32(ports);
  p->key.local_port = WEIR_BE16(ports >> 16);
  p->key.remote_port = WEIR_BE16(ports & 0xffff);
  hear_signed(p, peer, WEIR_BE32(words[WEIR_OR_ACK_AT_SEQ]), received, now, c);
}
