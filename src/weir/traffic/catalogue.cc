#include "weir/traffic/catalogue.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "weir/base/suggestion.h"
#include "weir/traffic/collectives.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/goal.h"
#include "weir/traffic/incast.h"
#include "weir/traffic/permutation.h"
#include "weir/traffic/poisson.h"
#include "weir/traffic/program_file.h"

namespace weir::traffic {
namespace {

template <class S>
Kind kind(std::string name, std::string meaning) {
  using Params = typename S::Params;
  return {std::move(name), std::move(meaning), &params_of<Params>(),
          [](Traffic& traffic, const void* params, const Context& context) {
            auto source = std::make_unique<S>(*static_cast<const Params*>(params), context);
            // a flow list names tags and algorithms flow by flow
            const bool own_labels = std::is_same_v<S, FlowList>;
            const auto labels = own_labels ? std::nullopt : std::optional(context.labels);
            if (context.completion)
              traffic.add(independent(*source, labels, context.labels.tag));
            else
              traffic.add(std::move(source), labels);
          }};
}

template <class Params>
Kind program(std::string name, std::string meaning, Program (*make)(const Params&, const Context&)) {
  return {std::move(name), std::move(meaning), &params_of<Params>(),
          [make](Traffic& traffic, const void* params, const Context& context) {
            traffic.add(make(*static_cast<const Params*>(params), context));
          }};
}

// Elephants are no part of what completes.
Kind permutation() {
  Kind k = kind<Permutation>("permutation", "every host sends one flow to another, in one random cycle");
  k.add = [others = k.add](Traffic& traffic, const void* params, const Context& context) {
    others(traffic, params, context);
    auto flows = Permutation::elephants(*static_cast<const Permutation::Params*>(params), context);
    if (!flows.empty()) traffic.add(std::make_unique<FlowList>(std::move(flows)), std::nullopt);
  };
  return k;
}

}  // namespace

std::span<const Kind> kinds() {
  static const std::vector<Kind> list{
      kind<Poisson>("poisson", "open-loop Poisson arrivals at every sender, uniform destinations"),
      kind<Incast>("incast", "one incast between given hosts, at once or staggered"),
      kind<PoissonIncast>("incast_poisson", "incasts of random senders to random receivers at random times"),
      permutation(),
      kind<FlowList>("flows", "the flows of a CSV file"),
      program<Collective>("collective", "a collective operation: messages that wait for each other", make_collective),
      program<Hsdp>("hsdp", "ring steps of hybrid sharded data parallelism between servers of several GPUs", make_hsdp),
      program<ProgramFile>("program", "messages and computations that wait for each other, from a CSV file",
                           read_program),
      program<Goal>("goal", "messages and computations that wait for each other, from a GOAL schedule", read_goal),
  };
  return list;
}

const Kind& kind_named(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& k : kinds()) {
    if (k.name == name) return k;
    names.push_back(k.name);
  }
  throw InputError(fmt::format("unknown kind of traffic '{}'{}; valid is {}", name, did_you_mean(name, names),
                               fmt::join(names, ", ")));
}

}  // namespace weir::traffic
