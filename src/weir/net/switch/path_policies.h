// How switches choose among equal-cost ports for a packet that leaves them the choice (Descriptor::path_policy()).
//
// By hash, routing itself chooses (net/model/routing.h). Every other policy has a class here, or in a header of its
// own, which holds its state for all switches; a partition touches that of its own switches only. Such a class is a
// PlainPathPolicy, of which it may change what holds, and has
//   kPolicy      the value that packets carry
//   check()      optional: refuses networks that the policy cannot have; throws InputError. Called if some packets
//   carry
//                the value
//   start()      called once, if some packets carry the value
//   choose()     one of the ports of a fork; what it may ask of the switch's ports is Switching::AskedPorts
//   departed()   with kWritesNotes: a packet of any policy has left a port towards another switch, at its `departs`,
//                with its note if it is of this policy. It is told when the packet has arrived; choose() can ask what
//                is still on the wire
//   archive()    the state of one switch, and of its ports
// and a place in PathPolicies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/net/link/packet.h"
#include "weir/net/model/routing.h"
#include "weir/net/switch/conga.h"
#include "weir/net/switch/flowlet_table.h"
#include "weir/net/switch/params.h"
#include "weir/net/switch/path_policy.h"

namespace weir::net {

// Adaptive routing: a port with the shortest queue, any of them if there are several.
class Adaptive : public PlainPathPolicy {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::adaptive;

  template <class Model>
  void start(const Model& m) {
    params_ = &m.adaptive;
    buffer_size_ = m.buffer.size;
    loads_.resize(m.topology.ports());
    choices_.resize(m.topology.switches);
  }

  template <class Ports>
  std::uint32_t choose(const Fork& f, const Ports& ports) {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t tied = 0;
    for (const std::uint32_t hop : f.hops) {
      const std::uint32_t level = load_of(hop, f.now, ports);
      if (level > least) continue;
      tied = level < least ? 1 : tied + 1;
      least = level;
    }
    std::uint32_t skipped = tied == 1 ? 0 : Routing::pick(choices_[f.s]++, f.salt, tied);
    return *std::find_if(f.hops.begin(), f.hops.end(),
                         [&](std::uint32_t hop) { return loads_[hop].level == least && skipped-- == 0; });
  }

  template <class A>
  void archive(A& a, std::uint32_t s, std::span<const std::uint32_t> ports) {
    if (params_ == nullptr) return;
    a.value(choices_[s]);
    for (const std::uint32_t port : ports) a.value(loads_[port]);
  }

 private:
  // What a switch knows of the queue of one of its ports: 16 bytes, so that a choice does not touch the ports.
  struct PortLoad {
    Time until;  // it need not look again before this
    std::uint32_t level = 0;
  };

  template <class Ports>
  std::uint32_t load_of(std::uint32_t port, Time now, const Ports& ports) {
    PortLoad& known = loads_[port];
    if (now >= known.until) known = {now + params_->refresh, params_->measure(ports.queued(port), buffer_size_)};
    return known.level;
  }

  const AdaptiveParams* params_ = nullptr;
  Bytes buffer_size_;
  std::vector<PortLoad> loads_;         // by port
  std::vector<std::uint32_t> choices_;  // by switch: made so far among several shortest
};

// Round robin: the next port in turn, in an order drawn anew for each round, or always the same. One round serves all
// destinations of a switch; those with fewer ports pass over the rest.
class RoundRobin : public PlainPathPolicy {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::round_robin;

  template <class Model>
  void start(const Model& m) {
    seed_ = m.seed;
    rounds_ = m.network.rounds;
    states_.resize(m.topology.switches);
  }

  template <class Ports>
  std::uint32_t choose(const Fork& f, const Ports&) {
    State& state = states_[f.s];
    if (state.order.size() < f.hops.size()) {
      state.order.resize(f.hops.size());
      std::iota(state.order.begin(), state.order.end(), std::uint16_t{0});
      begin_round(f.s);
    }
    for (;;) {
      if (state.next == state.order.size()) begin_round(f.s);
      const std::uint16_t number = state.order[state.next++];
      if (number < f.hops.size()) return f.hops[number];
    }
  }

  template <class A>
  void archive(A& a, std::uint32_t s, std::span<const std::uint32_t>) {
    if (states_.empty()) return;
    State& state = states_[s];
    a.values(state.order);
    a.value(state.next);
    a.value(state.round);
  }

 private:
  struct State {
    std::vector<std::uint16_t> order;  // numbers of equal-cost ports, in the order of this round
    std::uint32_t next = 0;            // the place in it whose port comes next
    std::uint32_t round = 0;
  };

