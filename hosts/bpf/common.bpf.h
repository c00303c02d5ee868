/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Maps and what all parts of the programs use. */
#pragma once

#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "hosts/bpf/maps.h"

#define INLINE static __always_inline

const volatile struct weir_settings settings;
struct weir_state state;

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, WEIR_BPF_PEERS);
  __type(key, struct weir_address);
  __type(value, struct weir_peer);
} peers SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, WEIR_BPF_FLOWS);
  __type(key, struct weir_flow_key);
  __type(value, struct weir_flow);
} flows SEC(".maps");

/* A flow before anything is known of it: nobody writes here. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, unsigned);
  __type(value, struct weir_flow);
} blank SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, WEIR_BPF_ARRIVALS);
  __type(key, struct weir_flow_key);
  __type(value, struct weir_arrivals);
} arrivals SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, unsigned);
  __type(value, struct weir_order);
} orders SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, unsigned);
  __type(value, struct weir_counters);
} counters SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, WEIR_BPF_TRACE);
} decisions SEC(".maps");

INLINE struct weir_counters* count(void) {
  const unsigned zero = 0;
  return bpf_map_lookup_elem(&counters, &zero);
}

INLINE long long larger(long long a, long long b) { return a > b ? a : b; }
INLINE long long smaller(long long a, long long b) { return a < b ? a : b; }

/* Whether the agent is there: without a heartbeat all passes as if these programs were not. */
INLINE bool live(long long now) {
  const long long beat = *(volatile long long*)&state.beat;
  if (beat != 0 && now - beat <= settings.live_for) return true;
  if (settings.hold && state.was_live != 0 && __sync_lock_test_and_set(&state.was_live, 0) != 0)
    __sync_fetch_and_add(&state.expiries, 1);
  return false;
}

/* What the clock that others see shows at our time. */
INLINE long long shown(long long t) {
  if (settings.clock_offset == 0 && settings.clock_drift == 0) return t;
  return t + settings.clock_offset + weir_drifted(settings.clock_drift, t - settings.clock_start);
}

/* The rule for flows to this peer. */
INLINE struct weir_on_ramp_params rule_for(const struct weir_peer* peer) {
  return (struct weir_on_ramp_params){
      .threshold = peer->threshold,
      .max_pause = settings.max_pause,
      .max_age = settings.max_age,
      .gain = settings.gain,
      .initial_beta = settings.initial_beta,
      .strawman = settings.strawman,
  };
}

/* Flows are worked on by one at a time: packets leave on one processor while OR-ACKs arrive on another. Whoever comes
   second waits for about as long as the work takes and then does without, so that nobody ever waits for someone who was
   interrupted. A bpf_spin_lock would do the former, turns interrupts off, and cannot be in a map that forgets the
   oldest. */
enum { PATIENCE = 48 };

INLINE bool take(struct weir_flow* flow) {
  for (unsigned i = 0; i < PATIENCE; ++i)
    if (__sync_val_compare_and_swap(&flow->lock, 0, 1) == 0) return true;
  return false;
}

INLINE void give_back(struct weir_flow* flow) { __sync_lock_test_and_set(&flow->lock, 0); }

/* A decision is told to who asked, if there is room. Readers look every 100 ms, and are woken before it fills up. */
INLINE void tell(const struct weir_decision* decision, struct weir_counters* c) {
  const unsigned long long waiting = bpf_ringbuf_query(&decisions, BPF_RB_AVAIL_DATA);
  const unsigned long long flags = waiting > WEIR_BPF_TRACE / 4 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
  if (bpf_ringbuf_output(&decisions, (void*)decision, sizeof *decision, flags) != 0) ++c->decisions_lost;
}
