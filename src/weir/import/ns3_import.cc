#include "weir/import/ns3_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/import/ns3_config.h"
#include "weir/import/ns3_files.h"
#include "weir/net/model/graph_file.h"
#include "weir/replica/ns3_clock.h"
#include "weir/replica/ns3_params.h"
#include "weir/scenario/replica_rules.h"
#include "weir/toml/writer.h"
#include "weir/traffic/flow.h"

namespace weir::scenario {
namespace {

constexpr std::int64_t kLinksFail = 2'000'000'000;  // ns; LINK_DOWN counts from then on
constexpr std::uint64_t kMostNs = 1'000'000'000'000'000;

enum class Mode : std::uint64_t { dcqcn = 1, hpcc = 3, timely = 7, dctcp = 8 };

// MicroSeconds() takes a whole number.
std::string microseconds(double us) { return format_value(Time{static_cast<std::int64_t>(us) * 1'000'000}); }

class Ns3Importer {
 public:
  Ns3Importer(std::string_view config, const std::string& file, const Ns3ImportOptions& options, const ReadFile& read)
      : config_(config, file),
        folder_(std::filesystem::path(file).parent_path()),
        options_(options),
        read_(read),
        title_(std::filesystem::path(file).filename().string()) {}

  Ns3Import run() {
    config_.require({"TOPOLOGY_FILE", "FLOW_FILE"}, "name the file");
    config_.require({"L2_CHUNK_SIZE", "L2_ACK_INTERVAL"}, "without it nothing is ever acknowledged");
    read_mode();
    const std::string file = file_of("TOPOLOGY_FILE");
    topology_ = parse_ns3_topology(read_(file, "the topology"), file);
    ignore(topology_.rest);
    loss_ = ns3_loss(topology_, config_.number("ERROR_RATE_PER_LINK", 0, 0, 1), !options_.exact);
    check_rates();
    write_head();
    write_fidelity();
    write_network();
    write_transport();
    write_algorithm();
    write_traffic();
    write_probes();
    out_.toml = toml_.take();
    out_.graph = net::format_graph(topology_.topology);
    if (!topology_.switches.empty()) list_nodes();
    out_.ignored = config_.without_effect();
    out_.ignored.insert(out_.ignored.end(), ignored_.begin(), ignored_.end());
    return std::move(out_);
  }

 private:
  std::optional<std::string> find_file(const std::string& key) const {
    for (const auto& folder : {folder_, folder_ / "..", std::filesystem::path()}) {
      std::string path = (folder / config_.text(key)).lexically_normal().string();
      if (options_.is_file(path)) return path;
    }
    return std::nullopt;
  }

  std::string file_of(const std::string& key) const {
    if (auto path = find_file(key)) return *path;
    throw config_.error_at(
        key, fmt::format("there is no file {} in the folder of the config, in the one above it, and in the "
                         "one where weir was started",
                         one_line(config_.text(key), kQuoted)));
  }

  void ignore(const std::string& what) {
    if (!what.empty()) ignored_.push_back(what);
  }

  void list_nodes() {
    out_.nodes = "node,ns3_node\n";
    std::vector<std::size_t> there(topology_.number_here.size());
    for (std::size_t n = 0; n < there.size(); ++n) there[topology_.number_here[n]] = n;
    for (std::size_t node = 0; node < there.size(); ++node) out_.nodes += fmt::format("{},{}\n", node, there[node]);
  }

  // What Weir's own physics have no room for.
  void only(const std::string& key, bool fits, std::string_view fitting) const {
    if (options_.exact && !fits)
      throw config_.error_at(key, fmt::format("not possible with --exact, which needs {}", fitting));
  }

  void read_mode() {
    const std::uint64_t mode = config_.whole("CC_MODE", 1, 0, 1000);
    if (mode != 1 && mode != 3 && mode != 7 && mode != 8)
      throw config_.error_at(
          "CC_MODE", fmt::format("{}{} is not possible; valid is 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP)", mode,
                                 mode == 10 ? " (HPCC-PINT)" : ""));
    mode_ = static_cast<Mode>(mode);
  }