  void begin_round(std::uint32_t s) {
    State& state = states_[s];
    state.next = 0;
    if (rounds_ == Rounds::fixed) return;
    const RandomStream random(seed_, s, Purpose::round_robin);
    const std::uint64_t first_draw = std::uint64_t{state.round++} << 16;
    for (std::size_t left = state.order.size(); left > 1; --left)
      std::swap(state.order[left - 1], state.order[random.below(first_draw + left, left)]);
  }

  std::uint64_t seed_ = 0;
  Rounds rounds_ = Rounds::shuffled;
  std::vector<State> states_;  // by switch
};

// Flowlets (LetFlow; Vanini et al., NSDI 2017): a flow keeps its port until nothing of it has come for a gap; then a
// port is drawn, whatever the queues are.
class Flowlets : public PlainPathPolicy {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::flowlets;

  template <class Model>
  void start(const Model& m) {
    seed_ = m.seed;
    gap_ = m.network.flowlet_gap;
    entries_ = static_cast<std::uint32_t>(m.network.flowlet_entries);
    tables_.resize(m.topology.switches);
  }

  template <class Ports>
  std::uint32_t choose(const Fork& f, const Ports&) {
    Table& table = tables_[f.s];
    FlowletTable::Flowlet& flowlet = table.flowlets.of(f, entries_);
    // Another flow of this place may have had more ports.
    if (flowlet.has_ended(f.now) || flowlet.number >= f.hops.size())
      flowlet.number = RandomStream(seed_, f.s, Purpose::flowlets).below(table.draws++, f.hops.size());
    flowlet.until = f.now + gap_;
    return f.hops[flowlet.number];
  }

  // Throws InputError.
  template <class A>
  void archive(A& a, std::uint32_t s, std::span<const std::uint32_t>) {
    if (tables_.empty()) return;
    a.value(tables_[s].draws);
    tables_[s].flowlets.archive(a, entries_);
  }

 private:
  struct Table {
    FlowletTable flowlets;
    std::uint64_t draws = 0;
  };

  std::uint64_t seed_ = 0;
  Time gap_;
  std::uint32_t entries_ = 0;
  std::vector<Table> tables_;  // by switch
};

template <class... Policies>
class PathPolicyList {
 public:
  // Those that the model uses have state.
  template <class Model>
  explicit PathPolicyList(const Model& m) {
    for_each([&](auto& policy) {
      if (!m.uses(policy.kPolicy)) return;
      policy.start(m);
      follows_departures_ = follows_departures_ || policy.kWritesNotes;
    });
  }

  // Throws InputError if the model uses a policy that its network is nothing for.
  template <class Model>
  static void check(const Model& m) {
    (check_of<Policies>(m), ...);
  }

  static constexpr bool keeps_turns(PathPolicy policy) {
    return ((Policies::kPolicy != policy || Policies::kKeepsTurns) && ...);
  }
  static constexpr bool kSomeKeepTurns = (Policies::kKeepsTurns || ...);
  static constexpr bool kSomeWriteNotes = (Policies::kWritesNotes || ...);
  static_assert(((has_path_note(Policies::kPolicy) == Policies::kWritesNotes) && ...));

  // Whether departed() must be called.
  bool follows_departures() const { return follows_departures_; }
  // A packet has left this port, which leads from a switch to a switch.
  void departed(std::uint32_t port, const Descriptor& packet, PathNote* note) {
    for_each([&](auto& policy) {
      if constexpr (std::decay_t<decltype(policy)>::kWritesNotes)
        policy.departed(port, packet, packet.path_policy() == policy.kPolicy ? note : nullptr);
    });
  }

  // The port by which the packet goes on.
  template <class Ports>
  std::uint32_t choose(const Fork& f, const Ports& ports) {
    std::uint32_t port = f.hops[0];
    for_each([&](auto& policy) {
      if (f.packet.path_policy() == policy.kPolicy && (f.hops.size() > 1 || policy.kWritesNotes))
        port = policy.choose(f, ports);
    });
    return port;
  }

  // Of one switch, which has these ports.
  template <class A>
  void archive(A& a, std::uint32_t s, std::span<const std::uint32_t> ports) {
    for_each([&](auto& policy) { policy.archive(a, s, ports); });
  }

 private:
  template <class Use>
  void for_each(Use&& use) {
    std::apply([&](auto&... policy) { (use(policy), ...); }, policies_);
  }
  template <class Policy, class Model>
  static void check_of(const Model& m) {
    if constexpr (requires { Policy::check(m); })
      if (m.uses(Policy::kPolicy)) Policy::check(m);
  }

  std::tuple<Policies...> policies_;
  bool follows_departures_ = false;
};

using PathPolicies = PathPolicyList<Adaptive, RoundRobin, Flowlets, Conga>;

}  // namespace weir::net
