#include "weir/traffic/catalogue.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "weir/traffic/flow_list.h"
#include "weir/traffic/incast.h"
#include "weir/traffic/permutation.h"
#include "weir/traffic/poisson.h"

namespace weir::traffic {
namespace {

template <class S>
Kind kind(std::string name, std::string meaning) {
  using Params = typename S::Params;
  return {std::move(name), std::move(meaning), &params_of<Params>(),
          [](Traffic& traffic, const void* params, const Context& context) {
            // a flow list names tags and algorithms flow by flow
            const bool own_labels = std::is_same_v<S, FlowList>;
            traffic.add(std::make_unique<S>(*static_cast<const Params*>(params), context),
                        own_labels ? std::nullopt : std::optional(context.labels));
          }};
}

}  // namespace

std::span<const Kind> kinds() {
  static const std::vector<Kind> list{
      kind<Poisson>("poisson", "open-loop Poisson arrivals at every sender, uniform destinations"),
      kind<Incast>("incast", "one incast between given hosts, at once or staggered"),
      kind<PoissonIncast>("incast_poisson", "incasts of random senders to random receivers at random times"),
      kind<Permutation>("permutation", "every host sends one flow to another, in one random cycle"),
      kind<FlowList>("flows", "the flows of a CSV file"),
  };
  return list;
}

const Kind& kind_named(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& k : kinds()) {
    if (k.name == name) return k;
    names.push_back(k.name);
  }
  const auto near = nearest(name, names);
  throw InputError(fmt::format("unknown kind of traffic '{}'{}; valid is {}", name,
                               near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), fmt::join(names, ", ")));
}

}  // namespace weir::traffic
