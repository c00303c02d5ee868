// Weir beside the simulator of the HPCC paper's authors. docs/validation.md explains what is compared and why the two
// differ where they do; these tests compute its tables, and hold each difference to what the explanation allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/claims/document.h"
#include "tests/validation/artifact.h"
#include "tests/validation/second_opinion.h"
#include "weir/net/path_facts.h"
#include "weir/probe/statistics.h"

namespace weir::validation {
namespace {

using namespace weir::literals;

constexpr const char* kDocument = "docs/validation.md";

double us(Time t) { return static_cast<double>(t.ps) * 1e-6; }

// p-th thousandth of values, which are sorted.
double quantile(std::vector<double>& values, unsigned thousandths) {
  std::sort(values.begin(), values.end());
  return probe::percentile(std::span<const double>(values), thousandths);
}
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}
double deviation(const std::vector<double>& values) {
  double squares = 0;
  for (const double v : values) squares += (v - mean(values)) * (v - mean(values));
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

class Artifact : public testing::TestWithParam<ArtifactRun> {
 protected:
  void SetUp() override {
    if (!GetParam().quick && !all_runs()) GTEST_SKIP() << "takes long; WEIR_VALIDATION=all runs it";
  }
};

std::size_t count_equal(const std::vector<Time>& a, const std::vector<Time>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b.at(i);
  return equal;
}

std::vector<Time> artifact_times(const ArtifactRun& run) {
  std::vector<Time> times;
  for (const Completion& c : artifact_results(run)) times.push_back(c.fct);
  return times;
}

// The artifact's rules, telemetry and arithmetic make its results, to the nanosecond.
TEST_P(Artifact, IsRepeatedToTheNanosecond) {
  const ArtifactRun& run = GetParam();
  if (!run.hpcc()) GTEST_SKIP() << "its marks are drawn at random";
  const Instance instance = instance_of(run, kWire);
  const auto equal = count_equal(completion_times(*instance.model, instance.flows, kArtifact), artifact_times(run));
  EXPECT_EQ(equal, instance.flows.size());
}

// Weir's rules make Weir's results, to the picosecond.
TEST_P(Artifact, WeirIsRepeatedToThePicosecond) {
  const ArtifactRun& run = GetParam();
  for (const auto& telemetry : {std::vector<std::string>{}, kWire}) {
    if (!run.hpcc() && !telemetry.empty()) continue;
    const Instance instance = instance_of(run, telemetry);
    EXPECT_EQ(count_equal(completion_times(*instance.model, instance.flows, kWeir), simulate(instance)), instance.flows.size());
  }
}

// The formula against which the artifact takes slowdown, but for the fractions of a nanosecond that it loses: one for
// each link, and one for the flow.
TEST_P(Artifact, StandaloneTimesAreTheSame) {
  const ArtifactRun& run = GetParam();
  const Instance instance = instance_of(run);
  const net::Framing framing{.payload = 1000_B, .header = 48_B, .ack = 60_B};
  const auto results = artifact_results(run);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const traffic::Flow& f = instance.flows[i];
    const Time ours = instance.model->paths.ideal_fct(f.src, f.dst, f.size, framing, net::IdealFct::hpcc);
    EXPECT_GE(ours, results[i].standalone) << i;
    EXPECT_LT(ours, results[i].standalone + 7_ns) << i;
  }
}

std::string both(double ours, double theirs) {
  return fmt::format("{:.1f} / {:.1f} ({:+.2f} %)", ours, theirs, 100 * (ours / theirs - 1));
}

struct Times {
  std::vector<double> us;  // by flow
  explicit Times(const std::vector<Time>& times) {
    for (const Time t : times) us.push_back(static_cast<double>(t.ps) * 1e-6);
  }
};

std::string per_flow(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> difference;
  for (std::size_t i = 0; i < ours.size(); ++i) difference.push_back(100 * (ours[i] / theirs[i] - 1));
  return fmt::format("{:+.2f} / {:+.2f} / {:+.2f}", quantile(difference, 50), quantile(difference, 500),
                     quantile(difference, 950));
}

double median_difference(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> difference;
  for (std::size_t i = 0; i < ours.size(); ++i) difference.push_back(ours[i] / theirs[i] - 1);
  return quantile(difference, 500);
}

void compare_times(const ArtifactRun& run, const std::string& row, const std::vector<double>& ours,
                   const std::vector<double>& theirs) {
  const std::string by_flow = per_flow(ours, theirs);
  std::vector<double> a = ours;
  std::vector<double> b = theirs;
  // Most flows of the fat tree meet nobody. One packet through five switches takes 0.05 % longer here, a long flow at
  // line rate as much as the clock says.
  if (run.fat_tree()) {
    EXPECT_GT(median_difference(ours, theirs), 0);
    EXPECT_LT(median_difference(ours, theirs), run.clock());
  }
  expect_row(kDocument, "completion times", row,
             {both(mean(a), mean(b)), both(quantile(a, 500), quantile(b, 500)),
              both(quantile(a, 950), quantile(b, 950)), both(a.back(), b.back()), by_flow});
}

struct Bucket {
  const char* name;
  std::int64_t above;
  std::int64_t up_to;
};
constexpr Bucket kBuckets[] = {{"<= 1 KB", 0, 1'000},
                               {"<= 10 KB", 1'000, 10'000},
                               {"<= 100 KB", 10'000, 100'000},
                               {"<= 1 MB", 100'000, 1'000'000},
                               {"> 1 MB", 1'000'000, 1'000'000'000'000},
                               {"all", 0, 1'000'000'000'000}};

std::vector<double> slowdowns(const Bucket& bucket, const std::vector<traffic::Flow>& flows,
                              const std::vector<Time>& times, const std::vector<Completion>& artifact) {
  std::vector<double> out;
  for (std::size_t i = 0; i < flows.size(); ++i)
    if (flows[i].size.count > bucket.above && flows[i].size.count <= bucket.up_to)
      out.push_back(std::max(1.0, us(times[i]) / us(artifact[i].standalone)));
  return out;
}

void compare_slowdowns(const ArtifactRun& run, const Instance& instance, const std::vector<Time>& ours,
                       const std::vector<Completion>& artifact) {
  std::vector<Time> theirs;
  for (const Completion& c : artifact) theirs.push_back(c.fct);
  const std::vector<Row> known = read_rows("fat320_slowdown_buckets.csv");
  for (const Bucket& bucket : kBuckets) {
    std::vector<double> a = slowdowns(bucket, instance.flows, ours, artifact);
    std::vector<double> b = slowdowns(bucket, instance.flows, theirs, artifact);
    const auto row = std::find_if(known.begin(), known.end(), [&](const Row& r) {
      return r.at("run") == run.name && std::stoll(r.at("size_gt")) == bucket.above &&
             std::stoll(r.at("size_le")) == bucket.up_to;
    });
    ASSERT_NE(row, known.end());
    // the two evaluations agree
    EXPECT_EQ(row->at("flows"), std::to_string(b.size()));
    EXPECT_EQ(row->at("slow_p99"), fmt::format("{:.4f}", quantile(b, 990)));
    EXPECT_EQ(row->at("slow_mean"), fmt::format("{:.4f}", mean(b)));
    const auto cell = [](double x, double y) { return fmt::format("{:.2f} / {:.2f}", x, y); };
    expect_row(kDocument, "slowdown", fmt::format("{}, {}", run.name, bucket.name),
               {std::to_string(b.size()), cell(mean(a), mean(b)), cell(quantile(a, 500), quantile(b, 500)),
                cell(quantile(a, 950), quantile(b, 950)), cell(quantile(a, 990), quantile(b, 990))});
  }
}

// Which of the artifact's classes of ports this is; "" = none.
std::string port_class(const net::Topology& t, std::uint32_t port) {
  const std::uint32_t owner = t.port_owner(port);
  switch (t.tier[owner]) {
    case 1: return t.port_peer(port) < t.hosts ? "tor_to_host" : "tor_to_agg";
    case 2: return "agg";
    case 3: return "core";
    default: return "";
  }
}

void compare_queues(const ArtifactRun& run, std::map<std::string, std::vector<std::uint32_t>>& queues) {
  for (const Row& row : read_rows("fat320_queue_quantiles.csv")) {
    if (row.at("run") != run.name) continue;
    std::vector<std::uint32_t>& sampled = queues[row.at("port_class")];
    std::sort(sampled.begin(), sampled.end());
    EXPECT_EQ(row.at("samples"), std::to_string(sampled.size()));
    const auto cell = [&](unsigned thousandths, const char* column) {
      const std::uint32_t ours = thousandths == 1000 ? sampled.back()
                                                     : probe::percentile(std::span<const std::uint32_t>(sampled), thousandths);
      return fmt::format("{} / {}", ours / 1000, row.at(column));
    };
    expect_row(kDocument, "queues", fmt::format("{}, {}", run.name, row.at("port_class")),
               {cell(500, "q50_kB"), cell(950, "q95_kB"), cell(990, "q99_kB"), cell(999, "q999_kB"), cell(1000, "max_kB")});
  }
}

TEST_P(Artifact, ComparedFlowByFlow) {
  const ArtifactRun& run = GetParam();
  const auto artifact = artifact_results(run);
  const Times theirs(artifact_times(run));
  const Instance instance = instance_of(run);
  std::map<std::string, std::vector<std::uint32_t>> queues;
  const Time window = run.flows.find("2ms") != std::string::npos ? 2_ms : 1_ms;
  const auto sampler = [&](std::uint32_t port, std::uint32_t queued) {
    const std::string name = port_class(instance.model->topology, port);
    if (!name.empty()) queues[name].push_back(queued);
  };
  const auto ours = simulate(instance, window, run.fat_tree() ? Sampler(sampler) : Sampler());
  compare_times(run, run.name, Times(ours).us, theirs.us);
  if (run.hpcc()) compare_times(run, run.name + ", wire INT", Times(simulate(instance_of(run, kWire))).us, theirs.us);
  if (!run.fat_tree()) return;
  compare_slowdowns(run, instance, ours, artifact);
  compare_queues(run, queues);
}

// The same run again and again, each time with other draws (paths and marks) and starts that are later by less than a
// nanosecond, tells what chance alone does to the mean and the largest completion time. The artifact's, slowed down by
// what its clock gains, must look like one more of these.
TEST_P(Artifact, LooksLikeOneMoreRun) {
  const ArtifactRun& run = GetParam();
  const int members = run.fat_tree() ? 5 : 20;
  std::vector<double> means;
  std::vector<double> largest;
  for (int k = 1; k <= members; ++k) {
    Instance instance = instance_of(run, {fmt::format("run.seed={}", k)});
    for (traffic::Flow& f : instance.flows)
      f.start += Time{mix32(static_cast<std::uint32_t>(f.id * 64 + static_cast<std::uint64_t>(k))) % 1000};
    std::sort(instance.flows.begin(), instance.flows.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
    for (std::size_t i = 0; i < instance.flows.size(); ++i) instance.flows[i].id = i;
    std::vector<double> times = Times(simulate(instance)).us;
    means.push_back(mean(times));
    largest.push_back(*std::max_element(times.begin(), times.end()));
  }
  // The artifact's runs of this kind: one, or one for each of its seeds.
  std::vector<double> their_means;
  std::vector<double> their_largest;
  if (run.hpcc() || run.fat_tree()) {
    const Times theirs(artifact_times(run));
    their_means = {mean(theirs.us)};
    their_largest = {*std::max_element(theirs.us.begin(), theirs.us.end())};
  } else {
    for (const Row& row : read_rows("incast_dcqcn_seeds.csv")) {
      if (row.at("run") != run.name) continue;
      their_means.push_back(std::stod(row.at("mean_fct_ns")) / 1000);
      their_largest.push_back(std::stod(row.at("max_fct_ns")) / 1000);
    }
  }
  const auto compare = [&](const std::vector<double>& a, const std::vector<double>& b) {
    const double expected = mean(b) * (1 + run.clock());
    const double own = b.size() > 1 ? deviation(b) : deviation(a);
    const double error = std::sqrt(deviation(a) * deviation(a) / static_cast<double>(a.size()) +
                                   own * own / static_cast<double>(b.size()));
    const double left = (mean(a) - expected) / error;
    EXPECT_LT(std::abs(left), 3) << run.name;
    return fmt::format("{:.1f} +- {:.1f} / {:.1f} ({:+.2f} %), {:+.1f}", mean(a), deviation(a), mean(b),
                       100 * (mean(a) / mean(b) - 1), left);
  };
  expect_row(kDocument, "spread", run.name,
             {fmt::format("{} / {}", members, their_means.size()), fmt::format("{:+.2f} %", 100 * run.clock()),
              compare(means, their_means), compare(largest, their_largest)});
}

INSTANTIATE_TEST_SUITE_P(Runs, Artifact, testing::ValuesIn(runs()),
                         [](const auto& of) { return of.param.name; });

// From the artifact to Weir, one rule after the other: what each of them changes.
TEST(Rules, WhatEachIsWorth) {
  if (!all_runs()) GTEST_SKIP() << "takes long; WEIR_VALIDATION=all runs it";
  struct Step {
    const char* name;
    Rules rules;
    bool exact_telemetry;
  };
  const Step steps[] = {
      {"the artifact's rules", {true, true, true, true, true}, false},
      {"exact clock", {false, true, true, true, true}, false},
      {"order by entity", {false, false, true, true, true}, false},
      {"turns of becoming ready", {false, false, false, true, true}, false},
      {"cc::Hpcc", {false, false, false, false, true}, false},
      {"Weir's paths", {false, false, false, false, false}, false},
      {"exact telemetry", {false, false, false, false, false}, true},
  };
  for (const ArtifactRun& run : runs()) {
    if (!run.fat_tree()) continue;
    const Times theirs(artifact_times(run));
    for (const Step& step : steps) {
      const bool hpcc_only = step.name == std::string("cc::Hpcc") || step.exact_telemetry;
      if (hpcc_only && !run.hpcc()) continue;
      const Instance instance = instance_of(run, step.exact_telemetry ? std::vector<std::string>{} : kWire);
      const std::vector<double> times = Times(completion_times(*instance.model, instance.flows, step.rules)).us;
      expect_row(kDocument, "rules", fmt::format("{}, {}", run.name, step.name),
                 {fmt::format("{:+.2f} %", 100 * (mean(times) / mean(theirs.us) - 1)), per_flow(times, theirs.us)});
    }
  }
}

}  // namespace
}  // namespace weir::validation
