#include "weir/traffic/collective_driver.h"

#include <algorithm>
#include <utility>

#include "weir/traffic/schedule.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {
namespace {

// Words of wake-ups: the first messages are to be sent, and one has come within a server.
constexpr std::uint32_t kFirst = ~std::uint32_t{0};
constexpr std::uint32_t kGone = kFirst - 1;

}  // namespace

CollectiveDriver::CollectiveDriver(const Collective& c, const Context& context, Communicator who,
                                   std::uint64_t messages)
    : collective_(c),
      scale_up_(scale_up_of(c)),
      shares_(scale_up_.is_there() && c.scale_up_sharing == Sharing::max_min),
      id_(c.messages == MessageRows::rows ? kAnyId : kAnyUnlistedId),
      labels_(context.labels),
      first_port_(context.source * kPortsApart),
      who_(std::move(who)),
      messages_(messages),
      of_rank_(who_.ranks()) {}

void CollectiveDriver::begin(Desk& desk) {
  if (who_.rank(desk.host()) != kNone) desk.wake(collective_.start, kFirst);
}

void CollectiveDriver::enter(Desk& desk) {
  const std::uint32_t rank = who_.rank(desk.host());
  of_rank_[rank].moved = 0;
  reset_rank(rank);
  start(desk, rank);
}

bool CollectiveDriver::is_over(std::uint32_t host) const {
  const std::uint32_t rank = who_.rank(host);
  return of_rank_[rank].moved == moves(rank);
}

void CollectiveDriver::woken(Desk& desk, std::uint32_t word) {
  const std::uint32_t rank = who_.rank(desk.host());
  if (word == kFirst) return start(desk, rank);
  if (word == kGone) return leave(desk, rank);
  Rank& own = of_rank_[rank];
  own.free.push_back(word);
  send(desk, rank, own.waiting[word]);
}

Message CollectiveDriver::message(std::uint32_t rank, const Send& send) const {
  return {.id = id_,
          .word = send.word,
          .size = send.size,
          .src = host(rank),
          .dst = host(send.to),
          .tag = labels_.tag,
          .profile = labels_.profile,
          .sport = static_cast<std::uint16_t>(kFirstSourcePort + (first_port_ + send.peer) % kSourcePorts),
          .dport = kDestinationPort};
}

void CollectiveDriver::send(Desk& desk, std::uint32_t rank, const Send& s) {
  const Message m = message(rank, s);
  if (!is_near(m)) {
    if (collective_.slots > 0) {
      Lane& lane = of_rank_[rank].lanes[lane_of(m)];
      if (lane.busy == collective_.slots) return lane.waiting.push_back(s);
      ++lane.busy;
    }
    return send_by_rail(desk, m);
  }
  if (shares_) return desk.move(m);
  const Time there = carry(scale_up_, desk, m.size);
  desk.post(m.dst, m.word, there);
  if (notes_gone_) desk.wake(there, kGone);
}

// By the network, or first by the scale-up links to who sends it: its id then says where it goes.
void CollectiveDriver::send_by_rail(Desk& desk, Message m) const {
  const std::uint32_t by = by_whom(m);
  if (by == m.src) return desk.send(m);
  m.id = m.dst;
  m.dst = by;
  m.dport = kPassedOnPort;
  desk.move(m);
}

void CollectiveDriver::pass_on(Desk& desk, Message m) const {
  m.dst = static_cast<std::uint32_t>(m.id);
  m.id = id_;
  desk.send(m);
}

void CollectiveDriver::brought(Desk& desk, const Message& message) {
  if (is_passed_on(message)) return pass_on(desk, message);
  arrive(desk, message.word);
  end(desk);
}

void CollectiveDriver::carried(Desk& desk, const Message& message) {
  const std::uint32_t rank = who_.rank(desk.host());
  if (is_passed_on(message) && collective_.slots > 0) {
    Message whole = message;
    whole.dst = static_cast<std::uint32_t>(message.id);
    free_slot(desk, rank, whole);
  }
  leave(desk, rank);
}

