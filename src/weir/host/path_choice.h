// How a sender chooses the path of a flow's next packet: by the packet's entropy, by which switches hash.
//
// A flow that sprays changes its entropy from packet to packet (Gerstein, Silberstein, Keslassy: Congestion Control for
// Spraying with Congested Paths, section II-A; Ultra Ethernet 1.0). With `adaptive` and `round-robin` it is the
// switches that choose, packet by packet (net/switch/path_policies.h), and the entropy only spreads acknowledgements;
// with `acks = "adaptive"` not even these. With `flowlets` and `conga` switches know a flow, and its acknowledgements,
// by their entropy.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "weir/base/params.h"
#include "weir/base/random.h"
#include "weir/base/units.h"
#include "weir/net/link/packet.h"

namespace weir::host {

enum class Balancing : std::uint8_t { ecmp, ops, ops_xor, reps, adaptive, round_robin, flowlets, conga };

// Which flows of a profile share what REPS remembers: none, messages of one connection, or all of the same two hosts.
enum class PathMemory : std::uint8_t { flow, connection, pair };

// By whose mark REPS judges an entropy: the data packet's, the acknowledgement's own, nobody's.
enum class PathMarks : std::uint8_t { data, ack, none };

enum class AckRouting : std::uint8_t { hash, adaptive };

// By which port a packet leaves a host that has several. automatic: as fits the kind; hash: the flow's port, by the
// hash of its entropy; lane: the flow's port, by its source port; free: whichever is free; entropy: the port that the
// packet's own entropy names.
enum class PortChoice : std::uint8_t { automatic, hash, lane, free, entropy };

// By which port an answer leaves such a host. data: the one by which the data came; hash: the one that the answer's own
// entropy names; free: the next one that is idle.
enum class AnswerPorts : std::uint8_t { data, hash, free };

struct BalancingParams {
  Balancing kind = Balancing::ecmp;
  std::int64_t entropies = 65'536;
  Time freeze{10'000'000'000};
  std::int64_t explore = 16;
  PathMemory memory = PathMemory::connection;
  PathMarks marks = PathMarks::data;
  AckRouting acks = AckRouting::hash;
  PortChoice ports = PortChoice::automatic;
  AnswerPorts answer_ports = AnswerPorts::data;

  static void describe(ParamList<BalancingParams>& p) {
    using B = BalancingParams;
    p.choice("kind", &B::kind, {"ecmp", "ops", "ops-xor", "reps", "adaptive", "round-robin", "flowlets", "conga"},
             "ecmp: one path a flow; ops: a random entropy for each packet; ops-xor: each entropy once in a round, in "
             "an order drawn anew; reps: entropies that were acknowledged without a mark again; adaptive: each switch "
             "takes the shortest queue; round-robin: each switch takes its ports in turn; flowlets: each switch draws "
             "a port after each gap of a flow (network.flowlet_gap); conga: the first switch takes, after each gap, "
             "the port of the least congested way to the last one, which tells it",
             "Spraying II-A; uet-htsim; LetFlow, NSDI 2017; CONGA, SIGCOMM 2014");
    p.integer("entropies", &B::entropies, 1, 1LL << 32,
              "how many different ones a flow has, unless it has one path; ops-xor: a power of two; adaptive, "
              "round-robin: only acknowledgements go by them",
              "REPS; uet-htsim: 64")
        .not_with("kind", {"ecmp", "flowlets", "conga"});
    p.time("freeze", &B::freeze,
           "reps: how long a flow goes in turn through the entropies that it has kept, after a timeout, before it "
           "explores again, then or at the next timeout after that; 0 = it never stops exploring",
           "uet-htsim: 10 ms")
        .only_with("kind", {"reps"});
    p.integer("explore", &B::explore, 0, 1'000'000, "reps: random entropies after that", "uet-htsim")
        .only_with("kind", {"reps"});
    p.choice("memory", &B::memory, {"flow", "connection", "pair"},
             "reps: which flows share the entropies that have proved good: flow: none; connection: messages of one "
             "source that wait for each other, between the same two hosts; pair: all of this profile from one host to "
             "another",
             "Ultra Ethernet 1.0; uet-htsim -conn_reuse")
        .only_with("kind", {"reps"});
    p.choice("marks", &B::marks, {"data", "ack", "none"},
             "reps: by whose mark an entropy is bad: the data packet's, which its acknowledgement echoes; that of the "
             "acknowledgement itself, which switches then mark as they mark data, so that the way back is judged; "
             "nobody's",
             "REPS, uet-htsim: data; a public fork of csg-htsim: ack")
        .only_with("kind", {"reps"});
    p.choice(
         "acks", &B::acks, {"hash", "adaptive"},
         "adaptive: how switches route acknowledgements: each by the hash of an entropy of its own, or as they route "
         "data",
         "csg-htsim: adaptive; uet-htsim hashes packets under 100 B")
        .only_with("kind", {"adaptive"});
    p.choice(
         "ports", &B::ports, {"auto", "hash", "lane", "free", "entropy"},
         "of hosts with several ports, by which a packet leaves. Of a flow that keeps to its path, hash: one port, by "
         "the hash of its addresses and ports; lane: one port, number (source port mod number of ports). Of a flow "
         "that sprays, free: whichever is free; entropy: the one that the packet's entropy names, so that reps "
         "learns which ports are bad. auto: hash or free",
         "hash: IEEE 802.1AX; lane: NCCL, a channel keeps to a NIC; free: uet-htsim")
        .only_with("host.ports");
    p.choice(
         "answer_ports", &B::answer_ports, {"data", "hash", "free"},
         "of hosts with several ports, by which acknowledgements and other answers to data leave. data: that by which "
         "the data came; hash: the one that the hash of the answer's addresses and ports names; free: the next one in "
         "turn that sends nothing, or the next one if all do",
         "data: queue pairs of RDMA are of one port; hash: IEEE 802.1AX; free: uet-htsim")
        .only_with("host.ports");
  }

  // Whether each packet may take another path: the sender draws an entropy for each.
  bool sprays() const { return !has_one_path() && !has_flowlets(); }
  // Whether all packets take the same path, as long as switches know of the same links.
  bool has_one_path() const { return kind == Balancing::ecmp; }
  // Whether switches may move the flow to another path when it has paused.
  bool has_flowlets() const { return kind == Balancing::flowlets || kind == Balancing::conga; }
  // Whether this choice of ports fits the kind.
  bool fits(PortChoice choice) const {
    const bool sprays_ports = choice == PortChoice::free || choice == PortChoice::entropy;
    return choice == PortChoice::automatic || sprays_ports == sprays();
  }
  // The choice that flows keep (Flow::ports): hash, free or entropy. With `lane` it is hash, for a flow's entropy then
  // names its port.
  PortChoice port_choice() const {
    if (!sprays()) return PortChoice::hash;
    return ports == PortChoice::entropy ? PortChoice::entropy : PortChoice::free;
  }
  // The path policy of a flow's data packets.
  net::PathPolicy path_policy() const {
    switch (kind) {
      case Balancing::adaptive: return net::PathPolicy::adaptive;
      case Balancing::round_robin: return net::PathPolicy::round_robin;
      case Balancing::flowlets: return net::PathPolicy::flowlets;
      case Balancing::conga: return net::PathPolicy::conga;
      default: return net::PathPolicy::hash;
    }
  }
  // The path policy of their acknowledgements.
  net::PathPolicy ack_path_policy() const {
    if (has_flowlets()) return path_policy();
    return kind == Balancing::adaptive && acks == AckRouting::adaptive ? net::PathPolicy::adaptive
                                                                       : net::PathPolicy::hash;
  }
  // The flags that acknowledgements carry, beside what they echo.
  std::uint16_t ack_flags() const {
    const bool markable = kind == Balancing::reps && marks == PathMarks::ack;
    return static_cast<std::uint16_t>((markable ? net::kMarkable : 0) | net::flags_of(ack_path_policy()));
  }
  // The flag on an acknowledgement that tells of a bad path.
  std::uint16_t bad_path() const {
    return marks == PathMarks::data ? net::kEchoMarked : marks == PathMarks::ack ? net::kMarked : std::uint16_t{0};
  }
};

// The state of one flow, or of several that share a connection (host/connections.h).
class PathChoice {
 public:
  // All random choices follow from `draw`.
  void start(const BalancingParams& p, std::uint32_t draw) {
    params_ = &p;
    draw_ = draw;
    sent_ = 0;
    explore_ = 0;
    frozen_until_ = Time{};
    cached_ = next_ = fresh_ = 0;
  }

