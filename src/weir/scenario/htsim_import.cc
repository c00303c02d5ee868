#include "weir/scenario/htsim_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/net/graph_file.h"
#include "weir/replica/uet_network.h"
#include "weir/scenario/document.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/htsim_files.h"
#include "weir/scenario/htsim_program.h"
#include "weir/scenario/uet_connections.h"
#include "weir/traffic/goal.h"

namespace weir::scenario {
namespace {

enum class Use { model, output, nothing, refused };

// Options of htsim_uec (main_uec.cpp), with the number of values that follow.
struct Known {
  std::string_view name;
  std::size_t values = 1;
  Use use = Use::model;
  std::string_view instead = {};
};
constexpr Known kOptions[] = {
    {"-tm"},
    {"-goal"},
    {"-topo"},
    {"-nodes"},
    {"-tiers"},
    {"-linkspeed"},
    {"-hop_latency"},
    {"-switch_latency"},
    {"-mtu"},
    {"-q"},
    {"-queue_size_bdp_factor"},
    {"-ecn", 2},
    {"-disable_trim", 0},
    {"-trimsize"},
    {"-seed"},
    {"-end"},
    {"-cwnd"},
    {"-target_q_delay"},
    {"-qa_gate"},
    {"-sack_threshold"},
    {"-load_balancing_algo"},
    {"-paths"},
    {"-strat"},
    {"-ar_method"},
    {"-ar_granularity"},
    {"-sender_cc_algo"},
    {"-sender_cc_only", 0},
    {"-sender_cc", 0},
    {"-queue_type"},
    {"-planes"},
    {"-enable_accurate_base_rtt", 0},
    {"-disable_base_rtt_update_on_nack", 0},
    {"-o", 1, Use::output},
    {"-log", 1, Use::output},
    {"-logtime", 1, Use::output},
    {"-logtime_us", 1, Use::output},
    {"-debug", 0, Use::output},
    {"-host_queue_type", 1, Use::nothing},  // NICs pace what they put there
    {"-ar_sticky_delta", 1, Use::nothing},  // of flowlets
    {"-force_disable_oversubscribed_cc", 0, Use::nothing},
    {"-Ai", 1, Use::nothing},  // of the receiver's control
    {"-Md", 1, Use::nothing},
    {"-alpha", 1, Use::nothing},
    {"-receiver_cc", 0, Use::refused, "the receiver's congestion control is not possible; write -sender_cc_only"},
    {"-receiver_cc_only", 0, Use::refused, "the receiver's congestion control is not possible; write -sender_cc_only"},
    {"-oversubscribed_cc", 0, Use::refused, "the receiver's congestion control is not possible; write -sender_cc_only"},
    {"-sleek", 0, Use::refused, "SLEEK is not possible; leave it out"},
    {"-conn_reuse", 0, Use::refused, "several messages on one connection are not possible; leave it out"},
    {"-failed", 1, Use::refused, "slow links are not possible; leave it out"},
    {"-pcie", 1, Use::refused, "the model of the receiver's PCIe is not possible; leave it out"},
};

// The options, each with its last values, as htsim_uec takes them.
class Arguments {
 public:
  explicit Arguments(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Known& known = find(arguments[i]);
      if (known.use == Use::refused) fail_at(arguments[i], std::string(known.instead));
      if (arguments.size() - i - 1 < known.values)
        fail_at(arguments[i], fmt::format("{} values follow; write {}", arguments.size() - i - 1, known.values));
      const std::string name(known.name);
      if (known.use != Use::model && !values_.contains(name)) ignored_.push_back(name);
      values_[name] = {arguments.begin() + static_cast<std::ptrdiff_t>(i + 1),
                       arguments.begin() + static_cast<std::ptrdiff_t>(i + 1 + known.values)};
      // Of -paths and a -strat that sets the paths the later one counts.
      order_[name] = i;
      i += known.values;
    }
  }

