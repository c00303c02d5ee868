// A plug-in whose second algorithm has the name of one of Weir.
#include "weir/cc/plugin.h"

namespace {

struct Window {
  struct Params {
    std::int64_t packets = 8;
    static void describe(weir::ParamList<Params>& p) { p.integer("packets", &Params::packets, 1, 100, "window"); }
  };
  Window(const Params& p, const weir::cc::FlowFacts& flow, weir::cc::Control& control) {
    control.window = {p.packets * flow.payload.count};
  }
  void on_ack(const Params&, const weir::cc::FlowFacts&, const weir::cc::Ack&, weir::cc::Control&) {}
};
struct First : Window {
  static constexpr weir::cc::About about{.name = "first", .title = "First", .source = "this test"};
  using Window::Window;
};
struct Second : Window {
  static constexpr weir::cc::About about{.name = "hpcc", .title = "Second", .source = "this test"};
  using Window::Window;
};

}  // namespace

WEIR_PLUGIN(First, Second)
