#include "hosts/agent/daemon.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "hosts/agent/log.h"
#include "weir/base/suggestion.h"
#include "weir/base/text.h"

namespace weir::hosts {
namespace {

constexpr int kLookEvery = 5;                      // beats
constexpr std::int64_t kSendsNow = 1'000'000'000;  // ns since a packet of it left
const std::vector<std::string> kCommands{"status", "settings", "sync", "trace", "off"};

}  // namespace

std::optional<gid_t> control_group(const Config& config) {
  if (config.control.group.empty()) return std::nullopt;
  const group* found = ::getgrnam(config.control.group.c_str());
  if (found == nullptr)
    throw InputError(Where{config.file, 0},
                     fmt::format("key 'control.group': there is no group '{}' on this host; write one of getent group",
                                 one_line(config.control.group, kQuoted)));
  return found->gr_gid;
}

Daemon::Daemon(EventLoop& loop, DaemonParts parts, const RunDir& dir)
    : loop_(loop),
      parts_(std::move(parts)),
      since_(monotonic_now()),
      peers_(parts_.config, parts_.segment.least_threshold, parts_.derive, parts_.local) {
  if (const auto& steering = parts_.config.steering)
    refclock_.emplace(steering->reference, steering->socket, nanoseconds(parts_.config.clock.max_error));
  traces_.emplace(*parts_.path);
  if (const auto listen = parse_listen(parts_.config.metrics.listen))
    metrics_.emplace(loop_, *listen, [this] { return to_metrics(status()); });
  control_.emplace(loop_, std::move(parts_.control), dir.socket(), parts_.group,
                   [this](const auto& connection, const auto& request) { answer(connection, request); });
  if (const int fd = parts_.path->descriptor(); fd >= 0)
    loop_.watch(fd, EPOLLIN, [this](std::uint32_t) {
      parts_.path->poll(0);
      traces_->flush();
    });
  clock_alarm_.emplace(loop_, [this] { tick_clocks(); });
  clock_alarm_->at(parts_.clocks->next_timer());
  loop_.every(kBeatEvery, [this] { beat(); });
}

Daemon::~Daemon() {
  if (const int fd = parts_.path->descriptor(); fd >= 0) loop_.forget(fd);
}

void Daemon::run() {
  beat();
  loop_.run();
}

void Daemon::tick_clocks() {
  parts_.clocks->on_timer(monotonic_now());
  clock_alarm_->at(parts_.clocks->next_timer());
}

void Daemon::beat() {
  // first what is new, then the sign of life: after a long sleep nothing old is acted upon
  const std::int64_t now = monotonic_now();
  const auto news = parts_.clocks->news(now);
  peers_.update(now, unix_now(), news, *parts_.path);
  parts_.path->beat(now);
  parts_.path->poll(0);
  traces_->flush();
  if (refclock_) refclock_->update(now, news);
  look_for_interfaces();
  tell_changes();
  ::sd_notify(0, "WATCHDOG=1");
}

std::string Daemon::trouble() {
  const std::string out = parts_.path->trouble();
  return out.empty() || vanished_.empty() ? out + vanished_ : out + "; " + vanished_;
}

void Daemon::look_for_interfaces() {
  if (looks_++ % kLookEvery != 0) return;
  vanished_.clear();
  for (const auto& name : parts_.config.interfaces)
    if (::if_nametoindex(name.c_str()) == 0)
      vanished_ += fmt::format("{}{} has vanished; packets pass", vanished_.empty() ? "" : "; ", name);
}

void Daemon::tell_changes() {
  const std::string now = trouble();
  if (now != told_trouble_) {
    if (now.empty())
      log("all is well again");
    else
      log("trouble: {}", now);
    told_trouble_ = now;
  }
  std::size_t held = 0;
  for (const PeerStatus& peer : peers_.status()) {
    held += peer.held ? 1 : 0;
    PeerState& told = told_states_.try_emplace(peer.address, PeerState::no_agent).first->second;
    if (peer.state == told) continue;
    log("{}: {}: {}", to_text(peer.address), name_of(peer.state), meaning(peer.state));
    told = peer.state;
    ::sd_notify(
        0, fmt::format("STATUS=mode {}, {} of {} peers held", name_of(parts_.config.mode), held, peers_.status().size())
               .c_str());
  }
}

void Daemon::reload() {
  try {
    Config next = parts_.load();
    peers_.set(next.peers, *parts_.path);  // throws for peers that cannot be
    parts_.clocks->set_peers(next.peers);
    std::erase_if(told_states_, [&](const auto& told) {
      return std::none_of(next.peers.begin(), next.peers.end(),
                          [&](const PeerConfig& peer) { return peer.address == told.first; });
    });
    const auto before = to_json(parts_.config);
    const auto after = to_json(next);
    for (const auto& [key, value] : after.items())
      if (key != "file" && key != "peer" && before.at(key) != value)
        log("warning: '{}' of the configuration has changed; that counts after weir-host off and up", key);
    parts_.config.peers = std::move(next.peers);
    log("read the configuration again: {} peers", parts_.config.peers.size());
  } catch (const std::exception& error) {
    log("the configuration is not read again, and peers stay as they are: {}", error.what());
  }
}

Status Daemon::status() {
  Status out;
  out.mode = parts_.config.mode;
  out.path = parts_.path_name;
  out.pid = ::getpid();
  out.since = since_;
  out.now = monotonic_now();
  out.interfaces = parts_.config.interfaces;
  out.segment = parts_.config.mode == Mode::observe ? 0 : parts_.segment.limit;
  out.trouble = trouble();
  out.warnings = parts_.warnings;
  out.counters = parts_.path->counters();
  out.peers = peers_.status();
  if (refclock_) out.refclock = refclock_->status();
  out.flows = parts_.path->flows();
  const auto sending = std::count_if(out.flows.begin(), out.flows.end(),
                                     [&](const FlowView& flow) { return out.now - flow.last < kSendsNow; });
  if (auto warning = too_many_flows(static_cast<std::size_t>(sending), parts_.segment, parts_.config);
      !warning.empty() && parts_.config.mode != Mode::observe)
    out.warnings.push_back(std::move(warning));
  return out;
}

void Daemon::answer(const std::shared_ptr<ControlConnection>& connection, const nlohmann::json& request) {
  const auto found = request.find("command");
  const std::string command = found != request.end() && found->is_string() ? found->get<std::string>() : "";
  if (command == "status") {
    connection->send(to_json(status()));
  } else if (command == "settings") {
    connection->send(to_json(parts_.config));
  } else if (command == "sync") {
    connection->send(parts_.clocks->details(monotonic_now()));
  } else if (command == "trace") {
    connection->send({{"trace", true}, {"now_ns", monotonic_now()}, {"unix_ns", unix_now()}});
    traces_->add(connection);
  } else if (command == "off") {
    log("asked to end");
    wait_for_end_.push_back(connection);
    loop_.stop();
  } else {
    throw std::runtime_error(fmt::format("unknown command '{}'{}; valid is {}", one_line(command, kQuoted),
                                         did_you_mean(command, kCommands), fmt::join(kCommands, ", ")));
  }
}

std::string Daemon::down() {
  ::sd_notify(0, "STOPPING=1");
  std::string wrong;
  try {
    parts_.path->detach();
  } catch (const std::exception& error) {
    wrong = error.what();
    log("not all could be put back: {}", wrong);
  }
  for (const auto& connection : wait_for_end_) {
    if (wrong.empty())
      connection->send({{"off", true}});
    else
      connection->send({{"error", "not all could be put back: " + wrong}});
    connection->finish();
  }
  wait_for_end_.clear();
  return wrong;
}

}  // namespace weir::hosts