  [[noreturn]] static void fail_at(std::string_view name, const std::string& what) {
    throw InputError(one_line(fmt::format("{}: {}", name, what)));
  }
  bool has(const std::string& name) const { return values_.contains(name); }
  bool later(const std::string& a, const std::string& b) const {
    return has(a) && (!has(b) || order_.at(a) > order_.at(b));
  }
  const std::vector<std::string>& ignored() const { return ignored_; }

  std::string text(const std::string& name, const std::string& fallback = "") const {
    return has(name) ? values_.at(name).front() : fallback;
  }
  std::string choice(const std::string& name, const std::string& fallback,
                     const std::vector<std::string>& valid) const {
    std::string word = text(name, fallback);
    if (std::find(valid.begin(), valid.end(), word) == valid.end())
      fail_at(name, fmt::format("'{}' is not possible{}; valid is {}", word, did_you_mean(word, valid),
                                fmt::join(valid, ", ")));
    return word;
  }
  std::int64_t whole(const std::string& name, std::int64_t fallback, std::int64_t min, std::int64_t max,
                     std::size_t which = 0) const {
    if (!has(name)) return fallback;
    const std::string& word = values_.at(name)[which];
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < min || value > max)
      fail_at(name, fmt::format("'{}' is not valid; write a whole number from {} to {}", word, min, max));
    return value;
  }
  // A number of microseconds, `least` or more where it is written.
  Time microseconds(const std::string& name, double fallback, double least = 0) const {
    double value = fallback;
    if (has(name)) {
      const std::string& word = values_.at(name).front();
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc{} || end != word.data() + word.size() || !(value >= least && value <= 1e6))
        fail_at(name, fmt::format("'{}' is not valid; write a number of microseconds from {} to 1000000", word, least));
    }
    return {static_cast<std::int64_t>(value * 1e6)};
  }

 private:
  static const Known& find(const std::string& name) {
    const auto known =
        std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Known& k) { return k.name == name; });
    if (known != std::end(kOptions)) return *known;
    std::vector<std::string> names;
    for (const Known& k : kOptions) names.emplace_back(k.name);
    fail_at(name, fmt::format("not an option of htsim_uec{}; valid is {}", did_you_mean(name, names),
                              fmt::join(names, ", ")));
  }

  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, std::size_t> order_;
  std::vector<std::string> ignored_;
};

class Import {
 public:
  Import(const std::vector<std::string>& arguments, const HtsimImportOptions& options, const ReadFile& read)
      : arguments_(arguments), options_(options), read_(read) {}

  HtsimImport run() {
    check_fixed();
    if (arguments_.has("-goal"))
      read_goal_nodes();
    else
      read_matrix();
    read_tree();
    work_out_sizes();
    if (options_.exact)
      write_exact();
    else
      write_replica();
    out_.ignored.insert(out_.ignored.begin(), arguments_.ignored().begin(), arguments_.ignored().end());
    return std::move(out_);
  }

 private:
  void section(std::string_view header) { out_.toml += fmt::format("\n{}\n", header); }
  void text(std::string_view key, std::string_view value) {
    out_.toml += fmt::format("{} = {}\n", key, toml_text(value));
  }
  template <class T>
  void value(std::string_view key, const T& value) {
    out_.toml += fmt::format("{} = {}\n", key, value);
  }

  // Of these only the default is possible.
  void check_fixed() const {
    arguments_.choice("-sender_cc_algo", "nscc", {"nscc"});
    arguments_.choice("-queue_type", "composite", {"composite"});
    arguments_.choice("-ar_method", "queue", {"queue"});
    arguments_.choice("-ar_granularity", "packet", {"packet"});
    arguments_.whole("-planes", 1, 1, 1);
  }

  // A schedule has ranks, not hosts, so the network says how many there are.
  void read_goal_nodes() {
    if (!options_.exact) Arguments::fail_at("-goal", "possible only with --exact; write that, or -tm");
    if (arguments_.has("-tm")) Arguments::fail_at("-goal", "-tm stands there too; write one of them");
    title_ = std::filesystem::path(arguments_.text("-goal")).filename().string();
    matrix_.nodes = static_cast<std::uint32_t>(arguments_.whole("-nodes", 0, 2, 1 << 20));
    if (matrix_.nodes == 0 && !arguments_.has("-topo"))
      Arguments::fail_at("-goal", "the number of hosts is not known; name a topology with -topo, or write -nodes N");
  }

