// Sums over a whole step of training: its messages, which hosts talk to each other, and the time of each activity.
#include <algorithm>
#include <array>
#include <cstddef>

#include "weir/traffic/schedule.h"
#include "weir/traffic/training_driver.h"

namespace weir::traffic {

bool TrainingDriver::each_pair(const VisitMessage& visit) const {
  using Kind = Operation::Kind;
  const auto tell = [&](std::uint32_t from, std::uint32_t to, Channel channel, Bytes size) {
    Message m = message(static_cast<std::uint32_t>(channel), hosts_[to], size, 0);
    m.src = hosts_[from];
    if (scale_up_.is_there() && scale_up_.joins(m.src, m.dst)) return true;
    if (pxn_) m.src = by_rail(scale_up_, m.src, m.dst);
    return visit(m);
  };
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) {
    const Stage& stage = stages_[stage_of(rank)];
    std::array<Bytes, kTrainingChannels> sizes{};  // of one message of each channel; 0 = none
    for (const auto* all :
         {&stage.forward.front(), &stage.backward.front(), &stage.forward.back(), &stage.backward.back(), &stage.end})
      for (const Operation& o : *all)
        if (o.kind == Kind::ring || o.kind == Kind::send || o.kind == Kind::dispatch)
          sizes[static_cast<std::size_t>(o.channel)] = o.size;
    for (const Channel channel : {Channel::tensor, Channel::data, Channel::forward, Channel::backward})
      if (const Bytes size = sizes[static_cast<std::size_t>(channel)]; size > Bytes{})
        if (!tell(rank, neighbour(rank, channel), channel, size)) return false;
    const Bytes all = sizes[static_cast<std::size_t>(Channel::expert)];
    for (std::uint32_t e = 0; e < experts_ && all > Bytes{}; ++e)
      if (e != expert(rank) && !tell(rank, with_expert(rank, e), Channel::expert, share(rank, e, all))) return false;
  }
  return true;
}

// The bytes that all ranks of a stage send to, or get from, their experts.
Bytes TrainingDriver::exchanged(Bytes size) const {
  const std::uint32_t rows = given_->empty() ? tensor_ * experts_ : tensor_ * data_;
  Bytes out;
  for (std::uint32_t rank = 0; rank < rows; ++rank)
    for (std::uint32_t e = 0; e < experts_; ++e)
      if (e != expert(rank)) out = saturating_sum(out, share(rank, e, size));
  return saturating_product(out, tensor_ * data_ / rows);
}

std::optional<MessageSums> TrainingDriver::sums() const {
  using Kind = Operation::Kind;
  MessageSums out{.tag = labels_.tag, .least = least_};
  const std::uint64_t ranks = std::uint64_t{tensor_} * data_;  // of a stage
  Bytes to_experts;                                            // by all ranks of a stage in one exchange
  for (const Operation& operation : stages_[0].forward[0])
    if (operation.kind == Kind::dispatch) to_experts = exchanged(operation.size);
  const auto count = [&](const Stage::Operations& operations) {
    for (const Operation& operation : operations) {
      const bool exchanges = operation.kind == Kind::dispatch || operation.kind == Kind::combine;
      std::uint64_t messages = 0;
      if (operation.kind == Kind::ring) messages = operation.steps * ranks;
      if (operation.kind == Kind::send) messages = ranks;
      if (exchanges) messages = ranks * (experts_ - 1);
      out.messages += messages;
      out.payload = saturating_sum(out.payload, exchanges ? to_experts : saturating_product(operation.size, messages));
    }
  };
  for (const Stage& stage : stages_) {
    for (const TrainingTurn turn : stage.turns) count(stage.of(turn));
    count(stage.end);
  }
  out.unfinished = out.messages;
  out.at_once = hosts_.size() * std::max(experts_, 1u);
  return out;
}

void TrainingDriver::add(std::uint32_t host, MessageSums& sums) const {
  if (ranks_[host] == kNone) return;
  const Rank& rank = of_rank_[ranks_[host]];
  sums.unfinished -= rank.messages;
  sums.start = start_;
  if (rank.end == Time::max()) return;
  sums.received = std::max(sums.received, rank.end);
  sums.acknowledged = std::max(sums.acknowledged, rank.end);
}

std::vector<std::string> TrainingDriver::activities() const {
  std::vector<std::string> all{"computation", "tensor parallelism", "pipeline", "data parallelism"};
  if (experts_ > 1) all.emplace_back("experts");
  for (std::size_t i = 0, count = all.size(); tells_path_ && i < count; ++i) all.push_back("path: " + all[i]);
  return all;
}

std::vector<Time> TrainingDriver::times_of(std::uint32_t host) const {
  if (ranks_[host] == kNone) return {};
  const Rank& rank = of_rank_[ranks_[host]];
  const std::ptrdiff_t count = experts_ > 1 ? kActivities : kActivities - 1;
  std::vector<Time> out(rank.times.begin(), rank.times.begin() + count);
  if (tells_path_) out.insert(out.end(), rank.path.times.begin(), rank.path.times.begin() + count);
  return out;
}

}  // namespace weir::traffic
