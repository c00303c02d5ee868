// Source: a traffic generator, and Flow: what it generates. For authors of traffic sources.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "weir/base/units.h"

namespace weir::traffic {

// 1 PB: sizes stay exact in a double, and no sum of two overflows.
inline constexpr Bytes kMaxFlowSize{1'000'000'000'000'000};

// A flow as a source hands it over.
struct Flow {
  std::uint64_t id = 0;  // counts up in order of start (ties: in order of the sources)
  Time start;
  std::uint32_t src = 0;  // sending host
  std::uint32_t dst = 0;
  Bytes size;                 // payload, 1 B to kMaxFlowSize
  std::uint16_t tag = 0;      // index of its tag in the scenario's list of tags
  std::uint16_t profile = 0;  // index of its profile: algorithm, parameters, recovery
  std::uint16_t sport = 0;    // both ports for the ECMP hash; 0 = chosen when the flow is added
  std::uint16_t dport = 0;
};

// A stream of flows with non-decreasing start times. Its memory should grow with the hosts, not with the flows.
class Source {
 public:
  virtual ~Source() = default;
  // The next flow, or nothing when the stream has ended. The caller sets id, tag and profile.
  virtual std::optional<Flow> next() = 0;
  // Makes a copy that goes on as this stream does, independently of it.
  virtual std::unique_ptr<Source> clone() const = 0;
  // A time before which all flows start; Time::max() = it is not known before all flows are drawn.
  virtual Time end() const { return Time::max(); }
};

// Base of a source class S with a copy constructor, which serves as clone().
template <class S>
class CopyableSource : public Source {
 public:
  std::unique_ptr<Source> clone() const override { return std::make_unique<S>(static_cast<const S&>(*this)); }
};

}  // namespace weir::traffic