  void read_matrix() {
    if (!options_.goal_unit.empty()) Arguments::fail_at("--goal-unit", "possible only with -goal; leave it out");
    const std::string file = arguments_.text("-tm");
    if (file.empty()) Arguments::fail_at("-tm", "missing; name the connection matrix, a .cm file");
    matrix_ = parse_htsim_matrix(read_(file, "a connection matrix of htsim"), file);
    if (matrix_.connections.rows.empty()) fail({file, 0}, "no connection; write at least one");
    title_ = std::filesystem::path(file).filename().string();
    const std::int64_t nodes = arguments_.whole("-nodes", matrix_.nodes, 1, UINT32_MAX);
    if (nodes != matrix_.nodes)
      Arguments::fail_at("-nodes", fmt::format("{}, but {} says {}", nodes, matrix_.nodes_where.text(), matrix_.nodes));
  }

  void read_tree() {
    constexpr std::int64_t kDefaultMbps = 100'000;
    constexpr std::int64_t kMostMbps = 100'000'000;
    rate_ = {arguments_.whole("-linkspeed", kDefaultMbps, 1, kMostMbps) * 1'000'000};
    const std::string file = arguments_.text("-topo");
    if (file.empty()) {
      regular_tree();
      return;
    }
    for (const char* name : {"-tiers", "-hop_latency", "-switch_latency"})
      if (arguments_.has(name)) out_.ignored.emplace_back(name);
    tree_ = parse_htsim_tree(read_(file, "a topology of htsim"), file);
    if (tree_.queues) out_.ignored.emplace_back("Queue_up, Queue_down");
    if (matrix_.nodes == 0) matrix_.nodes = tree_.nodes;
    if (tree_.nodes != matrix_.nodes)
      fail({file, 0}, fmt::format("{} nodes, but {} says {}", tree_.nodes,
                                  arguments_.has("-goal") ? "-nodes" : matrix_.nodes_where.text(), matrix_.nodes));
    for (std::uint32_t t = 0; t < tree_.tiers; ++t) {
      rates_[t] = {tree_.tier[t].gbps * 1'000'000'000};
      delays_[t] = {tree_.tier[t].latency_ns * 1000};
      latencies_[t] = {tree_.tier[t].switch_latency_ns * 1000};
    }
    check_oversubscribed();
    if (rate_ != rates_[0])
      fail(tree_.where, fmt::format("hosts' links have {}, but NICs {}; write -linkspeed {}", format_value(rates_[0]),
                                    format_value(rate_), tree_.tier[0].gbps * 1000));
  }

  // Unless it was told of the sender's control before, the simulator adds the receiver's here.
  void check_oversubscribed() const {
    const bool oversubscribed = std::any_of(tree_.tier.begin(), tree_.tier.end(),
                                            [](const HtsimTier& tier) { return tier.oversubscribed > 1; });
    for (const char* name : {"-sender_cc_only", "-sender_cc", "-sender_cc_algo", "-force_disable_oversubscribed_cc"})
      if (arguments_.has(name)) return;
    if (oversubscribed)
      Arguments::fail_at("-topo",
                         "the network is oversubscribed, for which htsim_uec takes the receiver's congestion "
                         "control, which is not possible; write -sender_cc_only");
  }

  // Without a file: a fat tree of switches with as many ports down as up.
  void regular_tree() {
    tree_.tiers = static_cast<std::uint32_t>(arguments_.whole("-tiers", 3, 2, 3));
    tree_.nodes = matrix_.nodes;
    std::uint32_t half = 1;
    const auto hosts = [&] { return std::uint64_t{2} * half * half * (tree_.tiers == 3 ? half : 1); };
    while (hosts() < tree_.nodes) ++half;
    if (hosts() != tree_.nodes) {
      const std::string what = fmt::format(
          "no fat tree of {} tiers has {} hosts; valid is 2 n^{}, or name a topology "
          "with -topo",
          tree_.tiers, tree_.nodes, tree_.tiers);
      if (arguments_.has("-goal")) Arguments::fail_at("-nodes", what);
      fail(matrix_.nodes_where, what);
    }
    tree_.pod = tree_.tiers == 3 ? half * half : tree_.nodes;
    for (auto& tier : tree_.tier) tier.radix_down = tier.radix_up = half;
    tree_.tier[tree_.tiers - 1].radix_down = 2 * half;
    rates_.fill(rate_);
    delays_.fill(arguments_.microseconds("-hop_latency", 1));
    latencies_.fill(arguments_.microseconds("-switch_latency", 0));
  }

  // What is given in packets, or follows from the bandwidth-delay product.
  void work_out_sizes() {
    mtu_ = arguments_.whole("-mtu", 4150, 65, 60'000);
    trimming_ = !arguments_.has("-disable_trim");
    std::int64_t way = latencies_[tree_.tiers - 1].ps;
    for (std::uint32_t t = 0; t < tree_.tiers; ++t)
      way += 2 * delays_[t].ps + (t + 1 < tree_.tiers ? 2 * latencies_[t].ps : 0);
    rtt_ = replica::uet::unloaded_round_trip(Time{way}, mtu_, 2 * tree_.tiers, rate_);
    const std::int64_t bytes_per_second = rate_.bits_per_second / 8;
    const double product = static_cast<double>(rtt_.ps) / 1e12 * static_cast<double>(bytes_per_second);
    const double packets = std::ceil(product / static_cast<double>(mtu_));
    constexpr std::int64_t kMostPackets = 1'000'000;
    const std::int64_t factor = arguments_.whole("-queue_size_bdp_factor", 0, 1, 1000);
    const std::int64_t products = factor > 0 ? factor : trimming_ ? 1 : 5;
    buffer_ = {mtu_ * arguments_.whole("-q", products * static_cast<std::int64_t>(packets), 2, kMostPackets)};
    if (arguments_.has("-q") && arguments_.has("-queue_size_bdp_factor"))
      out_.ignored.emplace_back("-queue_size_bdp_factor");
    const auto share = [&](double part) { return static_cast<std::int64_t>(std::ceil(packets * part)); };
    k_min_ = {mtu_ * arguments_.whole("-ecn", share(0.2), 0, kMostPackets, 0)};
    k_max_ = {mtu_ * arguments_.whole("-ecn", share(0.8), 0, kMostPackets, 1)};
    if (k_min_ > k_max_) Arguments::fail_at("-ecn", "the first one is above the second one");
    if (k_max_ > buffer_)
      Arguments::fail_at("-ecn", fmt::format("the threshold of {} is above the buffer of {}", format_value(k_max_),
                                             format_value(buffer_)));
  }

  void write_head(bool replica) {
    out_.toml = "# Made by weir import htsim.\n";
    text("title", title_);
    section("[run]");
    if (replica) text("fidelity", replica::kHtsimUet);
    value("seed", arguments_.whole("-seed", 13, 0, UINT32_MAX));
    constexpr std::int64_t kMostUs = INT32_MAX;
    // GOAL schedules are replayed to their end.
    const std::int64_t end = arguments_.whole("-end", arguments_.has("-goal") ? 0 : 1000, 1, kMostUs);
    if (end > 0) text("stop", format_value(Time{end * 1'000'000}));
  }

  void write_replica() {
    write_head(true);
    section("[fidelity]");
    text("connections", options_.connections_name);
    text("buffer", format_value(buffer_));
    value("trimming", trimming_);
    if (trimming_) text("trim_size", format_value(Bytes{arguments_.whole("-trimsize", 64, 64, mtu_)}));
    write_paths();
    text("sack_threshold", format_value(Bytes{arguments_.whole("-sack_threshold", 16'384, 0, 1'000'000'000)}));
    text("window", format_value(Bytes{mtu_ * arguments_.whole("-cwnd", 0, 1, 1'000'000)}));
    value("own_base_rtt", arguments_.has("-enable_accurate_base_rtt"));
    value("base_rtt_of_nacks", !arguments_.has("-disable_base_rtt_update_on_nack"));
    text("edge_latency", format_value(latencies_[0]));
    text("middle_latency", format_value(latencies_[1]));
    if (tree_.tiers == 3) text("core_latency", format_value(latencies_[2]));
    write_topology();
    section("[network.ecn]");
    value("enabled", true);
    text("k_min", format_value(k_min_));
    text("k_max", format_value(k_max_));
    section("[transport]");
    text("payload", format_value(Bytes{mtu_ - 64}));
    write_algorithm();
    out_.connections = format_connections(matrix_.connections);
  }

  struct PathChoice {
    std::string balancing;
    std::int64_t paths = 0;
    std::string routing;
  };
  PathChoice read_paths() const {
    const std::string balancing =
        arguments_.choice("-load_balancing_algo", "mixed", {"oblivious", "reps", "reps_legacy", "bitmap", "mixed"});
    const std::string strategy = arguments_.choice("-strat", "ecmp_host", {"ecmp_host", "ecmp_ar", "ecmp_rr"});
    const bool by_switch = strategy != "ecmp_host";
    std::int64_t paths = arguments_.whole("-paths", 64, 1, 8192);
    if (by_switch && arguments_.later("-strat", "-paths")) paths = 1;
    const bool any = balancing == "reps" || balancing == "reps_legacy";
    if (!any && (paths & (paths - 1)) != 0)
      Arguments::fail_at("-paths", fmt::format("{} is no power of two, which {} needs", paths, balancing));
    return {balancing, paths, strategy == "ecmp_ar" ? "adaptive" : strategy == "ecmp_rr" ? "round-robin" : "ecmp"};
  }

  void write_paths() {
    const PathChoice choice = read_paths();
    text("load_balancing", choice.balancing);
    value("paths", choice.paths);
    text("routing", choice.routing);
  }

  // A kind of topology with the same switches, ports in the same order; a graph where there are parallel links that no
  // kind has.
  void write_topology() {
    section("[topology]");
    const auto& tier = tree_.tier;
    if (tree_.tiers == 2) {
      text("kind", "leaf-spine");
      value("leaves", tree_.nodes / tier[0].radix_down);
      value("spines", tree_.middles_per_pod());
      value("hosts_per_leaf", tier[0].radix_down);
      value("links_per_pair", tier[1].bundle);
    } else if (tier[1].bundle > 1 || tier[2].bundle > 1) {
      text("kind", "file");
      text("file", options_.graph_name);
      out_.graph = net::format_graph(graph());
      return;
    } else {
      text("kind", "clos");
      value("pods", tree_.pods());
      value("tors_per_pod", tree_.edges_per_pod());
      value("hosts_per_tor", tier[0].radix_down);
      value("aggs_per_pod", tree_.middles_per_pod());
      value("cores", tree_.cores());
      text("core_rate", format_value(rates_[2]));
      text("core_delay", format_value(delays_[2]));
    }
    text("host_rate", format_value(rates_[0]));
    text("host_delay", format_value(delays_[0]));
    text("fabric_rate", format_value(rates_[1]));
    text("fabric_delay", format_value(delays_[1]));
  }

  net::Topology graph() const {
    const std::uint32_t edges = tree_.nodes / tree_.tier[0].radix_down;
    const std::uint32_t per_pod = tree_.middles_per_pod();
    const std::uint32_t middles = per_pod * tree_.pods();
    net::Topology t;
    t.hosts = tree_.nodes;
    t.switches = edges + middles + tree_.cores();
    const std::uint32_t middle = t.hosts + edges;
    const auto bundle = [&](std::uint32_t a, std::uint32_t b, std::size_t tier) {
      t.links.insert(t.links.end(), tree_.tier[tier].bundle, {a, b, rates_[tier], delays_[tier]});
    };
    for (std::uint32_t h = 0; h < t.hosts; ++h) bundle(h, t.hosts + h / tree_.tier[0].radix_down, 0);
    for (std::uint32_t e = 0; e < edges; ++e)
      for (std::uint32_t k = 0; k < per_pod; ++k)
        bundle(t.hosts + e, middle + e / tree_.edges_per_pod() * per_pod + k, 1);
    for (std::uint32_t m = 0; m < middles; ++m)
      for (std::uint32_t l = 0; l < tree_.cores() / per_pod; ++l)
        bundle(middle + m, middle + middles + l * per_pod + m % per_pod, 2);
    return t;
  }

  void write_algorithm() {
    section("[algorithm]");
    write_algorithm_keys("name");
  }

  // `key` says which algorithm it is.
  void write_algorithm_keys(std::string_view key) {
    text(key, "nscc");
    text("target_qdelay", format_value(arguments_.microseconds("-target_q_delay", 0, 1e-6)));
    const std::int64_t gate = arguments_.whole("-qa_gate", -1, 0, 30);
    if (gate >= 0) value("qa_gate", gate);
    if (options_.exact) write_exact_window();
  }

  // Weir's physics: the same network, and the nearest that the engine has to the rules of the transport.
  void write_exact() {
    spread_latencies();
    longest_rtt_ = longest_round_trip();
    const Balancing balancing = exact_balancing();
    const auto& rows = matrix_.connections.rows;
    const bool one_path =
        balancing.kind != "ecmp" && std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.one_path; });
    for (const char* name : {"-enable_accurate_base_rtt", "-disable_base_rtt_update_on_nack"})
      if (arguments_.has(name)) out_.ignored.emplace_back(name);  // a flow's is always that of its path
    write_head(false);
    write_topology();
    write_exact_network();
    write_exact_transport();
    write_algorithm();
    write_sending("algorithm", balancing);
    if (one_path) {
      section("[[profile]]");
      text("name", kOnePath);
      write_algorithm_keys("algorithm");
      write_sending("profile", {});
    }
    write_exact_traffic(one_path ? kOnePath : "");
  }

