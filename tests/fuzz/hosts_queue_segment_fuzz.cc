// The headers of a packet, as the kernel hands them over: whatever they say, nothing is read behind what was copied,
// and no segment is longer than its packet or than its length can say.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "hosts/queue/segment.h"

using namespace weir::hosts;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first two bytes: by how much the packet is longer than what was copied.
  if (size < 2) return 0;
  const std::size_t more = std::size_t{data[0]} << 8 | data[1];
  const std::vector<std::uint8_t> copied(data + 2, data + size);  // so that reading behind it is seen
  const auto segment = read_segment(copied.data(), copied.size(), copied.size() + more);
  if (!segment) return 0;
  constexpr std::size_t kLongest = 65'535 + 40;
  if (segment->length > std::max(copied.size() + more, kLongest)) std::abort();
  if (segment->flow.source.v6 != segment->flow.destination.v6) std::abort();
  return 0;
}
