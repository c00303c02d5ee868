// How often and how long ports were paused by priority flow control. Costs nothing while the
// run lasts: the ports count for themselves.
#pragma once

#include <string>
#include <string_view>

#include "weir/base/params.h"
#include "weir/probe/port_params.h"
#include "weir/probe/probe.h"

namespace weir::probe {

struct PfcParams {
  std::string ports = "all, hosts";

  static void describe(ParamList<PfcParams>& p) {
    p.text("ports", &PfcParams::ports, std::string("ports whose pauses count") + kPortsHelp);
  }
};

class PfcProbe : public Probe {
 public:
  using Params = PfcParams;
  static constexpr std::string_view kName = "pfc";
  static constexpr std::string_view kMeaning = "how often and how long ports were paused";
  static constexpr bool kNeedsPackets = true;

  static void check(const Params&, const Checks&);
  static void add_possible(const Params&, const Setting&, Summary&);
  PfcProbe(const Params&, const Context&);

  void finish(Summary&) override;

 private:
  const Params params_;
  engine::Engine& simulation_;
  ResultDirectory* const out_;
};

}  // namespace weir::probe
