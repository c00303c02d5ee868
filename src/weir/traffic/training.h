// A step of training a model on many GPUs, as messages and computations: tensor, pipeline and data parallelism
// (Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC'21).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/context.h"
#include "weir/traffic/hosts.h"
#include "weir/traffic/servers.h"

namespace weir::traffic {

// Rank t + tp * (d + dp * p) is GPU t of its tensor-parallel group, of replica d, in pipeline stage p. Each stage has
// layers / pp layers. The stages take microbatches by 1F1B: stage p goes forward with pp - 1 - p of them, then one
// forward and one backward in turn, then backward with what is left. With v virtual stages each stage has v parts of
// the model, layers / pp / v layers long, part j of stage p behind part j of stage p - 1 and, for the first, part j - 1
// of the last: it then begins with 2 (pp - 1 - p) + (v - 1) pp turns forward, pp microbatches through one part after
// the other (section 2.2.2, and schedules.py of Megatron-LM).
//
//   forward    of a layer: attention, an all-reduce of the activations in the tensor-parallel group, MLP, another
//              all-reduce; backward the same in reverse, and `backward` times as long
//   pipeline   each GPU of a group sends 1/tp of the activations (backward: of their gradients) to its counterpart in
//              the next stage (the previous one), where the group gathers them when the turn comes; a stage begins its
//              next turn when the messages that it has sent have been acknowledged
//   experts    with a mixture of experts, instead of the second all-reduce: before the experts (which take the time
//              `mlp`) each rank sends to the others of its expert-parallel group the tokens for their experts, and
//              afterwards gets the results back. Groups are `experts` neighbouring replicas. Expert e of a group of n
//              gets 1 + imbalance * (2 e / (n - 1) - 1) times the mean, or the share that a file gives
//   data       at the end of the step, an all-reduce of each GPU's gradients among the replicas
//
// All-reduces are rings: a rank begins a step when it has received the message of the step before and its own message
// of that step has arrived.
struct Training {
  std::uint32_t tensor = 8;
  std::uint32_t pipeline = 1;
  std::uint32_t data = 1;
  std::uint32_t experts = 1;
  double imbalance = 0;
  std::string expert_sizes;
  std::uint32_t layers = 1;
  std::uint32_t virtual_stages = 1;
  std::uint32_t microbatches = 1;
  Bytes activations;
  Bytes gradients;
  Time attention;
  Time mlp;
  double backward = 2;
  std::string hosts = "all";
  Placement placement = Placement::in_order;
  std::string places = "all";
  std::uint32_t group = 8;
  Rate scale_up_rate = ScaleUp{}.rate;
  Time scale_up_latency = ScaleUp{}.latency;
  Sharing scale_up_sharing = Sharing::serial;
  bool pxn = false;
  std::string slow;
  double slow_factor = 1.2;
  bool critical_path = false;
  Time start;

  static void describe(ParamList<Training>& p);
};

// The host of each rank. Throws InputError if there are not tensor * pipeline * data hosts, if layers do not divide
// into whole stages, or if groups do not fit.
std::vector<std::uint32_t> hosts_of(const Training&, const Context&);

}  // namespace weir::traffic