  // Switches take no time here: half of what they take there stands in the delay of each link that they have.
  void spread_latencies() {
    for (std::size_t t = 0; t < tree_.tiers; ++t)
      delays_[t] += Time{(latencies_[t].ps + (t > 0 ? latencies_[t - 1].ps : 0)) / 2};
  }

  // Without queues, of a full packet and its acknowledgement, between hosts whose path goes all the way up.
  Time longest_round_trip() const {
    Time way;
    for (std::size_t t = 0; t < tree_.tiers; ++t)
      way += 2 * (2 * delays_[t] + transmission_time(Bytes{mtu_}, rates_[t]) +
                  transmission_time(Bytes{kHeader}, rates_[t]));
    return way;
  }

  void write_exact_network() {
    constexpr Bytes kMostBuffer{2'000'000'000};
    constexpr std::int64_t kMostTrimmed = 1000;
    if (buffer_ > kMostBuffer)
      Arguments::fail_at("-q", fmt::format("a buffer of {} is not possible with --exact; valid is up to {}",
                                           format_value(buffer_), format_value(kMostBuffer)));
    section("[network]");
    value("trimming", trimming_);
    if (trimming_) text("trimmed_frame", format_value(Bytes{arguments_.whole("-trimsize", 64, 64, kMostTrimmed)}));
    section("[network.buffer]");
    text("mode", "per-port");
    text("size", format_value(buffer_));
    section("[network.ecn]");
    value("enabled", true);
    text("k_min", format_value(k_min_));
    text("k_max", format_value(k_max_));
    value("p_max", 1);
    text("at_rate", "0 bps");
  }

  void write_exact_transport() {
    constexpr Time kMostTimeout{1'000'000'000'000};
    const Time timeout = replica::uet::least_timeout(buffer_, rate_);
    if (timeout > kMostTimeout)
      Arguments::fail_at("-q",
                         fmt::format("the timeout that follows, {}, is not possible with --exact; valid is up to {}",
                                     format_value(timeout), format_value(kMostTimeout)));
    section("[transport]");
    text("payload", format_value(Bytes{mtu_ - kHeader}));
    for (const char* key : {"header", "ack_header", "min_frame"}) text(key, format_value(Bytes{kHeader}));
    text("ack_class", "priority");
    text("min_rto", format_value(timeout));
  }

  struct Balancing {
    std::string kind = "ecmp";
    std::int64_t entropies = 0;  // 0: not its own
  };
  Balancing exact_balancing() const {
    const PathChoice choice = read_paths();
    if (choice.routing != "ecmp" || choice.paths == 1) return {choice.routing};
    if (choice.balancing == "oblivious") return {"ops-xor", choice.paths};
    if (choice.balancing == "reps") return {"reps", choice.paths};
    Arguments::fail_at("-load_balancing_algo",
                       fmt::format("{}{} is not possible with --exact; valid is oblivious, reps", choice.balancing,
                                   arguments_.has("-load_balancing_algo") ? "" : ", the default,"));
  }

  // The tables that a profile has, for those after its own keys.
  void write_sending(std::string_view profile, const Balancing& balancing) {
    // There are so many full packets to an acknowledgement; headers do not count here.
    const std::int64_t threshold = arguments_.whole("-sack_threshold", 16'384, 0, 1'000'000'000);
    text("ack_every", format_value(Bytes{(threshold + mtu_ - 1) / mtu_ * (mtu_ - kHeader)}));
    section(fmt::format("[{}.recovery]", profile));
    text("kind", "sack");
    text("reordering", format_value(2 * longest_rtt_));
    section(fmt::format("[{}.load_balancing]", profile));
    text("kind", balancing.kind);
    if (balancing.entropies > 0) value("entropies", balancing.entropies);
    if (balancing.kind != "reps") return;
    text("memory", "flow");                  // as there without -conn_reuse
    if (!trimming_) text("freeze", "0 ps");  // as there
  }

  // The first window is the same on the longest paths.
  void write_exact_window() {
    const std::int64_t packets = arguments_.whole("-cwnd", 0, 1, 1'000'000);
    if (packets == 0) return;
    constexpr double kLargest = 1.5;  // of NSCC
    const auto product = static_cast<double>(bytes_in(longest_rtt_, rate_).count);
    const double window = static_cast<double>(packets * mtu_) / product;
    if (window > kLargest)
      Arguments::fail_at("-cwnd",
                         fmt::format("{} packets are more than NSCC's largest window, which counts from the start with "
                                     "--exact; valid is up to {}",
                                     packets, static_cast<std::int64_t>(kLargest * product) / mtu_));
    value("initial_window", window);
  }

  void write_exact_traffic(std::string_view one_path) {
    section("[[traffic]]");
    if (arguments_.has("-goal")) {
      write_goal();
      return;
    }
    text("kind", "program");
    text("file", options_.program_name);
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
    text("kind", "goal");
    text("file", path.is_absolute() ? file : whole(path).lexically_proximate(whole(folder)).string());
    text("time_unit", format_value(unit));
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
    Arguments::fail_at(
        "--goal-unit",
        fmt::format("'{}' is not valid; write ps, ns, us, ms, s, or so many of them as in '100 ns', from "
                    "1 ps to 1 s",
                    word));
  }

  static constexpr std::int64_t kHeader = replica::uet::kHeader;
  static constexpr std::string_view kOnePath = "one-path";

  const Arguments arguments_;
  const HtsimImportOptions& options_;
  const ReadFile& read_;
  std::string title_;
  HtsimMatrix matrix_;
  HtsimTree tree_;
  Rate rate_;
  std::array<Rate, 3> rates_{};
  std::array<Time, 3> delays_{};
  std::array<Time, 3> latencies_{};
  std::int64_t mtu_ = 0;
  bool trimming_ = true;
  Time rtt_;
  Time longest_rtt_;  // with Weir's physics
  Bytes buffer_;
  Bytes k_min_;
  Bytes k_max_;
  HtsimImport out_;
};

}  // namespace

HtsimImport import_htsim(const std::vector<std::string>& arguments, const HtsimImportOptions& options,
                         const ReadFile& read) {
  return Import(arguments, options, read).run();
}

}  // namespace weir::scenario
