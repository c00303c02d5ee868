#include "hosts/agent/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "hosts/agent/clock_memory.h"
#include "hosts/agent/event_loop.h"
#include "hosts/agent/log.h"
#include "hosts/agent/status.h"
#include "hosts/clock/service.h"
#include "weir/base/text_table.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kRememberEvery = 1'000'000'000;
// A clock that is known within such a part of T changes nothing that On-Ramp does.
constexpr std::int64_t kPartOfT = 100;

// The error that is tolerated where T is smallest. A T that is derived is longer than its headroom, which stands for
// it.
std::int64_t tolerated(const Config& config) {
  std::int64_t least = INT64_MAX;
  for (const PeerConfig& peer : config.peers)
    least = std::min(least, peer.threshold.value_or(config.threshold).value_or(nanoseconds(config.headroom)));
  return config.peers.empty() ? 0 : least / kPartOfT;
}

std::vector<ClockPeer> clock_peers(const std::vector<PeerConfig>& peers) {
  std::vector<ClockPeer> out;
  for (const auto& peer : peers) out.push_back({peer.address, peer.local});
  return out;
}

ClockSettings clock_settings(const Config& config, Peers::Derive derive, std::int64_t start) {
  const PathSettings path = path_settings(config, 0);
  ClockSettings out;
  out.peers = clock_peers(config.peers);
  out.port = config.clock.port;
  out.key = std::move(derive);
  out.key_lifetime = nanoseconds(config.keys.lifetime);
  out.neighbours = config.clock.neighbours;
  out.interval = nanoseconds(config.clock.interval);
  out.relaxed = nanoseconds(config.clock.relaxed);
  out.enough = nanoseconds(config.clock.enough);
  out.tolerated = tolerated(config);
  out.window = nanoseconds(config.clock.window);
  out.step = nanoseconds(config.clock.step);
  out.epsilon = nanoseconds(config.clock.epsilon);
  out.wander = config.clock.wander * 1e-9;
  out.hardware = config.clock.hardware;
  out.interfaces = config.interfaces;
  out.stale_after = nanoseconds(config.clock.stale_after);
  out.test_clock_offset = path.test_clock_offset;
  out.test_clock_drift = path.test_clock_drift;
  out.test_clock_start = start;
  return out;
}

nlohmann::ordered_json to_json(const PeerClock& clock, std::int64_t now) {
  nlohmann::ordered_json line;
  if (clock.line)
    line = {{"at_ns", clock.line->at},
            {"offset_ns", clock.line->offset},
            {"drift_ns_per_s", static_cast<double>(clock.line->drift) * 1e9 / (1 << 30)},
            {"sigma_ns", clock.line->sigma}};
  nlohmann::ordered_json time;
  if (clock.time)
    time = {{"at_unix_ns", clock.time->at}, {"difference_ns", clock.time->difference}, {"error_ns", clock.time->error}};
  return {
      {"address", to_text(clock.address)},
      {"condition", name_of(clock.condition)},
      {"neighbour", clock.neighbour},
      {"clock", line},
      {"time_of_day", time},
      {"silence_ns", clock.heard == INT64_MIN ? nlohmann::ordered_json() : nlohmann::ordered_json(now - clock.heard)},
      {"least_delay_ns", clock.least_delay},
      {"pair_offset_ns", clock.pair_offset},
      {"pair_error_ns", clock.pair_error},
      {"purity", clock.purity},
      {"observations", clock.observations},
      {"steps", clock.steps},
      {"refused_tag", clock.refused_tag},
      {"refused_session", clock.refused_session},
      {"refused_repeated", clock.refused_repeated}};
}

class Service : public Clocks {
 public:
  // `memory`: a file; "": nothing is remembered.
  Service(const ClockSettings& settings, std::string memory) : service_(settings), memory_(std::move(memory)) {}

  std::int64_t next_timer() override { return service_.next_timer(); }
  void on_timer(std::int64_t now) override {
    service_.on_timer(now);
    if (memory_.empty() || now < next_memory_) return;
    next_memory_ = now + kRememberEvery;
    const bool good = write_clock_memory(memory_, service_.memory(), now);
    if (!good && !told_) log("{}: cannot be written, so that a restart will know no clocks at first", memory_);
    told_ = !good;
  }

