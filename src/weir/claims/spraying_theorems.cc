// The theorems of Congestion Control for Spraying with Congested Paths (2025) against one flow in a network. How the
// rules were read: docs/evidence/claims/spraying.md.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/cc/swift.h"
#include "weir/claims/catalogue.h"
#include "weir/claims/claim_scenario.h"
#include "weir/claims/spraying.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"
#include "weir/theory/spraying.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr Time kSettled = 5_ms;
constexpr Time kEnd = 25_ms;

// Host 0, switch 2, n switches from 4 on, switch 3, host 1; with 760.1 ns on each link the round trip of 4,096 B takes
// 6.25 us. The first path has `longer` more.
std::string paths_graph(int n, Time longer) {
  std::string out =
      fmt::format("hosts 2\nswitches {}\nlink 0 2 800 Gbps 760100 ps\nlink 1 3 800 Gbps 760100 ps\n", n + 2);
  for (int i = 4; i < n + 4; ++i)
    out += fmt::format("link 2 {0} 800 Gbps {1} ps\nlink 3 {0} 800 Gbps 760100 ps\n", i,
                       760'100 + (i == 4 ? longer.ps : 0));
  return out;
}

// The same with host 2 on the first path's switch and host 3 where they all end, and 50 Gb/s between the two.
std::string queue_graph(int n) {
  std::string out = fmt::format(
      "hosts 4\nswitches {}\nlink 0 4 800 Gbps 760100 ps\nlink 1 5 800 Gbps 760100 ps\nlink 2 6 800 Gbps 760100 ps\n"
      "link 3 5 800 Gbps 760100 ps\n",
      n + 2);
  for (int i = 6; i < n + 6; ++i)
    out += fmt::format("link 4 {0} 800 Gbps 760100 ps\nlink 5 {0} {1} Gbps 760100 ps\n", i, i == 6 ? 50 : 800);
  return out;
}

// A file that is gone when this is.
class Scratch {
 public:
  explicit Scratch(const std::string& text) {
    const int descriptor = mkstemp(path_.data());
    require(descriptor >= 0, "no file can be made for a network");
    close(descriptor);
    std::ofstream(path_) << text;
  }
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "weir-graph-XXXXXX";
};

using Overrides = std::vector<std::string>;
using Look = std::function<void(const engine::Simulation&, const host::FlowView&)>;

// Bit/s of payload that is acknowledged after kSettled.
double goodput(const ClaimFile& file, const std::string& graph, Overrides overrides, Time step, const Look& look) {
  const Scratch network(graph);
  overrides.push_back("topology.file=" + network.path());
  const scenario::Scenario scenario = load_claim_scenario(file, overrides);
  const scenario::Run run = scenario::build(scenario);
  require(scenario.perturbed || std::abs(us(run.model->paths.base_rtt(0, 1, 4'160_B, 64_B)) - 6.25) < 1e-3,
          "T_s is not 6.25 us");
  std::int64_t from = -1;
  std::int64_t to = 0;
  for (Time now = kSettled; now < kEnd; now += step) {
    engine::advance_unstalled(*run.simulation, now);
    run.simulation->for_each_active([&](const host::FlowView& f) {
      if (f.src != 0) return;
      if (from < 0) from = f.in_order.count;
      to = f.in_order.count;
      if (look) look(dynamic_cast<const engine::Simulation&>(*run.simulation), f);
    });
  }
  return 8 * static_cast<double>(to - from) / (kEnd - kSettled - step).seconds();
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// With a first path whose round trip takes t_l; t_s is 6.25 us.
double by_delay(const Context& context, int n, Time t_l, const Overrides& overrides, Time step = 100_us,
                const Look& look = {}) {
  require(text_of(context.scenario("spraying-paths.graph").path) == paths_graph(20, kSlow - 6'250_ns),
          "spraying-paths.graph is another network");
  return goodput(context.scenario("spraying-paths.toml"), paths_graph(n, t_l - 6'250_ns), overrides, step, look);
}

double by_queue(const Context& context, int n, const Overrides& overrides) {
  require(text_of(context.scenario("spraying-queue.graph").path) == queue_graph(20),
          "spraying-queue.graph is another network");
  return goodput(context.scenario("spraying-queue.toml"), queue_graph(n), overrides, 100_us, {});
}

// A figure by number of paths, as measured and in the model.
struct Ratio {
  int n;
  double measured;
  double model;
  double value() const { return measured / model; }
};
std::string text(const std::vector<Ratio>& all) {
  std::vector<std::string> parts;
  for (const Ratio& r : all)
    parts.push_back(fmt::format("n = {}: {:.1f} ({:.2f})", r.n, r.measured / kGbps, r.value()));
  return fmt::format("{} Gb/s", fmt::join(parts, ", "));
}
bool within(const std::vector<Ratio>& all, double low, double high) {
  return std::all_of(all.begin(), all.end(), [&](const Ratio& r) { return r.value() >= low && r.value() <= high; });
}
theory::SprayingModel model(int n) { return {.q = 1.0 / n, .target = 7'252_ns}; }

// Slope of log(throughput) over log(q).
double slope(const std::vector<Ratio>& all) {
  const Ratio& a = all.front();
  const Ratio& b = all.back();
  return -std::log(b.measured / a.measured) / std::log(static_cast<double>(b.n) / a.n);
}

const Overrides kNewReno{"algorithm.name=newreno"};
const Overrides kDctcp{"algorithm.name=dctcp"};
// Marks begin at more than there is.
const Overrides kUnmarked{"algorithm.name=dctcp", "network.ecn.enabled=true", "network.ecn.k_min=10 MB",
                          "network.ecn.k_max=10 MB"};
// Their target is that of five switches; there are three here.
const std::string kTargetDelay = "algorithm.base_target=4126 ns";
const Overrides kSwift{"algorithm.name=swift", "algorithm.preset=spraying", kTargetDelay};
const Overrides kLswift{"algorithm.name=swift", "algorithm.preset=lswift", kTargetDelay, "algorithm.fs_range=0 us",
                        "algorithm.recovery.reordering=50 us"};
const Overrides kMswift{"algorithm.name=mswift", "algorithm.preset=mswift", kTargetDelay, "algorithm.pacing=always",
                        "algorithm.recovery.reordering=50 us"};
const Overrides kSmartt{"algorithm.name=smartt", "algorithm.preset=model", "algorithm.recovery.reordering=100 us"};

std::vector<Ratio> ratios(const std::vector<int>& paths, const std::function<double(int)>& measured,
                          double (theory::SprayingModel::*formula)() const) {
  std::vector<Ratio> out;
  for (const int n : paths) out.push_back({n, measured(n), (model(n).*formula)()});
  return out;
}

void e1_new_reno(Context& context) {
  const auto r = ratios(
      {200, 100, 50}, [&](int n) { return by_delay(context, n, kSlow, kNewReno); }, &theory::SprayingModel::tcp);
  const bool holds = within(r, 0.9, 1.1);
  context.judge("E1", holds, text(r));
}

void e2_dctcp_unmarked(Context& context) {
  const auto r = ratios(
      {200, 100, 50}, [&](int n) { return by_delay(context, n, kSlow, kUnmarked); }, &theory::SprayingModel::tcp);
  const bool holds = within(r, 0.9, 1.1);
  context.judge("E2", holds, text(r));
}

void e3_dctcp_marked(Context& context) {
  const auto r = ratios(
      {200, 100, 50}, [&](int n) { return by_queue(context, n, kDctcp); }, &theory::SprayingModel::tcp);
  context.judge("E3", {within(r, 0, 1.05), within(r, 0, 1)}, text(r));
}

void e4_swift(Context& context) {
  const auto r = ratios(
      {200, 100, 50, 20}, [&](int n) { return by_delay(context, n, kSlow, kSwift); }, &theory::SprayingModel::swift);
  const bool holds = within(r, 0.88, 1.12);
  context.judge("E4", holds, text(r));
}

// Here T_s is the base round trip: alpha = 1.
void e5_smartt(Context& context) {
  std::vector<Ratio> r;
  for (const int n : {200, 100, 50}) {
    theory::SprayingModel m = model(n);
    m.base_rtt = m.t_s;
    m.bdp = 6'250e-9 * 800e9 / 8 / 4'160;
    r.push_back({n, by_queue(context, n, kSmartt), m.smartt()});
  }
  const bool holds = within(r, 0.85, 1.15);
  context.judge("E5", holds, text(r));
}

void e7_resilient_swift(Context& context) {
  const auto r = ratios(
      {200, 100, 50, 20}, [&](int n) { return by_delay(context, n, kSlower, kLswift); },
      &theory::SprayingModel::resilient_swift);
  const bool holds = within(r, 0.95, 1.05) && std::abs(slope(r) + 0.5) <= 0.05;
  context.judge("E7", holds, fmt::format("{}; slope {:.2f}", text(r), slope(r)));
}

constexpr double kLine = 800e9 * 4'096 / 4'160;

void e8_the_median_avoids_collapse(Context& context) {
  std::vector<Ratio> r;
  for (const int n : {50, 20, 10, 5, 4}) r.push_back({n, by_delay(context, n, kSlower, kMswift), kLine});
  const bool holds = within(r, 0.95, 1.01);
  context.judge("E8", holds, text(r));
}

void e9_not_of_every_second_packet(Context& context) {
  const std::vector<Ratio> r{{2, by_delay(context, 2, kSlower, kMswift), kLine}};
  const bool holds = within(r, 0, 0.1);
  context.judge("E9", holds, text(r));
}

void e10_twice_the_paths_cost_one_in_sqrt2(Context& context) {
  bool holds = true;
  std::string measured;
  for (const auto& [name, algorithm] :
       std::vector<std::pair<std::string, Overrides>>{{"NewReno", kNewReno}, {"Swift", kSwift}}) {
    const double ratio = by_delay(context, 100, kSlow, algorithm) / by_delay(context, 50, kSlow, algorithm);
    holds &= std::abs(ratio - std::sqrt(2)) <= 0.12;
    measured += fmt::format("{}{} {:.2f}", measured.empty() ? "" : ", ", name, ratio);
  }
  context.judge("E10", holds, measured);
}

// Packets between two decreases and the largest window before one.
void e40_the_area_of_a_sawtooth(Context& context) {
  std::vector<double> areas;
  std::string measured;
  for (const int n : {200, 100, 50}) {
    double last = 0;
    double sum = 0;
    int decreases = 0;
    const double rate =
        by_delay(context, n, kSlow, kSwift, 250_ns, [&](const engine::Simulation& simulation, const host::FlowView& f) {
          const double cwnd = static_cast<const cc::Swift*>(simulation.flow(f).state())->cwnd();
          if (cwnd < 0.8 * last) {
            sum += last;
            ++decreases;
          }
          last = cwnd;
        });
    const double packets = rate * (kEnd - kSettled).seconds() / 8 / 4'096 / decreases;
    const double w = sum / decreases;
    areas.push_back(packets / (w * w));
    measured += fmt::format("{}n = {}: W = {:.1f}, {:.0f} packets, {:.3f} W^2", measured.empty() ? "" : "; ", n, w,
                            packets, areas.back());
  }
  const double mean = std::accumulate(areas.begin(), areas.end(), 0.0) / 3;
  const bool holds = std::all_of(areas.begin(), areas.end(), [&](double a) { return std::abs(a / mean - 1) <= 0.05; });
  context.judge("E40", holds, measured);
}

}  // namespace

std::vector<Evaluator> spraying_theorems() {
  return {
      {{"E1"}, Tier::quick, 1, e1_new_reno},
      {{"E2"}, Tier::quick, 1, e2_dctcp_unmarked},
      {{"E3"}, Tier::quick, 1, e3_dctcp_marked},
      {{"E4"}, Tier::quick, 1, e4_swift},
      {{"E5"}, Tier::quick, 1, e5_smartt},
      {{"E7"}, Tier::quick, 1, e7_resilient_swift},
      {{"E8"}, Tier::quick, 1, e8_the_median_avoids_collapse},
      {{"E9"}, Tier::quick, 1, e9_not_of_every_second_packet},
      {{"E10"}, Tier::quick, 1, e10_twice_the_paths_cost_one_in_sqrt2},
      {{"E40"}, Tier::quick, 1, e40_the_area_of_a_sawtooth},
  };
}

}  // namespace weir::claims
