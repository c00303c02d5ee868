// Max-min fair rates of flows that come and go, kept up to date by looking only at what changes.
//
// Rates are max-min fair if each flow has a bottleneck: a full link on which no other flow has more (Bertsekas and
// Gallager, Data Networks, 6.5.2). After flows have come or gone, the rates of a set of flows are worked out anew by
// progressive filling, while all others keep theirs. Where another flow has lost its bottleneck, or has more than a
// flow for which the link is one, it joins the set, and the set is worked out again. When none joins, all flows have
// bottlenecks, so that the rates are those of max_min() (theory/max_min.h). The first set is the new flows and those
// whose bottleneck is on a path that has changed, whose rates always change, so that most often little is added to it.
// SimGrid's lazy updates of its max-min systems have the same aim and take connected components of full links instead.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weir/theory/live_network.h"
#include "weir/theory/live_rates.h"

namespace weir::theory {

class LiveMaxMin final : public LiveRates {
 public:
  // By link, > 0.
  explicit LiveMaxMin(std::vector<double> capacities);

  void add(std::uint32_t flow, std::span<const Use> path) override;
  void remove(std::uint32_t flow) override;
  std::span<const std::uint32_t> update() override;
  double rate(std::uint32_t flow) const override { return flows_[flow].rate; }
  std::uint32_t bottleneck(std::uint32_t flow) const { return flows_[flow].bottleneck; }

  const LiveNetwork& network() const override { return network_; }
  const Effort& effort() const override { return effort_; }

 private:
  struct FlowState {
    double rate = 0;  // kOpen while a round has not found it yet
    std::uint32_t bottleneck = LiveNetwork::kNoLink;
    std::uint32_t chosen = 0;  // the last update in whose set it was
  };
  static constexpr double kOpen = -1;
  // A flow of the set.
  struct Member {
    std::uint32_t flow = 0;
    double before = 0;  // its rate before the update
  };
  // What flows have whose rates are known, and the shares of the others, of which there are `open`.
  struct Load {
    double fixed = 0;
    double weight = 0;
    std::uint32_t open = 0;
  };
  struct LinkState {
    Load now;
    double level = 0;  // rate at which open flows fill the link
    Load first;        // as each round begins, where no flow joins that crosses the link
    std::uint32_t chosen = 0;
    std::uint32_t changed = 0;  // by the changes that the next update takes up
    std::uint32_t limited = 0;  // flows whose bottleneck it is
    bool counted = false;       // `first` is right
    bool limits = false;        // it is the bottleneck of a flow of the set
  };

  void note_change(std::uint32_t flow);
  void set_bottleneck(FlowState& flow, std::uint32_t link);
  void choose_limited(std::uint32_t link);
  void choose(std::uint32_t flow);
  void choose_link(std::uint32_t link);
  void fill();
  void sink();
  void count(std::uint32_t link);
  void settle(std::uint32_t link);
  bool grow();

  LiveNetwork network_;
  LargePageVector<FlowState> flows_;
  std::vector<LinkState> links_;
  std::uint32_t number_ = 1;  // of the next update
  std::vector<std::uint32_t> added_;
  std::vector<std::uint32_t> changed_links_;
  std::vector<Member> set_;
  std::size_t open_ = 0;                                  // of these, in this round
  std::vector<std::uint32_t> set_links_;                  // that they cross, and those that have changed
  std::vector<std::pair<double, std::uint32_t>> levels_;  // a heap of (level, link), the lowest first
  std::vector<std::uint32_t> changed_;
  Effort effort_;
};

}  // namespace weir::theory
