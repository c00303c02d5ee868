#include "weir/import/htsim_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>

#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/import/htsim_files.h"
#include "weir/import/htsim_network.h"
#include "weir/import/htsim_options.h"
#include "weir/import/htsim_program.h"
#include "weir/import/htsim_rules.h"
#include "weir/net/model/graph_file.h"
#include "weir/replica/uet_network.h"
#include "weir/replica/uet_params.h"
#include "weir/scenario/uet_connections.h"
#include "weir/toml/writer.h"
#include "weir/traffic/goal.h"

namespace weir::scenario {
namespace {

class HtsimImporter {
 public:
  HtsimImporter(const std::vector<std::string>& arguments, const HtsimImportOptions& options, const ReadFile& read)
      : arguments_(arguments), options_(options), read_(read) {}

  HtsimImport run() {
    check_fixed();
    if (arguments_.has("-goal"))
      read_goal_nodes();
    else
      read_matrix();
    routing_ = read_htsim_routing(arguments_);
    net_ = read_htsim_network(arguments_, matrix_, read_);
    control_ = read_htsim_control(arguments_, net_.tree);
    if (routing_.marks_at_half()) net_.k_min = net_.k_max = net_.buffer / 2;
    if (options_.exact)
      write_exact();
    else
      write_replica();
    out_.toml = toml_.take();
    out_.ignored.insert(out_.ignored.end(), arguments_.ignored().begin(), arguments_.ignored().end());
    out_.ignored.insert(out_.ignored.end(), routing_.ignored.begin(), routing_.ignored.end());
    out_.ignored.insert(out_.ignored.end(), control_.ignored.begin(), control_.ignored.end());
    out_.ignored.insert(out_.ignored.end(), net_.ignored.begin(), net_.ignored.end());
    out_.ignored.insert(out_.ignored.end(), ignored_.begin(), ignored_.end());
    return std::move(out_);
  }

 private:
  // Of these only the default is possible.
  void check_fixed() const {
    arguments_.choice("-sender_cc_algo", "nscc", {"nscc"});
    arguments_.choice("-queue_type", "composite", {"composite"});
    if (arguments_.whole("-planes", 1, INT32_MIN, INT32_MAX) != 1)
      throw HtsimOptions::error_at("-planes", "htsim_uec stops with an assertion at all but 1; leave it out");
  }

  // A schedule has ranks, not hosts, so the network says how many there are.
  void read_goal_nodes() {
    if (!options_.exact) throw HtsimOptions::error_at("-goal", "possible only with --exact; write that, or -tm");
    if (arguments_.has("-tm")) throw HtsimOptions::error_at("-goal", "-tm stands there too; write one of them");
    title_ = std::filesystem::path(arguments_.text("-goal")).filename().string();
    matrix_.nodes = static_cast<std::uint32_t>(arguments_.whole("-nodes", 0, 2, 1 << 20));
    if (matrix_.nodes == 0 && !arguments_.has("-topo"))
      throw HtsimOptions::error_at("-goal",
                                   "the number of hosts is not known; name a topology with -topo, or write -nodes N");
  }

  void read_matrix() {
    if (!options_.goal_unit.empty())
      throw HtsimOptions::error_at("--goal-unit", "possible only with -goal; leave it out");
    const std::string file = arguments_.text("-tm");
    if (file.empty()) throw HtsimOptions::error_at("-tm", "missing; name the connection matrix, a .cm file");
    matrix_ = parse_htsim_matrix(read_(file, "a connection matrix of htsim"), file,
                                 {.exact = options_.exact, .kept = arguments_.has("-conn_reuse")});
    if (matrix_.connections.rows.empty()) throw InputError(Where{file, 0}, "no connection; write at least one");
    title_ = std::filesystem::path(file).filename().string();
    const std::int64_t nodes = arguments_.whole("-nodes", matrix_.nodes, 1, UINT32_MAX);
    if (nodes != matrix_.nodes)
      throw HtsimOptions::error_at("-nodes",
                                   fmt::format("{}, but {} says {}", nodes, matrix_.nodes_where.text(), matrix_.nodes));
  }

