#include "hosts/agent/restore.h"

#include <fmt/format.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "hosts/agent/private_file.h"
#include "hosts/agent/program.h"
#include "hosts/path/descriptor.h"
#ifdef WEIR_HOSTS_QUEUE
#include "hosts/queue/mangle_table.h"
#endif

namespace weir::hosts {
namespace {

constexpr int kLogVersion = 1;
constexpr std::array<std::string_view, 7> kPrograms{"tc",  "ip",      "iptables",       "ip6tables",
                                                    "nft", "ethtool", kRemoveEmptyTable};

bool is_allowed(const std::vector<std::string>& command) {
  return !command.empty() && std::find(kPrograms.begin(), kPrograms.end(), command.front()) != kPrograms.end();
}

bool carry_out(const std::vector<std::string>& command) {
#ifdef WEIR_HOSTS_QUEUE
  if (command.front() == kRemoveEmptyTable) return remove_empty_mangle_table(command.back() == "ip6");
#endif
  return run_program(command).ok();
}

}  // namespace

RestoreLog::RestoreLog(std::string file) : file_(std::move(file)) {
  const std::string text = read_private_file(file_);
  if (text.empty()) return;
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("version") != kLogVersion) throw std::runtime_error("another version");
    for (const auto& step : json.at("steps")) {
      steps_.push_back({step.at("what"), step.at("command"), step.at("interface"), step.at("ifindex")});
      if (!is_allowed(steps_.back().command)) throw std::runtime_error("another program");
    }
  } catch (const std::exception&) {
    steps_.clear();
    throw std::runtime_error(fmt::format(
        "{}: this is not what an agent of this version has left to put back; look at it, put it back by hand, and "
        "remove it",
        file_));
  }
}

void RestoreLog::add(const Undo& step) {
  if (!is_allowed(step.command)) throw std::logic_error("a step that may not be undone so: " + to_text(step.command));
  steps_.push_back(step);
  try {
    write();
  } catch (...) {
    steps_.pop_back();
    throw;
  }
}

void RestoreLog::clear() {
  steps_.clear();
  ::unlink(file_.c_str());
}

std::vector<std::string> RestoreLog::apply(const Run& run, const IfIndex& ifindex) {
  std::vector<std::string> out;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (!step->interface.empty() && ifindex(step->interface) != step->ifindex) continue;
    if (run(step->command)) out.push_back(step->what);
  }
  clear();
  return out;
}

std::vector<std::string> RestoreLog::apply() {
  return apply(carry_out, [](const std::string& name) { return ::if_nametoindex(name.c_str()); });
}

void RestoreLog::write() const {
  auto steps = nlohmann::ordered_json::array();
  for (const auto& step : steps_)
    steps.push_back(
        {{"what", step.what}, {"command", step.command}, {"interface", step.interface}, {"ifindex", step.ifindex}});
  const std::string text = nlohmann::ordered_json{{"version", kLogVersion}, {"steps", steps}}.dump(2) + "\n";
  if (!replace_private_file(file_, text, true))
    throw std::runtime_error(
        fmt::format("{}: cannot be written, so nothing is changed on this host: {}", file_, std::strerror(errno)));
}

}  // namespace weir::hosts
