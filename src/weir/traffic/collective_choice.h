// Chooses the algorithm of `operation = "all-reduce"`, `"all-gather"` or `"reduce-scatter"`: the one that NCCL's tuning
// (traffic/nccl_tuning.h) expects to be the quickest for the given servers, links and size.
#pragma once

#include <string>

#include "weir/traffic/collectives.h"
#include "weir/traffic/context.h"
#include "weir/traffic/nccl_tuning.h"

namespace weir::traffic {

struct CollectiveChoice {
  Collective collective;  // with the operation chosen, and the channels, chunks and slots that it needs
  std::string reason;     // a sentence for the user; "" = there was no choice
};

// The cluster as NCCL's model sees it: a GPU has `scale_up_rate` within its server, `nic` is the rate of the slowest
// NIC of a host, and there are twice as many channels as GPUs in a server. With several servers, rings and trees run at
// the slower of the two rates.
NcclCluster nccl_cluster(const Collective&, std::uint32_t servers, std::uint32_t gpus, Rate nic);

// Whether the algorithm of the operation is left to the choice.
bool is_to_choose(Operation);

// Keeps channels and chunks above 1 and slots above 0 as they are. Throws InputError if the hosts do not fit.
CollectiveChoice choose_collective(const Collective&, const Context&);

// The same, and reports the reason by context.notice.
Collective chosen(const Collective&, const Context&);

}  // namespace weir::traffic
