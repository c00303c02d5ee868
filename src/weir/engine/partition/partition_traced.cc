// Partitions that record single events.
#include "weir/engine/partition/partition-inl.h"

namespace weir::engine {

template class Partition<sim::WheelScheduler, net::Recorder>;
template class Partition<sim::HeapScheduler, net::Recorder>;

}  // namespace weir::engine
