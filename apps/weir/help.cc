#include "weir/help.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace weir::app {
namespace {

struct ValueType {
  std::string_view command;  // "" = whichever has the option
  std::string_view option;   // "" = all others
  std::string_view type;
};

// The first that fits counts.
constexpr std::array kValueTypes{ValueType{"report", "--out", "FILE"},
                                 ValueType{"view", "--out", "FILE"},
                                 ValueType{"ns3", "--out", "FILE"},
                                 ValueType{"htsim", "--out", "FILE"},
                                 ValueType{"quantise", "--out", "FILE"},
                                 ValueType{"distil", "--out", "FILE"},
                                 ValueType{"topology", "--svg", "FILE"},
                                 ValueType{"", "--out", "DIR"},
                                 ValueType{"", "--svg", "DIR"},
                                 ValueType{"", "--papers", "DIR"},
                                 ValueType{"", "--pcap", "DIR"},
                                 ValueType{"", "--trace", "FILE"},
                                 ValueType{"", "--steer", "FILE"},
                                 ValueType{"", "--plugin", "FILE"},
                                 ValueType{"", "--since", "FILE"},
                                 ValueType{"", "--policy", "FILE"},
                                 ValueType{"", "--memory", "SIZE"},
                                 ValueType{"", "--pcap-snaplen", "SIZE"},
                                 ValueType{"", "--mss", "SIZE"},
                                 ValueType{"", "--checkpoint", "TIME"},
                                 ValueType{"", "--duration", "TIME"},
                                 ValueType{"fork", "--at", "TIME"},
                                 ValueType{"", "--pcap-from", "TIME"},
                                 ValueType{"", "--pcap-until", "TIME"},
                                 ValueType{"", "--trace-from", "TIME"},
                                 ValueType{"", "--trace-until", "TIME"},
                                 ValueType{"", "--trace-interval", "TIME"},
                                 ValueType{"", "--goal-unit", "TIME"},
                                 ValueType{"spraying", "--t_s", "TIME"},
                                 ValueType{"spraying", "--t_l", "TIME"},
                                 ValueType{"spraying", "--target", "TIME"},
                                 ValueType{"spraying", "--fs_range", "TIME"},
                                 ValueType{"spraying", "--base_rtt", "TIME"},
                                 ValueType{"", "--set", "KEY=VALUE"},
                                 ValueType{"", "--only", "WHICH"},
                                 ValueType{"", "--pcap-at", "PORTS"},
                                 ValueType{"", "--trace-at", "PORTS"},
                                 ValueType{"", "--pcap-flow", "FLOWS"},
                                 ValueType{"", "--trace-flow", "FLOWS"},
                                 ValueType{"", "--seed", "NUMBER"},
                                 ValueType{"", "--threads", "NUMBER"},
                                 ValueType{"", "--shard", "I/N"},
                                 ValueType{"", "--sbatch", "OPTION"},
                                 ValueType{"", "--axis", "AXIS"},
                                 ValueType{"", "--base", "LABEL"},
                                 ValueType{"", "--tier", "TIER"},
                                 ValueType{"", "--case", "CASE"},
                                 ValueType{"", "--format", "FORMAT"},
                                 ValueType{"", "--executor", "WHERE"},
                                 ValueType{"spraying", "", "NUMBER"}};

struct Group {
  std::string_view begin;  // of the names of its options
  std::string_view title;
};
constexpr std::array kGroups{Group{"--pcap", "Packets for Wireshark"},
                             Group{"--trace", "A trace for Perfetto"},
                             Group{"--view", "Looking into the run"},
                             Group{"--steer", "Looking into the run"},
                             Group{"--checkpoint", "Going on later"},
                             Group{"--shard", "Sharing the runs"},
                             Group{"--claim", "Sharing the runs"},
                             Group{"--lease", "Sharing the runs"},
                             Group{"--since", "Sharing the runs"},
                             Group{"--executor", "Sharing the runs"},
                             Group{"--workers", "Sharing the runs"},
                             Group{"--retries", "Sharing the runs"},
                             Group{"--sbatch", "Sharing the runs"},
                             Group{"--collect", "Sharing the runs"},
                             Group{"--set", "The scenario"},
                             Group{"--seed", "The scenario"},
                             Group{"--plugin", "The scenario"},
                             Group{"--threads", "Threads and memory"},
                             Group{"--memory", "Threads and memory"},
                             Group{"--jobs", "Threads and memory"},
                             Group{"--out", "What is shown and kept"},
                             Group{"--format", "What is shown and kept"},
                             Group{"--json", "What is shown and kept"},
                             Group{"--quiet", "What is shown and kept"}};

void describe_option(const CLI::App& command, CLI::Option& option, bool has_groups) {
  if (option.get_positional()) {  // its name says what it is
    option.type_name("");
    return;
  }
  const auto& names = option.get_lnames();
  if (names.empty()) return;
  const std::string name = "--" + names.front();
  const auto type = std::find_if(kValueTypes.begin(), kValueTypes.end(), [&](const ValueType& of) {
    return (of.option.empty() || of.option == name) && (of.command.empty() || of.command == command.get_name());
  });
  const bool is_flag = option.get_expected_min() == 0;
  if (type != kValueTypes.end() && !is_flag) option.type_name(std::string(type->type));
  const auto group =
      std::find_if(kGroups.begin(), kGroups.end(), [&](const Group& of) { return name.starts_with(of.begin); });
  if (has_groups && group != kGroups.end()) option.group(std::string(group->title));
}

using Json = nlohmann::ordered_json;

Json names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());  // the set's order is that of addresses
  return names;
}

// `value` is its type, and behind a colon what is valid.
Json described(CLI::Option& option) {
  Json names = Json::array();
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  if (option.get_positional()) names.push_back(option.get_name());
  const bool has_value = option.get_items_expected_max() > 0 && !option.get_positional();
  Json out{{"names", names}};
  out["value"] = has_value ? option.get_type_name() : "";
  out["values"] = option.get_items_expected_max();
  out["required"] = option.get_required();
  out["group"] = option.get_group();
  out["meaning"] = option.get_description();
  out["needs"] = names_of(option.get_needs());
  out["excludes"] = names_of(option.get_excludes());
  return out;
}

Json described(const CLI::App& command) {
  Json arguments = Json::array();
  Json options = Json::array();
  Json commands = Json::array();
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      (option->get_positional() ? arguments : options).push_back(described(const_cast<CLI::Option&>(*option)));
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(described(*below));
  return {{"name", command.get_name()},
          {"meaning", command.get_description()},
          {"arguments", arguments},
          {"options", options},
          {"commands", commands}};
}

}  // namespace

void describe_options(CLI::App& app) {
  constexpr std::size_t kMany = 10;  // options of a command that has them in groups
  auto options = app.get_options();
  for (CLI::Option* option : options) describe_option(app, *option, options.size() >= kMany);
  for (CLI::App* command : app.get_subcommands({})) describe_options(*command);
}

std::string description(const CLI::App& app) { return described(app).dump(1); }

}  // namespace weir::app
