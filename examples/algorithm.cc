// A program with a congestion-control algorithm of its own: it joins the catalogue, and scenarios can name it.
#include <algorithm>
#include <cstdio>

#include "weir/base/error.h"
#include "weir/cc/algorithm.h"
#include "weir/scenario.h"
#include "weir/simulation.h"

namespace {

// Additive increase, multiplicative decrease on marks, once per round trip. One object is one flow's state: it is
// copied as bytes, allocates nothing and knows no simulator.
class Aimd {
 public:
  struct Params {
    double increase = 1;
    double decrease = 0.5;
    static void describe(weir::ParamList<Params>& p) {
      p.number("increase", &Params::increase, 0, 1000, "packets per round trip");
      p.number("decrease", &Params::decrease, 0, 1, "factor of the window when a packet comes back marked");
    }
  };
  static constexpr weir::cc::About about{
      .name = "aimd", .title = "AIMD", .source = "Chiu and Jain 1989, with marks", .needs = weir::cc::Needs::ecn};

  Aimd(const Params&, const weir::cc::FlowFacts& flow, weir::cc::Control& control)
      : window_(static_cast<double>(weir::bytes_in(flow.base_rtt, flow.line_rate).count)) {
    control.window = {static_cast<std::int64_t>(window_)};
  }

  void on_ack(const Params& p, const weir::cc::FlowFacts& flow, const weir::cc::Ack& ack, weir::cc::Control& control) {
    const auto packet = static_cast<double>(flow.payload.count);
    if (ack.ecn && ack.seq >= no_cut_before_) {
      window_ *= p.decrease;
      no_cut_before_ = ack.snd_nxt;
    } else {
      window_ += p.increase * packet * static_cast<double>(ack.acked.count) / window_;
    }
    window_ = std::max(window_, packet);
    control.window = {static_cast<std::int64_t>(window_)};
  }

 private:
  double window_;              // bytes
  weir::Bytes no_cut_before_;  // one cut per round trip: not before this is acknowledged
};

int run() {
  weir::cc::add_algorithm(weir::cc::describe<Aimd>());
  const std::vector<std::string> incast{"topology.kind=star",
                                        "topology.hosts=9",
                                        "network.ecn.enabled=true",
                                        "network.ecn.k_min=30 KB",
                                        "network.ecn.k_max=30 KB",
                                        "network.ecn.p_max=1",
                                        "traffic=[{kind='incast', size='1 MB', receiver='8'}]"};
  for (const char* algorithm : {"aimd", "dctcp"}) {
    auto values = incast;
    values.push_back(std::string("algorithm.name=") + algorithm);
    weir::Simulation simulation(weir::Scenario::from_values(values));
    weir::Time last;
    simulation.engine().on_finish([&](const weir::host::FlowRecord& flow) { last = flow.finish; });
    while (!simulation.advance()) {
    }
    std::printf("%-6s 8 x 1 MB to one host take %.2f us\n", algorithm, last.seconds() * 1e6);
  }
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const weir::InputError& error) {
    std::fprintf(stderr, "algorithm: %s\n", error.what());
    return 2;
  }
}
