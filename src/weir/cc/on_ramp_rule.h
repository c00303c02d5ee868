/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* On-Ramp's rule in whole numbers (Liu et al., "Breaking the Transience-Equilibrium Nexus: A New Approach to Datacenter
   Packet Transport", NSDI 2021, section 3; here "the paper"): the one arithmetic that the simulator, the queue path of
   hosts and their BPF programs share, equal to the bit.

   It is written in the part of C that is also C++ and that clang compiles for BPF: no header is included, nothing is
   floating, no number with a sign is divided, every loop has a fixed number of steps, and every index is masked.

   Time is in ticks of any length, of one clock: picoseconds in the simulator, nanoseconds on hosts. Ticks before 0
   count as 0; delays and thresholds beyond 2^62 count as that. Sequence numbers are those of TCP: bytes modulo 2^32, of
   which one comes before another if it is at most half of them behind. A flow has at most 512 MiB under way; what
   exceeds that is forgotten. With these bounds no sum and no product overflows, whatever is passed. Callers see to it
   that one of them at a time is at work on a flow.

     struct weir_on_ramp flow;
     weir_on_ramp_start(&flow, &params);
     weir_on_ramp_on_send(&flow, &params, seq, length, now);     each packet that leaves, before the one behind it
     weir_on_ramp_on_or_ack(&flow, &params, seq, delay, now);    each OR-ACK
     // no packet leaves before flow.pause_end */
#pragma once

#define WEIR_ON_RAMP_NOTES 128u                    /* packets that a flow has notes of; a power of two */
#define WEIR_ON_RAMP_BITS 24                       /* behind the point of fractions */
#define WEIR_ON_RAMP_ONE (1u << WEIR_ON_RAMP_BITS) /* beta or gain of 1 */
#define WEIR_ON_RAMP_SPAN (1u << 29)               /* bytes that may be under way */

/* A packet, or a segment of several that left as one. */
struct weir_on_ramp_note {
  long long sent;   /* when it left */
  long long paused; /* how long pauses had been asserted by then */
  unsigned seq;     /* its first byte */
  unsigned length;  /* bytes */
};

struct weir_on_ramp_params {
  long long threshold;   /* T */
  long long max_pause;   /* no pause is longer; 0: no bound */
  long long max_age;     /* notes are forgotten if the oldest has been waiting longer than this; 0: never */
  unsigned gain;         /* g, fixed point */
  unsigned initial_beta; /* fixed point */
  unsigned strawman;     /* not 0: equation 2, else equations 3 and 4 */
};

/* A flow. All zero: as after start with an initial beta of 0. */
struct weir_on_ramp {
  long long paused_before; /* pauses that have been replaced or have ended, and the last one: */
  long long pause_begin;
  long long pause_end;    /* t_NextPkt: nothing may leave before */
  long long black_paused; /* of the packet answered last, "black" in the paper's figure 4 */
  long long black_delay;
  unsigned has_black; /* whether there is one */
  unsigned beta;      /* fall of the delay per unit of own pause; fixed point */
  unsigned begun;     /* whether a packet has left */
  unsigned answered;  /* bytes before this one are answered or given up */
  unsigned end;       /* the first byte that has not left */
  unsigned head;      /* notes by order of leaving, which is that of their bytes: from here ... */
  unsigned tail;      /* ... up to here; both count on, and their difference is the number of notes */
  struct weir_on_ramp_note notes[WEIR_ON_RAMP_NOTES];
};

/* BPF programs may not call while they hold a lock. */
#define WEIR_ON_RAMP_INLINE static inline __attribute__((always_inline))

/* Whether byte a comes before b. */
WEIR_ON_RAMP_INLINE int weir_on_ramp_before(unsigned a, unsigned b) { return (int)(a - b) < 0; }

WEIR_ON_RAMP_INLINE long long weir_on_ramp_clamp(long long value, long long least, long long most) {
  return value < least ? least : value > most ? most : value;
}

/* A delay or a threshold, within bounds that let two of them be subtracted. */
WEIR_ON_RAMP_INLINE long long weir_on_ramp_span(long long ticks) {
  const long long most = (1LL << 62) - 1;
  return weir_on_ramp_clamp(ticks, -most, most);
}

/* fraction * whole, rounded to the nearest; fraction <= 1. */
WEIR_ON_RAMP_INLINE unsigned long long weir_on_ramp_part(unsigned long long whole, unsigned fraction) {
  const unsigned long long low = whole & (WEIR_ON_RAMP_ONE - 1);
  return (whole >> WEIR_ON_RAMP_BITS) * fraction + ((low * fraction + WEIR_ON_RAMP_ONE / 2) >> WEIR_ON_RAMP_BITS);
}