  // The number of entropies that it may choose: entropy(0) to entropy(entropies() - 1).
  std::int64_t entropies() const { return params_->entropies; }
  std::uint32_t entropy(std::uint32_t number) const { return mix32(draw_ ^ mix32(number * kStep + 1)); }

  // The entropy of the next packet.
  std::uint32_t next(Time now) {
    const std::uint32_t count = sent_++;
    switch (params_->kind) {
      case Balancing::ops_xor: return entropy(in_turn(count));
      case Balancing::reps: return recycled(count, now);
      default: return any(count);
    }
  }

  // A packet with this entropy has been acknowledged; `flags` are those of the acknowledgement.
  void on_ack(std::uint32_t entropy, std::uint16_t flags, Time now) {
    if (params_->kind != Balancing::reps || (flags & params_->bad_path()) != 0 || frozen(now)) return;
    cache_[next_ % kCache] = entropy;
    ++next_;
    if (cached_ < kCache) ++cached_;
    if (fresh_ < kCache) ++fresh_;
  }

  // A timeout begins a freeze. One after the end of a freeze does not begin another but lets the flow explore, since
  // the entropies to which it was frozen may be those that have failed.
  void on_timeout(Time now) {
    if (params_->freeze == Time{} || frozen(now)) return;
    if (frozen_until_ > Time{})
      thaw();
    else
      frozen_until_ = now + params_->freeze;
  }

