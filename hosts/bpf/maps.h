/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What the BPF programs and the process that loads them share: the values of maps. Plain C for both; addresses and
   ports are in network order, times are CLOCK_MONOTONIC of this host in nanoseconds unless said otherwise. */
#pragma once

#include "hosts/wire/or_ack_wire.h"
#include "weir/cc/on_ramp_rule.h"

enum {
  WEIR_BPF_PEERS = 4096,
  WEIR_BPF_FLOWS = 8192,     /* that we send; some 3.2 KB each, forgotten when others need the room */
  WEIR_BPF_ARRIVALS = 32768, /* flows that arrive */
  WEIR_BPF_TRACE = 1 << 18,  /* bytes of decisions on their way to who asked */
  WEIR_BPF_FRAME_WORDS = 27, /* an OR-ACK from its IP header on, at most */
};

/* Of IPv6; of IPv4 it is mapped, ::ffff:a.b.c.d. */
struct weir_address {
  unsigned words[4];
};

struct weir_flow_key {
  unsigned local[4];
  unsigned remote[4];
  unsigned short local_port;
  unsigned short remote_port;
};

/* Constant once the programs are loaded. */
struct weir_settings {
  long long max_hold;
  long long live_for;
  long long max_pause; /* the rule's */
  long long max_age;   /* the rule's */
  unsigned gain;
  unsigned initial_beta;
  unsigned strawman;
  unsigned hold;            /* 0: nothing is ever held */
  long long burst_gap;      /* of a flow that arrives: what comes after so long is answered at once */
  long long or_ack_gap;     /* between two OR-ACKs of the host, on average; > 0 */
  long long or_ack_reserve; /* by which OR-ACKs may be early for that */
  unsigned per_bytes;       /* one OR-ACK for so many bytes of a flow; 0: bytes do not count */
  unsigned per_packets;
  unsigned port;  /* of OR-ACKs, network order */
  unsigned nonce; /* marks packets that are to become OR-ACKs, on their way through this host */
  /* The clock that others see: t + offset + drift (t - start) / 2^30. */
  long long clock_start;
  long long clock_offset;
  long long clock_drift;
};

/* Changes while they run; each line of the cache has one kind of writer. */
struct weir_state {
  long long beat; /* the last heartbeat; 0: none */
  unsigned was_live;
  unsigned tracing;
  unsigned long long expiries;                      /* of the heartbeat, while packets could be held */
  long long due_at __attribute__((aligned(64)));    /* when some OR-ACK was last left to the next packet that leaves */
  long long or_ack_at __attribute__((aligned(64))); /* how far the host's OR-ACKs have used up time */
  unsigned taken_away __attribute__((aligned(64))); /* packets that were to become OR-ACKs and did not come by */
  unsigned end __attribute__((aligned(64)));
};

/* By remote address. The line is ClockLine's, the keys are those of the OR-ACKs that go there and come from there. */
struct weir_peer {
  unsigned held;
  unsigned send_id;    /* epoch modulo 2^16 */
  long long threshold; /* as the rule is told: data_path.h */
  long long at;
  long long offset;
  long long drift;
  long long sigma;
  unsigned receive_id[3]; /* of this epoch, the one before and the next */
  struct weir_siphash_key send;
  struct weir_siphash_key receive[3];
};

/* A flow that we send. */
struct weir_flow {
  unsigned lock;        /* 1: someone is at work on it */
  unsigned started;     /* the rule's state is */
  unsigned missed;      /* a packet left without a note because another was at work */
  unsigned ended;       /* with FIN or RST */
  long long last_stamp; /* no packet leaves before the one in front of it */
  long long last;       /* when a packet last came by */
  long long delay;      /* of the last OR-ACK */
  unsigned long long packets, bytes, held, held_ns, or_acks;
  struct weir_on_ramp rule;
};

/* A flow that arrives. */
struct weir_arrivals {
  long long last;           /* packet */
  unsigned long long bytes; /* since the last OR-ACK */
  unsigned packets;
  unsigned due; /* 0: no; 1: an OR-ACK of what follows waits for a packet that leaves; 2: someone is at work on it */
  long long received;
  unsigned seq;
  unsigned pad;
};

/* A packet that is cloned on this processor becomes this OR-ACK. */
struct weir_order {
  unsigned wanted;
  unsigned l3;       /* where its IP header begins */
  unsigned size;     /* bytes from there on */
  unsigned returned; /* it came from where it goes to */
  unsigned frame[WEIR_BPF_FRAME_WORDS];
};

/* Of one processor; hosts/path/data_path.h says what each counts. */
struct weir_counters {
  unsigned long long packets, bytes, held, held_ns, held_ns_max, clipped, bypassed, notes, flows_refused;
  unsigned long long or_acks_received, or_acks_accepted, pauses;
  unsigned long long refused_form, refused_peer, refused_tag, refused_flow, refused_note, refused_time, refused_busy;
  unsigned long long data_packets, data_bytes, or_acks_sent, or_ack_bytes, or_acks_limited;
  unsigned long long decisions_lost;
};

/* For a trace: hosts/path/data_path.h. */
struct weir_decision {
  struct weir_flow_key key;
  unsigned or_ack; /* 0: sent */
  long long time;
  long long held_for;
  long long delay;
  long long pause;
  unsigned seq;
  unsigned length;
  unsigned beta;
  unsigned pad;
};

/* Drift of `drift` per 2^30 over `span`, rounded down, without an intermediate result beyond 64 bits. */
WEIR_WIRE_INLINE long long weir_drifted(long long drift, long long span) {
  return drift * (span >> 30) + ((drift * (span & ((1LL << 30) - 1))) >> 30);
}