/* part / whole as a fraction, rounded down; part <= whole < 2^63, whole > 0. From 2^39 on (0.5 s in the simulator, 550
   s on hosts) both lose their last 24 bits before. */
WEIR_ON_RAMP_INLINE unsigned weir_on_ramp_ratio(unsigned long long part, unsigned long long whole) {
  if ((whole >> (63 - WEIR_ON_RAMP_BITS)) != 0) {
    part >>= WEIR_ON_RAMP_BITS;
    whole >>= WEIR_ON_RAMP_BITS;
  }
  return (unsigned)((part << WEIR_ON_RAMP_BITS) / whole);
}

/* A flow begins: a connection is opened, or a data path sees it for the first time. */
WEIR_ON_RAMP_INLINE void weir_on_ramp_start(struct weir_on_ramp* o, const struct weir_on_ramp_params* p) {
  o->paused_before = 0;
  o->pause_begin = 0;
  o->pause_end = 0;
  o->black_paused = 0;
  o->black_delay = 0;
  o->has_black = 0;
  o->beta = p->initial_beta < WEIR_ON_RAMP_ONE ? p->initial_beta : WEIR_ON_RAMP_ONE;
  o->begun = 0;
  o->answered = 0;
  o->end = 0;
  o->head = 0;
  o->tail = 0;
}

/* How long pauses have been asserted until `now`, whether or not there was something to send. It never falls, and is
   never more than `now`. */
WEIR_ON_RAMP_INLINE long long weir_on_ramp_paused(const struct weir_on_ramp* o, long long now) {
  return o->paused_before + (weir_on_ramp_clamp(now, o->pause_begin, o->pause_end) - o->pause_begin);
}

/* A pause of `excess` > 0 takes the place of what is left of the one before. */
WEIR_ON_RAMP_INLINE void weir_on_ramp_pause(struct weir_on_ramp* o, const struct weir_on_ramp_params* p,
                                            long long excess, long long now) {
  const long long forever = (long long)(~0ULL >> 1);
  if (now < o->pause_begin) now = o->pause_begin;
  if (p->max_pause > 0 && excess > p->max_pause) excess = p->max_pause;
  o->paused_before = weir_on_ramp_paused(o, now);
  o->pause_begin = now;
  o->pause_end = excess < forever - now ? now + excess : forever;
}

/* What an earlier flow has measured on the same path, at `then`, counts as if it had been this one. */
WEIR_ON_RAMP_INLINE void weir_on_ramp_remember(struct weir_on_ramp* o, const struct weir_on_ramp_params* p,
                                               long long delay, long long then) {
  const long long excess = weir_on_ramp_span(delay) - weir_on_ramp_span(p->threshold);
  if (excess > 0) weir_on_ramp_pause(o, p, excess, then);
}

/* Nothing that has left is known of any more. */
WEIR_ON_RAMP_INLINE void weir_on_ramp_forget(struct weir_on_ramp* o, unsigned seq) {
  o->head = o->tail;
  o->answered = seq;
  o->end = seq;
}

/* How many of the notes begin at or before this byte, which is within the span of those. */
WEIR_ON_RAMP_INLINE unsigned weir_on_ramp_seek(const struct weir_on_ramp* o, unsigned seq) {
  const unsigned used = o->tail - o->head;
  unsigned count = 0;
  for (unsigned step = WEIR_ON_RAMP_NOTES; step != 0; step >>= 1) {
    const unsigned next = count + step;
    if (next <= used && !weir_on_ramp_before(seq, o->notes[(o->head + next - 1) & (WEIR_ON_RAMP_NOTES - 1)].seq))
      count = next;
  }
  return count;
}

/* Bytes leave again: nobody knows which of the packets an OR-ACK means (Karn's rule), so none is answered. What comes
   before them is given up as well, for senders repeat the oldest bytes first. */
WEIR_ON_RAMP_INLINE void weir_on_ramp_on_resend(struct weir_on_ramp* o, unsigned seq, unsigned length) {
  const unsigned behind = length < WEIR_ON_RAMP_SPAN ? seq + length : seq + WEIR_ON_RAMP_SPAN;
  if (!o->begun || !weir_on_ramp_before(o->answered, behind)) return;
  if (!weir_on_ramp_before(behind, o->end)) {
    weir_on_ramp_forget(o, behind);
    return;
  }
  o->answered = behind;
  const unsigned count = weir_on_ramp_seek(o, behind);
  if (count > 1) o->head += count - 1;
}

