// A plug-in: a congestion-control algorithm that `weir run --plugin` loads.
#include <cstdint>

#include "weir/cc/plugin.h"

namespace {

// A window of so many packets that halves for a round trip when one of them comes back marked.
class Halving {
 public:
  struct Params {
    std::int64_t packets = 16;
    static void describe(weir::ParamList<Params>& p) {
      p.integer("packets", &Params::packets, 2, 1000, "in the window while none is marked");
    }
  };
  static constexpr weir::cc::About about{
      .name = "halving", .title = "Halving", .source = "this example", .needs = weir::cc::Needs::ecn};

  Halving(const Params& p, const weir::cc::FlowFacts& flow, weir::cc::Control& control) {
    control.window = {p.packets * flow.payload.count};
  }

  void on_ack(const Params& p, const weir::cc::FlowFacts& flow, const weir::cc::Ack& ack, weir::cc::Control& control) {
    if (ack.ecn) until_ = ack.snd_nxt;
    const std::int64_t packets = ack.seq < until_ ? p.packets / 2 : p.packets;
    control.window = {packets * flow.payload.count};
  }

 private:
  weir::Bytes until_;  // the window is half of it until this is acknowledged
};

}  // namespace

WEIR_PLUGIN(Halving)
