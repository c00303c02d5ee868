// How long NCCL expects an all-reduce, an all-gather or a reduce-scatter to take by each of its algorithms and
// protocols: base latency, latency of steps and size over bandwidth, by the formulas and constants of its tuning
// (NCCL 2.30.7, src/graph/tuning.cc). NCCL takes the one for which this is least; clusters, and runs here, need not
// agree.
//
// With N servers of g GPUs, n = N g ranks and c channels whose bandwidths b are within and between servers, an
// all-reduce takes by
//
//   ring         2 (n - 1) steps, of which 2 (N - 1) are between servers; n / (2 (n - 1)) of c b
//   tree         up and down 2 (g - 1) steps within a server and 2 log2 N between them; half of c b, and less for
//                sizes that are neither small nor large
//   NVLS         one server, whose switch adds up: one step, whatever g
//   NVLS tree    within servers like NVLS, and 2 log2 N steps between them
//
// and an all-gather or a reduce-scatter, of a buffer that is as large as all parts together, by
//
//   ring         n - 1 steps, of which N - 1 are between servers; n / (n - 1) of c b
//   NVLS         one server of 32 GPUs at most: one step, whatever g
//   PAT          servers of one GPU: log2 N steps, and a part that grows with n; 3/4 of c b, by Simple alone
//
// `hierarchical` is no algorithm of NCCL's: the latencies and bandwidths are those of its ring, with 2 (g - 1) steps
// within a server and 2 (N - 1) between GPUs of the same place, each behind the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weir/base/units.h"
#include "weir/traffic/collectives.h"

namespace weir::traffic {

enum class NcclFunction : std::uint8_t { all_reduce, all_gather, reduce_scatter };
enum class NcclAlgorithm : std::uint8_t { ring, tree, hierarchical, nvls, nvls_tree, pat };
enum class NcclProtocol : std::uint8_t { ll, ll128, simple };

struct NcclCluster {
  std::uint32_t servers = 1;
  std::uint32_t gpus = 1;  // per server
  Generation generation = Generation::hopper;
  // The number of channels of rings and trees, and the bandwidth of each within and between servers in GB/s.
  double channels = 2;
  double within = 0;
  double between = 0;
  // The same for NVLS, which has one channel per GPU.
  double nvls_within = 0;
  double nvls_between = 0;
  double nic_latency_us = 0;
  double in_switch_efficiency = 0;  // 0 = the switches do not sum
};

struct NcclTime {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  double latency_us = 0;
  double bandwidth = 0;  // GB/s, size over time without latency
  double time_us = 0;
};

// Returns nothing if the algorithm does not go with the function, the cluster or the protocol.
std::optional<NcclTime> nccl_time(const NcclCluster&, NcclFunction, NcclAlgorithm, NcclProtocol, Bytes size);

// The times of all possible algorithms, each with its quickest protocol; the quickest first.
std::vector<NcclTime> nccl_times(const NcclCluster&, NcclFunction, Bytes size);

const char* name_of(NcclAlgorithm);
const char* name_of(NcclProtocol);

}  // namespace weir::traffic
