// Skips messages whose durations repeat: a collective sends the same messages step after step, and a training step
// microbatch after microbatch. Once their durations repeat, most of them need no packets ([run.fast_forward],
// docs/guides/fast-forward.md).
//
// Messages of the same hosts, path and size are of one *kind*. Kinds whose messages were active at once on a common
// port, by data or by acknowledgements, are neighbours, and neighbours of neighbours form a *component*. A component is
// skipped as a whole, when no other flow is on its ports and all of its kinds that are still to come have been
// simulated `rounds` times in a row with durations that agree, among about as many neighbours. Durations agree if they
// differ by at most theta in the mean over the kinds, and by at most twice theta in each kind. Messages that begin from
// then on take the mean of the remembered durations and send no packet. The component is simulated again, until it
// repeats, when another component joins it, when messages have more or fewer neighbours in the mean, or when another
// flow comes to its ports.
//
// Durations count once `settle` rounds (as many messages as there are kinds) have been simulated.
//
// The messages of a program that are still to come are known. Drivers make theirs when they are due: a kind of theirs
// is expected to come until a few rounds have passed without it. If it comes later, it joins its component anew.
//
// Skipped components are checked: a share of the rounds, drawn at random, is simulated. A check goes on, first, until
// no skipped message is left, so that all neighbours have packets; then for a round in which queues fill; then for one
// whose durations are compared with the remembered ones, and are remembered as well; and then until the messages of
// that round have ended. If the compared messages are off by more than theta in the mean, all is forgotten. Messages of
// the first part lack the packets of those that are still skipped, and would be received too early: so their receipt
// becomes known when it was expected (that they have been sent becomes known at once). Hence a check does not disturb
// how far neighbours are ahead of each other, which takes tens of rounds to become what it is in the long run, stays
// while messages are skipped, and goes on from there in each check. Only messages that are under way when a component
// goes over to being skipped or simulated have neighbours of both sorts; they are neither remembered nor compared.
//
// All is decided between epochs, at multiples of the epoch, from what has happened since: results do not depend on the
// number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/fast_forward_report.h"
#include "weir/engine/model/model.h"
#include "weir/engine/skip/fast_forward_params.h"
#include "weir/engine/skip/skippable_kinds.h"
#include "weir/host/flow.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/program.h"

namespace weir::engine {

class MessageSkipper {
 public:
  // What becomes of a message that begins.
  struct Plan {
    bool is_skipped = false;  // none of its packets is sent
    Time received;            // when its receiver is told of the receipt; if it is simulated, the earliest such instant
    Time sent;                // when its sender is told that it is acknowledged, if it is skipped
  };

  // Both must outlive this.
  MessageSkipper(const Model& model, const traffic::Program& program, const FastForwardParams& params,
                 std::uint32_t partitions);

  // The next three are called during an epoch, by the partition of the message's sender or receiver: when a message
  // begins, when its receiver is told of its receipt, and when its sender is told that it is acknowledged.
  Plan begin(std::uint32_t partition, const traffic::Message& message, Time now);
  void receive(std::uint32_t partition, std::uint64_t message, Time now) {
    logs_[partition].received.push_back({message, now});
  }
  void end(std::uint32_t partition, std::uint64_t message, Time now) {
    logs_[partition].ended.push_back({message, now});
  }

  // Called between epochs for a flow that is no message and is about to start.
  void add_flow(const traffic::Flow& flow);
  // Called for flows that have ended; messages among them are ignored.
  void end(std::span<const host::FlowRecord> records);
  // Takes account of what has happened since the last call. Calls come at instants that depend on the scenario alone.
  void settle();

  FastForwardReport report() const;
  // Calls visit(src, flow) for each skipped message that has not ended.
  void for_each_skipped(const std::function<void(std::uint32_t src, const host::Flow&)>& visit) const;

  template <class A>
  void archive(A& a) {
    kinds_.archive(a);
    a.values(state_);
    a.values(components_);
    a.each(recurring_, [&](auto& kinds) { a.values(kinds); });
    a.values(samples_);
    a.values(active_);
    a.values(free_);
    a.each(on_port_, [&](auto& slots) { a.values(slots); });
    a.values(flows_);
    a.each(logs_, [&](Log& log) {
      a.values(log.begun);
      a.values(log.received);
      a.values(log.ended);
    });
    a.values(touched_);
    a.value(stamps_);
    a.value(walk_);
    a.value(totals_);
    a.value(error_sum_);
    if constexpr (A::kLoads)
      for (std::uint32_t slot = 0; slot < active_.size(); ++slot)
        if (active_[slot].used) slot_of_[active_[slot].message.id] = slot;
  }

 private:
  // The mean number of neighbours may vary by this share of all messages that share ports, the message itself included:
  // with up to three neighbours, one more or less is noticed. It is not smaller, since the phases of neighbours vary
  // from step to step, and durations have to agree anyway.
  static constexpr double kCompany = 0.2;

  // A kind of drivers' messages is expected to come until so many laps have passed without it.
  static constexpr std::uint64_t kLaps = 2;

