#include "weir/traffic/collective_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "weir/base/error.h"
#include "weir/traffic/hosts.h"

namespace weir::traffic {
namespace {

// The ranks of a process group, by server.
struct Layout {
  std::uint32_t ranks = 0;
  std::uint32_t servers = 0;
  std::uint32_t gpus = 0;  // of each
};

// The layout of the first process group; the others are like it. If servers have different numbers of ranks, or the
// ranks of a server are not consecutive, each rank counts as a server of its own.
Layout layout_of(const Collective& c, const std::vector<std::uint32_t>& hosts) {
  const auto n = static_cast<std::uint32_t>(c.ranks > 0 ? c.ranks : hosts.size());
  std::vector<std::uint32_t> server;
  for (std::size_t i = 0; i < n && i * c.stride < hosts.size(); ++i) server.push_back(hosts[i * c.stride] / c.group);
  const auto all = static_cast<std::uint32_t>(std::set(server.begin(), server.end()).size());
  const std::uint32_t each = all == 0 ? 0 : n / all;
  bool fits = each > 0 && n % all == 0 && (all == 1 || each == c.group) && c.group > 1;
  for (std::size_t i = 0; fits && i < server.size(); ++i) fits = server[i] == server[i - i % each];
  return fits ? Layout{n, all, each} : Layout{n, n, 1};
}

// The NCCL function of an operation whose algorithm is left open; nothing for any other operation.
std::optional<NcclFunction> function_of(Operation operation) {
  switch (operation) {
    case Operation::all_reduce: return NcclFunction::all_reduce;
    case Operation::all_gather: return NcclFunction::all_gather;
    case Operation::reduce_scatter: return NcclFunction::reduce_scatter;
    default: return std::nullopt;
  }
}

// The operation that implements an NCCL function by an NCCL algorithm.
struct Made {
  NcclFunction function;
  NcclAlgorithm algorithm;
  Operation operation;
};
constexpr Made kMade[] = {
    {NcclFunction::all_reduce, NcclAlgorithm::ring, Operation::ring_all_reduce},
    {NcclFunction::all_reduce, NcclAlgorithm::tree, Operation::tree_all_reduce},
    {NcclFunction::all_reduce, NcclAlgorithm::nvls, Operation::in_switch_all_reduce},
    {NcclFunction::all_reduce, NcclAlgorithm::hierarchical, Operation::hierarchical_all_reduce},
    {NcclFunction::all_reduce, NcclAlgorithm::nvls_tree, Operation::hierarchical_all_reduce},
    {NcclFunction::all_gather, NcclAlgorithm::ring, Operation::ring_all_gather},
    {NcclFunction::all_gather, NcclAlgorithm::nvls, Operation::in_switch_all_gather},
    {NcclFunction::all_gather, NcclAlgorithm::pat, Operation::pat_all_gather},
    {NcclFunction::reduce_scatter, NcclAlgorithm::ring, Operation::ring_reduce_scatter},
    {NcclFunction::reduce_scatter, NcclAlgorithm::nvls, Operation::in_switch_reduce_scatter},
    {NcclFunction::reduce_scatter, NcclAlgorithm::pat, Operation::pat_reduce_scatter},
};

Operation made_by(NcclFunction function, NcclAlgorithm algorithm) {
  return std::find_if(std::begin(kMade), std::end(kMade),
                      [&](const Made& m) { return m.function == function && m.algorithm == algorithm; })
      ->operation;
}

constexpr double gigabytes(Rate rate) { return rate.bytes_per_second() / 1e9; }

std::uint32_t pieces(Bytes size, std::int64_t of, std::uint32_t most) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>((size.count + of - 1) / of, 1, most));
}

// NCCL has one ring or one pair of trees for each NIC of a server. Messages of trees go in slots of 512 KiB, 8 of which
// are under way.
constexpr std::int64_t kSlot = 524'288;
constexpr std::uint32_t kSlots = 8;
constexpr std::uint32_t kMostPieces = 64;  // most chunks of a channel; a limit of Weir, because each is a message

