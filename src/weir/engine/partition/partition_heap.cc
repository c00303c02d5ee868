// The plain engine, compiled apart: beside it less of the other would be inlined.
#include "weir/engine/partition/partition-inl.h"

namespace weir::engine {

template class Partition<sim::HeapScheduler, net::NoTracer>;

}  // namespace weir::engine