  std::map<Address, ClockNews> news(std::int64_t now) override {
    std::map<Address, ClockNews> out;
    const ClockState state = service_.state(now);
    // peers that are not probed are taken to be as far as the farthest of the others
    std::int64_t farthest = 0;
    for (const PeerClock& clock : state.peers) farthest = std::max(farthest, clock.least_delay);
    for (const PeerClock& clock : state.peers) {
      ClockNews& peer = out[clock.address];
      peer.condition = clock.condition;
      peer.line = clock.line;
      peer.bias = clock.bias;
      if (const auto least = clock.neighbour ? clock.least_delay : farthest; least > 0) peer.least = least;
      if (clock.heard != INT64_MIN) peer.heard = clock.heard;
      peer.time = clock.time;
    }
    return out;
  }

  void set_peers(const std::vector<PeerConfig>& peers) override { service_.set_peers(clock_peers(peers)); }

  nlohmann::ordered_json details(std::int64_t now) override {
    const ClockState state = service_.state(now);
    auto peers = nlohmann::ordered_json::array();
    for (const PeerClock& clock : state.peers) peers.push_back(to_json(clock, now));
    return {{"now_ns", now},
            {"peers", peers},
            {"hardware_stamps", state.hardware_stamps},
            {"why_no_hardware", state.why_no_hardware},
            {"loops", state.loops},
            {"surplus_ns", state.surplus},
            {"messages_sent", state.messages_sent},
            {"messages_received", state.messages_received},
            {"bytes_sent", state.bytes_sent},
            {"bytes_received", state.bytes_received},
            {"unstamped", state.unstamped},
            {"refused_form", state.refused_form},
            {"refused_peer", state.refused_peer},
            {"time_sets", state.time_sets}};
  }

 private:
  ClockService service_;
  std::string memory_;
  std::int64_t next_memory_ = 0;
  bool told_ = false;
};

}  // namespace

std::unique_ptr<Clocks> make_clocks(const Config& config, Peers::Derive derive, std::int64_t start,
                                    const std::string& memory) {
  ClockSettings settings = clock_settings(config, std::move(derive), start);
  // the clock of a test is another one after each start
  const bool is_test = settings.test_clock_offset != 0 || settings.test_clock_drift != 0;
  const std::string file = is_test ? "" : memory;
  if (!file.empty()) {
    std::string why;
    settings.memory = read_clock_memory(file, monotonic_now(), why);
    if (!why.empty()) log("{}: not used: {}", file, why);
  }
  try {
    return std::make_unique<Service>(std::move(settings), file);
  } catch (const std::invalid_argument& error) {
    throw InputError(Where{config.file, 0}, fmt::format("table 'clock': {}", error.what()));
  }
}

std::string clocks_text(const nlohmann::json& details) {
  if (details.at("peers").empty()) return "no peers; add [[peer]] tables to the configuration\n";
  TextRows rows{{"peer", "condition", "probed", "offset", "drift", "within", "time of day", "heard", "least delay",
                 "pure", "probes"}};
  for (const auto& peer : details.at("peers")) {
    const auto& clock = peer.at("clock");
    const auto& time = peer.at("time_of_day");
    const bool known = !clock.is_null();
    const bool probed = peer.at("neighbour").get<bool>();
    rows.push_back(
        {peer.at("address"), peer.at("condition"), probed ? "yes" : "no",
         known ? fmt::format("{:+} ns", clock.at("offset_ns").get<std::int64_t>()) : "?",
         known ? fmt::format("{:+.1f} ns/s", clock.at("drift_ns_per_s").get<double>()) : "?",
         known ? duration_text(clock.at("sigma_ns").get<double>()) : "?",
         time.is_null() ? "?"
                        : fmt::format("{:+} ns, within {}", time.at("difference_ns").get<std::int64_t>(),
                                      duration_text(time.at("error_ns").get<double>())),
         peer.at("silence_ns").is_null() ? "never" : duration_text(peer.at("silence_ns").get<double>()) + " ago",
         probed ? duration_text(peer.at("least_delay_ns").get<double>()) : "",
         probed ? fmt::format("{:.0f} %", 100 * peer.at("purity").get<double>()) : "",
         probed ? fmt::format("{}", peer.at("observations").get<std::uint64_t>()) : ""});
  }
  const auto why = details.at("why_no_hardware").get<std::string>();
  const std::string stamps = details.at("hardware_stamps").get<bool>() ? "timestamps by the NIC"
                                                                       : "timestamps by the kernel; by the NIC: " + why;
  return text_table(rows, 3) + fmt::format("\n{}; {} independent loops; {} messages sent, {} received\n", stamps,
                                           details.at("loops").get<std::size_t>(),
                                           details.at("messages_sent").get<std::uint64_t>(),
                                           details.at("messages_received").get<std::uint64_t>());
}

}  // namespace weir::hosts
