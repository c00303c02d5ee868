#include "hosts/wire/or_ack.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace weir::hosts {
namespace {

// The largest payload as words.
using Words = std::array<unsigned, WEIR_OR_ACK_WORDS_V6>;

unsigned flags_of(bool v6) { return v6 ? unsigned{WEIR_OR_ACK_V6} : 0; }
unsigned words_of(bool v6) { return v6 ? WEIR_OR_ACK_WORDS_V6 : WEIR_OR_ACK_WORDS_V4; }
unsigned destination_of(bool v6) { return v6 ? WEIR_OR_ACK_AT_DESTINATION_V6 : WEIR_OR_ACK_AT_DESTINATION_V4; }

weir_siphash_key siphash_key(const PairKey& key) {
  weir_siphash_key out;
  std::memcpy(&out, key.key.data(), sizeof out);
  return {WEIR_LE64(out.k0), WEIR_LE64(out.k1)};
}

// All but the tag.
Words words(const OrAck& or_ack) {
  const bool v6 = or_ack.flow.source.v6;
  const unsigned count = words_of(v6);
  Words out{};
  out[WEIR_OR_ACK_AT_HEAD] = weir_or_ack_head(flags_of(v6), or_ack.key_id);
  out[WEIR_OR_ACK_AT_SEQ] = WEIR_BE32(or_ack.seq);
  std::memcpy(&out[WEIR_OR_ACK_AT_SOURCE], or_ack.flow.source.bytes.data(), or_ack.flow.source.size());
  std::memcpy(&out[destination_of(v6)], or_ack.flow.destination.bytes.data(), or_ack.flow.destination.size());
  out[count - WEIR_OR_ACK_PORTS_BEFORE_END] =
      WEIR_BE32(static_cast<unsigned>(or_ack.flow.source_port) << 16 | or_ack.flow.destination_port);
  weir_or_ack_put(&out[count - WEIR_OR_ACK_RECEIVED_BEFORE_END], static_cast<unsigned long long>(or_ack.received));
  return out;
}

unsigned long long tag_of(const OrAck& or_ack, const PairKey& key) {
  return weir_or_ack_tag(words(or_ack).data(), words_of(or_ack.flow.source.v6), siphash_key(key));
}

}  // namespace

OrAckBytes write_or_ack(const OrAck& or_ack, const PairKey& key) {
  assert(or_ack.flow.source.v6 == or_ack.flow.destination.v6);
  OrAck signed_by = or_ack;
  signed_by.key_id = static_cast<std::uint16_t>(key.epoch);
  Words all = words(signed_by);
  const unsigned count = words_of(or_ack.flow.source.v6);
  weir_or_ack_put(&all[count - WEIR_OR_ACK_TAG_BEFORE_END], tag_of(signed_by, key));
  OrAckBytes out;
  out.size = 4 * std::size_t{count};
  std::memcpy(out.bytes.data(), all.data(), out.size);
  return out;
}

std::optional<OrAck> read_or_ack(std::span<const std::uint8_t> payload, const Address& from, const Address& to) {
  if (from.v6 != to.v6) return std::nullopt;
  const unsigned count = words_of(to.v6);
  if (payload.size() != 4 * std::size_t{count}) return std::nullopt;
  Words all{};
  std::memcpy(all.data(), payload.data(), payload.size());
  const unsigned head = WEIR_BE32(all[WEIR_OR_ACK_AT_HEAD]);
  if ((head & 0xffff0000) != WEIR_BE32(weir_or_ack_head(flags_of(to.v6), 0))) return std::nullopt;
  OrAck out;
  out.flow.source = to;
  out.flow.destination = from;
  // the source but for its first two bytes
  const auto* source = reinterpret_cast<const std::uint8_t*>(&all[WEIR_OR_ACK_AT_SOURCE]);
  if (std::memcmp(source + 2, to.bytes.data() + 2, to.size() - 2) != 0) return std::nullopt;
  if (std::memcmp(&all[destination_of(to.v6)], from.bytes.data(), from.size()) != 0) return std::nullopt;
  out.key_id = static_cast<std::uint16_t>(head);
  out.seq = WEIR_BE32(all[WEIR_OR_ACK_AT_SEQ]);
  const unsigned ports = WEIR_BE32(all[count - WEIR_OR_ACK_PORTS_BEFORE_END]);
  out.flow.source_port = static_cast<std::uint16_t>(ports >> 16);
  out.flow.destination_port = static_cast<std::uint16_t>(ports);
  out.received = std::bit_cast<std::int64_t>(weir_or_ack_get(&all[count - WEIR_OR_ACK_RECEIVED_BEFORE_END]));
  return out;
}

const PairKey* key_of(const OrAck& or_ack, const PairKeys& keys) {
  for (const PairKey* key : {&keys.current, &keys.previous, &keys.next})
    if (static_cast<std::uint16_t>(key->epoch) == or_ack.key_id) return key;
  return nullptr;
}

bool tag_is_right(std::span<const std::uint8_t> payload, const OrAck& or_ack, const PairKey& key) {
  std::array<unsigned, 2> tag{};
  if (payload.size() < sizeof tag) return false;
  std::memcpy(tag.data(), payload.data() + payload.size() - sizeof tag, sizeof tag);
  // One comparison of 64 bits takes the same time whatever is wrong.
  return weir_or_ack_get(tag.data()) == tag_of(or_ack, key);
}

}  // namespace weir::hosts
