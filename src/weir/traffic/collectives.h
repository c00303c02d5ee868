// Collective operations of parallel programs, as messages that wait for each other.
//
// What a host sends in a step it has received in the step before, so every dependency concerns one host only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/program.h"
#include "weir/traffic/scale_up.h"
#include "weir/traffic/schedule.h"

namespace weir::traffic {

// What results say of messages: each is a row, or they are only added up. Those are made when they are due.
enum class MessageRows : std::uint8_t { rows, sums };

// With `chunks` = c the buffer is cut into c parts, each of which goes through the operation by itself.
struct Collective {
  Operation operation = Operation::ring_all_reduce;
  Bytes size;
  std::string hosts = "all";
  Placement placement = Placement::in_order;
  std::uint32_t chunks = 1;
  std::uint32_t active_chunks = 0;
  Time start;
  Time step_delay;
  MessageRows messages = MessageRows::rows;
  std::uint32_t group = 1;
  Rate scale_up_rate{3'600'000'000'000};
  Time scale_up_latency{500'000};

  static void describe(ParamList<Collective>& p) {
    p.choice("operation", &Collective::operation,
             {"ring-all-reduce", "ring-reduce-scatter", "ring-all-gather", "all-to-all", "halving-doubling-all-reduce",
              "hierarchical-all-reduce", "tree-all-reduce"},
             "what the hosts do; trees are two at once, each with half of the buffer",
             "Thakur et al., IJHPCA 2005; NCCL trees.cc")
        .required = true;
    p.bytes("size", &Collective::size,
            "the buffer of each host; in an all-gather what it has at the end, in an all-to-all it keeps its own share",
            "", Bytes{1}, kMaxFlowSize)
        .required = true;
    p.text("hosts", &Collective::hosts, "those that take part: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
    p.choice("placement", &Collective::placement, {"in-order", "random"},
             "who is whose neighbour: as listed, or at random");
    p.integer("chunks", &Collective::chunks, 1, 1'000'000,
              "the buffer is cut into so many parts, each of which goes its way by itself");
    p.integer(
        "active_chunks", &Collective::active_chunks, 0, 1'000'000,
        "so many chunks are under way at each host at once, and it begins with another one when it is done with one; "
        "0 = all",
        "NCCL: 8 slots of a channel");
    p.time("start", &Collective::start, "the first messages start");
    p.time("step_delay", &Collective::step_delay, "from the receipt of a message to the start of what waits for it");
    p.choice(
        "messages", &Collective::messages, {"rows", "sums"},
        "rows: each message is a flow in the results; sums: messages have no rows and no percentiles, are made when "
        "they are due, and may be any number");
    p.integer("group", &Collective::group, 1, kMaxHosts,
              "GPUs of a server, which are so many hosts in a row; messages between them take no network but scale-up "
              "links, such as NVLink");
    p.rate("scale_up_rate", &Collective::scale_up_rate, "of each GPU to those of its server, in each direction",
           "NVLink 4: 450 GB/s", Rate{1'000'000'000}, Rate{100'000'000'000'000});
    p.time("scale_up_latency", &Collective::scale_up_latency,
           "of a message there, beside its transmission; no message takes less than an epoch", "", Time{0},
           Time{1'000'000'000});
  }
};

// Who takes part, by rank, in what.
struct CollectivePlan {
  Schedule schedule;
  std::vector<std::uint32_t> hosts;
  ScaleUp scale_up;
};

// Throws InputError if the hosts, or what each has to send, do not fit the operation.
CollectivePlan plan_collective(const Collective&, const Context&);
// Only without servers.
Program make_collective(const Collective&, const Context&);

// Hybrid sharded data parallelism (HSDP): servers of `group` GPUs, each shard replicated over the servers. GPU g of a
// server sends to GPU g of the next, `group` parallel rings; traffic within a server does not cross the network
// (Gerstein et al., "Congestion Control for Spraying with Congested Paths", section IV-A).
enum class HsdpModel : std::uint8_t { llama_3_70b };
// Of a message's size. The paper gives 3,344 packets of 4096 B per step and flow. Counted literally, a layer of Llama-3
// 70B has 855,654,400 parameters of one byte (FP8), of which a GPU holds 1/group, in as many parts as there are
// servers: 6,684,800 B for 16 servers, about half as much.
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
