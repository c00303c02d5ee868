// What a run's effective scenario says of the experiment: what runs have in common, and in what they differ.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/report/run.h"

namespace weir::report {

// An effective scenario as dotted keys and values, in its order: {"network.ecn.enabled", "true"}.
using Settings = std::vector<std::pair<std::string, std::string>>;

// Throws InputError if the run's scenario is no TOML.
Settings settings_of(const Run& run);

// The algorithms of the run's flows that finished, or of those that were to if none did, each as runs are told apart by
// it: its name, or its profile's, and the policy that decides if one does, "pcc_rl (wide)". A policy of a file has the
// file's name without its end.
std::vector<std::string> algorithms_of(const Run& run, const Settings& settings);

// One line on the network and the traffic: "fat-tree, k 4, 100 Gbps · web at 30 % load · ECN off · buffer 32 MB,
// lossless". Where runs differ, each of their values stands there, or how many there are, and behind each the
// algorithms whose it is if every algorithm has one: "ECN off (hpcc) / ECN above 975 KB at 100 Gbps (dctcp)".
// Thresholds of ECN are those at the rates of the topology's links. Empty without runs.
std::string setting_line(std::span<const Settings> runs);

// What happens to links, one sentence for each of [[network.link_event]] in its order: "at 30 us the links 8-11 go
// down; from then on no switch sends over them". Where switches do not reroute, that packets are lost there meanwhile.
std::vector<std::string> link_events(const Settings& run);

// What `weir fork` has changed in the run, and when, in one sentence; "" if the run is no fork.
std::string fork_event(const Run& run);
// That the run was changed while it went on, in one sentence; "" if it was not.
std::string steering_event(const Run& run);

// A run's flows, and how many of them it ended without.
struct Unfinished {
  std::string run;
  std::uint64_t unfinished = 0;
  std::uint64_t finished = 0;
};

// "Flows that had not finished when their run ended are not in it: 12 of 960 of hpcc, 3 of 960 of dcqcn."; "" if all
// have finished. Of several runs those that lack the most come first.
std::string left_out_text(std::vector<Unfinished> runs);

// For each of the runs, the keys that have not the same value in all of them, with the run's own. Of tables that are of
// different kinds, the kinds alone: an algorithm's parameters differ with the algorithm. The algorithm itself with its
// policy, the title, probes and the number of threads are left out.
std::vector<Settings> differences(std::span<const Settings> runs);

}  // namespace weir::report
