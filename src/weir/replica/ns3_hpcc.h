// The simulator of HPCC's authors (github.com/alibaba-edu/High-Precision-Congestion-Control, commit 9f4be2a9), written
// a second time: the same network gives the same completion times to the nanosecond, whatever is random excepted.
// It is what a scenario gets with run.fidelity = "ns3-hpcc". docs/guides/from-ns3.md tells how it differs from Weir.
//
// It is plain, one thread and two events per packet and link. Memory grows with the number of flows.
#pragma once

#include <functional>
#include <vector>

#include "weir/replica/ns3_network.h"
#include "weir/replica/ns3_params.h"
#include "weir/replica/plain_engine.h"
#include "weir/traffic/traffic.h"

namespace weir::replica {

class Ns3Hpcc final : public PlainEngine {
 public:
  // The model and the traffic must outlive this. The model has one profile, of an algorithm that the replica has a form
  // of, lossless buffers, and whole nanoseconds of delay (scenario/ns3_rules.cc sees to it).
  Ns3Hpcc(const engine::Model& model, const Ns3Params& params, traffic::Traffic& traffic, Time stop);

  engine::Counters counters() const override { return network_.counters(); }

  std::uint32_t queued_bytes(std::uint32_t port) override {
    return static_cast<std::uint32_t>(network_.ports()[port].queued);
  }
  engine::PortFigures port_figures(std::uint32_t port) override;
  engine::SwitchFigures switch_figures(std::uint32_t s) const override {
    return {.dropped = network_.switches()[s].drops, .pauses_sent = network_.switches()[s].pauses_sent};
  }
  // In order of their ids.
  void for_each_active(const std::function<void(const host::FlowView&)>& visit) const override;

 private:
  void run_until(Time end) override;
  bool idle() const override;
  std::vector<host::FlowRecord>& finished() override { return network_.finished(); }

  Ns3Network network_;
};

}  // namespace weir::replica
