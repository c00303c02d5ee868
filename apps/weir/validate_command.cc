// weir validate FILE...: everything short of running.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "weir/commands.h"
#include "weir/net/model/topologies.h"
#include "weir/output.h"
#include "weir/run/memory_limit.h"
#include "weir/run/output_size.h"
#include "weir/run_text.h"
#include "weir/scenario/build.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/warnings.h"
#include "weir/sweep/admission.h"

namespace weir::app {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> set;
  std::string memory;
  bool json = false;
  bool effective = false;
};

struct Validated {
  std::string file;
  std::string title;
  std::string network;
  Time base_rtt;  // the largest, of the first profile's packets
  std::vector<std::string> profiles;
  scenario::Expected expected;
  std::string ecn;  // empty: switches do not mark
  std::vector<scenario::EcnAtRate> ecn_at;
  std::vector<std::string> notices;  // what has been chosen for the scenario
  std::vector<std::string> warnings;
  std::uint32_t hosts = 0;
  std::uint32_t switches = 0;
  std::size_t links = 0;
  std::uint32_t threads = 0;
  std::string regime;        // how the engine takes events; empty: it has one way only
  std::uint64_t memory = 0;  // bytes, at most
  run::OutputSize output;
};

Validated validate(const std::string& file, const scenario::Scenario& s, std::uint64_t limit) {
  Validated out;
  run::Admitted admitted = run::admit(s, limit, file + ": it");
  out.memory = admitted.bytes;
  out.expected = admitted.expected.all ? admitted.expected : scenario::expect(s, *admitted.model);
  const scenario::Run run = scenario::build(s, std::move(admitted.model));
  const auto& model = *run.model;
  out.file = file;
  out.title = s.title;
  out.network = net::summary(model.topology);
  out.hosts = model.topology.hosts;
  out.switches = model.topology.switches;
  out.links = model.topology.links.size();
  const auto& first = model.profiles.front();
  out.base_rtt = model.paths.network_rtt(model.data_wire(first), model.ack_wire(first));
  for (const auto& p : s.profiles) out.profiles.push_back(p.name);
  out.threads = run.simulation->threads();
  if (const auto regime = run.simulation->regime()) out.regime = to_text(*regime);
  out.ecn = scenario::ecn_text(s, model);
  out.ecn_at = scenario::ecn_at_rates(model);
  out.notices = s.notices;
  const auto told = scenario::warnings(s, model);  // notices first
  out.warnings.assign(told.begin() + static_cast<std::ptrdiff_t>(s.notices.size()), told.end());
  out.output = run::output_size(s, model, out.expected);
  if (const auto warning = run::size_warning(out.output, run::space_left(".")); !warning.empty())
    out.warnings.push_back(warning);
  return out;
}

std::string to_text(const Validated& r) {
  const auto& e = r.expected;
  std::string out = fmt::format(
      "{}: valid{}{}\n"
      "  network   {}; largest base RTT {}\n"
      "  profiles  {}\n"
      "  traffic   {}{} flows, {:.3f} GB in {} packets, the last one starts at {:.3f} us\n"
      "  threads   {}\n"
      "  memory    {:.0f} MB at most\n",
      r.file, r.title.empty() ? "" : ", ", r.title, r.network, format_value(r.base_rtt), fmt::join(r.profiles, ", "),
      e.all ? "" : "over ", e.flows, static_cast<double>(e.payload.count) * 1e-9, e.packets,
      e.last_start.seconds() * 1e6, r.threads, static_cast<double>(r.memory) * 1e-6);
  for (const auto& series : r.output.series)
    out += fmt::format("  series    {} of {}, estimated\n", r.output.text(series.bytes), series.file);
  if (!r.regime.empty()) out += fmt::format("  engine    {}\n", r.regime);
  if (!r.ecn.empty()) out += fmt::format("  ECN       {}\n", r.ecn);
  for (const auto& notice : r.notices) out += fmt::format("  notice    {}\n", notice);
  for (const auto& warning : r.warnings) out += fmt::format("  warning   {}\n", warning);
  return out;
}

nlohmann::ordered_json to_json(const Validated& r) {
  auto ecn = nlohmann::ordered_json::array();
  for (const auto& [rate, k] : r.ecn_at)
    ecn.push_back(
        {{"rate_bps", rate.bits_per_second}, {"k_min_bytes", k.min}, {"k_max_bytes", k.max}, {"p_max", k.probability}});
  return {{"file", r.file},
          {"title", r.title},
          {"network", r.network},
          {"hosts", r.hosts},
          {"switches", r.switches},
          {"links", r.links},
          {"base_rtt_ps", r.base_rtt.ps},
          {"profiles", r.profiles},
          {"flows", r.expected.flows},
          {"packets", r.expected.packets},
          {"payload_bytes", r.expected.payload.count},
          {"last_start_ps", r.expected.last_start.ps},
          {"all_flows_counted", r.expected.all},
          {"threads", r.threads},
          {"regime", r.regime},
          {"memory_bytes", r.memory},
          {"series_bytes", r.output.bytes()},
          {"ecn", ecn},
          {"notices", r.notices},
          {"warnings", r.warnings}};
}

int validate_all(const ValidateOptions& o) {
  // nothing is printed unless all are valid
  std::string text;
  auto json = nlohmann::ordered_json::array();
  const std::uint64_t limit = run::memory_limit(o.memory);
  for (const auto& file : o.files) {
    const auto s = scenario::load_scenario_file(file, o.set);
    const Validated report = validate(file, s, limit);
    text += o.effective ? scenario::effective(s).toml : to_text(report);
    json.push_back(to_json(report));
  }
  show_text(o.json ? json.dump(2) + "\n" : text);
  return 0;
}

}  // namespace

void add_validate(CLI::App& app, int& status) {
  auto o = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand("validate", "Check scenarios and tell what they would run");
  command->add_option("FILE", o->files, "scenarios, TOML files")->required();
  command->add_option("--set", o->set, "key=value: any value instead of the scenario's")->allow_extra_args(false);
  command->add_option("--memory", o->memory, "that a run may take, like '8 GB'; without it, 80 % of what is free")
      ->check(not_empty());
  add_plugin_option(*command);
  command->add_flag("--json", o->json, "print the facts as JSON");
  command->add_flag("--effective", o->effective,
                    "print the scenario with all its values; data files are named as in a result directory");
  command->callback([o, &status] { status = validate_all(*o); });
}

}  // namespace weir::app
