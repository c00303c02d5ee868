#include "weir/engine/partition/partition-inl.h"

namespace weir::engine {

template class Partition<sim::WheelScheduler, net::NoTracer>;

}  // namespace weir::engine
