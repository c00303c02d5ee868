// What every traffic source is told about the scenario that it is part of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/limits.h"
#include "weir/base/random.h"
#include "weir/base/units.h"

namespace weir::traffic {

// Random streams are numbered by source and host (Context::stream). There is room for kStreamsPerSource hosts, more
// than a network may have.
inline constexpr std::uint32_t kStreamsPerSource = 1u << 22;
inline constexpr std::uint32_t kMaxSources = 1u << 10;
static_assert(kMaxHosts <= kStreamsPerSource);

// The tag and transport profile of a source's flows.
struct Labels {
  std::uint16_t tag = 0;
  std::uint16_t profile = 0;
};

struct Context {
  // A name as the scenario's index; throws InputError at the place of the name, if it has one, if there is no such
  // thing.
  using IndexOf = std::function<std::uint16_t(const std::string& name, const Where&)>;

  std::vector<Rate> host_rates;  // of each host's link; its length is the number of hosts
  std::uint64_t seed = 1;
  std::uint32_t source = 0;  // the source's place in the scenario: part of its random streams
  Labels labels;
  bool completion = false;  // the source's flows are taken as one Program, whose completion is reported
  IndexOf tag_of;           // both for names in files and parameters; empty = such a column is refused
  IndexOf profile_of;
  std::string folder;  // relative file names start here; "" = the working directory

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(host_rates.size()); }

  // A random stream of one host in this source, or of the whole source (host 0). No two sources
  // share a stream, so one more source at the end of a scenario leaves the others' flows as
  // they were. Throws InputError about the source if there are more hosts or sources than streams.
  RandomStream stream(Purpose purpose, std::uint32_t host = 0) const {
    if (hosts() > kMaxHosts)
      throw InputError("", "traffic can address at most " + std::to_string(kMaxHosts) + " hosts");
    if (source >= kMaxSources)
      throw InputError("", "at most " + std::to_string(kMaxSources) + " traffic sources are possible");
    return {seed, source * kStreamsPerSource + host, purpose};
  }
};

}  // namespace weir::traffic
