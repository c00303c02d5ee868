// A switch's table of flowlets: the ports of bursts of packets that a gap separates, by the hash of their flow. Flows
// of one place share its flowlet. The switches of CONGA and LetFlow age their entries, and so find a gap within one to
// two periods of a timer; here an entry knows when it ends.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/units.h"
#include "weir/net/model/routing.h"
#include "weir/net/switch/path_policy.h"

namespace weir::net {

class FlowletTable {
 public:
  struct Flowlet {
    Time until;                // then it has ended, if nothing comes before
    std::uint64_t number = 0;  // of its port, as the policy counts them

    bool has_ended(Time now) const { return now >= until; }
  };

  // That of a packet, in a table with this number of places.
  Flowlet& of(const Fork& f, std::uint32_t entries) {
    if (flowlets_.empty()) flowlets_.resize(entries);
    return flowlets_[Routing::pick(f.packet.entropy, f.salt, entries)];
  }

  // Only what is not empty. Throws InputError.
  template <class A>
  void archive(A& a, std::uint32_t entries) {
    std::vector<std::uint32_t> used;
    for (std::uint32_t i = 0; i < flowlets_.size(); ++i)
      if (flowlets_[i].until > Time{}) used.push_back(i);
    a.values(used);
    if constexpr (A::kLoads) flowlets_.assign(used.empty() ? 0 : entries, {});
    for (const std::uint32_t i : used) {
      if (i >= flowlets_.size()) throw InputError("the checkpoint has a flowlet that is not possible");
      a.value(flowlets_[i]);
    }
  }

 private:
  std::vector<Flowlet> flowlets_;  // none before the first packet
};

}  // namespace weir::net