  void write_head(bool replica) {
    toml_.text("title", title_);
    toml_.section("[run]");
    if (replica) toml_.text("fidelity", replica::kHtsimUet);
    toml_.value("seed", arguments_.whole("-seed", 13, 0, UINT32_MAX));
    constexpr std::int64_t kLatestEnd = INT32_MAX;
    // GOAL schedules are replayed to their end.
    const std::int64_t end = arguments_.whole("-end", arguments_.has("-goal") ? 0 : 1000, 1, kLatestEnd);
    if (end > 0) toml_.text("stop", format_value(Time{end * 1'000'000}));
  }

  void write_replica() {
    write_head(true);
    toml_.section("[fidelity]");
    toml_.text("connections", options_.connections_name);
    toml_.text("buffer", format_value(net_.buffer));
    toml_.value("trimming", net_.trimming);
    if (net_.trimming) toml_.text("trim_size", format_value(Bytes{arguments_.whole("-trimsize", 64, 64, net_.mtu)}));
    routing_.write(toml_);
    control_.write(toml_);
    if (slow_links() > 0) toml_.value("slow_links", slow_links());
    toml_.text("sack_threshold", format_value(Bytes{arguments_.whole("-sack_threshold", 16'384, 0, 1'000'000'000)}));
    toml_.text("window", format_value(Bytes{net_.mtu * arguments_.whole("-cwnd", 0, 1, 1'000'000)}));
    toml_.value("own_base_rtt", arguments_.has("-enable_accurate_base_rtt"));
    toml_.value("base_rtt_of_nacks", !arguments_.has("-disable_base_rtt_update_on_nack"));
    toml_.text("edge_latency", format_value(net_.latencies[0]));
    toml_.text("middle_latency", format_value(net_.latencies[1]));
    if (net_.tree.tiers == 3) toml_.text("core_latency", format_value(net_.latencies[2]));
    write_topology();
    toml_.section("[network.ecn]");
    toml_.value("enabled", true);
    toml_.text("k_min", format_value(net_.k_min));
    toml_.text("k_max", format_value(net_.k_max));
    toml_.section("[transport]");
    toml_.text("payload", format_value(Bytes{net_.mtu - 64}));
    if (arguments_.has("-conn_reuse")) toml_.text("connections", "kept");
    write_algorithm();
    out_.connections = format_connections(matrix_.connections);
  }

  // A kind of topology with the same switches, ports in the same order; a graph where there are parallel links that no
  // kind has.
  void write_topology() {
    toml_.section("[topology]");
    const auto& tier = net_.tree.tier;
    if (net_.tree.tiers == 2) {
      toml_.text("kind", "leaf-spine");
      toml_.value("leaves", net_.tree.nodes / tier[0].radix_down);
      toml_.value("spines", net_.tree.middles_per_pod());
      toml_.value("hosts_per_leaf", tier[0].radix_down);
      toml_.value("links_per_pair", tier[1].bundle);
    } else if (tier[1].bundle > 1 || tier[2].bundle > 1) {
      toml_.text("kind", "file");
      toml_.text("file", options_.graph_name);
      out_.graph = net::format_graph(net_.graph());
      return;
    } else {
      toml_.text("kind", "clos");
      toml_.value("pods", net_.tree.pods());
      toml_.value("tors_per_pod", net_.tree.edges_per_pod());
      toml_.value("hosts_per_tor", tier[0].radix_down);
      toml_.value("aggs_per_pod", net_.tree.middles_per_pod());
      toml_.value("cores", net_.tree.cores());
      toml_.text("core_rate", format_value(net_.rates[2]));
      toml_.text("core_delay", format_value(net_.delays[2]));
    }
    toml_.text("host_rate", format_value(net_.rates[0]));
    toml_.text("host_delay", format_value(net_.delays[0]));
    toml_.text("fabric_rate", format_value(net_.rates[1]));
    toml_.text("fabric_delay", format_value(net_.delays[1]));
  }

  void write_algorithm() {
    toml_.section("[algorithm]");
    write_algorithm_keys("name");
  }

  // `key` says which algorithm it is.
  void write_algorithm_keys(std::string_view key) {
    toml_.text(key, "nscc");
    toml_.text("target_qdelay", format_value(arguments_.microseconds("-target_q_delay", 0, 1e-6)));
    const std::int64_t gate = arguments_.whole("-qa_gate", -1, 0, 30);
    if (gate >= 0) toml_.value("qa_gate", gate);
    if (options_.exact) write_exact_window();
  }

  // Weir's physics: the same network, and the nearest that the engine has to the rules of the transport.
  std::int64_t slow_links() const { return arguments_.whole("-failed", 0, 0, UINT32_MAX); }

