#include "hosts/agent/serve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <net/if.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <csignal>
#include <optional>

#include "hosts/agent/daemon.h"
#include "hosts/agent/interface.h"
#include "hosts/agent/log.h"
#include "hosts/agent/paths.h"
#include "hosts/agent/privileges.h"
#include "hosts/agent/restore.h"
#include "weir/base/suggestion.h"

namespace weir::hosts {
namespace {

std::vector<std::string> interface_names() {
  std::vector<std::string> out;
  auto* list = ::if_nameindex();
  if (list == nullptr) return out;
  for (const auto* entry = list; entry->if_index != 0; ++entry) out.emplace_back(entry->if_name);
  ::if_freenameindex(list);
  return out;
}

std::string list_text(const std::vector<std::string>& list) { return fmt::format("{}", fmt::join(list, ", ")); }

}  // namespace

AlreadyUp::AlreadyUp(int pid, const RunDir& dir)
    : std::runtime_error(fmt::format("an agent is up already in {}, process {}; weir-host status tells what it does, "
                                     "and weir-host off ends it; the agent of another network namespace needs another "
                                     "folder, with --run",
                                     dir.path(), pid)) {}

void check_peers(const Config& config) {
  for (const PeerConfig& peer : config.peers)
    if (route_source(peer.address) == peer.address)  // what a host sends to itself it sends from there
      throw InputError(peer.where, fmt::format("key 'address': {} is an address of this host itself; write those of "
                                               "other hosts",
                                               to_text(peer.address)));
}

void check_host(const Config& config) {
  const auto names = interface_names();
  for (const auto& name : config.interfaces)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(Where{config.file, 0},
                       fmt::format("key 'interface': there is no interface '{}' on this host{}; there is {}", name,
                                   did_you_mean(name, names), list_text(names)));
  check_peers(config);
  const auto missing = missing_capabilities(config.mode == Mode::bpf);
  if (!missing.empty())
    throw InputError(
        fmt::format("capabilities are missing: {}; run weir-host as root, or by its systemd unit", list_text(missing)));
}

std::vector<std::string> put_back_leftovers(RunDir& dir) {
  RestoreLog log(dir.restore());
  return log.apply();
}

int serve(const Config& config, const std::function<Config()>& load, const MasterKey& key, RunDir& dir,
          const std::function<void(const std::vector<std::string>& warnings)>& ready) {
  if (!dir.lock()) throw AlreadyUp(dir.holder().value_or(0), dir);
  const std::int64_t start = monotonic_now();
  EventLoop loop;
  Daemon* running = nullptr;
  // before any thread is started, since threads inherit what is blocked
  loop.signals({SIGTERM, SIGINT, SIGHUP}, [&](int number) {
    if (number == SIGHUP) return running->reload();
    log("ended by signal {}", number);
    loop.stop();
  });
  std::signal(SIGPIPE, SIG_IGN);
  DaemonParts parts;
  parts.config = config;
  parts.load = load;
  parts.segment = choose_segment(config, link_facts(config));
  if (config.mode != Mode::observe && !parts.segment.warning.empty()) parts.warnings.push_back(parts.segment.warning);
  if (config.peers.empty())
    parts.warnings.emplace_back("there are no [[peer]] tables, so nothing will be measured or held");
  parts.derive = [key](const Address& from, const Address& to, std::uint64_t epoch) {
    return pair_key(key, from, to, epoch);
  };
  parts.local = route_source;

  const auto left = put_back_leftovers(dir);
  if (!left.empty()) parts.warnings.push_back("an agent before has crashed; put back: " + list_text(left));
  RestoreLog restore(dir.restore());
  PathSettings settings = path_settings(config, parts.segment.limit);
  settings.test_clock_start = start;
  settings.before_change = [&](const Undo& step) { restore.add(step); };
  int status = 0;
  try {
    parts.group = control_group(config);
    parts.control = make_control_socket(dir.socket(), parts.group);
    parts.clocks = make_clocks(config, parts.derive, start, dir.clocks());
    OpenPath open;
    {
      std::optional<Realtime> realtime;
      if (config.mode != Mode::bpf) realtime.emplace();
      if (config.mode == Mode::queue && !realtime->on())
        parts.warnings.emplace_back(
            "whoever releases packets may not go before other processes (LimitRTPRIO=1 or CAP_SYS_NICE is missing), so "
            "that "
            "a host whose processors are busy holds packets longer than hold.at_most");
      drop_privileges();
      open = open_path(config.mode, settings);
    }
    parts.path = std::move(open.path);
    parts.path_name = open.name;
    if (!open.note.empty()) parts.warnings.push_back(open.note);
    const auto warnings = parts.warnings;
    Daemon daemon(loop, std::move(parts), dir);
    running = &daemon;
    for (const auto& warning : warnings) log("warning: {}", warning);
    log("up: mode {} on {}", name_of(config.mode), list_text(config.interfaces));
    ::sd_notify(0, "READY=1");
    ready(warnings);
    try {
      daemon.run();
    } catch (const std::exception& error) {
      log("the agent ends: {}", error.what());
      status = 1;
    }
    if (daemon.down().empty())
      restore.clear();
    else
      status = 1;
  } catch (...) {
    restore.apply();  // what a path that failed half way may have left
    dir.leave();
    throw;
  }
  log("off");
  if (status == 0) dir.leave();
  return status;
}

}  // namespace weir::hosts
