// weir bench --mpi: what it takes ranks to tell each other how far they are, and how much they tell.
#pragma once

#include <cstdint>

namespace weir::app {

// Returns the exit status. Throws InputError unless mpirun has started several processes.
int bench_ranks(std::uint32_t threads, bool json);

}  // namespace weir::app
