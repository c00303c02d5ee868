// What HPCC's public simulator did (data/reference/ns3-hpcc), and the same network in Weir.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/scenario/scenario.h"
#include "weir/traffic/flow.h"

namespace weir::validation {

struct ArtifactRun {
  std::string name;      // of its results
  std::string scenario;  // in this folder
  std::string flows;     // name of its flows
  std::vector<std::string> settings;
  Time arrivals;       // how long flows arrive and, on the fat tree, queues are sampled; 0 = they are not
  bool quick = false;  // the others run only with WEIR_VALIDATION=all or when documents are written

  bool hpcc() const { return scenario.find("hpcc") != std::string::npos; }
  bool fat_tree() const { return scenario.starts_with("fat-tree"); }
  // By how much a full packet of this run takes less than it should on the artifact's links of 100 Gb/s.
  double clock() const { return hpcc() ? 87.2 / 87 - 1 : 83.84 / 83 - 1; }

  friend std::ostream& operator<<(std::ostream& out, const ArtifactRun& run) { return out << run.name; }
};
const std::vector<ArtifactRun>& runs();
bool all_runs();  // not only the quick ones

// Sees what waits at every port of a switch at 0, 1 us, 2 us, ... before anything happens at that instant.
using QueueSampler = std::function<void(std::uint32_t port, std::uint32_t queued)>;
inline constexpr Time kSampleInterval{1'000'000};

// Telemetry as the artifact carries it.
inline const std::vector<std::string> kWire{"transport.int_mode=wire", "transport.int_multiplier=4"};
// The artifact's physics: the replica.
inline const std::vector<std::string> kReplica{"run.fidelity=ns3-hpcc", "transport.int_multiplier=4", "algorithm.T=0"};

struct Instance {
  std::shared_ptr<const engine::Model> model;
  scenario::Scenario scenario;       // by the rules of its fidelity
  std::vector<traffic::Flow> flows;  // in order of start, which is that of their ids
};
Instance instance_of(const ArtifactRun& run, const std::vector<std::string>& settings = {});

// Completion times of Weir or the replica, by flow. Fails the test if a packet was paused, lost or sent again.
// `sampler` sees every port at 0, 1 us, 2 us, ... sample_until.
std::vector<Time> simulate(const Instance& instance, Time sample_until = {}, const QueueSampler& sampler = {});

// The rows of a file of the artifact's, each by the names of its columns.
using Row = std::map<std::string, std::string>;
std::vector<Row> read_rows(const std::string& file);

struct Completion {
  Time fct;
  Time standalone;  // the artifact's own ideal, in which it loses fractions of a nanosecond
};
std::vector<Completion> artifact_results(const ArtifactRun& run);

}  // namespace weir::validation
