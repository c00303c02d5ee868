// Collective operations of parallel programs, as messages that wait for each other.
//
// What a host sends in a step it has received in the step before, so every dependency concerns one host only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/program.h"
#include "weir/traffic/schedule.h"
#include "weir/traffic/servers.h"

namespace weir::traffic {

// How results show messages: one row each, or only sums. Messages that are only summed are made when they are due.
enum class MessageRows : std::uint8_t { rows, sums };

inline constexpr std::uint32_t kMaxChunks = 1'000'000;
inline constexpr std::uint32_t kMaxCalls = 4'000'000;

// The order in which a rank sends to the others: the next rank first, or NCCL's order (traffic/peer_order.h).
enum class Order : std::uint8_t { next, nccl };

// Of a hierarchical all-reduce: the algorithm within each server, and the one between GPUs of the same place in
// different servers (traffic/hierarchy_driver.h).
enum class Within : std::uint8_t { ring, in_switch };
enum class Across : std::uint8_t { ring, tree };

// When the slot of a message is free again: when the message is acknowledged, or when its receiver has handed the
// content on (traffic/collective_driver.h).
enum class SlotsFreedBy : std::uint8_t { acknowledgement, receiver };

// GPU generations for which NCCL's tuning has constants (traffic/nccl_tuning.h).
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };

// With `chunks` = c the buffer is cut into c parts, each of which goes through the operation by itself.
struct Collective {
  Operation operation = Operation::ring_all_reduce;
  Bytes size;
  std::string hosts = "all";
  Placement placement = Placement::in_order;
  std::string places = "all";
  std::uint32_t ranks = 0;
  std::uint32_t stride = 1;
  std::uint32_t root = 0;
  std::string sizes;
  std::uint32_t chunks = 1;
  Bytes chunk_size;
  std::uint32_t active_chunks = 0;
  std::uint32_t slots = 0;
  SlotsFreedBy slots_freed_by = SlotsFreedBy::acknowledgement;
  std::uint32_t window = 0;
  Order order = Order::next;
  std::uint32_t channels = 1;
  Time start;
  Time step_delay;
  std::uint32_t repeat = 1;
  Time compute;
  std::string slow;
  double slow_factor = 1.2;
  MessageRows messages = MessageRows::rows;
  std::uint32_t group = 1;
  Rate scale_up_rate = ScaleUp{}.rate;
  Time scale_up_latency = ScaleUp{}.latency;
  Sharing scale_up_sharing = Sharing::serial;
  bool pxn = false;
  double in_switch_efficiency = 0.85;
  Within within = Within::ring;
  Across across = Across::ring;
  Generation generation = Generation::hopper;

  // Whether there are several calls or process groups (traffic/calls_driver.h).
  bool is_series() const { return ranks > 0 || repeat > 1 || compute > Time{}; }
  // Whether receivers free slots: if the scenario says so and the operation uses rings, chains or trees.
  bool receivers_free_slots() const;

  static void describe(ParamList<Collective>& p);
};

// The members of all process groups: hosts by place and places by host. Each group is `ranks` consecutive places.
struct Members {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<std::uint32_t> hosts;
  std::vector<std::uint32_t> places;  // kNone = takes no part
  std::uint32_t ranks = 0;

  std::uint32_t groups() const { return static_cast<std::uint32_t>(hosts.size()) / ranks; }
};
// One of the process groups.
struct Communicator {
  std::shared_ptr<const Members> members;
  std::uint32_t number = 0;

  std::uint32_t ranks() const { return members->ranks; }
  std::uint32_t host(std::uint32_t rank) const { return members->hosts[number * members->ranks + rank]; }
  // The rank of a host; Members::kNone if the host is in another group or in none.
  std::uint32_t rank(std::uint32_t host) const {
    const std::uint32_t rank = members->places[host] - number * members->ranks;
    return rank < members->ranks ? rank : Members::kNone;
  }
};

// The same collective with `chunks` computed from `chunk_size`, which is then cleared; parameters that have no effect
// get their defaults. Throws InputError.
Collective in_chunks(Collective, const Context&);

// A collective that has been checked: its schedule, and the host of each rank.
struct CollectivePlan {
  Schedule schedule;
  std::shared_ptr<const Members> members;
  ScaleUp scale_up;
  std::vector<Bytes> sizes;  // all-to-all with given sizes: what each rank sends to each other rank, row by row
};

// Throws InputError if the hosts or the given sizes do not fit the operation.
CollectivePlan plan_collective(const Collective&, const Context&);
// The operation as a program; only for operations that Schedule knows, and without scale-up links.
Program make_collective(const Collective&, const Context&);

// Hybrid sharded data parallelism (HSDP): servers of `group` GPUs, each shard replicated over the servers. GPU g of a
// server sends to GPU g of the next, `group` parallel rings; traffic within a server does not cross the network
// (Gerstein et al., "Congestion Control for Spraying with Congested Paths", section IV-A).
enum class HsdpModel : std::uint8_t { llama_3_70b };
// How large a message is. The paper gives 3,344 packets of 4096 B per step and flow. Counted literally, a layer of
// Llama-3 70B has 855,654,400 parameters of one byte (FP8), of which a GPU holds 1/group, cut into as many parts as
// there are servers: 6,684,800 B with 16 servers, about half of the paper's size.
enum class HsdpCount : std::uint8_t { paper, literal };

struct Hsdp {
  HsdpModel model = HsdpModel::llama_3_70b;
  HsdpCount count = HsdpCount::paper;
  Bytes size;
  std::uint32_t steps = 1;
  std::uint32_t group = 8;
  std::string hosts = "all";
  Placement placement = Placement::random;
  Time start;
  Time step_delay;

  static void describe(ParamList<Hsdp>& p) {
    p.choice("model", &Hsdp::model, {"llama-3-70b"}, "whose gradients they are, FP8, layer by layer");
    p.choice("count", &Hsdp::count, {"paper", "literal"},
             "size of a message: 3,344 packets of 4096 B as the paper says, or layer / group / servers",
             "Spraying IV-A");
    p.bytes("size", &Hsdp::size, "size of a message, instead of the model's; 0 = the model's", "", Bytes{0},
            kMaxFlowSize);
    p.integer("steps", &Hsdp::steps, 1, 1'000'000, "steps of the ring", "Spraying IV-A");
    p.integer("group", &Hsdp::group, 1, kMaxHosts, "hosts of a server", "Spraying IV-A");
    p.text("hosts", &Hsdp::hosts, "those that take part, server by server: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
    p.choice("placement", &Hsdp::placement, {"in-order", "random"}, "which server is next: as listed, or at random",
             "Spraying IV-A");
    p.time("start", &Hsdp::start, "the first step starts");
    p.time("step_delay", &Hsdp::step_delay, "from the receipt of a message to the next step of its host");
  }
};

Program make_hsdp(const Hsdp&, const Context&);

}  // namespace weir::traffic
