/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* OR-ACKs on the wire: payload of UDP, all numbers big-endian. Shared by BPF programs and user space, so it is C, and
   includes nothing.

     u8  version, 1
     u8  flags; 1: addresses are those of IPv6
     u16 key id: the epoch of the key modulo 2^16
     u32 seq: first byte of the data packet that arrived, a sequence number of TCP
     source address of the data packet, 4 or 16 bytes
     its destination address
     u16 its source port, u16 its destination port
     u64 received: when it arrived, CLOCK_MONOTONIC of the receiver, ns
     u64 tag: SipHash-2-4 over all before it, with the key of the pair (receiver of data -> sender)

   With IPv4 the frame has 14 + 20 + 8 + 36 = 78 bytes, as in section 4.1 of the On-Ramp paper.

   The addresses are those of the OR-ACK itself, crosswise, and who reads it takes the source from there: bytes 8 and 9
   carry nothing. An OR-ACK that a BPF program makes of another packet may have to leave with an order for the NIC to
   put a checksum there, 16 bytes behind the start of the transport header, where TCP has its own: programs cannot
   revoke such an order. The tag is over the real address. */
#pragma once

enum {
  WEIR_OR_ACK_PORT = 7472,
  WEIR_OR_ACK_VERSION = 1,
  WEIR_OR_ACK_V6 = 1,       /* a flag */
  WEIR_OR_ACK_WORDS_V4 = 9, /* of 32 bits */
  WEIR_OR_ACK_WORDS_V6 = 15,
  WEIR_OR_ACK_SIZE_V4 = 4 * WEIR_OR_ACK_WORDS_V4,
  WEIR_OR_ACK_SIZE_V6 = 4 * WEIR_OR_ACK_WORDS_V6,
};

/* A payload as words of 32 bits as they are in memory, that is, big-endian. The places of what is in it: */
enum {
  WEIR_OR_ACK_AT_HEAD = 0, /* version, flags, key id */
  WEIR_OR_ACK_AT_SEQ = 1,
  WEIR_OR_ACK_AT_SOURCE = 2,
  WEIR_OR_ACK_AT_DESTINATION_V4 = 3,
  WEIR_OR_ACK_AT_DESTINATION_V6 = 6,
  /* from the end */
  WEIR_OR_ACK_PORTS_BEFORE_END = 5,
  WEIR_OR_ACK_RECEIVED_BEFORE_END = 4,
  WEIR_OR_ACK_TAG_BEFORE_END = 2,
};

#define WEIR_WIRE_INLINE static inline __attribute__((always_inline))

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WEIR_BE16(x) __builtin_bswap16(x)
#define WEIR_BE32(x) __builtin_bswap32(x)
#define WEIR_LE32(x) (x)
#define WEIR_LE64(x) (x)
#else
#define WEIR_BE16(x) (x)
#define WEIR_BE32(x) (x)
#define WEIR_LE32(x) __builtin_bswap32(x)
#define WEIR_LE64(x) __builtin_bswap64(x)
#endif

/* A key of 128 bits, as two numbers read little-endian. */
struct weir_siphash_key {
  unsigned long long k0, k1;
};

WEIR_WIRE_INLINE unsigned long long weir_rotate(unsigned long long x, unsigned bits) {
  return (x << bits) | (x >> (64 - bits));
}

/* One SipRound (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012, figure 2.1). */
#define WEIR_SIPROUND(v0, v1, v2, v3)    \
  do {                                   \
    (v0) += (v1);                        \
    (v2) += (v3);                        \
    (v1) = weir_rotate((v1), 13) ^ (v0); \
    (v3) = weir_rotate((v3), 16) ^ (v2); \
    (v0) = weir_rotate((v0), 32);        \
    (v2) += (v1);                        \
    (v0) += (v3);                        \
    (v1) = weir_rotate((v1), 17) ^ (v2); \
    (v3) = weir_rotate((v3), 21) ^ (v0); \
    (v2) = weir_rotate((v2), 32);        \
  } while (0)

/* SipHash-2-4 (section 2 there) of `count` words of 32 bits; count is odd and below 64, so that the last word has its
   place beside the length. The result is a number; its bytes as published are its little-endian form. */
WEIR_WIRE_INLINE unsigned long long weir_siphash(const unsigned* words, unsigned count, struct weir_siphash_key key) {
  unsigned long long v0 = key.k0 ^ 0x736f6d6570736575ULL;
  unsigned long long v1 = key.k1 ^ 0x646f72616e646f6dULL;
  unsigned long long v2 = key.k0 ^ 0x6c7967656e657261ULL;
  unsigned long long v3 = key.k1 ^ 0x7465646279746573ULL;
  for (unsigned i = 0; i + 1 < count; i += 2) {
    const unsigned long long m = WEIR_LE32(words[i]) | (unsigned long long)WEIR_LE32(words[i + 1]) << 32;
    v3 ^= m;
    WEIR_SIPROUND(v0, v1, v2, v3);
    WEIR_SIPROUND(v0, v1, v2, v3);
    v0 ^= m;
  }
  const unsigned long long last = WEIR_LE32(words[count - 1]) | (unsigned long long)(4 * count) << 56;
  v3 ^= last;
  WEIR_SIPROUND(v0, v1, v2, v3);
  WEIR_SIPROUND(v0, v1, v2, v3);
  v0 ^= last;
  v2 ^= 0xff;
  WEIR_SIPROUND(v0, v1, v2, v3);
  WEIR_SIPROUND(v0, v1, v2, v3);
  WEIR_SIPROUND(v0, v1, v2, v3);
  WEIR_SIPROUND(v0, v1, v2, v3);
  return v0 ^ v1 ^ v2 ^ v3;
}

/* The tag of a payload of so many words, as the number that SipHash gives. On the wire it is big-endian. */
WEIR_WIRE_INLINE unsigned long long weir_or_ack_tag(const unsigned* words, unsigned count,
                                                    struct weir_siphash_key key) {
  return weir_siphash(words, count - WEIR_OR_ACK_TAG_BEFORE_END, key);
}

/* A number of 64 bits at two words, and back. */
WEIR_WIRE_INLINE void weir_or_ack_put(unsigned* words, unsigned long long value) {
  words[0] = WEIR_BE32((unsigned)(value >> 32));
  words[1] = WEIR_BE32((unsigned)value);
}
WEIR_WIRE_INLINE unsigned long long weir_or_ack_get(const unsigned* words) {
  return (unsigned long long)WEIR_BE32(words[0]) << 32 | WEIR_BE32(words[1]);
}

/* The first word. */
WEIR_WIRE_INLINE unsigned weir_or_ack_head(unsigned flags, unsigned key_id) {
  return WEIR_BE32((unsigned)WEIR_OR_ACK_VERSION << 24 | flags << 16 | (key_id & 0xffff));
}
