// Context: what a traffic source is told about its scenario when it is made, for authors of sources.
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

// Random streams are numbered by source and host (Context::stream). Each source has kStreamsPerSource numbers, which is
// more than a network may have hosts.
inline constexpr std::uint32_t kStreamsPerSource = 1u << 22;
inline constexpr std::uint32_t kMaxSources = 1u << 10;
static_assert(kMaxHosts <= kStreamsPerSource);

// The tag and transport profile of a source's flows.
struct Labels {
  std::uint16_t tag = 0;
  std::uint16_t profile = 0;
};

// What a source is made with.
struct Context {
  // Returns the scenario's index of a name. Throws InputError if there is no such name; the error is about `where`, the
  // place of the name in a file, if it has one.
  using IndexOf = std::function<std::uint16_t(const std::string& name, const Where&)>;

  std::vector<Rate> host_rates;  // rate of each host's link; the length is the number of hosts
  std::uint64_t seed = 1;
  std::uint32_t source = 0;  // the source's place in the scenario, from 0; part of its random streams
  Labels labels;
  bool completion = false;  // the source's flows are one collective, whose completion is reported
  IndexOf tag_of;           // of names in files and parameters, as profile_of; empty = files may have no such column
  IndexOf profile_of;
  std::function<void(const std::string&)> notice;  // is told what a source leaves out of its file; may be empty
  std::string folder;                              // file names are relative to this folder; "" = the working directory

  std::uint32_t hosts() const { return static_cast<std::uint32_t>(host_rates.size()); }

  // The random stream of one host in this source, or of the source as a whole (host 0). No two sources
  // share a stream, so a further source at the end of a scenario leaves the flows of the others as they
  // are. Throws InputError about the source if there are more than kMaxHosts hosts or kMaxSources sources.
  RandomStream stream(Purpose purpose, std::uint32_t host = 0) const {
    if (hosts() > kMaxHosts)
      throw InputError("", "traffic can address at most " + std::to_string(kMaxHosts) + " hosts");
    if (source >= kMaxSources)
      throw InputError("", "at most " + std::to_string(kMaxSources) + " traffic sources are possible");
    return {seed, source * kStreamsPerSource + host, purpose};
  }
};

}  // namespace weir::traffic
