#include "weir/traffic/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "weir/base/suggestion.h"
#include "weir/traffic/calls_driver.h"
#include "weir/traffic/collective_choice.h"
#include "weir/traffic/collectives.h"
#include "weir/traffic/flow_list.h"
#include "weir/traffic/goal.h"
#include "weir/traffic/incast.h"
#include "weir/traffic/permutation.h"
#include "weir/traffic/poisson.h"
#include "weir/traffic/program_file.h"
#include "weir/traffic/traffic.h"
#include "weir/traffic/training_driver.h"

namespace weir::traffic {
namespace {

// Adds a source whose flows get these labels; without labels they keep their own.
void add_source(Traffic& traffic, std::unique_ptr<Source> source, std::optional<Labels> labels,
                const Context& context) {
  if (context.completion)
    traffic.add(independent(*source, labels, context.labels.tag));
  else
    traffic.add(std::move(source), labels);
}

// Each flow of a list can name its own tag and algorithm.
Kind flow_list() {
  return {"flows", "the flows of a CSV file", &params_of<FlowList::Params>(),
          [](Traffic& traffic, const void* params, const Context& context) {
            add_source(traffic, std::make_unique<FlowList>(*static_cast<const FlowList::Params*>(params), context),
                       std::nullopt, context);
          }};
}

// A kind of traffic whose messages are made when they are due.
template <class Params, class MadeDriver>
Kind driven(std::string name, std::string meaning) {
  return {std::move(name), std::move(meaning), &params_of<Params>(),
          [](Traffic& traffic, const void* params, const Context& context) {
            traffic.add(std::make_unique<MadeDriver>(*static_cast<const Params*>(params), context));
          }};
}

bool is_written_down(const Collective& c) {
  return c.operation < Operation::tree_all_reduce && c.messages == MessageRows::rows && c.group == 1 &&
         c.active_chunks == 0 && c.slots == 0 && c.window == 0 && c.order == Order::next && c.channels == 1 &&
         c.slow.empty();
}

// Collectives are either a program that is written down in advance, or a driver that makes messages when they are due.
Kind collective() {
  return {"collective", "a collective operation: messages that wait for each other", &params_of<Collective>(),
          [](Traffic& traffic, const void* params, const Context& context) {
            const Collective c = in_chunks(chosen(*static_cast<const Collective*>(params), context), context);
            if (c.is_series())
              traffic.add(std::make_unique<CallsDriver>(c, context));
            else if (is_written_down(c))
              traffic.add(make_collective(c, context));
            else
              traffic.add(make_driver(c, context, plan_collective(c, context), 0));
          }};
}

template <class Params>
Kind program(std::string name, std::string meaning, Program (*make)(const Params&, const Context&)) {
  return {std::move(name), std::move(meaning), &params_of<Params>(),
          [make](Traffic& traffic, const void* params, const Context& context) {
            traffic.add(make(*static_cast<const Params*>(params), context));
          }};
}

// The elephants are not counted in the completion of the permutation.
Kind permutation() {
  Kind k = kind_of<Permutation>("permutation", "every host sends one flow to another, in one random cycle");
  k.add = [others = k.add](Traffic& traffic, const void* params, const Context& context) {
    others(traffic, params, context);
    auto flows = Permutation::elephants(*static_cast<const Permutation::Params*>(params), context);
    if (!flows.empty()) traffic.add(std::make_unique<FlowList>(std::move(flows)), std::nullopt);
  };
  return k;
}

}  // namespace

void add_source(Traffic& traffic, std::unique_ptr<Source> source, const Context& context) {
  add_source(traffic, std::move(source), context.labels, context);
}

namespace {

std::list<Kind>& entries() {
  static std::list<Kind> all{
      kind_of<Poisson>("poisson", "open-loop Poisson arrivals at every sender, uniform destinations"),
      kind_of<Incast>("incast", "one incast between given hosts, at once or staggered"),
      kind_of<PoissonIncast>("incast_poisson", "incasts of random senders to random receivers at random times"),
      permutation(),
      flow_list(),
      collective(),
      driven<Calls, CallsDriver>("calls", "collective operations one after the other, with computations between them"),
      driven<Training, TrainingDriver>("training", "a step of training: tensor, pipeline and data parallelism"),
      program<Hsdp>("hsdp", "ring steps of hybrid sharded data parallelism between servers of several GPUs", make_hsdp),
      program<ProgramFile>("program", "messages and computations that wait for each other, from a CSV file",
                           read_program),
      program<Goal>("goal", "messages and computations that wait for each other, from a GOAL schedule", read_goal),
  };
  return all;
}

}  // namespace

const std::list<Kind>& kinds() { return entries(); }

const Kind& add_kind(Kind kind) {
  const auto has_name = [&](const Kind& k) { return k.name == kind.name; };
  check_new_name("a kind of traffic", kind.name, std::any_of(entries().begin(), entries().end(), has_name));
  return entries().emplace_back(std::move(kind));
}

const Kind& kind_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Kind& k : kinds()) {
    if (k.name == name) return k;
    names.push_back(k.name);
  }
  throw InputError(fmt::format("unknown kind of traffic '{}'{}; valid is {}", name, did_you_mean(name, names),
                               fmt::join(names, ", ")));
}

}  // namespace weir::traffic