/* Whether the newest note stays as another packet leaves, or gives its place to that one. While few bytes are under way
   all stay; else one stays if the packet is so far behind the note before it, in bytes or in time, that the notes which
   are free would reach for as much again as is under way. So they never run out; and between two notes that are not of
   neighbours lies less than that: about 1/64 of the round trip, with many breaks 1/20. */
WEIR_ON_RAMP_INLINE int weir_on_ramp_keeps(const struct weir_on_ramp* o, unsigned seq, long long now) {
  const unsigned used = o->tail - o->head;
  if (used < 2) return 1;
  if (used >= WEIR_ON_RAMP_NOTES) return 0;
  const unsigned room = WEIR_ON_RAMP_NOTES - used;
  const struct weir_on_ramp_note* before = &o->notes[(o->tail - 2) & (WEIR_ON_RAMP_NOTES - 1)];
  if ((unsigned long long)(seq - before->seq) * room >= seq - o->answered) return 1;
  const struct weir_on_ramp_note* oldest = &o->notes[o->head & (WEIR_ON_RAMP_NOTES - 1)];
  const unsigned long long gap = now > before->sent ? (unsigned long long)(now - before->sent) : 0;
  const unsigned long long age = now > oldest->sent ? (unsigned long long)(now - oldest->sent) : 0;
  return gap > 0 && (gap >= 1ULL << 56 || gap * room >= age);
}

/* A packet of `length` > 0 bytes leaves at `now`. The caller need not know whether it has left before. */
WEIR_ON_RAMP_INLINE void weir_on_ramp_on_send(struct weir_on_ramp* o, const struct weir_on_ramp_params* p, unsigned seq,
                                              unsigned length, long long now) {
  if (now < 0) now = 0;
  if (length > WEIR_ON_RAMP_SPAN / 2) length = WEIR_ON_RAMP_SPAN / 2;
  if (o->end - seq - 1 < WEIR_ON_RAMP_SPAN && o->begun) {
    weir_on_ramp_on_resend(o, seq, length);
    return;
  }
  /* What comes between has left unseen; and after so much without an answer nothing waits for one. */
  if (!o->begun || seq != o->end || seq - o->answered + length > WEIR_ON_RAMP_SPAN) weir_on_ramp_forget(o, seq);
  if (p->max_age > 0 && o->head != o->tail && now - o->notes[o->head & (WEIR_ON_RAMP_NOTES - 1)].sent > p->max_age)
    weir_on_ramp_forget(o, seq);
  o->begun = 1;
  if (weir_on_ramp_keeps(o, seq, now)) o->tail += 1;
  struct weir_on_ramp_note* newest = &o->notes[(o->tail - 1) & (WEIR_ON_RAMP_NOTES - 1)];
  newest->sent = now;
  newest->paused = weir_on_ramp_paused(o, now);
  newest->seq = seq;
  newest->length = length;
  o->end = seq + length;
}

/* The packet leaves as a part of the segment whose earlier part left just before, and counts as leaving with that. Only
   new bytes, right behind the last ones. */
WEIR_ON_RAMP_INLINE void weir_on_ramp_on_more(struct weir_on_ramp* o, unsigned seq, unsigned length) {
  if (!o->begun || seq != o->end || length > WEIR_ON_RAMP_SPAN / 2) return;
  o->end = seq + length;
  if (o->head == o->tail) return;
  struct weir_on_ramp_note* newest = &o->notes[(o->tail - 1) & (WEIR_ON_RAMP_NOTES - 1)];
  newest->length = o->end - newest->seq;
  if (newest->length > WEIR_ON_RAMP_SPAN / 2) weir_on_ramp_forget(o, o->end);
}

/* When the packet left that this byte is of, and how long pauses had been asserted by then: 0 if the byte is not under
   way, has been answered or has left again; else more than 0, for on_found. `out` has the packet's
   note, or, of one without, what lies between its two neighbours in proportion to the bytes, with a length of 0.
   Nothing changes. */
