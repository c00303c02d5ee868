// How switches choose among equal-cost ports for a packet that leaves them the choice (Descriptor::path_policy()).
//
// By hash, routing itself chooses (net/model/routing.h). Every other policy has a class here, which holds its state for
// all switches; a partition touches that of its own switches only. Such a class has
//   kPolicy      the value that packets carry
//   kKeepsTurns  whether switches may still take turns (turns-inl.h), in which packets come link by link: only if the
//                choice does not depend on what has come by other links, or on queues
//   start()      called once, if some packets carry the value
//   choose()     one of the ports of a fork; queued_at(port) tells how many bytes wait at a port
//   archive()    the state of one switch, and of its ports
// and a place in PathPolicies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/net/link/packet.h"
#include "weir/net/model/routing.h"
#include "weir/net/switch/params.h"

namespace weir::net {

// Where a packet may go on by several ports.
struct Fork {
  std::uint32_t s;                      // the switch
  std::uint32_t salt;                   // its own, for hashes
  std::span<const std::uint32_t> hops;  // its equal-cost ports towards the packet's destination: two or more
  const Descriptor& packet;
  Time now;
};

// Adaptive routing: a port with the shortest queue, any of them if there are several.
class Adaptive {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::adaptive;
  static constexpr bool kKeepsTurns = false;

  template <class Model>
  void start(const Model& m) {
    params_ = &m.adaptive;
    buffer_size_ = m.buffer.size;
    loads_.resize(m.topology.ports());
    choices_.resize(m.topology.switches);
  }

  template <class QueuedAt>
  std::uint32_t choose(const Fork& f, const QueuedAt& queued_at) {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t tied = 0;
    for (const std::uint32_t hop : f.hops) {
      const std::uint32_t level = load_of(hop, f.now, queued_at);
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

  template <class QueuedAt>
  std::uint32_t load_of(std::uint32_t port, Time now, const QueuedAt& queued_at) {
    PortLoad& known = loads_[port];
    if (now >= known.until) known = {now + params_->refresh, params_->measure(queued_at(port), buffer_size_)};
    return known.level;
  }

  const AdaptiveParams* params_ = nullptr;
  Bytes buffer_size_;
  std::vector<PortLoad> loads_;         // by port
  std::vector<std::uint32_t> choices_;  // by switch: made so far among several shortest
};

// Round robin: the next port in turn, in an order drawn anew for each round, or always the same. One round serves all
// destinations of a switch; those with fewer ports pass over the rest.
class RoundRobin {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::round_robin;
  static constexpr bool kKeepsTurns = false;

  template <class Model>
  void start(const Model& m) {
    seed_ = m.seed;
    rounds_ = m.network.rounds;
    states_.resize(m.topology.switches);
  }

  template <class QueuedAt>
  std::uint32_t choose(const Fork& f, const QueuedAt&) {
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
// port is drawn, whatever the queues are. Each switch has a table of flowlets by the hash of the flow, and flows of one
// place share its flowlet. The paper's switches age their entries, and so find a gap within one to two periods of a
// timer; here an entry knows when it ends.
class Flowlets {
 public:
  static constexpr PathPolicy kPolicy = PathPolicy::flowlets;
  static constexpr bool kKeepsTurns = false;

  template <class Model>
  void start(const Model& m) {
    seed_ = m.seed;
    gap_ = m.network.flowlet_gap;
    entries_ = static_cast<std::uint32_t>(m.network.flowlet_entries);
    tables_.resize(m.topology.switches);
  }

  template <class QueuedAt>
  std::uint32_t choose(const Fork& f, const QueuedAt&) {
    Table& table = tables_[f.s];
    if (table.flowlets.empty()) table.flowlets.resize(entries_);
    Flowlet& flowlet = table.flowlets[Routing::pick(f.packet.entropy, f.salt, entries_)];
    // Another flow of this place may have had more ports.
    if (f.now >= flowlet.until || flowlet.number >= f.hops.size())
      flowlet.number = RandomStream(seed_, f.s, Purpose::flowlets).below(table.draws++, f.hops.size());
    flowlet.until = f.now + gap_;
    return f.hops[flowlet.number];
  }

  // Of the table only what is not empty. Throws InputError.
  template <class A>
  void archive(A& a, std::uint32_t s, std::span<const std::uint32_t>) {
    if (tables_.empty()) return;
    Table& table = tables_[s];
    a.value(table.draws);
    std::vector<std::uint32_t> used;
    for (std::uint32_t i = 0; i < table.flowlets.size(); ++i)
      if (table.flowlets[i].until > Time{}) used.push_back(i);
    a.values(used);
    if constexpr (A::kLoads) table.flowlets.assign(used.empty() ? 0 : entries_, {});
    for (const std::uint32_t i : used) {
      if (i >= table.flowlets.size()) throw InputError("the checkpoint has a flowlet that is not possible");
      a.value(table.flowlets[i]);
    }
  }

 private:
  struct Flowlet {
    Time until;                // then it has ended, if nothing comes before
    std::uint64_t number = 0;  // of its port among the equal-cost ports
  };
  struct Table {
    std::vector<Flowlet> flowlets;  // none before the first packet
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
      if (m.uses(policy.kPolicy)) policy.start(m);
    });
  }

  static constexpr bool keeps_turns(PathPolicy policy) {
    return ((Policies::kPolicy != policy || Policies::kKeepsTurns) && ...);
  }
  static constexpr bool kSomeKeepTurns = (Policies::kKeepsTurns || ...);

  // The port by which the packet of a fork goes on.
  template <class QueuedAt>
  std::uint32_t choose(const Fork& f, const QueuedAt& queued_at) {
    std::uint32_t port = f.hops[0];
    for_each([&](auto& policy) {
      if (f.packet.path_policy() == policy.kPolicy) port = policy.choose(f, queued_at);
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

  std::tuple<Policies...> policies_;
};

using PathPolicies = PathPolicyList<Adaptive, RoundRobin, Flowlets>;

}  // namespace weir::net
