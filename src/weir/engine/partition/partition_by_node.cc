#include "weir/engine/partition/partition-inl.h"

namespace weir::engine {

template class Partition<sim::NodeScheduler, net::NoTracer>;

}  // namespace weir::engine
