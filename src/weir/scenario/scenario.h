// What one run is made of, as a TOML file describes it (docs/scenario/index.md), checked value by value.
//
//   Scenario s = load_scenario(text, "a.toml", {"run.seed=7"});
//   Run run = build(s);                       // scenario/build.h
//   while (!run.simulation->advance()) {}
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/cc/algorithm.h"
#include "weir/engine/model/model.h"
#include "weir/engine/skip/fast_forward_params.h"
#include "weir/engine/time/simulation.h"
#include "weir/host/params.h"
#include "weir/host/transport.h"
#include "weir/net/model/topologies.h"
#include "weir/net/switch/switch_buffer.h"
#include "weir/probe/params.h"
#include "weir/traffic/catalogue.h"

namespace weir::scenario {

struct Value;  // toml/document.h

// By whose rules a run is simulated (scenario/fidelity.h), and which are Weir's own.
struct Fidelity;
const Fidelity& exact_rules();

// What the run waits for before it ends.
enum class Until : std::uint8_t { flows, collectives };

// Larger ones would not be the same in every reader of JSON and CSV, many of which have doubles alone.
inline constexpr std::int64_t kMaxSeed = (std::int64_t{1} << 53) - 1;

struct RunParams {
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  engine::SchedulerKind scheduler = engine::SchedulerKind::automatic;
  Time stop;
  Until until = Until::flows;
  std::uint32_t perturbation = 0;  // 0 once the scenario has been read (scenario/perturbation.h)
  const Fidelity* fidelity = &exact_rules();

  static void describe(ParamList<RunParams>& p);
};

// The topology is a graph file.
struct GraphParams {
  std::string file;
  double delay_scale = 1;

  static void describe(ParamList<GraphParams>& p);
};
inline constexpr std::string_view kGraphKind = "file";

struct Topology {
  std::string name;                         // a kind, a preset, or kGraphKind
  const net::TopologyKind* kind = nullptr;  // null: a graph file
  std::shared_ptr<const void> params;       // of the kind, or GraphParams
  const ParamSet& list() const { return kind == nullptr ? params_of<GraphParams>() : *kind->params; }
};

// An algorithm's parameters as one of its presets sets them; "" = the defaults.
std::shared_ptr<void> preset_params(const cc::Algorithm&, std::string_view preset);

// What a profile says besides its algorithm's parameters.
struct Sending {
  std::uint32_t data_class = 0;
  Bytes ack_every;
  Bytes unsolicited;

  static void describe(ParamList<Sending>& p);
};

// A way of sending. The first one of a scenario is [algorithm], named like its algorithm.
struct ProfileSettings {
  std::string name;
  const cc::Algorithm* algorithm = nullptr;
  bool reads_telemetry() const { return cc::has(algorithm->about.needs, cc::Needs::telemetry); }
  std::string preset;  // what `params` started from; "" = the defaults
  std::shared_ptr<const void> params;
  Sending sending;
  host::RecoveryParams recovery;
  host::BalancingParams balancing;
  std::optional<cc::OnRamp::Params> on_ramp;
  std::optional<host::StackParams> stack;
};

// One flow written in the scenario itself.
struct InlineFlow {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  Bytes size;
  Time start;
  std::string tag;
  std::string profile;

  static void describe(ParamList<InlineFlow>& p);
};

struct TrafficSource {
  const traffic::Kind* kind = nullptr;
  std::string tag;
  std::string profile;
  std::shared_ptr<const void> params;
  bool completion = false;        // its flows are one collective
  std::string chosen_for;         // the operation that is written if `params` have what was chosen for it, else ""
  std::vector<InlineFlow> flows;  // instead of the file of a flow list
};

struct Scenario {
  std::string file;    // as the user named it, for messages
  std::string folder;  // relative names of data files start here
  std::string title;
  std::vector<std::string> notices;  // what was chosen for want of a word in the file, and may surprise; for people
  bool perturbed = false;            // run.perturbation has changed something
  std::uint32_t mirrored_hosts =
      0;  // so many hosts there are, and traffic counts them from the other end; 0 = it does not
  RunParams run;
  std::optional<engine::FastForwardParams> fast_forward;
  std::shared_ptr<const void> fidelity_params;  // [fidelity], of run.fidelity; null where that has none
  Topology topology;
  net::NetworkParams network;
  net::BufferParams buffer;
  net::EcnParams ecn;
  std::vector<net::EcnOverride> ecn_overrides;
  std::vector<net::ClassRow> classes;
  net::AdaptiveParams adaptive;
  net::WatchdogParams watchdog;
  engine::FaultRows faults;
  host::TransportParams transport;
  host::HostParams host;
  std::optional<host::ClockParams> clocks;
  std::vector<ProfileSettings> profiles;
  std::vector<TrafficSource> traffic;
  probe::ProbeParams probes;

  // Where a dotted key is written; else its table, or the file.
  Where place(std::string_view key) const;
  std::map<std::string, Where, std::less<>> places;
};

// An error about the value of a dotted key, at its place.
InputError key_error(const Scenario&, std::string_view key, std::string_view what);
// The error of a component whose table is `path`, at the place of the value that it names, or else of the table. An
// error that has a place already, such as a line of a data file, stays as it is.
InputError placed(const Scenario&, std::string_view path, const InputError&);
// Lets a component do its work, and tells places of its errors.
template <class Work>
auto at_its_place(const Scenario& s, std::string_view path, Work&& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw placed(s, path, error);
  }
}

// An option of a command that stands for an override: {"--seed", "run.seed=7"}. Messages name the option.
struct Option {
  std::string name;
  std::string assignment;
};

// Reads a scenario from a text. Overrides are "dotted.key=value" and win over the text; options win over both. Throws
// InputError that names file, line and key. Data files are not looked at yet.
Scenario load_scenario(std::string_view text, const std::string& file, const std::vector<std::string>& overrides = {},
                       const std::vector<Option>& options = {});
// Reads a scenario from a document whose overrides have been applied.
Scenario read_scenario(const Value& document, const std::string& file);
// Reads a scenario from a file on disk, as load_scenario() does from a text.
Scenario load_scenario_file(const std::string& file, const std::vector<std::string>& overrides = {},
                            const std::vector<Option>& options = {});

}  // namespace weir::scenario
