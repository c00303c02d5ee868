#include "weir/traffic/collective_driver.h"

#include <algorithm>
#include <utility>

#include "weir/traffic/traffic.h"

namespace weir::traffic {
namespace {

// The ports of one source's messages begin so far behind those of the source before. Of a source that is alone they are
// those of a program (Traffic::add).
constexpr std::uint32_t kPortsApart = 1'009;

// What a message's word says.
constexpr std::uint64_t word_of(std::uint32_t chunk, std::uint32_t step) { return std::uint64_t{chunk} << 32 | step; }
constexpr std::uint32_t chunk_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::uint32_t step_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

CollectiveDriver::CollectiveDriver(const Collective& c, const Context& context)
    : CollectiveDriver(c, context, plan_collective(c, context)) {}

CollectiveDriver::CollectiveDriver(const Collective& c, const Context& context, CollectivePlan plan)
    : schedule_(plan.schedule),
      size_(c.size),
      operation_(c.operation),
      chunks_(c.chunks),
      start_(c.start),
      step_delay_(c.step_delay),
      scale_up_(plan.scale_up),
      id_(c.messages == MessageRows::rows ? kAnyId : kAnyUnlistedId),
      labels_(context.labels),
      first_port_(context.source * kPortsApart),
      hosts_(std::move(plan.hosts)),
      ranks_(context.hosts(), kNone),
      messages_(std::uint64_t{schedule_.steps()} * schedule_.ranks() * chunks_),
      of_rank_(schedule_.ranks()) {
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) ranks_[hosts_[rank]] = rank;
}

void CollectiveDriver::begin(Desk& desk) {
  if (ranks_[desk.host()] != kNone) desk.wake(start_, kFirst);
}

Message CollectiveDriver::message(std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const {
  return {.id = id_,
          .word = word_of(chunk, step),
          .size = schedule_.amount(rank, step, part_of(size_, chunk, chunks_)),
          .dst = hosts_[schedule_.to(rank, step)],
          .tag = labels_.tag,
          .profile = labels_.profile,
          .sport = static_cast<std::uint16_t>(kFirstSourcePort +
                                              (first_port_ + schedule_.peer(step)) % kSourcePorts),
          .dport = kDestinationPort};
}

void CollectiveDriver::send(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) {
  const Message m = message(rank, chunk, step);
  if (scale_up_.is_there() && scale_up_.joins(desk.host(), m.dst))
    desk.post(m.dst, m.word, scale_up_.carry(desk, m.size, of_rank_[rank].scale_up_free));
  else
    desk.send(m);
}

void CollectiveDriver::woken(Desk& desk, std::uint32_t word) {
  const std::uint32_t rank = ranks_[desk.host()];
  if (word != kFirst) {
    Rank& own = of_rank_[rank];
    own.free.push_back(word);
    send(desk, rank, chunk_of(own.waiting[word]), step_of(own.waiting[word]));
    return;
  }
  for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk)
    for (std::uint32_t step = 0; step < (schedule_.waits() ? 1 : schedule_.steps()); ++step)
      send(desk, rank, chunk, step);
}

void CollectiveDriver::received(Desk& desk, const Message& message) { go_on(desk, message.word); }

// Nobody acknowledges it.
void CollectiveDriver::posted(Desk& desk, std::uint32_t, std::uint64_t word) {
  go_on(desk, word);
  end(desk);
}

// The message with this word has been received: what waits for it may be sent.
void CollectiveDriver::go_on(Desk& desk, std::uint64_t word) {
  const std::uint32_t rank = ranks_[desk.host()];
  Rank& own = of_rank_[rank];
  own.received = std::max(own.received, desk.now());
  const std::uint32_t step = step_of(word) + 1;
  if (!schedule_.waits() || step == schedule_.steps()) return;
  if (step_delay_ == Time{}) return send(desk, rank, chunk_of(word), step);
  if (own.free.empty()) {
    own.free.push_back(static_cast<std::uint32_t>(own.waiting.size()));
    own.waiting.push_back(0);
  }
  const std::uint32_t number = own.free.back();
  own.free.pop_back();
  own.waiting[number] = word_of(chunk_of(word), step);
  desk.wake(desk.now() + step_delay_, number);
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
                     .unfinished = messages_,
                     .payload = schedule_.total(size_),
                     .each = schedule_.each(size_),
                     .buffer = size_,
                     .bus_factor = bus_factor(operation_, schedule_.ranks())};
}

void CollectiveDriver::add(std::uint32_t host, MessageSums& sums) const {
  if (ranks_[host] == kNone) return;
  const Rank& rank = of_rank_[ranks_[host]];
  sums.unfinished -= rank.done;
  sums.start = start_;
  sums.received = std::max(sums.received, rank.received);
  sums.acknowledged = std::max(sums.acknowledged, rank.acknowledged);
}

std::vector<ChainLink> CollectiveDriver::chain() const {
  std::vector<ChainLink> out;
  std::uint32_t rank = 0;
  Time delay = start_;
  for (std::uint32_t step = 0; step < (schedule_.waits() ? schedule_.steps() : 1); ++step) {
    Message m = message(rank, chunks_ - 1, step);
    m.src = hosts_[rank];
    rank = schedule_.to(rank, step);
    if (scale_up_.is_there() && scale_up_.joins(m.src, m.dst)) {
      delay += transmission_time(m.size, scale_up_.rate) + scale_up_.latency;
    } else {
      out.push_back({m, delay});
      delay = {};
    }
    delay += step_delay_;
  }
  return out;
}

template <class A>
void CollectiveDriver::archive_rank(A& a, std::uint32_t host) {
  if (ranks_[host] == kNone) return;
  Rank& rank = of_rank_[ranks_[host]];
  a.value(rank.received);
  a.value(rank.acknowledged);
  a.value(rank.scale_up_free);
  a.value(rank.done);
  a.values(rank.waiting);
  a.values(rank.free);
}

}  // namespace weir::traffic
