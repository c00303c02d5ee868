#include "weir/traffic/collective_driver.h"

#include <algorithm>
#include <utility>

#include "weir/traffic/schedule.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {
namespace {

// Words of wake-ups: send the first messages; a message within the server has arrived.
constexpr std::uint32_t kFirst = ~std::uint32_t{0};
constexpr std::uint32_t kGone = kFirst - 1;

}  // namespace

CollectiveDriver::CollectiveDriver(const Collective& c, const Context& context, Communicator who,
                                   std::uint64_t messages)
    : Chunks(c),
      scale_up_(scale_up_of(c)),
      shares_(scale_up_.is_there() && c.scale_up_sharing == Sharing::max_min),
      id_(c.messages == MessageRows::rows ? kAnyId : kAnyUnlistedId),
      labels_(context.labels),
      first_port_(context.source * kPortsApart),
      who_(std::move(who)),
      stragglers_(c.slow, c.slow_factor, who_.members->hosts, context),
      messages_(messages),
      of_rank_(who_.ranks()) {}

void CollectiveDriver::begin(Desk& desk) {
  if (who_.rank(desk.host()) != kNone) desk.wake(collective().start, kFirst);
}

void CollectiveDriver::enter(Desk& desk) {
  const std::uint32_t rank = who_.rank(desk.host());
  of_rank_[rank].moved = 0;
  for (auto& [where, lane] : of_rank_[rank].lanes) lane.restart();
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
  if (!takes_slot(s, is_near(m))) return begin_message(desk, rank, s, m);
  Lane& lane = of_rank_[rank].lanes[lane_of(m)];
  lane.add(s);
  begin_waiting(desk, rank, lane);
}

void CollectiveDriver::begin_waiting(Desk& desk, std::uint32_t rank, Lane& lane) {
  while (const auto next = lane.begin_next(collective().slots)) begin_message(desk, rank, *next, message(rank, *next));
}

void CollectiveDriver::begin_message(Desk& desk, std::uint32_t rank, const Send& s, const Message& m) {
  if (!is_near(m)) {
    send_by_rail(desk, m);
  } else if (shares_) {
    desk.move(m);
  } else {
    const Time there = carry(scale_up_, desk, m.size);
    desk.post(m.dst, m.word, there);
    if (notes_gone_) desk.wake(there, kGone);
  }
  if (receivers_free()) begun(desk, rank, s);
}

// Sends by the network. With PXN the message may first go by the scale-up links to the GPU that sends it on; its id
// then carries the final receiver.
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
  m.id = is_credit(m.word) ? kAnyUnlistedId : id_;
  desk.send(m);
}

void CollectiveDriver::brought(Desk& desk, const Message& message) {
  if (is_passed_on(message)) return pass_on(desk, message);
  arrive(desk, message.word);
  end(desk);
}

void CollectiveDriver::carried(Desk& desk, const Message& message) {
  if (is_credit(message.word)) return;
  const std::uint32_t rank = who_.rank(desk.host());
  if (is_passed_on(message) && collective().slots > 0 && !receivers_free()) {
    Message whole = message;
    whole.dst = static_cast<std::uint32_t>(message.id);
    free_slot(desk, rank, whole);
  }
  leave(desk, rank);
}

void CollectiveDriver::free_slot(Desk& desk, std::uint32_t rank, const Message& message_sent) {
  Lane& lane = of_rank_[rank].lanes[lane_of(message_sent)];
  lane.free_slot();
  begin_waiting(desk, rank, lane);
}

void CollectiveDriver::free_slot_at(Desk& desk, std::uint32_t rank, std::uint32_t from, std::uint32_t peer) const {
  const Message came = message(from, {.to = rank, .peer = peer});
  const std::uint64_t word = credit_word(rank, peer);
  if (is_near(came)) return desk.post(came.src, word, desk.now() + scale_up_.latency);
  send_by_rail(desk, {.id = kAnyUnlistedId,
                      .word = word,
                      .size = kCreditSize,
                      .src = came.dst,
                      .dst = came.src,
                      .tag = came.tag,
                      .profile = came.profile,
                      .sport = came.sport,
                      .dport = kCreditPort});
}

