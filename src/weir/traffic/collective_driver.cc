#include "weir/traffic/collective_driver.h"

#include <algorithm>
#include <utility>

#include "weir/traffic/schedule.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {
namespace {

constexpr std::uint32_t kFirst = ~std::uint32_t{0};  // as the word of a wake-up

}  // namespace

CollectiveDriver::CollectiveDriver(const Collective& c, const Context& context, std::vector<std::uint32_t> hosts,
                                   std::uint64_t messages)
    : collective_(c),
      scale_up_{.group = c.group, .rate = c.scale_up_rate, .latency = c.scale_up_latency},
      id_(c.messages == MessageRows::rows ? kAnyId : kAnyUnlistedId),
      labels_(context.labels),
      first_port_(context.source * kPortsApart),
      hosts_(std::move(hosts)),
      ranks_(context.hosts(), kNone),
      messages_(messages),
      of_rank_(hosts_.size()) {
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) ranks_[hosts_[rank]] = rank;
}

void CollectiveDriver::begin(Desk& desk) {
  if (ranks_[desk.host()] != kNone) desk.wake(collective_.start, kFirst);
}

void CollectiveDriver::woken(Desk& desk, std::uint32_t word) {
  const std::uint32_t rank = ranks_[desk.host()];
  if (word == kFirst) return start(desk, rank);
  Rank& own = of_rank_[rank];
  own.free.push_back(word);
  send(desk, rank, own.waiting[word]);
}

Message CollectiveDriver::message(std::uint32_t rank, const Send& send) const {
  return {.id = id_,
          .word = send.word,
          .size = send.size,
          .src = hosts_[rank],
          .dst = hosts_[send.to],
          .tag = labels_.tag,
          .profile = labels_.profile,
          .sport = static_cast<std::uint16_t>(kFirstSourcePort + (first_port_ + send.peer) % kSourcePorts),
          .dport = kDestinationPort};
}

void CollectiveDriver::send(Desk& desk, std::uint32_t rank, const Send& s) {
  const Message m = message(rank, s);
  if (scale_up_.is_there() && scale_up_.joins(m.src, m.dst))
    desk.post(m.dst, m.word, scale_up_.carry(desk, m.size, of_rank_[rank].scale_up_free));
  else
    desk.send(m);
}

void CollectiveDriver::send_later(Desk& desk, std::uint32_t rank, const Send& s) {
  if (collective_.step_delay == Time{}) return send(desk, rank, s);
  Rank& own = of_rank_[rank];
  if (own.free.empty()) {
    own.free.push_back(static_cast<std::uint32_t>(own.waiting.size()));
    own.waiting.emplace_back();
  }
  const std::uint32_t number = own.free.back();
  own.free.pop_back();
  own.waiting[number] = s;
  desk.wake(desk.now() + collective_.step_delay, number);
}

void CollectiveDriver::received(Desk& desk, const Message& message) { arrive(desk, message.word); }

// Nobody acknowledges it.
void CollectiveDriver::posted(Desk& desk, std::uint32_t, std::uint64_t word) {
  arrive(desk, word);
  end(desk);
}

void CollectiveDriver::arrive(Desk& desk, std::uint64_t word) {
  const std::uint32_t rank = ranks_[desk.host()];
  of_rank_[rank].received = std::max(of_rank_[rank].received, desk.now());
  go_on(desk, rank, word);
}

void CollectiveDriver::sent(Desk& desk, const Message&) { end(desk); }

void CollectiveDriver::end(Desk& desk) {
  Rank& own = of_rank_[ranks_[desk.host()]];
  own.acknowledged = std::max(own.acknowledged, desk.now());
  ++own.done;
  desk.done();
}

std::optional<MessageSums> CollectiveDriver::sums() const {
  return MessageSums{.tag = labels_.tag,
                     .messages = messages_,
                     .rows = id_ == kAnyId ? messages_ : 0,
                     .at_once = messages_ / std::max<std::size_t>(longest().size(), 1),
                     .unfinished = messages_,
                     .payload = payload(),
                     .each = each(),
                     .buffer = collective_.size,
                     .bus_factor = bus_factor(collective_.operation, ranks())};
}

void CollectiveDriver::add(std::uint32_t host, MessageSums& sums) const {
  if (ranks_[host] == kNone) return;
  const Rank& rank = of_rank_[ranks_[host]];
  sums.unfinished -= rank.done;
  sums.start = collective_.start;
  sums.received = std::max(sums.received, rank.received);
  sums.acknowledged = std::max(sums.acknowledged, rank.acknowledged);
}

std::vector<ChainLink> CollectiveDriver::chain() const {
  std::vector<ChainLink> out;
  Time delay = collective_.start;
  for (const Hop& hop : longest()) {
    const Message m = message(hop.from, hop.message);
    if (scale_up_.is_there() && scale_up_.joins(m.src, m.dst)) {
      delay += transmission_time(m.size, scale_up_.rate) + scale_up_.latency;
    } else {
      out.push_back({m, delay});
      delay = {};
    }
    delay += collective_.step_delay;
  }
  return out;
}

template <class A>
void CollectiveDriver::archive_both(A& a, std::uint32_t host) {
  if (ranks_[host] == kNone) return;
  Rank& rank = of_rank_[ranks_[host]];
  for (auto* time : {&rank.received, &rank.acknowledged, &rank.scale_up_free}) a.value(*time);
  a.value(rank.done);
  a.values(rank.waiting);
  a.values(rank.free);
  archive_rank(a, ranks_[host]);
}

void CollectiveDriver::archive(Saver& a, std::uint32_t host) { archive_both(a, host); }
void CollectiveDriver::archive(Loader& a, std::uint32_t host) { archive_both(a, host); }

}  // namespace weir::traffic