WEIR_ON_RAMP_INLINE int weir_on_ramp_find(const struct weir_on_ramp* o, unsigned seq, struct weir_on_ramp_note* out) {
  if (seq - o->answered >= o->end - o->answered) return 0;
  const unsigned used = o->tail - o->head;
  /* Most OR-ACKs mean one of the two oldest. */
  const struct weir_on_ramp_note* second = &o->notes[(o->head + 1) & (WEIR_ON_RAMP_NOTES - 1)];
  const struct weir_on_ramp_note* third = &o->notes[(o->head + 2) & (WEIR_ON_RAMP_NOTES - 1)];
  unsigned count;
  if (used > 2 && !weir_on_ramp_before(seq, second->seq) && weir_on_ramp_before(seq, third->seq))
    count = 2;
  else
    count = weir_on_ramp_seek(o, seq);
  if (count == 0) return 0;
  const unsigned place = (o->head + count - 1) & (WEIR_ON_RAMP_NOTES - 1);
  const struct weir_on_ramp_note* note = &o->notes[place];
  out->sent = note->sent;
  out->paused = note->paused;
  out->seq = note->seq;
  out->length = note->length;
  if (seq - note->seq >= note->length) {
    if (count >= used) return 0;
    const struct weir_on_ramp_note* next = &o->notes[(place + 1) & (WEIR_ON_RAMP_NOTES - 1)];
    const unsigned part = weir_on_ramp_ratio(seq - note->seq, next->seq - note->seq);
    if (next->sent > note->sent)
      out->sent += (long long)weir_on_ramp_part((unsigned long long)(next->sent - note->sent), part);
    if (next->paused > note->paused)
      out->paused += (long long)weir_on_ramp_part((unsigned long long)(next->paused - note->paused), part);
    out->seq = seq;
    out->length = 0;
  }
  return (int)place + 1;
}

/* Equation 3: the sample is the part of the pause between two packets by which the delay fell from one to the other. */
WEIR_ON_RAMP_INLINE unsigned weir_on_ramp_learn(const struct weir_on_ramp* o, const struct weir_on_ramp_params* p,
                                                long long fall, long long between) {
  unsigned sample = 0;
  if (fall >= between)
    sample = WEIR_ON_RAMP_ONE;
  else if (fall > 0)
    sample = weir_on_ramp_ratio((unsigned long long)fall, (unsigned long long)between);
  const unsigned gain = p->gain < WEIR_ON_RAMP_ONE ? p->gain : WEIR_ON_RAMP_ONE;
  const unsigned long long sum = (unsigned long long)o->beta * (WEIR_ON_RAMP_ONE - gain) +
                                 (unsigned long long)sample * gain + WEIR_ON_RAMP_ONE / 2;
  return (unsigned)(sum >> WEIR_ON_RAMP_BITS);
}

/* An OR-ACK of the packet that find has found, with `found` its answer and nothing done since: the packet took `delay`,
   by two hosts' clocks, so that less than 0 is possible. 1, or 2 if the flow is paused by it. */
WEIR_ON_RAMP_INLINE int weir_on_ramp_on_found(struct weir_on_ramp* o, const struct weir_on_ramp_params* p, int found,
                                              const struct weir_on_ramp_note* green, unsigned seq, long long delay,
                                              long long now) {
  if (now < 0) now = 0;
  delay = weir_on_ramp_span(delay);
  long long excess = delay - weir_on_ramp_span(p->threshold);
  if (!p->strawman) {
    const long long between = green->paused - o->black_paused;
    if (o->has_black && between > 0) o->beta = weir_on_ramp_learn(o, p, o->black_delay - delay, between);
    const long long in_flight = weir_on_ramp_paused(o, now) - green->paused;
    if (excess > 0 && in_flight > 0) excess -= (long long)weir_on_ramp_part((unsigned long long)in_flight, o->beta);
  }
  o->has_black = 1;
  o->black_paused = green->paused;
  o->black_delay = delay;
  o->answered = seq + 1;
  o->head += ((unsigned)found - 1 - o->head) & (WEIR_ON_RAMP_NOTES - 1);
  if (excess <= 0) return 1;
  weir_on_ramp_pause(o, p, excess, now);
  return 2;
}

/* The packet at seq took `delay`. 0: it is not known of (find), and nothing has changed; else as on_found. */
WEIR_ON_RAMP_INLINE int weir_on_ramp_on_or_ack(struct weir_on_ramp* o, const struct weir_on_ramp_params* p,
                                               unsigned seq, long long delay, long long now) {
  struct weir_on_ramp_note green;
  const int found = weir_on_ramp_find(o, seq, &green);
  if (found == 0) return 0;
  return weir_on_ramp_on_found(o, p, found, &green, seq, delay, now);
}
