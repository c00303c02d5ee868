#include "weir/engine/parallel/recordings.h"

#include <cstddef>
#include <utility>

namespace weir::engine {

void Recordings::record(std::vector<net::Recorder*> own) {
  own_ = std::move(own);
  recorders_ = own_;
  if (exchange_ != nullptr) others_.resize(exchange_->ranks().size());
  for (net::Recorder& recorder : others_) recorders_.push_back(&recorder);
}

net::TraceEvents Recordings::collect(Time end) {
  if (exchange_ != nullptr) receive();
  return order_.collect(recorders_, end);
}

// Gives the recorders of other ranks what those have recorded.
void Recordings::receive() {
  std::vector<net::TraceEvent> own;
  for (net::Recorder* recorder : own_) own.insert(own.end(), recorder->events().begin(), recorder->events().end());
  std::vector<std::vector<net::TraceEvent>> all = exchange_->others(own);
  for (std::size_t r = 0; r < all.size(); ++r) others_[r].events() = std::move(all[r]);
}

}  // namespace weir::engine
