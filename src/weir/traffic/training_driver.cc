#include "weir/traffic/training_driver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "weir/traffic/matrix_file.h"
#include "weir/traffic/traffic.h"

namespace weir::traffic {
namespace {

// Words of wake-ups.
constexpr std::uint32_t kBegin = 0;
constexpr std::uint32_t kComputed = 1;
constexpr std::uint32_t kArrived = 2;  // a message that this rank has sent within its server has arrived

// Words of messages: the channel and, above it, the last host to begin what the message depends on.
constexpr unsigned kChannelBits = 8;
constexpr std::uint64_t kChannelMask = (std::uint64_t{1} << kChannelBits) - 1;

// First destination port of messages that another GPU of the sender's server passes on; the offset names the sender.
constexpr std::uint16_t kPassedOn = kDestinationPort + 1;
static_assert(kPassedOn + kMostOnRails <= 65'536);

}  // namespace

TrainingDriver::TrainingDriver(const Training& t, const Context& context)
    : tensor_(t.tensor),
      pipeline_(t.pipeline),
      data_(t.data),
      experts_(t.experts),
      imbalance_(t.imbalance),
      tells_path_(t.critical_path),
      scale_up_(scale_up_of(t)),
      shares_(scale_up_.is_there() && t.scale_up_sharing == Sharing::max_min),
      pxn_(t.pxn),
      start_(t.start),
      labels_(context.labels),
      first_port_(context.source * kPortsApart),
      hosts_(hosts_of(t, context)),
      ranks_(context.hosts(), kNone),
      given_(std::make_shared<const std::vector<Bytes>>(
          t.expert_sizes.empty() ? std::vector<Bytes>{}
                                 : read_matrix(t.expert_sizes, "expert_sizes", t.tensor * t.data, t.experts, context))),
      stragglers_(t.slow, t.slow_factor, hosts_, context),
      of_rank_(hosts_.size()) {
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) ranks_[hosts_[rank]] = rank;
  if (experts_ > 1)
    for (Rank& rank : of_rank_) rank.exchanged.resize(experts_);
  if (tells_path_)
    for (Rank& rank : of_rank_) {
      rank.path.until = start_;
      rank.coming.resize(kTrainingChannels + experts_);
    }
  for (std::uint32_t p = 0; p < pipeline_; ++p) stages_.push_back(training_stage(t, p));
  Time turn;
  for (const auto* operations : {&stages_[0].forward[0], &stages_[0].backward[0]})
    for (const Operation& operation : *operations) turn += operation.time;
  least_ = (std::int64_t{t.microbatches} * t.virtual_stages + pipeline_ - 1) * turn;
}

// The operations of the rank's present turn; null = the step is over.
const std::vector<TrainingDriver::Operation>* TrainingDriver::operations(const Stage& stage, const Rank& rank) const {
  if (rank.turn < stage.turns.size()) return &stage.of(stage.turns[rank.turn]);
  return rank.turn == stage.turns.size() ? &stage.end : nullptr;
}

// The rank that a rank sends to on a channel.
std::uint32_t TrainingDriver::neighbour(std::uint32_t rank, Channel channel) const {
  const std::uint32_t of_stage = tensor_ * data_;
  const std::uint32_t first = rank - rank % of_stage;
  switch (channel) {
    case Channel::tensor: return rank - rank % tensor_ + (rank + 1) % tensor_;
    case Channel::data: return first + (rank % of_stage + tensor_) % of_stage;
    case Channel::forward: return (rank + of_stage) % (of_stage * pipeline_);
    default: return (rank + of_stage * (pipeline_ - 1)) % (of_stage * pipeline_);
  }
}

std::uint32_t TrainingDriver::with_expert(std::uint32_t rank, std::uint32_t e) const {
  return rank + tensor_ * e - tensor_ * expert(rank);
}

Bytes TrainingDriver::share(std::uint32_t rank, std::uint32_t e, Bytes size) const {
  if (!given_->empty()) return std::max(Bytes{1}, (*given_)[std::size_t{rank % (tensor_ * data_)} * experts_ + e]);
  const double weight = 1 + imbalance_ * (2.0 * e / (experts_ - 1.0) - 1);
  return {std::max<std::int64_t>(1, std::llround(static_cast<double>(size.count) * weight / experts_))};
}

TrainingDriver::Activity TrainingDriver::activity(const Operation& operation) const {
  switch (operation.kind) {
    case Operation::Kind::compute: return Activity::computation;
    case Operation::Kind::ring: return operation.channel == Channel::tensor ? Activity::tensor : Activity::data;
    case Operation::Kind::dispatch:
    case Operation::Kind::combine: return Activity::expert;
    default: return Activity::pipeline;
  }
}

void TrainingDriver::begin(Desk& desk) {
  if (ranks_[desk.host()] != kNone) desk.wake(start_, kBegin);
}

void TrainingDriver::woken(Desk& desk, std::uint32_t word) {
  Rank& own = of_rank_[ranks_[desk.host()]];
  if (word == kBegin) own.since = desk.now();
  if (word == kComputed) own.computes = false;
  if (word == kArrived) --own.sending;
  go_on(desk);
}

std::uint32_t TrainingDriver::whose(const Message& m) const {
  return m.dport < kPassedOn ? m.src : scale_up_.first_of(m.src) + (m.dport - kPassedOn);
}

void TrainingDriver::received(Desk& desk, const Message& message) { posted(desk, whose(message), message.word); }

// A message by the scale-up links, for this rank or to be passed on (PXN); in the second case its id is the final host.
void TrainingDriver::brought(Desk& desk, const Message& message) {
  if (message.dport < kPassedOn) return posted(desk, message.src, message.word);
  Message on = message;
  on.dst = static_cast<std::uint32_t>(message.id);
  on.id = kAnyUnlistedId;
  desk.send(on);
}

// For its sender, a message to be passed on counts as sent once the GPU that passes it on has received it.
void TrainingDriver::carried(Desk& desk, const Message&) {
  --of_rank_[ranks_[desk.host()]].sending;
  go_on(desk);
}

std::size_t TrainingDriver::lane(std::uint32_t from, std::uint64_t channel) const {
  const bool is_expert = static_cast<Channel>(channel) == Channel::expert;
  return is_expert ? kTrainingChannels + expert(ranks_[from]) : channel;
}

// Receives a message, or a part of its path, which precedes it.
void TrainingDriver::posted(Desk& desk, std::uint32_t from, std::uint64_t word) {
  if (!tells_path_)
    return arrive(desk, from, static_cast<Channel>(word & kChannelMask),
                  static_cast<std::uint32_t>(word >> kChannelBits));
  Rank& own = of_rank_[ranks_[desk.host()]];
  Coming& coming = own.coming[lane(from, path_word::channel(word))];
  if (path_word::is_part(word)) {
    if (path_word::activity(word) == path_word::kLate)
      coming.late = path_word::time(word).ps;
    else
      coming.times[path_word::activity(word)] = path_word::time(word);
    return;
  }
  Coming brought = std::exchange(coming, {});
  brought.times[static_cast<std::size_t>(Activity::computation)] = path_word::time(word);
  own.brought = &brought.times;
  arrive(desk, from, static_cast<Channel>(path_word::channel(word)), static_cast<std::uint32_t>(brought.late));
  own.brought = nullptr;
}

// `late`: the last host to begin what the message depends on.
void TrainingDriver::arrive(Desk& desk, std::uint32_t from, Channel channel, std::uint32_t late) {
  Rank& own = of_rank_[ranks_[desk.host()]];
  if (channel == Channel::expert)
    ++own.exchanged[expert(ranks_[from])];
  else
    ++own.got[static_cast<std::size_t>(channel)];
  ++own.messages;
  own.told = late;
  go_on(desk);
  own.told = kNobody;
}

void TrainingDriver::note_path(Rank& own, Activity what, Time now) const {
  if (!tells_path_ || now == own.path.until) return;
  if (own.brought != nullptr)
    own.path.take(*own.brought, what, start_, now);
  else
    own.path.go_on(what, now);
}

void TrainingDriver::sent(Desk& desk, const Message& message) {
  if (message.dport < kPassedOn) carried(desk, message);
}

// Called after every event: does everything that the rank can do at this time.
void TrainingDriver::go_on(Desk& desk) {
  const std::uint32_t rank = ranks_[desk.host()];
  Rank& own = of_rank_[rank];
  const Stage& stage = stages_[stage_of(rank)];
  if (desk.now() < start_ || own.end != Time::max()) return;
  for (;;) {
    const std::vector<Operation>* const all = operations(stage, own);
    if (all == nullptr) {
      own.end = desk.now();
      return desk.done();
    }
    if (own.operation == all->size()) {
      own.operation = 0;
      ++own.turn;
      continue;
    }
    const Operation& operation = (*all)[own.operation];
    if (!is_done(desk, rank, operation)) return;
    const Activity spent = activity(operation);
    note_path(own, spent, desk.now());
    own.times[static_cast<std::size_t>(spent)] += desk.now() - own.since;
    desk.did(static_cast<std::uint32_t>(spent), own.since, std::exchange(own.late, kNobody));
    own.since = desk.now();
    ++own.operation;
    own.step = 0;
    own.begun = false;
  }
}

void TrainingDriver::take(Rank& own) {
  if (own.told != kNobody) own.late = own.told;
}

// Begins the operation if it has not begun, and returns whether it is done.
bool TrainingDriver::is_done(Desk& desk, std::uint32_t rank, const Operation& operation) {
  Rank& own = of_rank_[rank];
  const auto channel = static_cast<std::size_t>(operation.channel);
  switch (operation.kind) {
    case Operation::Kind::compute:
      if (!std::exchange(own.begun, true)) {
        own.computes = true;
        desk.wake(desk.now() + stragglers_.time(hosts_[rank], operation.time), kComputed);
      }
      return !own.computes;
    case Operation::Kind::receive:
      if (own.got[channel] == own.taken[channel]) return false;
      ++own.taken[channel];
      take(own);
      return true;
    case Operation::Kind::send:
      if (!std::exchange(own.begun, true))
        send(desk, rank, operation.channel, neighbour(rank, operation.channel), operation.size);
      return own.sending == 0;
    case Operation::Kind::dispatch:
    case Operation::Kind::combine: return has_exchanged(desk, rank, operation);
    case Operation::Kind::ring: break;
  }
  for (; own.step < operation.steps; ++own.step) {
    if (!std::exchange(own.begun, true))
      send(desk, rank, operation.channel, neighbour(rank, operation.channel), operation.size);
    if (own.sending > 0 || own.got[channel] == own.taken[channel]) return false;
    ++own.taken[channel];
    own.begun = false;
    take(own);
    note_path(own, activity(operation), desk.now());
  }
  return true;
}

// Each rank sends to the next one first, so that no receiver gets all first messages.
bool TrainingDriver::has_exchanged(Desk& desk, std::uint32_t rank, const Operation& operation) {
  Rank& own = of_rank_[rank];
  auto& taken = own.taken[static_cast<std::size_t>(Channel::expert)];
  if (!std::exchange(own.begun, true))
    for (std::uint32_t i = 1; i < experts_; ++i) {
      const std::uint32_t e = (expert(rank) + i) % experts_;
      const std::uint32_t other = with_expert(rank, e);
      send(desk, rank, Channel::expert, other,
           operation.kind == Operation::Kind::dispatch ? share(rank, e, operation.size)
                                                       : share(other, expert(rank), operation.size));
    }
  if (own.sending > 0) return false;
  for (std::uint32_t e = 0; e < experts_; ++e)
    if (e != expert(rank) && own.exchanged[e] <= taken) return false;
  ++taken;
  take(own);
  return true;
}

void TrainingDriver::send(Desk& desk, std::uint32_t rank, Channel channel, std::uint32_t to_rank, Bytes size) {
  Rank& own = of_rank_[rank];
  const std::uint32_t to = hosts_[to_rank];
  const auto number = static_cast<std::uint32_t>(channel);
  const std::uint32_t late = own.late == kNobody ? desk.host() : own.late;
  std::uint64_t word = number | std::uint64_t{late} << kChannelBits;
  if (tells_path_) {
    word = path_word::message(number, own.path.times[0]);
    for (std::size_t i = 1; i < kActivities; ++i)
      if (own.path.times[i] > Time{}) desk.post(to, path_word::part(number, i, own.path.times[i]));
    desk.post(to, path_word::part(number, path_word::kLate, Time{late}));
  }
  ++own.sending;
  if (scale_up_.is_there() && scale_up_.joins(desk.host(), to)) {
    if (shares_) return desk.move({.word = word, .size = size, .dst = to});
    const Time there = carry(scale_up_, desk, size);
    desk.post(to, word, there);
    desk.wake(there, kArrived);
    return;
  }
  Message m = message(number, to, size, word);
  const std::uint32_t by = pxn_ ? by_rail(scale_up_, desk.host(), to) : desk.host();
  if (by == desk.host()) return desk.send(m);
  m.id = to;
  m.dst = by;
  m.dport = static_cast<std::uint16_t>(kPassedOn + desk.host() % scale_up_.group);
  desk.move(m);
}

Message TrainingDriver::message(std::uint32_t channel, std::uint32_t to, Bytes size, std::uint64_t word) const {
  return {.id = kAnyUnlistedId,
          .word = word,
          .size = size,
          .dst = to,
          .tag = labels_.tag,
          .profile = labels_.profile,
          .sport = static_cast<std::uint16_t>(kFirstSourcePort + (first_port_ + channel) % kSourcePorts),
          .dport = kDestinationPort};
}

template <class A>
void TrainingDriver::archive_rank(A& a, std::uint32_t host) {
  if (ranks_[host] == kNone) return;
  Rank& rank = of_rank_[ranks_[host]];
  for (auto* number : {&rank.turn, &rank.operation, &rank.step, &rank.sending}) a.value(*number);
  for (auto* flag : {&rank.begun, &rank.computes}) a.value(*flag);
  a.value(rank.got);
  a.value(rank.taken);
  a.value(rank.times);
  for (auto* time : {&rank.since, &rank.end}) a.value(*time);
  a.value(rank.messages);
  a.value(rank.late);
  a.values(rank.exchanged);
  a.value(rank.path);
  a.values(rank.coming);
}

}  // namespace weir::traffic