void CollectiveDriver::free_slot(Desk& desk, std::uint32_t rank, const Message& message_sent) {
  Lane& lane = of_rank_[rank].lanes[lane_of(message_sent)];
  if (lane.first == lane.waiting.size()) {
    --lane.busy;
    return;
  }
  send_by_rail(desk, message(rank, lane.waiting[lane.first++]));
  if (lane.first < lane.waiting.size()) return;
  lane.first = 0;
  lane.waiting.clear();
}

void CollectiveDriver::leave(Desk& desk, std::uint32_t rank) {
  if (!notes_gone_) return;
  ++of_rank_[rank].moved;
  gone(desk, rank);
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
  const std::uint32_t rank = who_.rank(desk.host());
  ++of_rank_[rank].moved;
  of_rank_[rank].received = std::max(of_rank_[rank].received, desk.now());
  go_on(desk, rank, word);
}

void CollectiveDriver::sent(Desk& desk, const Message& message) {
  const std::uint32_t rank = who_.rank(desk.host());
  end(desk);
  if (is_passed_on(message)) return;
  if (collective_.slots > 0) free_slot(desk, rank, message);
  leave(desk, rank);
}

void CollectiveDriver::end(Desk& desk) {
  Rank& own = of_rank_[who_.rank(desk.host())];
  own.acknowledged = std::max(own.acknowledged, desk.now());
  ++own.done;
  desk.done();
}

std::optional<MessageSums> CollectiveDriver::sums() const {
  return MessageSums{.tag = labels_.tag,
                     .messages = messages_,
                     .rows = id_ == kAnyId ? messages_ : 0,
                     .at_once = collective_.window > 0 ? std::uint64_t{ranks()} * collective_.window
                                                       : messages_ / std::max<std::uint64_t>(longest(), 1) *
                                                             first_chunks() / collective_.chunks,
                     .unfinished = messages_,
                     .payload = payload(),
                     .buffer = buffer(),
                     .bus_factor = bus_factor(collective_.operation, ranks())};
}

void CollectiveDriver::add(std::uint32_t host, MessageSums& sums) const {
  if (who_.rank(host) == kNone) return;
  const Rank& rank = of_rank_[who_.rank(host)];
  sums.unfinished -= rank.done;
  sums.start = collective_.start;
  sums.received = std::max(sums.received, rank.received);
  sums.acknowledged = std::max(sums.acknowledged, rank.acknowledged);
}

std::unique_ptr<Driver> CollectiveDriver::unhindered() const {
  std::unique_ptr<Driver> out = clone();
  static_cast<CollectiveDriver&>(*out).unhinder();
  return out;
}

void CollectiveDriver::unhinder() {
  collective_.slots = 0;
  shares_ = scale_up_.is_there();
}

bool CollectiveDriver::each_pair(const VisitMessage& visit) const {
  bool goes_on = true;
  for (std::uint32_t rank = 0; rank < ranks() && goes_on; ++rank)
    each_peer(rank, [&](const Send& send) {
      Message m = message(rank, send);
      if (!goes_on || is_near(m)) return;
      m.src = by_whom(m);
      goes_on = visit(m);
    });
  return goes_on;
}

template <class A>
void CollectiveDriver::archive_both(A& a, std::uint32_t host) {
  if (who_.rank(host) == kNone) return;
  Rank& rank = of_rank_[who_.rank(host)];
  for (auto* time : {&rank.received, &rank.acknowledged}) a.value(*time);
  a.value(rank.done);
  a.value(rank.moved);
  a.values(rank.waiting);
  a.values(rank.free);
  std::vector<std::uint64_t> lanes;
  for (const auto& [lane, messages] : rank.lanes) lanes.push_back(lane);
  a.values(lanes);
  if constexpr (A::kLoads) rank.lanes.clear();
  for (const std::uint64_t number : lanes) {
    Lane& lane = rank.lanes[number];
    a.value(lane.busy);
    a.value(lane.first);
    a.values(lane.waiting);
  }
  archive_rank(a, who_.rank(host));
}

void CollectiveDriver::archive(Saver& a, std::uint32_t host) { archive_both(a, host); }
void CollectiveDriver::archive(Loader& a, std::uint32_t host) { archive_both(a, host); }

}  // namespace weir::traffic
