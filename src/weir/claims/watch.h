// A run of a claim's scenario, with a port watched at regular instants.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weir/claims/claim_scenario.h"
#include "weir/scenario/build.h"
#include "weir/scenario/perturbation.h"

namespace weir::claims {

class Watch {
 public:
  struct Sample {
    Time time;
    std::int64_t queue = 0;  // bytes that wait
    std::int64_t sent = 0;   // bytes that have begun to leave, since the start of the run
  };
  using Look = std::function<void(Time now, const host::FlowView& flow)>;

  // `ports` as in a probe's list, such as "17->16", or "->16": all that lead to host 16. Of several, what is told below
  // is of the one that has sent most. Where a perturbation has traffic count hosts from the other end, these ports and
  // the hosts of flows that are told are still those of the scenario as it is written.
  Watch(const ClaimFile& file, const std::string& ports, const std::vector<std::string>& overrides = {});

  // Samples at 0, step, 2 step, ... until; `look` sees every active flow at these times.
  void record(Time step, Time until, const Look& look = {});

  const std::vector<Sample>& samples() const { return of_ports_[busiest_]; }
  // Flows that have ended, in order of their finish.
  const std::vector<host::FlowRecord>& finished() const { return finished_; }
  // When a host's only flow ended. Throws Unfounded if it has not.
  Time finish_of(std::uint32_t src) const;
  engine::Counters counters() const { return run_.simulation->counters(); }
  const engine::Simulation& simulation() const { return dynamic_cast<const engine::Simulation&>(*run_.simulation); }
  Rate rate() const;           // of the port
  double share(Rate r) const;  // of the port's

  // The first sample with the longest queue.
  const Sample& peak() const;
  // The first sample after `from` with a queue below `bytes`.
  Time drained(Bytes bytes, Time from) const;
  // Sent in [from, to), both of which have been recorded (else it throws Unfounded), as a share of what the
  // link carries; both on the grid of samples.
  double utilisation(Time from, Time to) const;
  // The least of it over consecutive intervals of `bin`, the first of which begins at `from`.
  double least_utilisation(Time bin, Time from, Time to) const;

 private:
  Watch(const scenario::Scenario& scenario, const std::string& ports);
  std::vector<std::uint32_t> chosen(const std::string& ports) const;
  const Sample& at(Time time) const;
  std::uint32_t as_written(std::uint32_t host) const { return scenario::mirrored_host(host, mirrored_hosts_); }

  std::uint32_t mirrored_hosts_ = 0;
  scenario::Run run_;
  std::vector<std::uint32_t> ports_;
  Time step_;
  std::vector<std::vector<Sample>> of_ports_;
  std::size_t busiest_ = 0;  // of these
  std::vector<host::FlowRecord> finished_;
};

}  // namespace weir::claims
