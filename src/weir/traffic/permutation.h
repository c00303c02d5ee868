// Permutation traffic: every host sends one flow and receives one. Some hosts may have a permutation of long flows
// among themselves (Gerstein et al., "Congestion Control for Spraying with Congested Paths", IV-A: elephants, on one
// path each by ECMP, where the others are sprayed).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

// The flows of the hosts that are no elephants. The pairs form one random cycle through all of these hosts, each of the
// (n - 1)! cycles equally likely, so no host sends to itself. Flows come in order of src.
class Permutation : public CopyableSource<Permutation> {
 public:
  struct Params {
    Bytes size;
    Time start;
    std::string hosts = "all";
    std::uint32_t members = 0;
    std::uint32_t elephants = 0;
    Bytes elephant_size;
    std::string elephant_profile;
    std::string elephant_tag = "elephants";

    static void describe(ParamList<Params>& p) {
      p.bytes("size", &Params::size, "size of each flow", "", Bytes{1}, kMaxFlowSize).required = true;
      p.time("start", &Params::start, "all flows start");
      p.text("hosts", &Params::hosts, "those that take part: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
      p.integer("members", &Params::members, 0, kMaxHosts,
                "how many of them take part, drawn at random; 0 = every one");
      p.integer("elephants", &Params::elephants, 0, kMaxHosts,
                "how many of these, drawn at random, have a permutation of elephants of their own; 0 = none",
                "Spraying IV-A");
      p.bytes("elephant_size", &Params::elephant_size,
              "size of each elephant; beyond what the run lets them send if they are to last", "", Bytes{0},
              kMaxFlowSize);
      p.text("elephant_profile", &Params::elephant_profile, "the elephants' profile; empty = that of the source");
      p.text("elephant_tag", &Params::elephant_tag, "the elephants' tag");
    }
  };

  Permutation(const Params&, const Context&);

  std::optional<Flow> next() override;

  // The long flows, with their own tag and profile.
  static std::vector<Flow> elephants(const Params&, const Context&);

 private:
  Params params_;
  std::vector<std::uint32_t> hosts_;
  std::vector<std::uint32_t> successor_;  // hosts_[i] sends to successor_[i]
  std::size_t sent_ = 0;
};

}  // namespace weir::traffic
