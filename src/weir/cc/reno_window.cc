#include "weir/cc/reno_window.h"

#include <algorithm>

namespace weir::cc {

void RenoWindow::grow(const Ack& ack, Bytes packet, std::int64_t limit) {
  if (events_.recovering() || !in_use(ack, window_)) return;
  if (window_ < threshold_) {
    window_ += std::min(ack.acked, packet * limit);
    return;
  }
  if (!ack.window_limited) return;
  acked_ += ack.acked;
  if (acked_ < window_) return;
  acked_ -= window_;
  window_ += packet;
}

void RenoWindow::reduce(Bytes size, Time now, Bytes snd_nxt) {
  window_ = std::min(window_, size);
  threshold_ = size;
  acked_ = {};
  events_.reduce(now, snd_nxt);
}

void RenoWindow::on_loss(const Loss& loss, Bytes packet) {
  if (events_.counts(loss)) reduce(half_of_flight(loss.in_flight, 2 * packet), loss.now, loss.snd_nxt);
  if (loss.kind == Loss::Kind::timeout) {
    events_.time_out(loss);
    window_ = packet;
  }
}

}  // namespace weir::cc