  // What Weir's physics do not have.
  void check_exact() const {
    const auto none = [](bool any, std::string_view option) {
      if (any) throw HtsimOptions::error_at(option, "not possible with --exact; leave one of them out");
    };
    none(arguments_.has("-conn_reuse"), "-conn_reuse");
    none(!control_.sender, "-receiver_cc_only");
    none(control_.receiver, "-receiver_cc");
    none(control_.sleek, "-sleek");
    none(slow_links() > 0, "-failed");
    none(routing_.load == "bandwidth", "-ar_method");
    none(routing_.flowlets, "-ar_granularity");
    arguments_.choice("-strat", "ecmp_host", {"ecmp_host", "ecmp_ar", "ecmp_rr"});
  }

  void write_exact() {
    check_exact();
    net_.spread_latencies();
    longest_rtt_ = net_.longest_round_trip();
    const Balancing balancing = exact_balancing();
    const auto& rows = matrix_.connections.rows;
    const bool one_path =
        balancing.kind != "ecmp" && std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.one_path; });
    for (const char* name : {"-enable_accurate_base_rtt", "-disable_base_rtt_update_on_nack"})
      if (arguments_.has(name)) ignored_.emplace_back(name);  // a flow's is always that of its path
    write_head(false);
    write_topology();
    write_exact_network();
    write_exact_transport();
    write_algorithm();
    write_sending("algorithm", balancing);
    if (one_path) {
      toml_.section("[[profile]]");
      toml_.text("name", kOnePath);
      write_algorithm_keys("algorithm");
      write_sending("profile", {});
    }
    write_exact_traffic(one_path ? kOnePath : "");
  }

