#include "weir/traffic/nccl_tuning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace weir::traffic {
namespace {

using Row = std::array<double, 3>;

// Latencies in us, by protocol: LL, LL128, Simple.
struct Latencies {
  Row base;
  Row within;   // of a step by NVLink
  Row between;  // of a step by the network
};
constexpr Latencies kTree{{6.8, 14, 8.4}, {0.6, 1.25, 4}, {5, 8.5, 14}};
constexpr Latencies kRing{{6.6, 14, 8.4}, {0.6, 1.9, 3.4}, {2.7, 4, 14}};
constexpr double kNvlsWithin = 25;
// NVLS does all-gather and reduce-scatter with at most so many GPUs of a server.
constexpr std::uint32_t kMostOfNvls = 32;
// PAT with the Simple protocol: latency per tree step, scaled, plus a latency per rank.
struct Pat {
  double base = 8;
  double part_of_step = 1 / 3.5;
  double each_rank = 2.8;
  double of_bandwidth = 0.75;
};
constexpr Pat kPat;
constexpr double kNvlsTreeBetween = 20.9;
// Latency of posting to a NIC in us; each step of a ring between servers waits for it.
constexpr double kNetOverhead = 1;

// Greatest bandwidths of a channel in GB/s, by generation, for one, two, or more servers. The limit of LL between
// servers depends on the processors: the first row holds for Intel's.
using Table = std::array<Row, 4>;
constexpr Table kMostOfLl{{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
constexpr Table kMostOfRingLl128{{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}};
constexpr Table kMostOfTreeLl128{{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}}};
constexpr Table kMostOfTree{{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}}};
constexpr Table kMostOfNvlsTree{{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 80}}};

// The share of its bandwidth that a tree reaches at sizes of 64 B, 128 B, ... 256 MB, by protocol.
constexpr std::array<std::array<double, 23>, 3> kTreeCorrection{
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};
// Bytes per channel and rank from which NCCL adds latency to rings between servers (its "plateau effect").
constexpr std::int64_t kPlateau = 64;

double most(const Table& table, std::size_t row, std::uint32_t servers) {
  return table[row][std::min(servers, 3u) - 1];
}

double log2_of(std::uint32_t n) { return static_cast<double>(std::bit_width(n) - 1); }

class Model {
 public:
  Model(const NcclCluster& cluster, NcclFunction function, NcclProtocol protocol, Bytes size)
      : c_(cluster),
        is_all_reduce_(function == NcclFunction::all_reduce),
        p_(static_cast<std::size_t>(protocol)),
        protocol_(protocol),
        size_(size) {}

  // Whether NCCL has the algorithm for this function, cluster and protocol.
  bool has(NcclAlgorithm algorithm) const {
    const bool adds_up = c_.in_switch_efficiency > 0 && c_.gpus > 1 && is_simple();
    switch (algorithm) {
      case NcclAlgorithm::ring: return true;
      case NcclAlgorithm::tree: return is_all_reduce_;
      case NcclAlgorithm::hierarchical: return is_all_reduce_ && c_.servers > 1 && c_.gpus > 1;
      case NcclAlgorithm::nvls: return adds_up && c_.servers == 1 && (is_all_reduce_ || c_.gpus <= kMostOfNvls);
      case NcclAlgorithm::nvls_tree: return is_all_reduce_ && adds_up && c_.servers > 1;
      case NcclAlgorithm::pat: return !is_all_reduce_ && c_.gpus == 1 && is_simple();
    }
    return false;
  }

  NcclTime time(NcclAlgorithm algorithm) const {
    switch (algorithm) {
      case NcclAlgorithm::ring: return ring();
      case NcclAlgorithm::tree: return tree();
      case NcclAlgorithm::hierarchical: return hierarchical();
      case NcclAlgorithm::nvls: return is_all_reduce_ ? nvls(false) : nvls_one_way();
      case NcclAlgorithm::nvls_tree: return nvls(true);
      case NcclAlgorithm::pat: return pat();
    }
    return {};
  }

 private:
  // Bus bandwidth of all channels of a ring; `all` is their raw bandwidth.
  double ring_bus(double all) const {
    if (protocol_ == NcclProtocol::ll) return std::min(most_of_ll(), all / 2);
    if (protocol_ == NcclProtocol::ll128) return std::min(all * 0.92, c_.channels * table(kMostOfRingLl128));
    return all;
  }

  NcclTime ring() const {
    const double ways = is_all_reduce_ ? 2 : 1;
    const double steps = ways * (ranks() - 1);
    const double across = ways * (c_.servers - 1);
    const double overhead = c_.servers == 1 ? 0 : kNetOverhead * (is_simple() ? 3 : 1);
    NcclTime out{.bandwidth = ring_bus(all()) * ranks() / steps};
    out.latency_us = kRing.base[p_] + (steps - across) * std::max(kRing.within[p_], overhead) + across * between(kRing);
    const auto part = size_.count / static_cast<std::int64_t>(c_.channels * ranks());
    if (is_all_reduce_ && is_simple() && c_.servers > 1 && part >= kPlateau)
      out.latency_us *= c_.generation == Generation::volta ? 1.9 : 1.4;
    return out;
  }

  NcclTime hierarchical() const {
    const double g = c_.gpus;
    const double n = c_.servers;
    const double near = ring_bus(c_.channels * c_.within);
    const double far = ring_bus(c_.channels * c_.between);
    // per byte of the buffer: what passes a GPU's links within its server, and its share of the links between servers
    return {.latency_us = kRing.base[p_] + 2 * (g - 1) * kRing.within[p_] + 2 * (n - 1) * between(kRing),
            .bandwidth = 1 / (2 * (g - 1) / g / near + 2 * (n - 1) / n / far)};
  }

