// Alpha-fair rates of flows that come and go: alpha_fair() of theory/alpha_fair.h, which goes on from where it was.
//
// A link keeps its register between updates. Only links whose flows have changed are filled again, one at a time; where
// that changes flows, their other links are looked at in turn, until the loads of all are right within kAlphaFair.
// Where this takes long, since many flows meet on many links, steps of Newton's method are taken in between
// (newton_step.h): one whenever filling has cost about as much as a step does. A step that does not bring the loads
// nearer is taken back, so that the rates are found where filling alone would find them. They are those of alpha_fair()
// as far as the tolerance tells them.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "weir/theory/live_network.h"
#include "weir/theory/live_rates.h"
#include "weir/theory/newton_step.h"

namespace weir::theory {

class LiveAlphaFair final : public LiveRates {
 public:
  // By link, > 0; alpha from kLeastAlpha to kLargestAlpha (theory/alpha_fair.h).
  LiveAlphaFair(std::vector<double> capacities, double alpha);

  void add(std::uint32_t flow, std::span<const Use> path) override;
  void remove(std::uint32_t flow) override;
  // Throws std::runtime_error if the rates are not found after ten million links have been filled.
  std::span<const std::uint32_t> update() override;
  double rate(std::uint32_t flow) const override { return flows_[flow].rate; }

  const LiveNetwork& network() const override { return network_; }
  const Effort& effort() const override { return effort_; }

 private:
  struct FlowState {
    double rate = 0;
    double before = 0;
    std::uint32_t touched = 0;  // the last update that worked it out
  };
  struct LinkState {
    double register_log = 0;  // infinite: not full
    bool waits = false;       // to be looked at
  };
  // A flow on the link that is being filled.
  struct Part {
    double others = 0;  // the logarithm of the prices of its other links
    double share_log = 0;
    double share = 1;
  };

  double price(std::uint32_t flow, std::uint32_t without) const;
  void touch(std::uint32_t flow);
  void set_rate(std::uint32_t flow);
  void look_at(std::uint32_t link);
  bool is_right(std::uint32_t link) const;
  double level(std::uint32_t link);
  void fill(std::uint32_t link);
  bool step();
  double set_prices();
  double set_rates(double unit);
  void tell_changed();

  LiveNetwork network_;
  const double alpha_;
  std::vector<FlowState> flows_;
  std::vector<LinkState> links_;
  std::uint32_t number_ = 1;  // of the next update
  std::deque<std::uint32_t> waiting_;
  std::vector<std::uint32_t> touched_;
  std::vector<Part> parts_;
  NewtonStep newton_;
  std::size_t present_ = 0;        // flows
  std::vector<double> prices_;     // by link, of a step
  std::vector<double> registers_;  // by link, as a step found them
  std::vector<double> loads_;      // by link, after it
  std::vector<std::uint32_t> changed_;
  Effort effort_;
};

}  // namespace weir::theory
