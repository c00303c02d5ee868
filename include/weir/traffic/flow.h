// Flows as traffic generators hand them over, in order of their start.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "weir/base/units.h"

namespace weir::traffic {

// 1 PB: sizes stay exact in a double, and no sum of two overflows.
inline constexpr Bytes kMaxFlowSize{1'000'000'000'000'000};

struct Flow {
  std::uint64_t id = 0;  // 0, 1, 2, ... in order of start (ties: in order of the sources)
  Time start;
  std::uint32_t src = 0;  // hosts, src != dst
  std::uint32_t dst = 0;
  Bytes size;                 // payload, 1 B to kMaxFlowSize
  std::uint16_t tag = 0;      // which traffic source; indexes the scenario's list of tags
  std::uint16_t profile = 0;  // which transport profile (algorithm and its parameters)
  std::uint16_t sport = 0;    // for the ECMP hash
  std::uint16_t dport = 0;
};

// A stream of flows with non-decreasing start times. State is O(hosts), never O(flows).
class Source {
 public:
  virtual ~Source() = default;
  // The next flow, or nothing when the stream has ended. id, tag and profile are set by the caller.
  virtual std::optional<Flow> next() = 0;
  // A stream that goes on as this one does, apart from it.
  virtual std::unique_ptr<Source> clone() const = 0;
  // No flow starts then or later; Time::max() = that is not known before all are drawn.
  virtual Time end() const { return Time::max(); }
};

// Base of a source S that can be copied.
template <class S>
class CopyableSource : public Source {
 public:
  std::unique_ptr<Source> clone() const override { return std::make_unique<S>(static_cast<const S&>(*this)); }
};

}  // namespace weir::traffic
