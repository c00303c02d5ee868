#include "weir/import/htsim_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weir/base/params.h"
#include "weir/replica/uet_network.h"

namespace weir::scenario {
namespace {

class NetworkReader {
 public:
  NetworkReader(const HtsimOptions& options, HtsimMatrix& matrix, const ReadFile& read)
      : options_(options), matrix_(matrix), read_(read) {}

  HtsimNetwork read() {
    read_tree();
    work_out_sizes();
    return std::move(out_);
  }

 private:
  void read_tree() {
    constexpr std::int64_t kDefaultMbps = 100'000;
    constexpr std::int64_t kMostMbps = 100'000'000;
    out_.rate = {options_.whole("-linkspeed", kDefaultMbps, 1, kMostMbps) * 1'000'000};
    const std::string file = options_.text("-topo");
    if (file.empty()) {
      regular_tree();
      return;
    }
    for (const char* name : {"-tiers", "-hop_latency", "-switch_latency"})
      if (options_.has(name)) out_.ignored.emplace_back(name);
    out_.tree = parse_htsim_tree(read_(file, "a topology of htsim"), file);
    if (out_.tree.queues) out_.ignored.emplace_back("Queue_up, Queue_down");
    if (matrix_.nodes == 0) matrix_.nodes = out_.tree.nodes;
    if (out_.tree.nodes != matrix_.nodes)
      throw InputError(Where{file, 0},
                       fmt::format("{} nodes, but {} says {}", out_.tree.nodes,
                                   options_.has("-goal") ? "-nodes" : matrix_.nodes_where.text(), matrix_.nodes));
    for (std::uint32_t t = 0; t < out_.tree.tiers; ++t) {
      out_.rates[t] = {out_.tree.tier[t].gbps * 1'000'000'000};
      out_.delays[t] = {out_.tree.tier[t].latency_ns * 1000};
      out_.latencies[t] = {out_.tree.tier[t].switch_latency_ns * 1000};
    }
    if (out_.rate != out_.rates[0])
      throw InputError(out_.tree.where, fmt::format("hosts' links have {}, but NICs {}; write -linkspeed {}",
                                                    format_value(out_.rates[0]), format_value(out_.rate),
                                                    out_.tree.tier[0].gbps * 1000));
  }

  // Without a file: a fat tree of switches with as many ports down as up.
  void regular_tree() {
    out_.tree.tiers = static_cast<std::uint32_t>(options_.whole("-tiers", 3, 2, 3));
    out_.tree.nodes = matrix_.nodes;
    std::uint32_t half = 1;
    const auto hosts = [&] { return std::uint64_t{2} * half * half * (out_.tree.tiers == 3 ? half : 1); };
    while (hosts() < out_.tree.nodes) ++half;
    if (hosts() != out_.tree.nodes) {
      const std::string what = fmt::format(
          "no fat tree of {} tiers has {} hosts; valid is 2 n^{}, or name a topology "
          "with -topo",
          out_.tree.tiers, out_.tree.nodes, out_.tree.tiers);
      if (options_.has("-goal")) throw HtsimOptions::error_at("-nodes", what);
      throw InputError(matrix_.nodes_where, what);
    }
    out_.tree.pod = out_.tree.tiers == 3 ? half * half : out_.tree.nodes;
    for (auto& tier : out_.tree.tier) tier.radix_down = tier.radix_up = half;
    out_.tree.tier[out_.tree.tiers - 1].radix_down = 2 * half;
    out_.rates.fill(out_.rate);
    out_.delays.fill(options_.microseconds("-hop_latency", 1));
    out_.latencies.fill(options_.microseconds("-switch_latency", 0));
  }

  // What is given in packets, or follows from the bandwidth-delay product.
  void work_out_sizes() {
    out_.mtu = options_.whole("-mtu", 4150, 65, 60'000);
    out_.trimming = !options_.has("-disable_trim");
    std::int64_t way = out_.latencies[out_.tree.tiers - 1].ps;
    for (std::uint32_t t = 0; t < out_.tree.tiers; ++t)
      way += 2 * out_.delays[t].ps + (t + 1 < out_.tree.tiers ? 2 * out_.latencies[t].ps : 0);
    const Time rtt = replica::uet::unloaded_round_trip(Time{way}, out_.mtu, 2 * out_.tree.tiers, out_.rate);
    const std::int64_t bytes_per_second = out_.rate.bits_per_second / 8;
    const double product = static_cast<double>(rtt.ps) / 1e12 * static_cast<double>(bytes_per_second);
    const double packets = std::ceil(product / static_cast<double>(out_.mtu));
    constexpr std::int64_t kMostPackets = 1'000'000;
    const std::int64_t factor = options_.whole("-queue_size_bdp_factor", 0, 1, 1000);
    const std::int64_t products = factor > 0 ? factor : out_.trimming ? 1 : 5;
    out_.buffer = {out_.mtu * options_.whole("-q", products * static_cast<std::int64_t>(packets), 2, kMostPackets)};
    if (options_.has("-q") && options_.has("-queue_size_bdp_factor"))
      out_.ignored.emplace_back("-queue_size_bdp_factor");
    const auto share = [&](double part) { return static_cast<std::int64_t>(std::ceil(packets * part)); };
    out_.k_min = {out_.mtu * options_.whole("-ecn", share(0.2), 0, kMostPackets, 0)};
    out_.k_max = {out_.mtu * options_.whole("-ecn", share(0.8), 0, kMostPackets, 1)};
    if (out_.k_min > out_.k_max) throw HtsimOptions::error_at("-ecn", "the first one is above the second one");
    if (out_.k_max > out_.buffer)
      throw HtsimOptions::error_at("-ecn", fmt::format("the threshold of {} is above the buffer of {}",
                                                       format_value(out_.k_max), format_value(out_.buffer)));
  }

  const HtsimOptions& options_;
  HtsimMatrix& matrix_;
  const ReadFile& read_;
  HtsimNetwork out_;
};

}  // namespace

void HtsimNetwork::spread_latencies() {
  for (std::size_t t = 0; t < tree.tiers; ++t)
    delays[t] += Time{(latencies[t].ps + (t > 0 ? latencies[t - 1].ps : 0)) / 2};
}

Time HtsimNetwork::longest_round_trip() const {
  Time way;
  for (std::size_t t = 0; t < tree.tiers; ++t)
    way += 2 * (2 * delays[t] + transmission_time(Bytes{mtu}, rates[t]) +
                transmission_time(Bytes{replica::uet::kHeader}, rates[t]));
  return way;
}

net::Topology HtsimNetwork::graph() const {
  const std::uint32_t edges = tree.nodes / tree.tier[0].radix_down;
  const std::uint32_t per_pod = tree.middles_per_pod();
  const std::uint32_t middles = per_pod * tree.pods();
  net::Topology t;
  t.hosts = tree.nodes;
  t.switches = edges + middles + tree.cores();
  const std::uint32_t middle = t.hosts + edges;
  const auto bundle = [&](std::uint32_t a, std::uint32_t b, std::size_t tier) {
    t.links.insert(t.links.end(), tree.tier[tier].bundle, {a, b, rates[tier], delays[tier]});
  };
  for (std::uint32_t h = 0; h < t.hosts; ++h) bundle(h, t.hosts + h / tree.tier[0].radix_down, 0);
  for (std::uint32_t e = 0; e < edges; ++e)
    for (std::uint32_t k = 0; k < per_pod; ++k) bundle(t.hosts + e, middle + e / tree.edges_per_pod() * per_pod + k, 1);
  for (std::uint32_t m = 0; m < middles; ++m)
    for (std::uint32_t l = 0; l < tree.cores() / per_pod; ++l)
      bundle(middle + m, middle + middles + l * per_pod + m % per_pod, 2);
  return t;
}

HtsimNetwork read_htsim_network(const HtsimOptions& options, HtsimMatrix& matrix, const ReadFile& read) {
  return NetworkReader(options, matrix, read).read();
}

}  // namespace weir::scenario
