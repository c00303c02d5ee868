// The driver of a collective whose messages are made when they are due: what a host sends follows from what it has
// received (traffic/schedule.h). Memory follows the hosts, not the messages.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "weir/traffic/collectives.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/schedule.h"

namespace weir::traffic {

class CollectiveDriver final : public Driver {
 public:
  // Throws InputError as plan_collective() does.
  CollectiveDriver(const Collective& collective, const Context& context);

  std::uint64_t tasks() const override { return messages_; }
  bool posts() const override { return scale_up_.is_there(); }
  void begin(Desk& desk) override;
  void received(Desk& desk, const Message& message) override;
  void sent(Desk& desk, const Message& message) override;
  // A message of the same server has come.
  void posted(Desk& desk, std::uint32_t from, std::uint64_t word) override;
  // The first messages are to be sent, or one that has waited for its delay.
  void woken(Desk& desk, std::uint32_t word) override;

  std::optional<MessageSums> sums() const override;
  void add(std::uint32_t host, MessageSums& sums) const override;
  // Once round the ranks with the last chunk.
  std::vector<ChainLink> chain() const override;

  std::unique_ptr<Driver> clone() const override { return std::make_unique<CollectiveDriver>(*this); }
  void archive(Saver& a, std::uint32_t host) override { archive_rank(a, host); }
  void archive(Loader& a, std::uint32_t host) override { archive_rank(a, host); }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kFirst = kNone;  // as the word of a wake-up

  struct Rank {
    Time received;
    Time acknowledged;
    Time scale_up_free;  // its way out is
    std::uint64_t done = 0;
    std::vector<std::uint64_t> waiting;  // messages by number of the wake-up that they wait for
    std::vector<std::uint32_t> free;     // numbers
  };

  CollectiveDriver(const Collective& collective, const Context& context, CollectivePlan plan);
  template <class A>
  void archive_rank(A& a, std::uint32_t host);
  void send(Desk& desk, std::uint32_t rank, std::uint32_t chunk, std::uint32_t step);
  void go_on(Desk& desk, std::uint64_t word);
  void end(Desk& desk);
  Message message(std::uint32_t rank, std::uint32_t chunk, std::uint32_t step) const;

  const Schedule schedule_;
  const Bytes size_;
  const Operation operation_;
  const std::uint32_t chunks_;
  const Time start_;
  const Time step_delay_;
  const ScaleUp scale_up_;
  const std::uint64_t id_;  // of messages: kAnyId or kAnyUnlistedId
  const Labels labels_;
  const std::uint32_t first_port_;
  std::vector<std::uint32_t> hosts_;  // by rank
  std::vector<std::uint32_t> ranks_;  // by host; kNone = it takes no part
  std::uint64_t messages_ = 0;
  std::vector<Rank> of_rank_;
};

}  // namespace weir::traffic
