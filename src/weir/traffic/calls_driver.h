// The driver of collective operations one after the other, with computations between them, each by all process groups
// at once. A host goes on to the next when it is done with one, whatever others do; what comes for a later one waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/traffic/calls.h"
#include "weir/traffic/collective_driver.h"
#include "weir/traffic/stragglers.h"

namespace weir::traffic {

// The driver of one operation for one process group. `c` is what has been planned.
std::unique_ptr<CollectiveDriver> make_driver(const Collective& c, const Context&, const CollectivePlan&,
                                              std::uint32_t group);

class CallsDriver final : public Driver {
 public:
  // Throw InputError as plan_collective() does.
  CallsDriver(const Calls& calls, const Context& context);
  CallsDriver(const Collective& collective, const Context& context);

  std::uint64_t tasks() const override { return tasks_; }
  bool posts() const override;
  void begin(Desk& desk) override;
  void received(Desk& desk, const Message& message) override;
  void sent(Desk& desk, const Message& message) override;
  void woken(Desk& desk, std::uint32_t word) override;
  void posted(Desk& desk, std::uint32_t from, std::uint64_t word) override;
  // All calls have the links of the first one that shares them.
  std::optional<ScaleUp> scale_up() const override;
  void brought(Desk& desk, const Message& message) override;
  void carried(Desk& desk, const Message& message) override;

  std::optional<MessageSums> sums() const override;
  void add(std::uint32_t host, MessageSums& sums) const override;
  bool each_pair(const VisitMessage& visit) const override;
  bool takes_part(std::uint32_t host) const override { return calls_[0].members->places[host] != Members::kNone; }
  std::unique_ptr<Driver> unhindered() const override;
  std::vector<std::string> activities() const override { return names_; }
  std::vector<Time> times_of(std::uint32_t host) const override;

  std::unique_ptr<Driver> clone() const override { return std::unique_ptr<CallsDriver>(new CallsDriver(*this)); }
  void archive(Saver& a, std::uint32_t host) override { archive_both(a, host); }
  void archive(Loader& a, std::uint32_t host) override { archive_both(a, host); }

 private:
  struct Call {
    Time compute;
    Stragglers stragglers;
    std::uint32_t name = 0;  // what it is called in results
    std::shared_ptr<const Members> members;
    std::vector<std::unique_ptr<CollectiveDriver>> groups;

    Time computation(std::uint32_t host) const { return stragglers.time(host, compute); }
    // That of the host's process group.
    CollectiveDriver& of(std::uint32_t host) const { return *groups[members->places[host] / members->ranks]; }
  };
  // What has come before the host has come to its call.
  struct Early {
    std::uint64_t call = 0;
    std::uint64_t word = 0;
    std::uint32_t from = 0;
    bool is_posted = false;
  };
  struct OfHost {
    std::uint64_t call = 0;  // how many are over
    bool is_in = false;      // one is under way
    Time since;              // that, or the computation before it
    std::vector<Early> early;
    std::vector<Time> times;  // by activity
  };

  CallsDriver(std::vector<NamedCall> calls, std::uint32_t repeat, const Context& context);
  CallsDriver(const CallsDriver& other);

  std::uint64_t count() const { return std::uint64_t{repeat_} * calls_.size(); }
  const Call& call_of(const OfHost& own) const { return calls_[own.call % calls_.size()]; }
  const Call& call_of(std::uint64_t word) const {
    return calls_[(word >> CollectiveDriver::kWordBits) % calls_.size()];
  }
  void check_scale_up() const;
  std::uint32_t name_of(const std::string& name);
  void arrive(Desk& desk, const Early& what);
  void take_credit(Desk& desk, std::uint64_t word);
  void hand_over(Desk& desk, const Early& what);
  void enter(Desk& desk);
  // Goes on if the call is over.
  void look(Desk& desk);
  template <class A>
  void archive_both(A& a, std::uint32_t host);

  const std::uint32_t repeat_;
  const Time start_;
  const Labels labels_;
  std::vector<Call> calls_;
  std::vector<std::string> names_;  // of activities; the first is computation
  std::uint64_t tasks_ = 0;
  std::vector<OfHost> of_host_;
};

}  // namespace weir::traffic
