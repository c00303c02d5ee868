// uet-htsim (github.com/ultraethernet/uet-htsim, commit 40ccb052), the simulator of the Ultra Ethernet transport,
// written a second time: the same network, connections and seed give the same completion times to the picosecond, what
// is random included. It is what a scenario gets with run.fidelity = "htsim-uet". docs/guides/from-htsim.md tells how
// it differs from Weir.
//
// It is plain, one thread and three events per packet and link. Memory grows with the number of flows.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "weir/replica/plain_engine.h"
#include "weir/replica/uet_connections.h"
#include "weir/replica/uet_network.h"
#include "weir/replica/uet_params.h"

namespace weir::replica {

class HtsimUet final : public PlainEngine {
 public:
  // The model must outlive this. It has one profile, of NSCC, a network of at most three tiers, and the same rate at
  // all hosts (scenario/uet_rules.cc sees to it).
  HtsimUet(const engine::Model& model, const UetParams& params, UetConnections connections, Time stop)
      : PlainEngine(model, stop), network_(model, params, std::move(connections)) {}

  engine::Counters counters() const override { return network_.counters(); }

  std::uint32_t queued_bytes(std::uint32_t port) override;
  engine::PortFigures port_figures(std::uint32_t port) override {
    return {.sent_bytes = network_.ports()[port].sent, .marked = network_.ports()[port].marked};
  }
  engine::SwitchFigures switch_figures(std::uint32_t s) const override {
    return {.dropped = network_.switches()[s].drops};
  }
  // In order of their ids.
  void for_each_active(const std::function<void(const host::FlowView&)>& visit) const override;

  // Of a connection that is kept for them (transport.connections), in the order in which it sends them.
  const std::vector<uet::Message>& messages(std::uint32_t connection) const {
    return network_.flows()[connection].sender.messages.all;
  }

  // Calls back for each acknowledgement that a sender gets.
  void watch(std::function<void(const uet::Acknowledged&)> call) { network_.watch(std::move(call)); }

 private:
  void run_until(Time end) override { network_.run_until(end.ps); }
  bool idle() const override { return network_.idle(); }
  std::vector<host::FlowRecord>& finished() override { return network_.finished(); }

  uet::Network network_;
};

}  // namespace weir::replica