  void write_exact_network() {
    constexpr Bytes kMostBuffer{2'000'000'000};
    constexpr std::int64_t kMostTrimmed = 1000;
    if (net_.buffer > kMostBuffer)
      throw HtsimOptions::error_at("-q", fmt::format("a buffer of {} is not possible with --exact; valid is up to {}",
                                                     format_value(net_.buffer), format_value(kMostBuffer)));
    toml_.section("[network]");
    toml_.value("trimming", net_.trimming);
    if (net_.trimming)
      toml_.text("trimmed_frame", format_value(Bytes{arguments_.whole("-trimsize", 64, 64, kMostTrimmed)}));
    toml_.section("[network.buffer]");
    toml_.text("mode", "per-port");
    toml_.text("size", format_value(net_.buffer));
    toml_.section("[network.ecn]");
    toml_.value("enabled", true);
    toml_.text("k_min", format_value(net_.k_min));
    toml_.text("k_max", format_value(net_.k_max));
    toml_.value("p_max", 1);
    toml_.text("at_rate", "0 bps");
    // NICs are ideal there.
    toml_.section("[host]");
    toml_.value("rate_tolerance", 0);
    toml_.value("send_jitter", 0);
  }

  void write_exact_transport() {
    constexpr Time kMostTimeout{1'000'000'000'000};
    const Time timeout = replica::uet::least_timeout(net_.buffer, net_.rate);
    if (timeout > kMostTimeout)
      throw HtsimOptions::error_at(
          "-q", fmt::format("the timeout that follows, {}, is not possible with --exact; valid is up to {}",
                            format_value(timeout), format_value(kMostTimeout)));
    toml_.section("[transport]");
    toml_.text("payload", format_value(Bytes{net_.mtu - kHeader}));
    for (const char* key : {"header", "ack_header", "min_frame"}) toml_.text(key, format_value(Bytes{kHeader}));
    toml_.text("ack_class", "priority");
    toml_.text("min_rto", format_value(timeout));
  }

  struct Balancing {
    std::string kind = "ecmp";
    std::int64_t entropies = 0;  // 0: not its own
  };
  Balancing exact_balancing() const {
    if (routing_.strategy != "ecmp_host" || routing_.paths == 1) return {routing_.routing()};
    if (routing_.balancing == "oblivious") return {"ops-xor", routing_.paths};
    if (routing_.balancing == "reps") return {"reps", routing_.paths};
    throw HtsimOptions::error_at(
        "-load_balancing_algo",
        fmt::format("{}{} is not possible with --exact; valid is oblivious, reps", routing_.balancing,
                    arguments_.has("-load_balancing_algo") ? "" : ", the default,"));
  }

  // The tables that a profile has, for those after its own keys.
  void write_sending(std::string_view profile, const Balancing& balancing) {
    // There are so many full packets to an acknowledgement; headers do not count here.
    const std::int64_t threshold = arguments_.whole("-sack_threshold", 16'384, 0, 1'000'000'000);
    toml_.text("ack_every", format_value(Bytes{(threshold + net_.mtu - 1) / net_.mtu * (net_.mtu - kHeader)}));
    toml_.section(fmt::format("[{}.recovery]", profile));
    toml_.text("kind", "sack");
    toml_.text("reordering", format_value(2 * longest_rtt_));
    toml_.section(fmt::format("[{}.load_balancing]", profile));
    toml_.text("kind", balancing.kind);
    if (balancing.entropies > 0) toml_.value("entropies", balancing.entropies);
    if (balancing.kind != "reps") return;
    toml_.text("memory", "flow");                      // as there without -conn_reuse
    if (!net_.trimming) toml_.text("freeze", "0 ps");  // as there
  }

  // The first window is the same on the longest paths.
  void write_exact_window() {
    const std::int64_t packets = arguments_.whole("-cwnd", 0, 1, 1'000'000);
    if (packets == 0) return;
    constexpr double kLargest = 1.5;  // of NSCC
    const auto product = static_cast<double>(bytes_in(longest_rtt_, net_.rate).count);
    const double window = static_cast<double>(packets * net_.mtu) / product;
    if (window > kLargest)
      throw HtsimOptions::error_at(
          "-cwnd", fmt::format("{} packets are more than NSCC's largest window, which counts from the start with "
                               "--exact; valid is up to {}",
                               packets, static_cast<std::int64_t>(kLargest * product) / net_.mtu));
    toml_.value("initial_window", window);
  }

  void write_exact_traffic(std::string_view one_path) {
    toml_.section("[[traffic]]");
    if (arguments_.has("-goal")) {
      write_goal();
      return;
    }
    toml_.text("kind", "program");
    toml_.text("file", options_.program_name);
    out_.connections = format_htsim_program(matrix_, one_path);
  }

  // Read here for its mistakes.
  void write_goal() {
    const std::string file = arguments_.text("-goal");
    const Time unit = goal_unit();
    std::vector<std::uint32_t> host_of(matrix_.nodes);
    std::iota(host_of.begin(), host_of.end(), 0);
    traffic::parse_goal(read_(file, "a GOAL schedule"), file, unit, host_of, {});
    const std::filesystem::path path(file);
    // By their names: neither needs to be there yet.
    const auto whole = [](const std::filesystem::path& p) { return std::filesystem::absolute(p).lexically_normal(); };
    const std::filesystem::path folder(options_.folder.empty() ? "." : options_.folder);
    toml_.text("kind", "goal");
    toml_.text("file", path.is_absolute() ? file : whole(path).lexically_proximate(whole(folder)).string());
    toml_.text("time_unit", format_value(unit));
  }

  // "us" as well as "1 us".
  Time goal_unit() const {
    const std::string& word = options_.goal_unit;
    if (word.empty()) return Time{1000};
    const bool bare = std::isalpha(static_cast<unsigned char>(word.front())) != 0;
    try {
      const Time unit = parse_time(bare ? "1 " + word : word);
      if (unit >= Time{1} && unit <= Time{kPicosecondsPerSecond}) return unit;
    } catch (const InputError&) {
    }
    throw HtsimOptions::error_at(
        "--goal-unit",
        fmt::format("'{}' is not valid; write ps, ns, us, ms, s, or so many of them as in '100 ns', from "
                    "1 ps to 1 s",
                    word));
  }

  static constexpr std::int64_t kHeader = replica::uet::kHeader;
  static constexpr std::string_view kOnePath = "one-path";

  const HtsimOptions arguments_;
  const HtsimImportOptions& options_;
  const ReadFile& read_;
  std::string title_;
  HtsimMatrix matrix_;
  HtsimNetwork net_;
  HtsimRouting routing_;
  HtsimControl control_;
  Time longest_rtt_;  // with Weir's physics
  TomlWriter toml_{"Made by weir import htsim."};
  std::vector<std::string> ignored_;
  HtsimImport out_;
};

}  // namespace

HtsimImport import_htsim(const std::vector<std::string>& arguments, const HtsimImportOptions& options,
                         const ReadFile& read) {
  return HtsimImporter(arguments, options, read).run();
}

}  // namespace weir::scenario
