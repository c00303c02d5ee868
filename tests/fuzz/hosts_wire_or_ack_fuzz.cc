// The payload of an OR-ACK: whatever arrives is refused, or is what would have been written, but for the bytes that
// carry nothing and the tag.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "hosts/wire/or_ack.h"

using namespace weir::hosts;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // the addresses come first
  Address from;
  Address to;
  const std::size_t addresses = 2 * from.bytes.size() + 1;
  if (size < addresses) return 0;
  from.v6 = to.v6 = (data[0] & 1) != 0;
  std::memcpy(from.bytes.data(), data + 1, from.size());
  std::memcpy(to.bytes.data(), data + 1 + from.bytes.size(), to.size());
  const std::span payload(data + addresses, size - addresses);

  const auto or_ack = read_or_ack(payload, from, to);
  if (!or_ack) return 0;
  const PairKey key{or_ack->key_id, {}};
  const bool right = tag_is_right(payload, *or_ack, key);
  OrAckBytes again = write_or_ack(*or_ack, key);
  if (again.size != payload.size()) std::abort();
  std::memcpy(again.bytes.data() + 8, payload.data() + 8, 2);
  const bool same_tag = std::memcmp(again.bytes.data() + again.size - 8, payload.data() + again.size - 8, 8) == 0;
  if (std::memcmp(again.bytes.data(), payload.data(), again.size - 8) != 0 || right != same_tag) std::abort();
  return 0;
}
