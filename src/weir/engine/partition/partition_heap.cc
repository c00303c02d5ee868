// The plain engine, with and without a tracer. The others are compared with it, and its speed does not count.
#include "weir/engine/partition/partition-inl.h"

namespace weir::engine {

template class Partition<sim::HeapScheduler, net::NoTracer>;
template class Partition<sim::HeapScheduler, net::Recorder>;

}  // namespace weir::engine
