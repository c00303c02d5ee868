#include "weir/engine/partition-inl.h"

namespace weir::engine {

template class Partition<sim::WheelScheduler, net::NoTracer>;
template class Partition<sim::HeapScheduler, net::NoTracer>;

}  // namespace weir::engine
