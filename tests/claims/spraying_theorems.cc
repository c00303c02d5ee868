// The theorems of Congestion Control for Spraying with Congested Paths (2025) against one flow in a network:
// docs/claims.md has the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/claims/record.h"
#include "weir/base/random.h"
#include "weir/cc/swift.h"
#include "weir/scenario/run.h"
#include "weir/scenario/scenario.h"
#include "weir/theory/spraying.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

const std::string kTable = "spraying";
constexpr double kGbps = 1e9;
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

std::string written(const std::string& name, const std::string& text) {
  const std::string file = testing::TempDir() + name;
  std::ofstream(file) << text;
  return file;
}

using Overrides = std::vector<std::string>;
using Look = std::function<void(const host::Flow&)>;

struct Sprayed {
  double goodput = 0;  // bit/s of payload that is acknowledged after kSettled
  Time t_s;            // unloaded round trip on all paths but the first
};

Sprayed run(const std::string& scenario, const std::string& graph, Overrides overrides, Time step = 100_us,
            const Look& look = {}) {
  overrides.push_back("topology.file=" + graph);
  const scenario::Run run = scenario::build(scenario::load_scenario_file("tests/claims/" + scenario, overrides));
  std::int64_t from = -1;
  std::int64_t to = 0;
  for (Time now = kSettled; now < kEnd; now += step) {
    run.simulation->advance(now);
    run.simulation->for_each_active([&](std::uint32_t src, const host::Flow& f) {
      if (src != 0) return;
      if (from < 0) from = f.snd_una;
      to = f.snd_una;
      if (look) look(f);
    });
  }
  const double seconds = (kEnd - kSettled - step).seconds();
  return {.goodput = 8 * static_cast<double>(to - from) / seconds,
          .t_s = run.model->paths.base_rtt(0, 1, 4'160_B, 64_B)};
}

// With a first path whose round trip takes t_l; t_s is 6.25 us.
Sprayed by_delay(int n, Time t_l, const Overrides& overrides, Time step = 100_us, const Look& look = {}) {
  const std::string file = written(fmt::format("paths-{}-{}.graph", n, t_l.ps), paths_graph(n, t_l - 6'250_ns));
  return run("spraying-paths.toml", file, overrides, step, look);
}
Sprayed by_queue(int n, const Overrides& overrides) {
  return run("spraying-queue.toml", written(fmt::format("queue-{}.graph", n), queue_graph(n)), overrides);
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
const std::string kTarget = "algorithm.base_target=4126 ns";
const Overrides kSwift{"algorithm.name=swift", "algorithm.preset=spraying", kTarget};
const Overrides kLswift{"algorithm.name=swift", "algorithm.preset=lswift", kTarget, "algorithm.fs_range=0 us",
                        "algorithm.recovery.reordering=50 us"};
const Overrides kMswift{"algorithm.name=mswift", "algorithm.preset=mswift", kTarget, "algorithm.pacing=always",
                        "algorithm.recovery.reordering=50 us"};
const Overrides kSmartt{"algorithm.name=smartt", "algorithm.preset=model", "algorithm.recovery.reordering=100 us"};

constexpr Time kSlow = 10'000_ns;    // 1.6 T_s
constexpr Time kSlower = 20'000_ns;  // 3.2 T_s

TEST(SprayingTheorems, TheNetworksAreThoseOfTheScenarios) {
  const auto text_of = [](const std::string& file) {
    std::ifstream in("tests/claims/" + file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(text_of("spraying-paths.graph"), paths_graph(20, kSlow - 6'250_ns));
  EXPECT_EQ(text_of("spraying-queue.graph"), queue_graph(20));
  EXPECT_NEAR(us(by_delay(20, kSlow, kSwift).t_s), 6.25, 1e-3);
}

std::vector<Ratio> ratios(const std::vector<int>& paths, const std::function<double(int)>& measured,
                          double (theory::SprayingModel::*formula)() const) {
  std::vector<Ratio> out;
  for (const int n : paths) out.push_back({n, measured(n), (model(n).*formula)()});
  return out;
}

// Expected not to hold; docs/claims.md says why.
TEST(SprayingTheorems, E1NewReno) {
  const auto r = ratios(
      {200, 100, 50}, [](int n) { return by_delay(n, kSlow, kNewReno).goodput; }, &theory::SprayingModel::tcp);
  const bool holds = within(r, 0.9, 1.1);
  EXPECT_FALSE(holds) << "it holds now: move it to the claims that are reproduced";
  record(kTable, "E1", holds, text(r));
}

// Expected not to hold; docs/claims.md says why.
TEST(SprayingTheorems, E2DctcpUnmarked) {
  const auto r = ratios(
      {200, 100, 50}, [](int n) { return by_delay(n, kSlow, kUnmarked).goodput; }, &theory::SprayingModel::tcp);
  const bool holds = within(r, 0.9, 1.1);
  EXPECT_FALSE(holds) << "it holds now: move it to the claims that are reproduced";
  record(kTable, "E2", holds, text(r));
}

TEST(SprayingTheorems, E3DctcpMarked) {
  const auto r = ratios(
      {200, 100, 50}, [](int n) { return by_queue(n, kDctcp).goodput; }, &theory::SprayingModel::tcp);
  const bool holds = within(r, 0, 1.05);
  EXPECT_TRUE(holds);
  record(kTable, "E3", holds, text(r));
}

// Expected not to hold; docs/claims.md says why.
TEST(SprayingTheorems, E4Swift) {
  const auto r = ratios(
      {200, 100, 50, 20}, [](int n) { return by_delay(n, kSlow, kSwift).goodput; }, &theory::SprayingModel::swift);
  const bool holds = within(r, 0.88, 1.12);
  EXPECT_FALSE(holds) << "it holds now: move it to the claims that are reproduced";
  record(kTable, "E4", holds, text(r));
}

// Here T_s is the base round trip: alpha = 1.
TEST(SprayingTheorems, E5Smartt) {
  std::vector<Ratio> r;
  for (const int n : {200, 100, 50}) {
    theory::SprayingModel m = model(n);
    m.base_rtt = m.t_s;
    m.bdp = 6'250e-9 * 800e9 / 8 / 4'160;
    r.push_back({n, by_queue(n, kSmartt).goodput, m.smartt()});
  }
  const bool holds = within(r, 0.85, 1.15);
  EXPECT_TRUE(holds);
  record(kTable, "E5", holds, text(r));
}

TEST(SprayingTheorems, E6SmarttFarAway) {
  const auto of = [](double high, double low) {
    return std::log(theory::SprayingModel{.q = low}.smartt() / theory::SprayingModel{.q = high}.smartt()) /
           std::log(low / high);
  };
  const std::vector<double> far{of(1e-4, 1e-5), of(1e-5, 1e-6), of(1e-6, 1e-7)};
  const bool holds = std::all_of(far.begin(), far.end(), [](double s) { return std::abs(s + 0.5) <= 0.05; });
  EXPECT_TRUE(holds);
  record(kTable, "E6", holds,
         fmt::format("slope {:.3f}, {:.3f}, {:.3f} in the decades below 1e-4; {:.2f} from 1 to 10 %", far[0], far[1],
                     far[2], of(0.1, 0.01)));
}

// Expected not to hold; docs/claims.md says why.
TEST(SprayingTheorems, E7ResilientSwift) {
  const auto r = ratios(
      {200, 100, 50, 20}, [](int n) { return by_delay(n, kSlower, kLswift).goodput; },
      &theory::SprayingModel::resilient_swift);
  const bool holds = within(r, 0.95, 1.05) && std::abs(slope(r) + 0.5) <= 0.05;
  EXPECT_FALSE(holds) << "it holds now: move it to the claims that are reproduced";
  record(kTable, "E7", holds, fmt::format("{}; slope {:.2f}", text(r), slope(r)));
}

constexpr double kLine = 800e9 * 4'096 / 4'160;

TEST(SprayingTheorems, E8TheMedianAvoidsCollapse) {
  std::vector<Ratio> r;
  for (const int n : {50, 20, 10, 5, 4}) r.push_back({n, by_delay(n, kSlower, kMswift).goodput, kLine});
  const bool holds = within(r, 0.95, 1.01);
  EXPECT_TRUE(holds);
  record(kTable, "E8", holds, text(r));
}

TEST(SprayingTheorems, E9NotOfEverySecondPacket) {
  const std::vector<Ratio> r{{2, by_delay(2, kSlower, kMswift).goodput, kLine}};
  const bool holds = within(r, 0, 0.1);
  EXPECT_TRUE(holds);
  record(kTable, "E9", holds, text(r));
}

// Expected not to hold; docs/claims.md says why.
TEST(SprayingTheorems, E10TwiceThePathsCostOneInSqrt2) {
  bool holds = true;
  std::string measured;
  for (const auto& [name, algorithm] :
       std::vector<std::pair<std::string, Overrides>>{{"NewReno", kNewReno}, {"Swift", kSwift}}) {
    const double ratio = by_delay(100, kSlow, algorithm).goodput / by_delay(50, kSlow, algorithm).goodput;
    holds &= std::abs(ratio - std::sqrt(2)) <= 0.12;
    measured += fmt::format("{}{} {:.2f}", measured.empty() ? "" : ", ", name, ratio);
  }
  EXPECT_FALSE(holds) << "it holds now: move it to the claims that are reproduced";
  record(kTable, "E10", holds, measured);
}

TEST(SprayingTheorems, E11ResilientOnesAreHigherAndFall) {
  bool holds = true;
  std::string measured;
  double before_swift = INFINITY;
  double before_smartt = INFINITY;
  for (const double q : {0.005, 0.01, 0.02, 0.05, 0.1}) {
    const theory::SprayingModel sensitive{.q = q, .t_l = kSlow};
    const double swift = sensitive.resilient_swift();
    const double smartt = theory::SprayingModel{.q = q, .t_l = kSlower}.smartt();
    const double others = std::max(sensitive.tcp(), sensitive.swift());
    holds &= std::min(swift, smartt) > others && swift < before_swift && smartt < before_smartt;
    before_swift = swift;
    before_smartt = smartt;
    measured += fmt::format("{}{:g} %: {:.0f}, {:.0f}, {:.0f}", measured.empty() ? "" : "; ", 100 * q, others / kGbps,
                            swift / kGbps, smartt / kGbps);
  }
  EXPECT_TRUE(holds);
  record(kTable, "E11", holds, measured + " Gb/s");
}

// Packets between two decreases and the largest window before one.
// Expected not to hold; docs/claims.md says why.
TEST(SprayingTheorems, E40TheAreaOfASawtooth) {
  std::vector<double> areas;
  std::string measured;
  for (const int n : {200, 100, 50}) {
    double last = 0;
    double sum = 0;
    int decreases = 0;
    const Sprayed s = by_delay(n, kSlow, kSwift, 250_ns, [&](const host::Flow& f) {
      const double cwnd = static_cast<const cc::Swift*>(const_cast<host::Flow&>(f).state())->cwnd();
      if (cwnd < 0.8 * last) {
        sum += last;
        ++decreases;
      }
      last = cwnd;
    });
    const double packets = s.goodput * (kEnd - kSettled).seconds() / 8 / 4'096 / decreases;
    const double w = sum / decreases;
    areas.push_back(packets / (w * w));
    measured += fmt::format("{}n = {}: W = {:.1f}, {:.0f} packets, {:.3f} W^2", measured.empty() ? "" : "; ", n, w,
                            packets, areas.back());
  }
  const double mean = std::accumulate(areas.begin(), areas.end(), 0.0) / 3;
  const bool holds = std::all_of(areas.begin(), areas.end(), [&](double a) { return std::abs(a / mean - 1) <= 0.05; });
  EXPECT_FALSE(holds) << "it holds now: move it to the claims that are reproduced";
  record(kTable, "E40", holds, measured);
}

// A fat tree of k = 8 as the paper has it, with links by name. An elephant takes one path, sprayed packets all.
using Links = std::set<int>;
struct FatTree {
  static constexpr int kHalf = 4;
  static int pod(int host) { return host / 16; }
  static int edge(int host) { return host / 4; }
  // Of switch `a` of a pod and its core `c`, the links between switches from src to dst.
  static Links path(int src, int dst, int a, int c) {
    if (edge(src) == edge(dst)) return {};
    const auto link = [](int kind, int x, int y) { return kind * 10'000 + x * 100 + y; };
    if (pod(src) == pod(dst)) return {link(0, edge(src), a), link(1, edge(dst), a)};
    return {link(0, edge(src), a), link(2, pod(src), a * kHalf + c), link(3, pod(dst), a * kHalf + c),
            link(1, edge(dst), a)};
  }
};

TEST(SprayingTheorems, E38HowManyPacketsMeetAnElephant) {
  const RandomStream random(1, 0, Purpose::placement);
  std::uint64_t draws = 0;
  const auto below = [&](int n) { return static_cast<int>(random.uniform(draws++) * n); };
  int met = 0;
  constexpr int kNetworks = 20'000;
  constexpr int kPackets = 20;
  for (int i = 0; i < kNetworks; ++i) {
    std::vector<int> hosts;
    while (hosts.size() < 4) {
      const int h = below(128);
      if (std::find(hosts.begin(), hosts.end(), h) == hosts.end()) hosts.push_back(h);
    }
    Links taken;
    for (std::size_t e = 0; e < 4; ++e) taken.merge(FatTree::path(hosts[e], hosts[(e + 1) % 4], below(4), below(4)));
    for (int p = 0; p < kPackets;) {
      const int src = below(128);
      const int dst = below(128);
      if (src == dst || std::count(hosts.begin(), hosts.end(), src) + std::count(hosts.begin(), hosts.end(), dst) > 0)
        continue;
      ++p;
      const Links mine = FatTree::path(src, dst, below(4), below(4));
      met += std::any_of(mine.begin(), mine.end(), [&](int l) { return taken.count(l) > 0; });
    }
  }
  const double share = static_cast<double>(met) / kNetworks / kPackets;
  const bool holds = share >= 0.07 && share <= 0.10;
  EXPECT_TRUE(holds);
  record(kTable, "E38", holds, fmt::format("{:.3f}", share));
}

}  // namespace
}  // namespace weir::claims
