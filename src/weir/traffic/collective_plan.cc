// Parameters of collectives, and who takes part in one.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "weir/base/trim.h"
#include "weir/traffic/checks.h"
#include "weir/traffic/collectives.h"
#include "weir/traffic/matrix_file.h"
#include "weir/traffic/stragglers.h"

namespace weir::traffic {
namespace {

using Hosts = std::vector<std::uint32_t>;

bool is_one_of(Operation operation, std::initializer_list<Operation> some) {
  return std::find(some.begin(), some.end(), operation) != some.end();
}

// Of an operation without steps that wait for each other.
bool is_direct(Operation operation) {
  return is_in_switch(operation) || is_all_to_all(operation) || operation == Operation::gather ||
         operation == Operation::scatter;
}

// How many parts of a chunk go their own ways.
std::uint32_t parts(Operation operation, std::uint32_t ranks) {
  const bool whole = is_one_of(operation, {Operation::ring_broadcast, Operation::ring_reduce, Operation::barrier});
  return whole ? 1 : ranks;
}

// Which key says how many hosts an operation has.
std::string key_of_hosts(const Collective& c) {
  if (c.ranks > 0) return "ranks";
  return trim(c.places) == "all" ? "hosts" : "places";
}

// ... and which says that they are not those of a server, one behind the other.
std::string key_of_order(const Collective& c) { return c.stride > 1 ? "stride" : key_of_hosts(c); }

void check_groups(const Collective& c, std::uint32_t ranks, std::uint32_t all) {
  if (c.ranks == 0 && c.stride > 1)
    throw InputError("stride", "without ranks there is one process group, of all hosts; write ranks as well, or 1");
  if (all % ranks != 0)
    throw InputError("ranks", fmt::format("{} does not divide the {} hosts into whole process groups; valid are {}",
                                          ranks, all, divisors_text(all, 2, all)));
  if (all / ranks % c.stride != 0)
    throw InputError(
        "stride", fmt::format("{} does not divide the {} process groups of {} of the {} hosts; valid are {}", c.stride,
                              all / ranks, ranks, all, divisors_text(all / ranks, 1, all)));
}

void check_servers(const Collective& c, const Hosts& hosts, std::uint32_t ranks) {
  const bool needs_servers = c.operation == Operation::hierarchical_all_reduce;
  if (needs_servers && (c.group < 2 || ranks % c.group != 0 || ranks / c.group < 2)) {
    const std::string valid = divisors_text(ranks, 2, ranks / 2);
    throw InputError(
        "group", fmt::format("a hierarchical all-reduce of {} hosts needs two or more servers of two or more hosts, "
                             "{}",
                             ranks,
                             valid == "none" ? "which so many hosts cannot make"
                                             : fmt::format("and not of {}; valid are {}", c.group, valid)));
  }
  const bool knows_servers = needs_servers || c.operation == Operation::tree_all_reduce || c.channels > 1;
  if (c.group == 1 || (c.ranks > 0 && !knows_servers)) return;
  if (ranks % c.group != 0)
    throw InputError("group", fmt::format("{} does not divide the {} hosts into whole servers; valid are {}", c.group,
                                          ranks, divisors_text(ranks, 1, ranks)));
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (hosts[i] / c.group != hosts[i - i % c.group] / c.group)
      throw InputError(key_of_order(c),
                       fmt::format("host {} is not of the server of host {}; servers are {} hosts in a row, from "
                                   "a multiple of {} on",
                                   hosts[i], hosts[i - i % c.group], c.group, c.group));
}

// What a switch adds up or spreads is of one server.
void check_in_switch(const Collective& c, const Hosts& placed, std::uint32_t ranks) {
  if (!is_in_switch(c.operation)) return;
  if (c.group == 1)
    throw InputError("group", "an operation in a switch is one of servers; write how many GPUs they have");
  for (std::size_t i = 0; i < placed.size(); ++i)
    if (const std::uint32_t first = placed[i - i % ranks]; placed[i] / c.group != first / c.group)
      throw InputError(
          key_of_order(c),
          fmt::format("host {} is not of the server of host {}, whose switch does it; hosts of an operation "
                      "are of one server, such as with ranks = {}",
                      placed[i], first, c.group));
}

void check_size_of(const Collective& c, std::uint32_t n) {
  if (c.operation == Operation::all_to_all_v) {
    if (c.size.count > 0)
      throw InputError("size", "an all-to-all of given sizes has those of its file; leave this out");
    if (c.chunks > 1) throw InputError("chunks", "messages of given sizes are not cut; leave this out");
    return;
  }
  if (c.size.count == 0) throw InputError("size", "missing; write a size such as \"10 MB\"");
  check_size(c.size);
  if (const std::uint32_t least = parts(c.operation, n); c.size.count / c.chunks < least)
    throw InputError(
        "size", fmt::format("{} is out of range; {} hosts and {} chunk(s) need at least {}", format_value(c.size), n,
                            c.chunks, format_value(Bytes{static_cast<std::int64_t>(c.chunks) * least})));
}

// Slots that receivers free: there are some, and a ring is not full of what its ranks begin with
// (Chunks::turn_in_ring).
void check_slots(const Collective& c) {
  if (!c.receivers_free_slots()) return;
  if (c.slots == 0)
    throw InputError("slots_freed_by",
                     "there are no slots that receivers could free; write how many, such as slots = 8");
  const bool has_rings = is_one_of(c.operation, {Operation::ring_all_reduce, Operation::ring_reduce_scatter,
                                                 Operation::ring_all_gather}) ||
                         (c.operation == Operation::hierarchical_all_reduce && c.across == Across::ring);
  if (has_rings && c.slots == 1)
    throw InputError("slots",
                     "with one slot that its receiver frees all ranks of a ring would wait for each other for ever; "
                     "write 2 or more");
}

// Process groups, one behind the other: of each `stride` * `ranks` hosts in a row, those that are `stride` apart.
Hosts by_group(const Hosts& hosts, std::uint32_t ranks, std::uint32_t stride) {
  Hosts out;
  const std::size_t block = std::size_t{ranks} * stride;
  for (std::size_t first = 0; first < hosts.size(); first += block)
    for (std::uint32_t offset = 0; offset < stride; ++offset)
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        out.push_back(hosts[first + offset + std::size_t{rank} * stride]);
  return out;
}

std::shared_ptr<const Members> members_of(Hosts hosts, std::uint32_t ranks, std::uint32_t all) {
  auto out = std::make_shared<Members>();
  out->places.assign(all, Members::kNone);
  for (std::uint32_t place = 0; place < hosts.size(); ++place) out->places[hosts[place]] = place;
  out->hosts = std::move(hosts);
  out->ranks = ranks;
  return out;
}

// The largest part of a chunk that is one message.
std::uint32_t least_parts(const Collective& c, std::uint32_t ranks) {
  switch (c.operation) {
    case Operation::tree_all_reduce:
    case Operation::halving_doubling_all_reduce:
    case Operation::bruck_all_to_all:
    case Operation::bruck_all_gather:
    case Operation::pat_all_gather:
    case Operation::pat_reduce_scatter: return 2;
    case Operation::hierarchical_all_reduce: return c.group;
    default: return parts(c.operation, ranks);
  }
}

// As scenarios write them.
using OperationNames = std::vector<std::string>;

OperationNames in_switch_and(OperationNames others = {}) {
  others.insert(others.end(), {"in-switch-all-reduce", "in-switch-all-gather", "in-switch-reduce-scatter"});
  return others;
}

OperationNames to_choose() { return {"all-reduce", "all-gather", "reduce-scatter"}; }

std::vector<Bytes> given_sizes(const Collective& c, std::uint32_t n, const Context& context) {
  std::vector<Bytes> out = read_matrix(c.sizes, "sizes", n, n, context);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (i % (n + std::size_t{1}) != 0 && out[i] > Bytes{}) return out;
  throw InputError("sizes", fmt::format("in '{}' no rank has anything for another one", c.sizes));
}

}  // namespace

bool Collective::receivers_free_slots() const {
  return slots_freed_by == SlotsFreedBy::receiver &&
         (has_channels(operation) || operation == Operation::hierarchical_all_reduce);
}

Collective in_chunks(Collective c, const Context& context) {
  params_of<Collective>().reset_unmet(&c);
  if (c.chunk_size == Bytes{}) return c;
  if (c.chunks > 1) throw InputError("chunk_size", "the number of chunks is given as well; leave one of the two out");
  if (c.operation == Operation::all_to_all_v)
    throw InputError("chunk_size", "messages of given sizes are not cut; leave this out");
  const std::size_t ranks =
      c.ranks > 0 ? c.ranks : hosts_of_job(c.hosts, c.places, c.placement, c.group, context).size();
  const double whole =
      static_cast<double>(c.chunk_size.count) * least_parts(c, static_cast<std::uint32_t>(ranks)) * c.channels;
  const double chunks = std::ceil(static_cast<double>(c.size.count) / whole) * c.channels;
  if (chunks > kMaxChunks)
    throw InputError("chunk_size",
                     fmt::format("that would be {:.0f} chunks; at most {} are possible", chunks, kMaxChunks));
  c.chunks = std::max<std::uint32_t>(static_cast<std::uint32_t>(chunks), c.channels);
  c.chunk_size = {};
  return c;
}

CollectivePlan plan_collective(const Collective& c, const Context& context) {
  const Hosts hosts = hosts_of_job(c.hosts, c.places, c.placement, c.group, context);
  const auto all = static_cast<std::uint32_t>(hosts.size());
  const std::uint32_t n = c.ranks > 0 ? c.ranks : all;
  if (n < 2) throw InputError(key_of_hosts(c), "1 host; a collective needs at least 2");
  check_groups(c, n, all);
  if (c.operation == Operation::halving_doubling_all_reduce && !std::has_single_bit(n))
    throw InputError(key_of_hosts(c),
                     fmt::format("halving and doubling needs a power of 2, and these are {} hosts", n));
  check_size_of(c, n);
  check_slots(c);
  if (c.active_chunks > 0 && is_direct(c.operation))
    throw InputError("active_chunks",
                     fmt::format("{} has no steps that wait for each other; leave this out",
                                 c.operation == Operation::all_to_all ? "an all-to-all" : "such an operation"));
  // In a server each channel's chain has another GPU first, so GPUs that work on one channel each can wait for each
  // other.
  if (c.operation == Operation::tree_all_reduce && c.group > 1 && c.active_chunks % c.channels != 0)
    throw InputError(
        "active_chunks",
        fmt::format("{} chunk(s) at a time by {} channels would wait for each other for ever, as the chains of each "
                    "channel begin at another GPU of a server; write a multiple of {}, or 0",
                    c.active_chunks, c.channels, c.channels));
  if (c.channels > c.chunks)
    throw InputError("channels", fmt::format("{} chunk(s) cannot go by {} channels; write at least as many chunks",
                                             c.chunks, c.channels));
  if (c.root >= n) throw InputError("root", fmt::format("there is no rank {}; valid is 0 to {}", c.root, n - 1));
  if (c.group > 1 && all % c.group != 0)
    throw InputError("group", fmt::format("{} does not divide the {} hosts into whole servers; valid are {}", c.group,
                                          all, divisors_text(all, 1, all)));
  check_pxn(c.pxn, c.group, c.scale_up_sharing, hosts);
  const Hosts placed = by_group(hosts, n, c.stride);
  check_servers(c, placed, n);
  check_in_switch(c, placed, n);
  return {Schedule(c.operation, n, c.group), members_of(placed, n, context.hosts()), scale_up_of(c),
          c.operation == Operation::all_to_all_v ? given_sizes(c, n, context) : std::vector<Bytes>{}};
}

void Collective::describe(ParamList<Collective>& p) {
  using C = Collective;
  p.choice(
       "operation", &C::operation,
       {"ring-all-reduce",
        "ring-reduce-scatter",
        "ring-all-gather",
        "all-to-all",
        "halving-doubling-all-reduce",
        "hierarchical-all-reduce",
        "tree-all-reduce",
        "ring-broadcast",
        "ring-reduce",
        "gather",
        "scatter",
        "all-to-all-v",
        "barrier",
        "bruck-all-to-all",
        "bruck-all-gather",
        "pat-all-gather",
        "pat-reduce-scatter",
        "in-switch-all-reduce",
        "in-switch-all-gather",
        "in-switch-reduce-scatter",
        "all-reduce",
        "all-gather",
        "reduce-scatter"},
       "what the hosts do; trees are two at once, each with half of the buffer; in-switch: the scale-up switch of a "
       "server adds up and spreads, as NVLink SHARP does (NCCL's NVLS); all-reduce, all-gather and reduce-scatter: by "
       "ring, tree, hierarchical, in-switch or PAT, whichever NCCL's tuning expects to be the quickest for these "
       "servers and this size",
       "Thakur et al., IJHPCA 2005; NCCL trees.cc; Bruck et al., IEEE TPDS 1997")
      .required = true;
  p.bytes(
      "size", &C::size,
      "the buffer of each host; in an all-gather what it has at the end, in an all-to-all it keeps its own share, in "
      "a gather or scatter that of the root, in a barrier a message; not in an all-to-all-v",
      "", Bytes{0}, kMaxFlowSize);
  p.text("hosts", &C::hosts, "those that take part: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
  p.choice("placement", &C::placement, {"in-order", "random"}, "who is whose neighbour: as listed, or at random");
  p.text("places", &C::places,
         "of these hosts, in the order of `placement`, those at these places: \"0-31\"; at random, all tables with the "
         "same hosts and group have one order then, so that jobs at other places have other hosts");
  p.integer("ranks", &C::ranks, 0, kMaxHosts,
            "hosts of a process group; all groups do the operation at once, each by itself; 0 = one group of all");
  p.integer("stride", &C::stride, 1, kMaxHosts, "distance of the hosts of a process group in the list of hosts");
  p.integer("root", &C::root, 0, kMaxHosts, "the rank that has the buffer at the beginning, or gets it")
      .only_with("operation", {"ring-broadcast", "ring-reduce", "gather", "scatter"});
  Param& sizes = p.text("sizes", &C::sizes,
                        "a CSV file without header: in row i what rank i sends to rank 0, 1, 2..., in bytes; what it "
                        "has for itself is not sent");
  sizes.names_file = [](std::string_view text) { return !text.empty(); };
  sizes.only_with("operation", {"all-to-all-v"});
  p.integer("chunks", &C::chunks, 1, kMaxChunks,
            "number of parts into which the buffer is cut; each goes its way by itself");
  p.bytes(
      "chunk_size", &C::chunk_size,
      "instead of `chunks`: as few as there can be with no message larger than this, the same number by each channel",
      "NCCL: slices of 1 MiB in rings, 512 KiB in trees and chains (Simple)", Bytes{0}, kMaxFlowSize);
  p.integer("active_chunks", &C::active_chunks, 0, kMaxChunks,
            "chunks that a host works on at once; it begins another one when it is done with one; 0 = all",
            "NCCL: 8 slots of a channel");
  p.integer("slots", &C::slots, 0, kMaxChunks,
            "messages of a host to another one that are under way by the network at once; later ones wait for a slot; "
            "0 = all",
            "NCCL: 8 slots of a channel")
      .not_with("operation", in_switch_and())
      .not_with("chunks", {"1"})
      .or_not_with("chunk_size", {"0 B"})
      .or_with("operation", {"ring-all-reduce", "ring-reduce-scatter", "ring-all-gather", "tree-all-reduce",
                             "hierarchical-all-reduce", "halving-doubling-all-reduce"})
      .or_with("slots_freed_by", {"receiver"});
  p.choice(
       "slots_freed_by", &C::slots_freed_by, {"acknowledgement", "receiver"},
       "acknowledgement: a slot is free when its message is acknowledged; receiver: when the receiver has handed its "
       "message on, for which it needs slots itself, and a message of 64 B has told the sender; messages within "
       "servers have slots then as well, but for those of a hierarchical-all-reduce",
       "NCCL: ncclIbPostFifo")
      .only_with("operation",
                 {"ring-all-reduce", "ring-reduce-scatter", "ring-all-gather", "hierarchical-all-reduce",
                  "tree-all-reduce", "ring-broadcast", "ring-reduce", "all-reduce", "all-gather", "reduce-scatter"});
  p.integer("window", &C::window, 0, kMaxHosts,
            "messages that a host has under way at once; it sends the next when one is acknowledged; 0 = all")
      .only_with("operation", {"all-to-all", "all-to-all-v", "gather", "scatter"});
  p.number("in_switch_efficiency", &C::in_switch_efficiency, 0.01, 1,
           "share of scale_up_rate at which the switch of a server adds up and spreads",
           "NCCL tuning.cc: 0.85 of Hopper, "
           "0.74 of Blackwell")
      .only_with("operation", in_switch_and(to_choose()))
      .or_with("within", {"switch"});
  p.choice("within", &C::within, {"ring", "switch"},
           "by what servers add up and spread: by rings, or by their scale-up switches", "NCCL: NVLS tree")
      .only_with("operation", {"hierarchical-all-reduce"});
  p.choice("across", &C::across, {"ring", "tree"},
           "what GPUs of equal places do: a ring, or two trees at once, each with half of what they have",
           "NCCL: NVLS tree")
      .only_with("operation", {"hierarchical-all-reduce"});
  p.choice("generation", &C::generation, {"volta", "ampere", "hopper", "blackwell"},
           "whose constants of NCCL's tuning count; switches of servers add up from Hopper on", "NCCL tuning.cc")
      .only_with("operation", to_choose());
  p.choice("order", &C::order, {"next", "nccl"},
           "to whom a host sends first: to the next one, or in the order of NCCL's sends and receives",
           "ncclP2pSchedule")
      .only_with("operation", {"all-to-all", "all-to-all-v"});
  p.integer(
       "channels", &C::channels, 1, 64,
       "rings, or pairs of trees, by which chunks go in turn; in servers each begins with the next GPU, so that it "
       "leaves by another NIC",
       "NCCL")
      .only_with("operation", {"ring-all-reduce", "ring-reduce-scatter", "ring-all-gather", "tree-all-reduce",
                               "ring-broadcast", "ring-reduce"});
  p.time("start", &C::start, "the first messages start, or what is computed before them");
  p.time("step_delay", &C::step_delay, "from the receipt of a message to the start of what waits for it")
      .not_with("operation", in_switch_and({"all-to-all", "all-to-all-v", "gather", "scatter"}));
  p.integer("repeat", &C::repeat, 1, kMaxCalls,
            "how often the operation is done, one after the other; a host goes on when it has all that it receives, "
            "and all that it sends is acknowledged");
  p.time("compute", &C::compute, "what each host computes before each time");
  describe_stragglers(p, "`compute` and `step_delay`",
                      {{.key = "compute",
                        .values = {"0 ps"},
                        .other = true,
                        .or_else = {{.key = "step_delay", .values = {"0 ps"}, .other = true}}}});
  p.choice("messages", &C::messages, {"rows", "sums"},
           "rows: each message is a flow in the results; sums: messages have no rows and no percentiles, are made when "
           "they are due, and may be any number");
  describe_servers(p);
  describe_pxn(p).not_with("operation", in_switch_and({"tree-all-reduce", "hierarchical-all-reduce"}));
}

}  // namespace weir::traffic