void CollectiveDriver::take_credit(Desk& desk, std::uint64_t word) {
  const std::uint32_t rank = who_.rank(desk.host());
  const std::uint64_t own = word & kWordMask;
  free_slot(desk, rank, message(rank, {.to = step_of(own), .peer = chunk_of(own) - kMaxChunks}));
}

void CollectiveDriver::free_branches(Desk& desk, std::uint32_t rank, const Branches& at, bool goes_down,
                                     std::uint64_t turn) const {
  const auto& lanes = of_rank_[rank].lanes;
  for (std::uint32_t i = 0; goes_down && i < at.children; ++i) {
    const auto lane = lanes.find(lane_of(message(rank, {.to = at.child[i], .peer = at.down[i]})));
    if (lane == lanes.end() || lane->second.begun() <= turn) return;
  }
  if (goes_down && at.parent != kNone) return free_slot_at(desk, rank, at.parent, at.down_to);
  for (std::uint32_t i = 0; i < at.children; ++i) free_slot_at(desk, rank, at.child[i], at.up);
}

void CollectiveDriver::leave(Desk& desk, std::uint32_t rank) {
  if (!notes_gone_) return;
  ++of_rank_[rank].moved;
  gone(desk, rank);
}

void CollectiveDriver::send_later(Desk& desk, std::uint32_t rank, const Send& s) {
  if (collective().step_delay == Time{}) return send(desk, rank, s);
  Rank& own = of_rank_[rank];
  if (own.free.empty()) {
    own.free.push_back(static_cast<std::uint32_t>(own.waiting.size()));
    own.waiting.emplace_back();
  }
  const std::uint32_t number = own.free.back();
  own.free.pop_back();
  own.waiting[number] = s;
  desk.wake(desk.now() + stragglers_.time(desk.host(), collective().step_delay), number);
}

void CollectiveDriver::received(Desk& desk, const Message& message) {
  if (is_credit(message.word)) return take_credit(desk, message.word);
  arrive(desk, message.word);
}

// A message within a server has no acknowledgement.
void CollectiveDriver::posted(Desk& desk, std::uint32_t, std::uint64_t word) {
  if (is_credit(word)) return take_credit(desk, word);
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
  if (is_credit(message.word)) return;
  const std::uint32_t rank = who_.rank(desk.host());
  end(desk);
  if (is_passed_on(message)) return;
  if (collective().slots > 0 && !receivers_free()) free_slot(desk, rank, message);
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
                     .at_once = collective().window > 0 ? std::uint64_t{ranks()} * collective().window
                                                        : messages_ / std::max<std::uint64_t>(longest(), 1) *
                                                              first_chunks() / collective().chunks,
                     .unfinished = messages_,
                     .payload = payload(),
                     .buffer = buffer(),
                     .bus_factor = bus_factor(collective().operation, ranks())};
}

void CollectiveDriver::add(std::uint32_t host, MessageSums& sums) const {
  if (who_.rank(host) == kNone) return;
  const Rank& rank = of_rank_[who_.rank(host)];
  sums.unfinished -= rank.done;
  sums.start = collective().start;
  sums.received = std::max(sums.received, rank.received);
  sums.acknowledged = std::max(sums.acknowledged, rank.acknowledged);
}

std::unique_ptr<Driver> CollectiveDriver::unhindered() const {
  std::unique_ptr<Driver> out = clone();
  static_cast<CollectiveDriver&>(*out).unhinder();
  return out;
}

void CollectiveDriver::unhinder() {
  remove_slots();
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
    rank.lanes[number].archive(a);
  }
  archive_rank(a, who_.rank(host));
}

void CollectiveDriver::archive(Saver& a, std::uint32_t host) { archive_both(a, host); }
void CollectiveDriver::archive(Loader& a, std::uint32_t host) { archive_both(a, host); }

}  // namespace weir::traffic