  // Parameters are archived as their place in `known`, which is the same for a run and for its checkpoint.
  template <class A>
  void archive(A& a, std::span<const BalancingParams* const> known) {
    auto place = static_cast<std::uint32_t>(std::find(known.begin(), known.end(), params_) - known.begin());
    a.value(place);
    params_ = place < known.size() ? known[place] : nullptr;
    a.value(frozen_until_);
    for (auto* figure : {&draw_, &sent_, &explore_, &next_, &cached_, &fresh_}) a.value(*figure);
    a.value(cache_);
  }

 private:
  static constexpr std::uint32_t kCache = 8;  // REPS
  static constexpr std::uint32_t kStep = 0x9e3779b9u;

  std::uint32_t any(std::uint32_t count) const {
    const std::uint64_t random = mix32(draw_ + count * kStep);
    return entropy(static_cast<std::uint32_t>(random * static_cast<std::uint64_t>(params_->entropies) >> 32));
  }
  std::uint32_t in_turn(std::uint32_t count) const {
    const auto entropies = static_cast<std::uint64_t>(params_->entropies);  // a power of two
    const auto round = static_cast<std::uint32_t>(std::uint64_t{count} >> std::countr_zero(entropies));
    return (count ^ mix32(draw_ + round * kStep)) & static_cast<std::uint32_t>(entropies - 1);
  }

  bool frozen(Time now) const { return now < frozen_until_; }
  void thaw() {
    frozen_until_ = Time{};
    cached_ = next_ = fresh_ = 0;
    explore_ = static_cast<std::uint32_t>(params_->explore);
  }

  // REPS: the oldest entropy in the cache that has not been used again since its acknowledgement; else a random one.
  std::uint32_t recycled(std::uint32_t count, Time now) {
    if (frozen_until_ > Time{}) {
      if (frozen(now)) return cached_ == 0 ? any(count) : cache_[count % cached_];
      thaw();
    }
    if (explore_ > 0) {
      --explore_;
      return any(count);
    }
    if (fresh_ == 0) return any(count);
    return cache_[(next_ - fresh_--) % kCache];
  }

  const BalancingParams* params_ = nullptr;
  Time frozen_until_;
  std::uint32_t draw_ = 0;
  std::uint32_t sent_ = 0;
  std::uint32_t explore_ = 0;
  std::uint32_t next_ = 0;    // acknowledged entropies so far: the place of the next one in the cache
  std::uint32_t cached_ = 0;  // entropies in the cache
  std::uint32_t fresh_ = 0;   // the newest of them, which have not been used again
  std::array<std::uint32_t, kCache> cache_{};
};

}  // namespace weir::host