  enum class Phase : std::uint8_t { simulated, skipped, clearing, settling, compared, draining };
  // How long a message takes from its start until it is received, and until its sender knows that.
  struct Lasts {
    Time received;
    Time sent;
  };
  struct Sample {
    Lasts lasts;
    double company = 0;  // neighbours at a time, in the mean
  };
  // The distance between the smallest and the largest of some samples, as a share of the largest.
  struct Spread {
    double received = 0;
    double sent = 0;
    double company = 0;  // as a share of all messages that share ports, the message itself included
  };
  // The state of a kind.
  struct State {
    std::uint32_t parent = 0;   // in the forest of components
    std::uint32_t left = 0;     // messages of the program still to begin
    std::uint32_t active = 0;   // messages that have begun and not ended
    std::uint32_t others = 0;   // active flows on its ports that are no messages
    std::uint32_t changes = 0;  // how often such a flow has started
    std::uint32_t stamp = 0;    // Component::stamp when its samples were taken
    std::uint32_t count = 0;    // of samples, at most `rounds`
    std::uint32_t next = 0;     // place of the next one
    bool recurs = false;        // drivers are expected to send more of it
    std::uint64_t seen = 0;     // if so: Component::laps when the last message began
    bool repeats = false;       // it counts as repeating in its component, with this spread
    Spread spread;
  };
  // The state of a component. It is kept at the kind that is the root of the component's tree.
  struct Component {
    std::uint32_t kinds = 1;
    std::uint32_t coming = 0;     // kinds of which some message is active or still to begin
    std::uint32_t repeating = 0;  // kinds of these that repeat
    Spread spread;                // the sum of the spreads of kinds that repeat
    std::uint32_t disturbed = 0;  // kinds with other flows on their ports
    std::uint32_t stamp = 0;      // changes when another component joins
    Phase phase = Phase::simulated;
    Time since;                 // messages that began earlier had other neighbours, and are not remembered
    std::uint32_t skipped = 0;  // active messages
    std::uint32_t compared = 0;
    std::uint64_t begun = 0;   // messages in this phase, or in this round
    std::uint64_t judged = 0;  // messages that have ended: skipped ones, by company, or compared ones, by duration
    double error = 0;          // the sum of their errors
    std::uint64_t round = 0;
    std::uint64_t lap = 0;  // messages begun in this lap, which ends with as many as there are kinds coming
    std::uint64_t laps = 0;
  };
  struct Active {
    traffic::Message message;
    std::uint32_t kind = 0;
    Time start;
    Time received = Time::max();  // not known yet
    Time not_before;              // the earliest instant at which its receipt may become known
    Time company;                 // sum of the times with each neighbour
    Time remembered;              // until receipt, if it is compared
    std::uint32_t changes = 0;    // State::changes when it began
    std::uint32_t seen = 0;       // in the present walk
    bool used = false;            // else the slot is free
    bool skipped = false;
    bool compared = false;
    bool settled = false;  // it may be remembered
    bool mixed = false;    // some neighbour was skipped; asked only of messages that have packets
  };
  struct Begun {
    traffic::Message message;
    Plan plan;
    Time time;
    std::uint64_t id() const { return message.id; }
  };
  struct Told {
    std::uint64_t message = 0;
    Time time;
    std::uint64_t id() const { return message; }
  };
  // What has happened at a partition.
  struct Log {
    std::vector<Begun> begun;
    std::vector<Told> received;
    std::vector<Told> ended;
  };

  std::uint32_t root_of(std::uint32_t kind) const;
  Component& component_of(std::uint32_t kind) { return components_[root_of(kind)]; }
  bool is_coming(std::uint32_t kind) const {
    return state_[kind].left + state_[kind].active > 0 || state_[kind].recurs;
  }
  // Whether the remembered durations of the kind are of its present component.
  bool knows(std::uint32_t kind) const;
  bool is_of_program(std::uint64_t message) const { return message < program_.size(); }
  std::span<const Sample> samples_of(std::uint32_t kind) const;
  Sample remembered(std::uint32_t kind) const;

  template <class T>
  std::vector<T> take(std::vector<T> Log::*which);
  std::uint32_t add_kind(const traffic::Message& message);
  void expect(std::uint32_t kind);
  void retire(std::uint32_t root);
  void start(const Begun& begun);
  void note_receipt(const Told& receipt);
  void finish(const Told& end);
  void leave(std::uint32_t slot, Time now);
  void part(Active& one, Active& other, Time now);
  void meet(std::uint32_t a, std::uint32_t b, Time since);
  void compare(Component& c, const Active& message, Time received);
  void learn(std::uint32_t kind, const Sample& sample);
  void forget(Component& c);
  Spread spread_of(std::uint32_t kind) const;
  void count(std::uint32_t kind);
  void discount(std::uint32_t kind);
  bool is_within(const Spread& spread, double times) const;
  void disturb(std::span<const std::uint32_t> ports, bool starts);
  void look_at(std::uint32_t root);
  void begin_round(std::uint32_t root);
  static bool is_accepted(Component& c, double limit);
  static void enter(Component& c, Phase phase);
  bool is_checked(std::uint32_t root, std::uint64_t round) const;

  const Model& model_;
  const traffic::Program& program_;
  const FastForwardParams params_;
  SkippableKinds kinds_;
  std::vector<State> state_;                                  // by kind
  std::vector<Component> components_;                         // by kind; only those of roots are in use
  std::vector<std::vector<std::uint32_t>> recurring_;         // by root: kinds of drivers' messages that are coming
  std::vector<Sample> samples_;                               // `rounds` of each kind
  std::vector<Active> active_;                                // by slot
  std::vector<std::uint32_t> free_;                           // slots
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;  // by id of the message
  std::vector<std::vector<std::uint32_t>> on_port_;           // by port: the slots of messages there
  std::vector<std::uint32_t> flows_;                          // by port: active flows that are no messages
  std::vector<Log> logs_;                                     // by partition
  std::vector<std::uint32_t> touched_;                        // kinds whose components are to be looked at
  std::uint32_t stamps_ = 0;
  std::uint32_t walk_ = 0;
  FastForwardReport totals_;
  double error_sum_ = 0;
};

}  // namespace weir::engine
