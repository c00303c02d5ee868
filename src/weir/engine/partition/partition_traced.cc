// Partitions that record single events.
#include "weir/engine/partition/partition-inl.h"

namespace weir::engine {

template class Partition<sim::WheelScheduler, net::Recorder>;

}  // namespace weir::engine
