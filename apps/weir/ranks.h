// Processes that mpirun has started as one run (engine/parallel/ranks.h): how they find each other, and what they have
// to agree on before they begin.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weir/engine/parallel/ranks.h"

namespace weir::app {

// How many processes mpirun has started as ranks of one run, this one among them, as it tells; "" = none.
std::string started_ranks();

// Calls body(ranks) where mpirun has started several processes, body(nullptr) otherwise, and returns its exit status.
// What it throws at one rank ends all of them, with the rank's name and the reason. Throws InputError if the module for
// this MPI is not there.
int on_ranks(const std::function<int(engine::Ranks*)>& body);

// One thing that all ranks do before the run, or that rank 0 does for all: if it throws at any of them, all end, and
// rank 0 tells why. Of one process, it is just done.
void together(engine::Ranks* ranks, const std::function<void()>& step);

// By name, like "scenario", what has to be the same at all ranks: checksums or short texts. Ends all of them, with
// status 2, if it is not. The program itself and its plug-ins are always among it.
using Facts = std::vector<std::pair<std::string, std::string>>;
void must_agree(engine::Ranks* ranks, const Facts& facts);

// How many of the ranks are on this machine, this one among them; collective.
std::uint32_t ranks_here(engine::Ranks* ranks);

// What makes ranks wait for a processor: too many threads for those that they may use. At rank 0; nothing at others.
std::vector<std::string> crowding(engine::Ranks& ranks, std::uint32_t threads);

}  // namespace weir::app