  void check_rates() const {
    for (std::size_t i = 0; i < topology_.where.size(); ++i) {
      const Rate rate = topology_.topology.links[i].rate;
      const std::set<std::int64_t> coded{25, 50, 100, 200, 400};
      if (mode_ == Mode::hpcc && !options_.exact &&
          (rate.bits_per_second % 1'000'000'000 != 0 || !coded.contains(rate.bits_per_second / 1'000'000'000)))
        throw InputError(
            topology_.where[i],
            fmt::format("HPCC has no code for a link of {}; valid is 25, 50, 100, 200, 400 Gbps", format_value(rate)));
    }
  }

  std::int64_t since_begin(std::int64_t ns) const { return ns - topology_.begin_ns; }

  void write_head() {
    toml_.comment(fmt::format("Time 0 is second {} there.", topology_.begin_ns / 1'000'000'000));
    toml_.text("title", title_);
    toml_.section("[run]");
    if (!options_.exact) toml_.text("fidelity", replica::kNs3Hpcc);
    const double stop = config_.number("SIMULATOR_STOP_TIME", 3.01, 0, 1e6);
    const std::int64_t ns = since_begin(replica::seconds_to_ns(stop));
    if (ns <= 0)
      throw config_.error_at("SIMULATOR_STOP_TIME", fmt::format("write more than {}, when the first flows may start",
                                                                topology_.begin_ns / 1'000'000'000));
    toml_.text("stop", format_value(Time{ns * 1000}));
    if (config_.has("RANDOM_SEED")) toml_.value("seed", config_.whole("RANDOM_SEED", 1, 0, UINT32_MAX));
  }

  void write_fidelity() {
    const bool has_window = config_.flag("HAS_WIN", true);
    const bool variable = config_.flag("VAR_WIN", false);
    window_ = has_window ? (variable ? "variable" : "bdp") : "none";
    if (mode_ == Mode::hpcc && !has_window) throw config_.error_at("HAS_WIN", "HPCC divides by the window; write 1");
    if (mode_ == Mode::hpcc || mode_ == Mode::dctcp)
      only(has_window ? "VAR_WIN" : "HAS_WIN", variable && has_window, "a window that follows the rate, 1");
    const bool global_t = config_.flag("GLOBAL_T", true);
    const bool rate_bound = config_.flag("RATE_BOUND", true);
    const bool multi_rate = config_.flag("MULTI_RATE", true);
    const bool sample = config_.flag("SAMPLE_FEEDBACK", false);
    const bool to_zero = config_.flag("L2_BACK_TO_ZERO", false);
    const std::uint64_t ack_interval = config_.whole("L2_ACK_INTERVAL", 0, 1, UINT32_MAX);
    const std::uint64_t chunk = config_.whole("L2_CHUNK_SIZE", 0, 1, UINT32_MAX);
    const std::vector<std::uint64_t> down = config_.link_down();
    if (down[0] > 0) check_link_down(down);
    only("GLOBAL_T", global_t, "the same T for all flows, 1");
    only("RATE_BOUND", rate_bound, "pacing, 1");
    if (mode_ == Mode::hpcc) only("MULTI_RATE", !multi_rate, "one rate for all hops, 0 (1 if it is not written)");
    if (mode_ == Mode::hpcc) only("SAMPLE_FEEDBACK", !sample, "0");
    only("L2_BACK_TO_ZERO", !to_zero, "go-back-N, 0");
    only("L2_ACK_INTERVAL", ack_interval <= 1000, "an acknowledgement for each packet, 1");
    only("LINK_DOWN", down[0] == 0, "links that do not fail, 0 0 0");
    if (options_.exact) {
      ignored_.emplace_back("L2_CHUNK_SIZE");
      return;
    }
    toml_.section("[fidelity]");
    if (mode_ == Mode::hpcc || mode_ == Mode::dctcp) toml_.text("window", window_);
    toml_.value("global_t", global_t);
    toml_.value("rate_bound", rate_bound);
    if (mode_ == Mode::hpcc) {
      toml_.value("multi_rate", multi_rate);
      toml_.value("sample_feedback", sample);
    }
    if (mode_ == Mode::dctcp) {
      toml_.text("dctcp_rate_ai", format_value(config_.rate("DCTCP_RATE_AI", {1'000'000'000})));
      toml_.text("dctcp_r_min", format_value(config_.rate("MIN_RATE", {100'000'000})));
    }
    toml_.value("ack_high_prio", config_.flag("ACK_HIGH_PRIO", false));
    toml_.text("ack_interval", format_value(Bytes{static_cast<std::int64_t>(ack_interval)}));
    toml_.text("chunk", format_value(Bytes{static_cast<std::int64_t>(chunk)}));
    toml_.value("back_to_zero", to_zero);
    toml_.value("loss", loss_.common);
    if (!topology_.switches.empty()) toml_.text("switches", topology_.switches);
    if (down[0] == 0) return;
    const std::int64_t down_at = since_begin(kLinksFail) + static_cast<std::int64_t>(down[0]) * 1000;
    toml_.text("link_down_at", format_value(Time{down_at * 1000}));
    toml_.value("link_down_a", topology_.number_here[down[1]]);
    toml_.value("link_down_b", topology_.number_here[down[2]]);
  }

  void check_link_down(const std::vector<std::uint64_t>& down) const {
    const net::Topology& t = topology_.topology;
    const auto& here = topology_.number_here;
    const bool known = std::any_of(t.links.begin(), t.links.end(), [&](const net::Link& link) {
      return down[1] < here.size() && down[2] < here.size() && link.a >= t.hosts && link.b >= t.hosts &&
             std::minmax(link.a, link.b) == std::minmax(here[down[1]], here[down[2]]);
    });
    if (!known)
      throw config_.error_at("LINK_DOWN",
                             fmt::format("there is no link {} - {} between two switches", down[1], down[2]));
  }

  void write_network() {
    toml_.section("[topology]");
    toml_.text("kind", "file");
    toml_.text("file", options_.graph_name);
    toml_.section("[network.buffer]");
    toml_.text("size", fmt::format("{} MiB", config_.whole("BUFFER_SIZE", 16, 1, 1907)));
    const bool ecn = config_.flag("ENABLE_QCN", true);
    if (!ecn && (mode_ == Mode::dcqcn || mode_ == Mode::dctcp))
      throw config_.error_at("ENABLE_QCN", "the algorithm reacts to marked packets; write 1");
    if (ecn) {
      toml_.section("[network.ecn]");
      toml_.value("enabled", true);
      write_thresholds();
    }
    if (options_.exact && loss_.common > 0) write_loss("all", loss_.common);
    for (const auto& [link, loss] : loss_.links) write_loss(fmt::format("{}-{}", link.first, link.second), loss);
  }

  void write_loss(const std::string& links, double probability) {
    toml_.section("[[network.loss]]");
    toml_.text("links", links);
    toml_.value("probability", probability);
  }

  void write_thresholds() {
    constexpr double kMostKb = 4e6;
    const auto k_max = config_.by_rate("KMAX_MAP", kMostKb);
    const auto k_min = config_.by_rate("KMIN_MAP", kMostKb);
    const auto p_max = config_.by_rate("PMAX_MAP", 1);
    std::set<std::uint64_t> rates;
    for (std::size_t i = 0; i < topology_.where.size(); ++i) {
      const auto rate = static_cast<std::uint64_t>(topology_.topology.links[i].rate.bits_per_second);
      if (!rates.insert(rate).second) continue;
      for (const auto& [key, map] : {std::pair{"KMAX_MAP", &k_max}, {"KMIN_MAP", &k_min}, {"PMAX_MAP", &p_max}})
        if (!map->contains(rate))
          throw InputError(topology_.where[i], fmt::format("{} of {} has no value for this link's rate, {}", key,
                                                           config_.where(key).text(), rate));
      // Thresholds are whole kilobytes.
      const auto least = static_cast<std::int64_t>(k_min.at(rate)) * 1000;
      const auto most = static_cast<std::int64_t>(k_max.at(rate)) * 1000;
      if (least > most) throw config_.error_at("KMIN_MAP", fmt::format("more than in KMAX_MAP for the rate {}", rate));
      toml_.section("[[network.ecn.rate]]");
      toml_.text("rate", format_value(Rate{static_cast<std::int64_t>(rate)}));
      toml_.text("k_min", format_value(Bytes{least}));
      toml_.text("k_max", format_value(Bytes{most}));
      toml_.value("p_max", p_max.at(rate));
    }
  }

  void write_transport() {
    toml_.section("[transport]");
    const auto payload = config_.whole("PACKET_PAYLOAD_SIZE", 1000, 1, 60'000);
    toml_.text("payload", format_value(Bytes{static_cast<std::int64_t>(payload)}));
    const std::uint64_t multiplier = config_.whole("INT_MULTI", 1, 1, 64);
    if (!options_.exact) {
      toml_.value("int_multiplier", multiplier);
    } else {
      if (config_.has("INT_MULTI")) ignored_.emplace_back("INT_MULTI");
      if (config_.flag("ACK_HIGH_PRIO", false)) toml_.text("ack_class", "priority");
    }
  }

  void write_algorithm() {
    toml_.section("[algorithm]");
    switch (mode_) {
      case Mode::hpcc: write_hpcc(); break;
      case Mode::dcqcn: write_dcqcn(); break;
      case Mode::timely: write_timely(); break;
      case Mode::dctcp: write_dctcp(); break;
    }
  }

  void write_hpcc() {
    config_.require({"RATE_AI"}, "HPCC needs it");
    toml_.text("name", "hpcc");
    toml_.value("eta", config_.number("U_TARGET", 0.95, 0.5, 1));
    toml_.value("max_stage", config_.whole("MI_THRESH", 5, 0, 1'000'000));
    toml_.text("additive_increase", "rate");
    toml_.text("r_ai", format_value(config_.rate("RATE_AI", {})));
    toml_.text("r_min", format_value(config_.rate("MIN_RATE", {100'000'000})));
    toml_.text("reaction", config_.flag("FAST_REACT", true) ? "hpcc" : "per-rtt");
  }

  void write_dcqcn() {
    config_.require({"RATE_AI", "RATE_HAI", "RP_TIMER", "EWMA_GAIN"}, "DCQCN needs it");
    constexpr double kMostMicroseconds = 1e9;
    toml_.text("name", "dcqcn");
    toml_.text("T_i", microseconds(config_.number("RP_TIMER", 0, 1, kMostMicroseconds)));
    toml_.text("T_d", microseconds(config_.number("RATE_DECREASE_INTERVAL", 4, 1, kMostMicroseconds)));
    toml_.text("T_alpha", microseconds(config_.number("ALPHA_RESUME_INTERVAL", 55, 1, kMostMicroseconds)));
    toml_.value("g", config_.number("EWMA_GAIN", 0, 0, 1));
    toml_.value("clamp_target", config_.flag("CLAMP_TARGET_RATE", false));
    toml_.value("fast_recovery", config_.whole("FAST_RECOVERY_TIMES", 5, 0, 1'000'000));
    write_steps("r_ai", "r_hai");
  }

  void write_timely() {
    config_.require({"RATE_AI", "RATE_HAI"}, "TIMELY needs it");
    toml_.text("name", "timely");
    write_steps("delta", "hai");
  }

  void write_steps(std::string_view step, std::string_view large_step) {
    toml_.text(step, format_value(config_.rate("RATE_AI", {})));
    toml_.text(large_step, format_value(config_.rate("RATE_HAI", {})));
    toml_.text("scale_rate", "0 bps");
    toml_.text("r_min", format_value(config_.rate("MIN_RATE", {100'000'000})));
    toml_.text("window", window_);
  }

  void write_dctcp() {
    config_.require({"EWMA_GAIN"}, "DCTCP needs it");
    toml_.text("name", "dctcp");
    toml_.value("g", config_.number("EWMA_GAIN", 0, 0, 1));
    toml_.text("start", "line-rate");
    if (!options_.exact) return;
    for (const char* key : {"DCTCP_RATE_AI", "MIN_RATE"})
      if (config_.has(key)) ignored_.emplace_back(key);
  }

  void write_traffic() {
    toml_.section("[[traffic]]");
    toml_.text("kind", "flows");
    toml_.text("file", options_.flows_name);
    const std::string file = file_of("FLOW_FILE");
    out_.flows = "src,dst,sport,dport,size_bytes,start_ns,tag\n";
    const Bytes largest = options_.exact ? traffic::kMaxFlowSize : kNs3MaxFlowSize;
    const Ns3Flows read = parse_ns3_flows(read_(file, "the flows"), file, topology_, largest);
    ignore(read.rest);
    for (const auto& f : read.flows)
      out_.flows += fmt::format("{},{},{},{},{},{},dport-{}\n", f.src, f.dst, f.sport, f.dport, f.size.count,
                                f.start.ps / 1000, f.dport);
  }

  // Queues as their monitor samples them, and the ports of the nodes that are traced.
  void write_probes() {
    constexpr std::uint64_t kMonitorInterval = 100;  // ns
    const std::uint64_t begin = config_.whole("QLEN_MON_START", 2'000'000'000, 0, kMostNs);
    const std::uint64_t end = config_.whole("QLEN_MON_END", 2'100'000'000, 0, kMostNs);
    const auto time_of = [&](std::uint64_t ns) {
      return Time{std::max<std::int64_t>(0, since_begin(static_cast<std::int64_t>(ns))) * 1000};
    };
    if (config_.has("QLEN_MON_FILE") && time_of(end) > time_of(begin)) {
      toml_.section("[probes.queues]");
      toml_.text("interval", format_value(Time{kMonitorInterval * 1000}));
      toml_.text("start", format_value(time_of(begin)));
      toml_.text("stop", format_value(time_of(end)));
    }
    const bool enabled = config_.flag("ENABLE_TRACE", true);
    if (!config_.has("TRACE_FILE")) return;
    // The simulator traces nothing then.
    const auto found = find_file("TRACE_FILE");
    if (!found) return ignore(fmt::format("TRACE_FILE (there is no file {})", config_.text("TRACE_FILE")));
    const std::string& file = *found;
    const Ns3Trace trace = parse_ns3_trace(read_(file, "the trace nodes"), file, topology_);
    ignore(trace.unknown);
    ignore(trace.rest);
    if (!enabled || trace.nodes.empty()) return;
    const std::string ports = ports_of(trace.nodes);
    toml_.section("[probes.pfc]");
    toml_.text("ports", ports);
    toml_.section("[probes.links]");
    toml_.text("ports", ports);
    toml_.value("series", true);
  }

  std::string ports_of(const std::vector<std::uint32_t>& nodes) const {
    const net::Topology& t = topology_.topology;
    if (nodes.size() == t.nodes()) return "all, hosts";
    std::set<std::pair<std::uint32_t, std::uint32_t>> ports;  // parallel links have one name
    for (std::uint32_t port = 0; port < t.ports(); ++port)
      if (std::binary_search(nodes.begin(), nodes.end(), t.port_owner(port)))
        ports.emplace(t.port_owner(port), t.port_peer(port));
    std::vector<std::string> names;
    for (const auto& [owner, peer] : ports) names.push_back(fmt::format("{}->{}", owner, peer));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const Ns3Config config_;
  const std::filesystem::path folder_;
  const Ns3ImportOptions& options_;
  const ReadFile& read_;
  const std::string title_;
  Mode mode_ = Mode::dcqcn;
  Ns3Topology topology_;
  Ns3Loss loss_;
  std::string window_;
  std::vector<std::string> ignored_;
  TomlWriter toml_{"Made by weir import ns3."};
  Ns3Import out_;
};

}  // namespace

Ns3Import import_ns3(std::string_view config, const std::string& file, const Ns3ImportOptions& options,
                     const ReadFile& read) {
  return Ns3Importer(config, file, options, read).run();
}

}  // namespace weir::scenario
