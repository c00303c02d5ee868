#include "weir/traffic/training.h"

#include <fmt/format.h>

#include <tuple>

#include "weir/traffic/checks.h"
#include "weir/traffic/stragglers.h"

namespace weir::traffic {

std::vector<std::uint32_t> hosts_of(const Training& t, const Context& context) {
  std::vector<std::uint32_t> hosts = hosts_of_job(t.hosts, t.places, t.placement, t.group, context);
  const std::uint64_t ranks = std::uint64_t{t.tensor} * t.pipeline * t.data;
  if (hosts.size() != ranks)
    throw InputError(
        t.places == "all" ? "hosts" : "places",
        fmt::format("'{}' are {} hosts; tensor * pipeline * data = {} * {} * {} = {} are needed",
                    t.places == "all" ? t.hosts : t.places, hosts.size(), t.tensor, t.pipeline, t.data, ranks));
  if (ranks < 2) throw InputError("tensor", "a step of one rank has no messages; valid are two ranks or more");
  if (t.virtual_stages > 1 && t.pipeline < 2)
    throw InputError("virtual_stages", "a pipeline of one stage has no others; leave this out");
  if (t.virtual_stages > 1 && t.microbatches % t.pipeline != 0)
    throw InputError("microbatches", fmt::format("{} is no multiple of the {} stages, which virtual stages need",
                                                 t.microbatches, t.pipeline));
  if (const std::uint64_t parts = std::uint64_t{t.pipeline} * t.virtual_stages; t.layers % parts != 0)
    throw InputError("layers", fmt::format("{} layers are no whole number for each of {} stages", t.layers, parts));
  if (t.data % t.experts != 0)
    throw InputError(
        "experts",
        fmt::format("{} is no divisor of the {} replicas, of which expert-parallel groups consist", t.experts, t.data));
  if (!t.expert_sizes.empty() && t.experts < 2)
    throw InputError("expert_sizes", "without experts there is nothing to send to them; write experts as well");
  if (t.group > 1 && hosts.size() % t.group != 0)
    throw InputError(
        "group", fmt::format("{} does not divide the {} hosts into whole servers; valid are {}", t.group, ranks,
                             divisors_text(static_cast<std::uint32_t>(ranks), 1, static_cast<std::uint32_t>(ranks))));
  check_pxn(t.pxn, t.group, t.scale_up_sharing, hosts);
  for (const auto& [size, parts, key] : {std::tuple{t.activations, 2 * t.tensor * t.experts, "activations"},
                                         std::tuple{t.gradients, t.data, "gradients"}})
    if (size.count < parts)
      throw InputError(key, fmt::format("{} is out of range; at least {} B are needed, one for each message",
                                        format_value(size), parts));
  return hosts;
}

void Training::describe(ParamList<Training>& p) {
  using T = Training;
  p.integer("tensor", &T::tensor, 1, kMaxHosts, "ranks of a tensor-parallel group", "Megatron-LM, SC'21");
  p.integer("pipeline", &T::pipeline, 1, kMaxHosts, "stages of the pipeline, which take microbatches by 1F1B",
            "Megatron-LM, SC'21, 2.2");
  p.integer("data", &T::data, 1, kMaxHosts, "replicas, whose gradients are added up at the end of the step");
  p.integer("experts", &T::experts, 1, kMaxHosts,
            "ranks of an expert-parallel group, which are neighbouring replicas; 1 = the model has no experts",
            "Lepikhin et al., GShard, ICLR'21");
  p.number("imbalance", &T::imbalance, 0, 0.99,
           "how much more than the mean the busiest expert of a group gets, as a share; the idlest gets as much less");
  Param& sizes = p.text("expert_sizes", &T::expert_sizes,
                        "a CSV file without header, instead of `imbalance`: for each rank of a stage, what it has of "
                        "each microbatch and layer for expert 0, 1, 2... of its group, in bytes; 0 is sent as 1 B");
  sizes.names_file = [](std::string_view text) { return !text.empty(); };
  p.integer("layers", &T::layers, 1, 100'000, "layers of the model; each stage has as many");
  p.integer("virtual_stages", &T::virtual_stages, 1, 100'000,
            "parts of the model that each stage has, with those of all other stages between them: the pipeline is "
            "interleaved, and its bubble shorter by this factor",
            "Megatron-LM, SC'21, 2.2.2");
  p.integer("microbatches", &T::microbatches, 1, 1'000'000, "microbatches of each replica in the step");
  p.bytes("activations", &T::activations, "those of a microbatch between two layers, of a whole tensor-parallel group",
          "", Bytes{1}, kMaxFlowSize)
      .required = true;
  p.bytes("gradients", &T::gradients, "those of all layers that a GPU has", "", Bytes{1}, kMaxFlowSize).required = true;
  p.time("attention", &T::attention, "computation of the attention of a layer, forward", "", Time{1},
         Time{1'000'000'000'000'000})
      .required = true;
  p.time("mlp", &T::mlp, "computation of the MLP of a layer, forward", "", Time{1}, Time{1'000'000'000'000'000})
      .required = true;
  p.number("backward", &T::backward, 0, 100, "time of the computation backward, in times of that forward",
           "Megatron-LM, SC'21");
  p.text("hosts", &T::hosts, "those that take part, in order of their ranks: \"all\", \"0-15\", \"0-3,8\"");
  p.choice("placement", &T::placement, {"in-order", "random"}, "servers in order, or at random");
  p.text("places", &T::places,
         "of these hosts, in the order of `placement`, those at these places: \"0-31\"; at random, all tables with the "
         "same hosts and group have one order then, so that jobs at other places have other hosts");
  describe_servers(p);
  describe_pxn(p);
  describe_stragglers(p, "computations");
  p.flag("critical_path", &T::critical_path,
         "tell how the time until the end of each rank is made up along what it has waited for last, and what that had "
         "waited for");
  p.time("start", &T::start, "the step starts");
}

}  // namespace weir::traffic
