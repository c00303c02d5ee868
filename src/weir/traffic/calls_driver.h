// The driver of a series of collective operations with computations between them, run by all process groups side by
// side. A host goes on to the next call when its own part of the present one is over, whatever other hosts do; a
// message for a later call is kept until the host gets there.
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

// Makes the driver of one operation for one process group. `c` is the collective that the plan was made from.
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
  // The shared scale-up links of the first call that has them; all calls must agree.
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
    std::uint32_t name = 0;  // index into names_
    std::shared_ptr<const Members> members;
    std::vector<std::unique_ptr<CollectiveDriver>> groups;

    Time computation(std::uint32_t host) const { return stragglers.time(host, compute); }
    // The driver of the host's process group.
    CollectiveDriver& of(std::uint32_t host) const { return *groups[members->places[host] / members->ranks]; }
  };
  // A message that arrived before the host entered its call.
  struct Early {
    std::uint64_t call = 0;
    std::uint64_t word = 0;
    std::uint32_t from = 0;
    bool is_posted = false;
  };
  struct OfHost {
    std::uint64_t call = 0;  // number of calls that are over
    bool is_in = false;      // a call is under way
    Time since;              // begin of the call, or of the computation before it
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
  // Ends the present call if it is over, and begins the next one.
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
