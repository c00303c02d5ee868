// Connections that are kept for several messages (uec.cpp and uec_base of uet-htsim, with -conn_reuse).
#include "weir/replica/uet_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/replica/uet_network.h"

namespace weir::replica::uet {

// Of the next packet. Each message is cut by itself.
std::uint32_t Network::next_piece(const Messages& messages) const {
  const Message& m = messages.all[messages.sending];
  return kHeader + static_cast<std::uint32_t>(std::min(mss_, m.size - m.sent));
}

// One event for all messages of a connection that start at one time.
void Network::add_messages(const std::vector<UetMessage>& messages) {
  std::set<std::pair<std::uint32_t, Time>> scheduled;
  for (const UetMessage& m : messages) {
    auto& all = flows_[m.row].sender.messages.all;
    const auto later = std::upper_bound(all.begin(), all.end(), m.start.ps,
                                        [](std::int64_t start, const Message& other) { return start < other.start; });
    all.insert(later, {.start = m.start.ps, .size = m.size.count});
    if (scheduled.emplace(m.row, m.start).second) schedule(m.start.ps, {kMessages, m.row});
  }
}

// What waits for the NIC or for the window goes on by itself.
void Network::start_messages(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  Messages& messages = s.messages;
  std::int64_t backlog = 0;
  for (; messages.eligible < messages.all.size(); ++messages.eligible) {
    const Message& m = messages.all[messages.eligible];
    if (m.start > now()) break;
    backlog += (m.size + mss_ - 1) / mss_ * kHeader + m.size;
    messages.left += m.size;
  }
  if (f.start < 0) {
    begin(flow, backlog);
  } else {
    const bool active = s.waits_for_nic || s.backlog > 0 || !s.lost.empty();
    s.backlog += backlog;
    if (!active) send_if_permitted(flow);
  }
  if (now() == f.connection.start.ps && s.next_seq == 0)
    throw InputError(fmt::format(
        "connection {}: it starts at {}, when the NIC of host {} is busy, which htsim_uec takes for a second start and "
        "stops at; under transport.connections = \"kept\" one connection of a host starts at a time",
        f.connection.number, format_value(f.connection.start), f.connection.src));
}

// The packet that was sent last, a new one.
void Network::note_piece(Sender& s) const {
  Message& m = s.messages.all[s.messages.sending];
  s.sent.back().message = static_cast<std::uint32_t>(s.messages.sending);
  if (m.sent == 0) m.first_sent = now();
  m.sent += s.sent.back().size - kHeader;
  if (m.sent == m.size) ++s.messages.sending;
}

void Network::acknowledge_piece(Messages& messages, Sent& sent) const {
  if (sent.acknowledged) return;
  sent.acknowledged = true;
  if (sent.size == kHeader) return;  // a request
  const std::int64_t bytes = sent.size - kHeader;
  Message& m = messages.all[sent.message];
  m.acknowledged += bytes;
  messages.left -= bytes;
  if (m.acknowledged == m.size) m.done = now();
}

bool Network::messages_are_done(std::uint32_t flow) const {
  const Flow& f = flows_[flow];
  const Messages& messages = f.sender.messages;
  if (messages.left > 0) return false;
  if (messages.eligible < messages.all.size())
    throw InputError(fmt::format(
        "connection {}: its message at {} starts after all before it have been acknowledged, at {}, where htsim_uec "
        "stops with an assertion; under transport.connections = \"kept\" messages of a connection overlap",
        f.connection.number, format_value(Time{messages.all[messages.eligible].start}), format_value(Time{now()})));
  return true;
}

}  // namespace weir::replica::uet
