// Partitions that record single events, and whose nodes take turns.
#include "weir/engine/partition/partition-inl.h"

namespace weir::engine {

template class Partition<sim::NodeScheduler, net::Recorder>;

}  // namespace weir::engine