  NcclTime tree() const {
    double bus = std::min(all() * 0.92, c_.channels * table(kMostOfTree));
    if (protocol_ == NcclProtocol::ll) bus = std::min(bus / 3.8, most_of_ll());
    if (protocol_ == NcclProtocol::ll128)
      bus = std::min(bus * (c_.servers == 1 ? 7.0 / 9 : 120.0 / 128), c_.channels * table(kMostOfTreeLl128));
    const auto log_size = std::bit_width(static_cast<std::uint64_t>(size_.count) >> 6);
    if (log_size >= 1 && static_cast<std::size_t>(log_size - 1) < kTreeCorrection[p_].size())
      bus *= kTreeCorrection[p_][static_cast<std::size_t>(log_size - 1)];
    return {
        .latency_us = kTree.base[p_] + 2 * ((c_.gpus - 1.0) * kTree.within[p_] + log2_of(c_.servers) * between(kTree)),
        .bandwidth = bus / 2};
  }

  // An all-reduce reads and spreads at the same time, which uses both directions of the links: hence the factor 2.
  NcclTime nvls(bool is_tree) const {
    const double channels = c_.gpus;
    double each = c_.nvls_within * c_.in_switch_efficiency * (channels - 1) / channels * 2;
    each = std::min(each, is_tree ? c_.nvls_between * (c_.servers <= 2 ? 2 : 1) : c_.nvls_within);
    if (is_tree) each = std::min(each, table(kMostOfNvlsTree));
    const double between_us = kNvlsTreeBetween + 2 * c_.nic_latency_us;
    return {.latency_us = kNvlsWithin + (is_tree ? 2 * log2_of(c_.servers) * between_us : 0),
            .bandwidth = channels * each * ranks() / (2.0 * (ranks() - 1))};
  }

  // All-gather and reduce-scatter by NVLS. NCCL counts the whole bandwidth as that of the buffer.
  NcclTime nvls_one_way() const {
    const double others = (c_.gpus - 1.0) / c_.gpus;
    const double each = std::min(c_.nvls_within * c_.in_switch_efficiency * others * others, c_.nvls_within);
    return {.latency_us = kNvlsWithin, .bandwidth = c_.gpus * each};
  }

  NcclTime pat() const {
    return {
        .latency_us = kPat.base + log2_of(c_.servers) * between(kTree) * kPat.part_of_step + ranks() * kPat.each_rank,
        .bandwidth = all() * kPat.of_bandwidth};
  }

  bool is_simple() const { return protocol_ == NcclProtocol::simple; }
  double ranks() const { return static_cast<double>(c_.servers) * c_.gpus; }
  double all() const { return c_.channels * (c_.servers == 1 ? c_.within : std::min(c_.within, c_.between)); }
  double table(const Table& t) const { return most(t, static_cast<std::size_t>(c_.generation), c_.servers); }
  double most_of_ll() const {
    return most(kMostOfLl, c_.servers == 1 ? static_cast<std::size_t>(c_.generation) : 0, c_.servers);
  }
  // With one GPU per server, which has all NICs for itself, NCCL counts the latency of a tree also for rings.
  double between(const Latencies& l) const {
    return (c_.gpus == 1 ? kTree : l).between[p_] + c_.nic_latency_us * (is_simple() ? 2 : 1);
  }

  const NcclCluster& c_;
  const bool is_all_reduce_;
  const std::size_t p_;
  const NcclProtocol protocol_;
  const Bytes size_;
};

}  // namespace

std::optional<NcclTime> nccl_time(const NcclCluster& c, NcclFunction function, NcclAlgorithm algorithm,
                                  NcclProtocol protocol, Bytes size) {
  const Model model(c, function, protocol, size);
  if (!model.has(algorithm)) return std::nullopt;
  NcclTime out = model.time(algorithm);
  out.algorithm = algorithm;
  out.protocol = protocol;
  out.time_us = out.latency_us + static_cast<double>(size.count) / (1'000 * out.bandwidth);
  return out;
}

std::vector<NcclTime> nccl_times(const NcclCluster& c, NcclFunction function, Bytes size) {
  using A = NcclAlgorithm;
  std::vector<NcclTime> out;
  for (const auto algorithm : {A::ring, A::tree, A::hierarchical, A::nvls, A::nvls_tree, A::pat}) {
    std::optional<NcclTime> best;
    for (const auto protocol : {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple})
      if (const auto one = nccl_time(c, function, algorithm, protocol, size);
          one && (!best || one->time_us < best->time_us))
        best = one;
    if (best) out.push_back(*best);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.time_us < b.time_us; });
  return out;
}

const char* name_of(NcclAlgorithm algorithm) {
  switch (algorithm) {
    case NcclAlgorithm::ring: return "ring";
    case NcclAlgorithm::tree: return "tree";
    case NcclAlgorithm::hierarchical: return "hierarchical";
    case NcclAlgorithm::nvls: return "in the switch";
    case NcclAlgorithm::nvls_tree: return "in switches, and a tree across";
    case NcclAlgorithm::pat: return "PAT";
  }
  return "";
}

const char* name_of(NcclProtocol protocol) {
  switch (protocol) {
    case NcclProtocol::ll: return "LL";
    case NcclProtocol::ll128: return "LL128";
    case NcclProtocol::simple: return "Simple";
  }
  return "";
}

}  // namespace weir::traffic
