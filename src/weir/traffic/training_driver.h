// The driver of a step of training: each rank does one operation after the other (traffic/training.h), and keeps no
// more than its position.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/traffic/driver.h"
#include "weir/traffic/servers.h"
#include "weir/traffic/stragglers.h"
#include "weir/traffic/training.h"
#include "weir/traffic/training_path.h"
#include "weir/traffic/training_stage.h"

namespace weir::traffic {

class TrainingDriver final : public Driver {
 public:
  // Throws InputError as hosts_of() does.
  TrainingDriver(const Training& training, const Context& context);

  std::uint64_t tasks() const override { return hosts_.size(); }
  bool posts() const override { return scale_up_.is_there() || tells_path_; }
  void begin(Desk& desk) override;
  void received(Desk& desk, const Message& message) override;
  void sent(Desk& desk, const Message& message) override;
  void woken(Desk& desk, std::uint32_t word) override;
  void posted(Desk& desk, std::uint32_t from, std::uint64_t word) override;
  std::optional<ScaleUp> scale_up() const override { return shares_ ? std::optional(scale_up_) : std::nullopt; }
  void brought(Desk& desk, const Message& message) override;
  void carried(Desk& desk, const Message& message) override;
  bool each_pair(const VisitMessage& visit) const override;
  bool takes_part(std::uint32_t host) const override { return ranks_[host] != kNone; }

  std::optional<MessageSums> sums() const override;
  void add(std::uint32_t host, MessageSums& sums) const override;
  std::vector<std::string> activities() const override;
  std::vector<Time> times_of(std::uint32_t host) const override;

  std::unique_ptr<Driver> clone() const override { return std::make_unique<TrainingDriver>(*this); }
  void archive(Saver& a, std::uint32_t host) override { archive_rank(a, host); }
  void archive(Loader& a, std::uint32_t host) override { archive_rank(a, host); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  using Channel = TrainingChannel;
  using Operation = TrainingOperation;
  using Stage = TrainingStage;
  using Activity = TrainingActivity;
  static constexpr std::size_t kActivities = kTrainingActivities;

  // What precedes a message: its path, and the last host to begin what the message depends on.
  struct Coming {
    TrainingTimes times{};
    std::int64_t late = kNobody;
  };
  struct Rank {
    std::uint32_t turn = 0;
    std::uint32_t operation = 0;
    std::uint32_t step = 0;  // of a ring
    bool begun = false;      // the operation, or the present step of a ring, is under way
    bool computes = false;
    std::uint32_t sending = 0;                             // messages not yet acknowledged
    std::array<std::uint64_t, kTrainingChannels> got{};    // messages received
    std::array<std::uint64_t, kTrainingChannels> taken{};  // ... and used
    TrainingTimes times{};
    Time since;                    // when the operation began
    std::uint32_t late = kNobody;  // the last host known to have begun the operation
    std::uint32_t told = kNobody;  // the same, as told by the message that has just come
    Time end = Time::max();
    std::uint64_t messages = 0;            // received
    std::vector<std::uint32_t> exchanged;  // messages received from each member of the expert-parallel group
    TrainingPath path;
    std::vector<Coming> coming;              // of messages on their way: by channel; channel expert by sender
    const TrainingTimes* brought = nullptr;  // path of the message that is being received
  };

  const std::vector<Operation>* operations(const Stage& stage, const Rank& rank) const;
  std::uint32_t stage_of(std::uint32_t rank) const { return rank / (tensor_ * data_); }
  std::uint32_t neighbour(std::uint32_t rank, Channel channel) const;
  Activity activity(const Operation& operation) const;
  void go_on(Desk& desk);
  // Adds the wait that ends now to the critical path.
  void note_path(Rank& own, Activity what, Time now) const;
  std::size_t lane(std::uint32_t from, std::uint64_t channel) const;
  void arrive(Desk& desk, std::uint32_t from, Channel channel, std::uint32_t late);
  bool is_done(Desk& desk, std::uint32_t rank, const Operation& operation);
  // Notes in `late` what the message that the rank waited for has told.
  static void take(Rank& own);
  void send(Desk& desk, std::uint32_t rank, Channel channel, std::uint32_t to, Bytes size);
  Message message(std::uint32_t channel, std::uint32_t to, Bytes size, std::uint64_t word) const;
  // The host that made a message: its source or, if the source has passed it on (PXN), another GPU of the same server,
  // which the destination port tells.
  std::uint32_t whose(const Message& message) const;
  std::uint32_t expert(std::uint32_t rank) const { return rank / tensor_ % experts_; }
  // The rank that holds expert e of this rank's group.
  std::uint32_t with_expert(std::uint32_t rank, std::uint32_t e) const;
  // The bytes that a rank sends to expert e of its group, out of `size` bytes for all experts.
  Bytes share(std::uint32_t rank, std::uint32_t e, Bytes size) const;
  Bytes exchanged(Bytes size) const;
  bool has_exchanged(Desk& desk, std::uint32_t rank, const Operation& operation);
  template <class A>
  void archive_rank(A& a, std::uint32_t host);

  const std::uint32_t tensor_;
  const std::uint32_t pipeline_;
  const std::uint32_t data_;
  const std::uint32_t experts_;
  const double imbalance_;
  const bool tells_path_;
  const ScaleUp scale_up_;
  const bool shares_;  // its links by Desk::move()
  const bool pxn_;
  const Time start_;
  const Labels labels_;
  const std::uint32_t first_port_;
  std::vector<std::uint32_t> hosts_;                       // by rank
  std::vector<std::uint32_t> ranks_;                       // by host; kNone = it takes no part
  const std::shared_ptr<const std::vector<Bytes>> given_;  // shares by rank of a stage and expert; empty = by imbalance
  std::vector<Stage> stages_;
  const Stragglers stragglers_;
  Time least_;  // of a step without any time for communication
  std::vector<Rank> of_rank_;
};

}  // namespace weir::traffic
