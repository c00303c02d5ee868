// Permutation traffic: every host sends one flow and receives one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

// The pairs form one random cycle through all hosts that take part, each of the (n - 1)! cycles
// being equally likely; so nobody sends to itself. Flows come in order of src.
class Permutation : public Source {
 public:
  struct Params {
    Bytes size;
    Time start;
    std::string hosts = "all";

    static void describe(ParamList<Params>& p) {
      p.bytes("size", &Params::size, "size of each flow", "", Bytes{1}, kMaxFlowSize).required = true;
      p.time("start", &Params::start, "all flows start");
      p.text("hosts", &Params::hosts, "those that take part: \"all\", \"0-15\", \"0-3,8\"");
    }
  };

  Permutation(const Params&, const Context&);

  std::optional<Flow> next() override;

 private:
  Params params_;
  std::vector<std::uint32_t> hosts_;
  std::vector<std::uint32_t> successor_;  // hosts_[i] sends to successor_[i]
  std::size_t sent_ = 0;
};

}  // namespace weir::traffic
