// Which algorithm `operation = "all-reduce"`, `"all-gather"` or `"reduce-scatter"` is: the one that NCCL's tuning
// (traffic/nccl_tuning.h) expects to be the quickest for servers, links and size as they are.
#pragma once

#include <string>

#include "weir/traffic/collectives.h"
#include "weir/traffic/context.h"
#include "weir/traffic/nccl_tuning.h"

namespace weir::traffic {

struct CollectiveChoice {
  Collective collective;  // with another operation, and with channels, chunks and slots as that needs them
  std::string reason;     // a sentence; "" = there was nothing to choose
};

// What the model is told of process groups: a GPU's links within its server as `scale_up_rate` has them, the slowest
// NIC of a host, twice as many channels as GPUs of a server. Of several servers a ring and a tree have the slower of
// both.
NcclCluster nccl_cluster(const Collective&, std::uint32_t servers, std::uint32_t gpus, Rate nic);

// Whether an operation is one that is chosen.
bool is_to_choose(Operation);

// Channels above 1, chunks above 1 and slots above 0 stay as they are. Throws InputError if the hosts do not fit.
CollectiveChoice choose_collective(const Collective&, const Context&);

// The same, and tells context.notice.
Collective chosen(const Collective&, const Context&);

}  // namespace weir::traffic
