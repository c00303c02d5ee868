#include "weir/scenario/tables.h"

#include <array>
#include <optional>
#include <type_traits>
#include <vector>

#include "weir/base/text.h"
#include "weir/scenario/ecn_choice.h"

namespace weir::scenario {
namespace {

template <class T>
struct PartOf {
  using Params = T;
  static constexpr auto occurs = Occurs::always;
};
template <class T>
struct PartOf<std::optional<T>> {
  using Params = T;
  static constexpr auto occurs = Occurs::optional;
};
template <class T>
struct PartOf<std::vector<T>> {
  using Params = T;
  static constexpr auto occurs = Occurs::rows;
};

template <class Params>
std::span<const cc::Preset> presets_of() {
  if constexpr (requires { Params::presets(); }) return Params::presets();
  return {};
}

// The entry of the part that the members lead to, from the owner on: how often it occurs follows from its type.
template <class Owner, auto... members>
TableKind<Owner> part(std::string_view path, std::string_view section, std::string_view meaning) {
  using Field = std::remove_reference_t<decltype((std::declval<Owner&>().*....*members))>;
  using Traits = PartOf<Field>;
  return {path,
          section,
          meaning,
          Traits::occurs,
          &params_of<typename Traits::Params>(),
          [](const Owner& owner) -> std::size_t {
            const Field& field = (owner.*....*members);
            if constexpr (Traits::occurs == Occurs::rows) return field.size();
            if constexpr (Traits::occurs == Occurs::optional) return field.has_value();
            return 1;
          },
          [](const Owner& owner, [[maybe_unused]] std::size_t i) -> const void* {
            const Field& field = (owner.*....*members);
            if constexpr (Traits::occurs == Occurs::rows) return &field[i];
            if constexpr (Traits::occurs == Occurs::optional) return &*field;
            return &field;
          },
          [](Owner& owner) -> void* {
            Field& field = (owner.*....*members);
            if constexpr (Traits::occurs == Occurs::rows) return &field.emplace_back();
            if constexpr (Traits::occurs == Occurs::optional) return &field.emplace();
            return &field;
          },
          presets_of<typename Traits::Params>()};
}

TableKind<Scenario> ecn_table() {
  auto kind = part<Scenario, &Scenario::ecn>(
      "network.ecn", "network", "marking; thresholds that are not written are the algorithm's (weir list algorithms)");
  kind.remark = [](const Scenario& s) {
    const std::string whose = recommended_by(s);
    return whose.empty() ? "" : "thresholds that come with " + one_line(whose);
  };
  return kind;
}

}  // namespace

std::span<const TableKind<Scenario>> tables() {
  using S = Scenario;
  using F = engine::FaultRows;
  static const std::array list{
      part<S, &S::run>("run", "run", "seed, end, threads and rules of the run"),
      part<S, &S::fast_forward>(
          "run.fast_forward", "run",
          "messages of collectives that repeat are not sent again, and spans in which all flows are "
          "steady are left out, if the table is there"),
      part<S, &S::network>("network", "network", "what holds for all switches and their ports"),
      part<S, &S::buffer>("network.buffer", "network", "shared buffer and PFC"),
      part<S, &S::watchdog>("network.pfc.watchdog", "network", "breaks deadlocks of PFC"),
      part<S, &S::adaptive>("network.adaptive", "network",
                            "how switches measure queues for flows with load_balancing.kind = \"adaptive\""),
      ecn_table(),
      part<S, &S::ecn_overrides>("network.ecn.rate", "network", "marking by ports of one rate"),
      part<S, &S::classes>("network.class", "network", "data classes"),
      part<S, &S::faults, &F::loss>("network.loss", "network", "packets that links lose"),
      part<S, &S::faults, &F::failures>("network.failure", "network", "links between switches that fail at random"),
      part<S, &S::faults, &F::link_events>("network.link_event", "network", "links that go down and up"),
      part<S, &S::host>("host", "host", "what hosts add to the delays of the network"),
      part<S, &S::faults, &F::host_pauses>("host.pause", "host", "hosts that stall"),
      part<S, &S::faults, &F::slow_hosts>("host.slow", "host", "hosts that take data slowly, and pause their switches"),
      part<S, &S::transport>("transport", "transport", "framing, acknowledgements, timeouts"),
      part<S, &S::clocks>("clocks", "transport", "the hosts' clocks, which On-Ramp needs")};
  return list;
}

std::span<const TableKind<ProfileSettings>> profile_tables() {
  using P = ProfileSettings;
  static const std::array list{
      part<P, &P::sending>("", "transport", "class and acknowledgements; of each way of sending"),
      part<P, &P::recovery>("recovery", "transport", "what is sent again; of each way of sending"),
      part<P, &P::balancing>("load_balancing", "transport", "which path each packet takes; of each way of sending"),
      part<P, &P::on_ramp>("on_ramp", "transport",
                           "an underlay that holds flows back while their packets queue; of each way of sending, if "
                           "the table is there"),
      part<P, &P::stack>("stack", "transport",
                         "what a Linux host has between TCP and the NIC: segments, small queues, pacing; of each way "
                         "of sending, if the table is there")};
  return list;
}

std::string_view parent_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view last_of(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string header_of(Occurs occurs, std::string_view path) {
  const bool rows = occurs == Occurs::rows;
  return std::string(rows ? "[[" : "[").append(path).append(rows ? "]]" : "]");
}

}  // namespace weir::scenario
