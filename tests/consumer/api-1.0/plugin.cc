// An algorithm in a shared library.
#include "weir/cc/plugin.h"

namespace {

class Still {
 public:
  struct Params {
    weir::Bytes window{50'000};
    static void describe(weir::ParamList<Params>& p) {
      p.bytes("window", &Params::window, "that never changes", "", weir::Bytes{1}, weir::Bytes{1'000'000});
    }
  };
  static constexpr weir::cc::About about{.name = "still", .title = "Still", .source = "this test"};
  Still(const Params& p, const weir::cc::FlowFacts&, weir::cc::Control& control) { control.window = p.window; }
  void on_ack(const Params&, const weir::cc::FlowFacts&, const weir::cc::Ack&, weir::cc::Control&) {}
};

}  // namespace

WEIR_PLUGIN(Still)
