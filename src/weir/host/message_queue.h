// The messages of a flow at one of its ends, in the order in which they were sent: for a connection those that are not
// complete, for any other flow the one message that it carries.
//
// A connection numbers its bytes from 0 on, and each packet begins at a multiple of the payload. So each message begins
// at a multiple of the payload, and where its last packet is shorter, a gap of byte numbers follows that nobody sends:
// the message *spans* them.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/archive.h"
#include "weir/base/units.h"
#include "weir/host/flow_view.h"
#include "weir/traffic/driver.h"

namespace weir::host {

struct QueuedMessage {
  traffic::Message message;
  std::int64_t begin = 0;
  std::int64_t end = 0;  // the first byte behind all that it spans
  std::uint32_t driver = 0;
  std::uint32_t retransmitted = 0;  // packets; at the sender
  Time not_before;                  // its receiver is not told sooner (engine/skip/message_skipper.h)

  std::int64_t gap() const { return end - begin - message.size.count; }
};

class MessageQueue {
 public:
  bool empty() const { return head_ == all_.size(); }
  const QueuedMessage& front() const { return all_[head_]; }
  void push(const QueuedMessage& message) { all_.push_back(message); }
  void pop() {
    if (++head_ == all_.size() || head_ >= 32) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }
  void clear() {
    all_.clear();
    head_ = 0;
  }

  // All messages, in order.
  std::span<const QueuedMessage> all() const { return std::span(all_).subspan(head_); }
  // The message that this byte belongs to, which must not be complete.
  QueuedMessage& at(std::int64_t byte) {
    const auto behind = [](std::int64_t b, const QueuedMessage& m) { return b < m.end; };
    const auto found = std::upper_bound(all_.begin() + static_cast<std::ptrdiff_t>(head_), all_.end(), byte, behind);
    assert(found != all_.end());
    return *found;
  }

  template <class A>
  void archive(A& a) {
    if constexpr (!A::kLoads) {
      all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    a.values(all_);
    if constexpr (A::kLoads) head_ = 0;
  }

 private:
  std::vector<QueuedMessage> all_;
  std::size_t head_ = 0;
};

// The view of one message, made of the view of its connection. Bytes that are acknowledged out of order do not count.
inline FlowView view_of(FlowView connection, const QueuedMessage& message) {
  const auto part_of = [&](Bytes upto) {
    return Bytes{std::clamp<std::int64_t>(upto.count - message.begin, 0, message.message.size.count)};
  };
  connection.id = message.message.id;
  connection.tag = message.message.tag;
  connection.retransmitted = message.retransmitted;
  connection.size = message.message.size;
  connection.start = message.message.started;
  connection.sent = part_of(connection.sent);
  connection.next = part_of(connection.next);
  connection.in_order = connection.acknowledged = part_of(connection.in_order);
  connection.in_flight = connection.next - connection.in_order;
  return connection;
}

// The messages that the sending end of a flow has to send.
struct Outgoing {
  MessageQueue messages;
  Time timer = Time::max();  // of its algorithm, while a connection rests

  template <class A>
  void archive(A& a) {
    messages.archive(a);
    a.value(timer);
  }
};

}  // namespace weir::host