void cut(Collective& c, const Layout& at, NcclAlgorithm algorithm) {
  const bool by_channels = algorithm == NcclAlgorithm::ring || algorithm == NcclAlgorithm::tree;
  const auto as_size_allows =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(c.size.count / std::max(at.ranks, 1u), 1, kMaxChunks));
  const std::uint32_t most = c.chunks > 1 ? c.chunks : as_size_allows;
  if (by_channels && c.channels == 1) c.channels = std::min({at.gpus, 64u, most});
  if (c.chunks > 1 || c.chunk_size > Bytes{}) return;
  std::uint32_t each = 1;
  if (algorithm == NcclAlgorithm::tree) each = pieces(c.size, 2 * kSlot * c.channels, kMostPieces);
  if (algorithm == NcclAlgorithm::nvls_tree) each = pieces(c.size, 2 * kSlot * at.gpus, kMostPieces);
  c.chunks = std::max(c.channels, std::min(each * c.channels, most));
  if (each > 1 && c.slots == 0) c.slots = kSlots;
}

std::string name_of_operation(const Collective& c) {
  return format_value(params_of<Collective>().find("operation")->get(&c));
}

std::string told(const NcclTime& t) {
  return fmt::format("{} ({}) {:.1f} us", name_of(t.algorithm), name_of(t.protocol), t.time_us);
}

}  // namespace

NcclCluster nccl_cluster(const Collective& c, std::uint32_t servers, std::uint32_t gpus, Rate nic) {
  const double scale_up = gigabytes(c.scale_up_rate);
  const double network = gpus * gigabytes(nic);
  const bool adds_up = c.generation >= Generation::hopper;
  NcclCluster out{.servers = servers, .gpus = gpus, .generation = c.generation};
  out.channels = 2.0 * gpus;
  out.within = (gpus == 1 ? network : scale_up) / out.channels;
  out.between = network / out.channels;
  out.nvls_within = scale_up / gpus;
  out.nvls_between = gigabytes(nic);
  out.in_switch_efficiency = adds_up ? c.in_switch_efficiency : 0;
  return out;
}

bool is_to_choose(Operation operation) { return function_of(operation).has_value(); }

CollectiveChoice choose_collective(const Collective& given, const Context& context) {
  CollectiveChoice out{given, ""};
  const auto function = function_of(given.operation);
  if (!function) return out;
  Collective& c = out.collective;
  c.operation = made_by(*function, NcclAlgorithm::ring);
  const auto hosts = hosts_of_job(c.hosts, c.places, c.placement, c.group, context);
  const Layout at = layout_of(c, hosts);
  if (c.size.count == 0 || at.ranks < 2) return out;  // refused later, by the check of these parameters
  Rate nic = context.host_rates[hosts.front()];
  for (const std::uint32_t host : hosts) nic = std::min(nic, context.host_rates[host]);
  std::vector<NcclTime> times = nccl_times(nccl_cluster(c, at.servers, at.gpus, nic), *function, c.size);
  // trees need whole servers
  if (c.group > 1 && at.ranks % c.group != 0)
    std::erase_if(times, [](const NcclTime& t) { return t.algorithm == NcclAlgorithm::tree; });
  const NcclAlgorithm best = times.front().algorithm;
  c.operation = made_by(*function, best);
  if (best == NcclAlgorithm::nvls_tree) {
    c.within = Within::in_switch;
    c.across = Across::tree;
  }
  cut(c, at, best);
  out.reason = fmt::format("the {} of {} by {} rank{} in {} server{} of {} is {}: NCCL's tuning expects {}",
                           name_of_operation(given), format_value(c.size), at.ranks, at.ranks == 1 ? "" : "s",
                           at.servers, at.servers == 1 ? "" : "s", at.gpus, name_of(best), told(times.front()));
  for (std::size_t i = 1; i < times.size(); ++i) out.reason += ", " + told(times[i]);
  if (c.chunk_size > Bytes{})
    out.reason += fmt::format("; channels = {}, messages of at most {}", c.channels, format_value(c.chunk_size));
  else if (c.channels > 1 || c.chunks > 1)
    out.reason += fmt::format("; channels = {}, chunks = {}, slots = {}", c.channels, c.chunks, c.slots);
  return out;
}

Collective chosen(const Collective& given, const Context& context) {
  CollectiveChoice choice = choose_collective(given, context);
  if (!choice.reason.empty() && context.notice) context.notice(choice.reason);
  return choice.collective;
}

}  // namespace weir::traffic
