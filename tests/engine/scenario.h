// Small scenarios for tests of the engine, and what a run of one leaves behind.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/engine/time/simulation.h"
#include "weir/net/model/topologies.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/flow.h"
#include "weir/traffic/program.h"

namespace weir::engine {

using Settings = std::vector<std::pair<std::string, std::string>>;  // key, text

// A way of sending by the catalogue's algorithm of this name.
host::Profile profile(std::string_view algorithm, const Settings& settings = {});
host::Profile profile(const cc::Algorithm& algorithm);
// A fixed window that is never full.
host::Profile unlimited();
// No window and no pacing, but its packets carry telemetry.
host::Profile telemetry_reader();

// Everything of a scenario but the seed's other consequences; one can be run any number of times.
struct Scenario {
  std::uint64_t seed = 1;
  net::Topology topology;
  net::NetworkParams network;  // but for the kind of port
  net::BufferParams buffer;
  net::EcnParams ecn;
  std::vector<net::EcnOverride> ecn_overrides;
  net::AdaptiveParams adaptive;
  net::WatchdogParams watchdog;
  std::vector<net::ClassRow> classes;
  FaultRows faults;
  host::TransportParams transport;
  host::HostParams host;
  host::ClockParams clocks;
  std::vector<host::Profile> profiles;
  std::vector<traffic::Flow> flows;  // explicit ones, in any order
  traffic::Program program;
  std::shared_ptr<const traffic::Driver> driver;  // a run drives its hosts by a copy; null: nobody does
  double poisson_load = 0;                        // and random ones: 0 = none
  Time poisson_stop;
  Time stop = Time::max();
  Time sample;       // look at the state this often; 0 = only at the end
  std::string text;  // for messages

  std::unique_ptr<Model> model(net::PortKind port = net::PortKind::fifo) const;
  std::unique_ptr<traffic::Traffic> traffic() const;
  // Bytes of a switch's buffer that reserves and headroom take, at most over all switches.
  std::int64_t set_aside() const;

  void add_flow(std::uint32_t src, std::uint32_t dst, Bytes size, Time start = {}, std::uint16_t profile = 0);
};

// Two leaves with so many hosts each, under the spines of net::LeafSpine; without profiles and flows.
Scenario two_leaves(std::uint32_t hosts_per_leaf);

// How many random scenarios a test should run: so many, or what the environment variable WEIR_SCENARIOS says.
std::uint64_t scenario_count(std::uint64_t usual);

// A scenario drawn at random: topology, rates, delays, buffers, marking, algorithms and traffic, all small.
Scenario random_scenario(std::uint64_t seed);

struct Outcome {
  std::vector<host::FlowRecord> flows;  // in order of (finish, id)
  Counters counters;
  std::vector<std::uint64_t> samples;  // state digests
  std::uint64_t digest = 0;
  Time end;
  std::uint32_t threads = 1;
  std::vector<NodeTimes> nodes;  // of the program
  std::optional<Stall> stall;
  std::optional<FastForwardReport> fast_forward;
};

struct Way {
  net::PortKind port = net::PortKind::fifo;
  SchedulerKind scheduler = SchedulerKind::automatic;
  std::uint32_t threads = 1;
  Time step = Time::max();  // advance() so far at a time
  Ranks* ranks = nullptr;
  FastForwardParams fast_forward{.theta = 0};
};
std::string name_of(const Way& way);

Outcome run(const Scenario& scenario, const Way& way = {});

// "" if both are the same in all but the number of events, else the first difference.
std::string difference(const Outcome& a, const Outcome& b);

}  // namespace weir::engine
