// Checkpointing: the whole state of a run as bytes, and runs that are copied by fork(2).
#pragma once

#include <cstdint>
#include <stdexcept>

#include "weir/base/archive.h"

namespace weir::engine {

// All calls come between calls of Engine::advance().
class Checkpointing {
 public:
  virtual ~Checkpointing() = default;

  // save() writes the whole state of the run, without a header. load() reads it into an engine that has just been built
  // from the same model and the same traffic, with as many partitions(). That engine then goes on as this one does,
  // whatever its threads and its scheduler. Samplers must be added to it before load(), in the same order as to this
  // one, and go on where this one's were. load() throws InputError if the bytes do not fit; the engine must not be used
  // then. Both throw std::logic_error if the engine cannot be saved, save() also if the run has stalled.
  virtual void save(Saver&) { throw std::logic_error("this engine cannot be saved"); }
  virtual void load(Loader&) { throw std::logic_error("this engine cannot be loaded"); }
  // Makes the threads of the run anew. The child of a fork(2) calls it before anything else: that process is then a
  // copy of this one, which goes on by itself at the cost of the pages that either of them writes to.
  virtual void after_fork() {}
  // The number of parts into which the network is divided.
  virtual std::uint32_t partitions() const { return 1; }
};

}  // namespace weir::engine
