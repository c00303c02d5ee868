// Weir beside the simulator of the HPCC paper's authors. docs/evidence/validation.md explains what is compared and why
// the two differ where they do; these tests compute the tables of docs/evidence/validation-details.md, and hold each
// difference to what the explanation allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/support/document.h"
#include "tests/validation/artifact.h"
#include "tests/validation/second_opinion.h"
#include "weir/net/model/path_facts.h"
#include "weir/probe/statistics.h"

namespace weir::validation {
namespace {

using namespace weir::literals;

constexpr const char* kDocument = "docs/evidence/validation-details.md";

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

// Samples of queues by the artifact's classes of ports.
struct Queues {
  explicit Queues(const net::Topology& t) : classes(t.ports()) {
    for (std::uint32_t port = 0; port < t.ports(); ++port) switch (t.tier[t.port_owner(port)]) {
        case 1: classes[port] = t.port_peer(port) < t.hosts ? "tor_to_host" : "tor_to_agg"; break;
        case 2: classes[port] = "agg"; break;
        case 3: classes[port] = "core"; break;
        default: break;
      }
  }

  QueueSampler sampler() {
    return [this](std::uint32_t port, std::uint32_t queued) {
      if (!classes[port].empty()) samples[classes[port]].push_back(queued);
    };
  }

  // Quantiles in whole kB, in the order of the artifact's table.
  std::vector<std::string> quantiles(const std::string& name) {
    std::vector<std::uint32_t>& values = samples[name];
    std::sort(values.begin(), values.end());
    std::vector<std::string> out;
    for (const unsigned thousandths : {500u, 950u, 990u, 999u, 1000u})
      out.push_back(std::to_string(probe::percentile(std::span<const std::uint32_t>(values), thousandths) / 1000));
    return out;
  }

  std::vector<std::string> classes;  // by port
  std::map<std::string, std::vector<std::uint32_t>> samples;
};
const std::vector<std::string> kQuantileColumns{"q50_kB", "q95_kB", "q99_kB", "q999_kB", "max_kB"};

// The artifact's samples of a run: for each class of ports its quantiles.
std::map<std::string, std::vector<std::string>> artifact_queues(const ArtifactRun& run) {
  std::map<std::string, std::vector<std::string>> out;
  for (const Row& row : read_rows("fat320_queue_quantiles.csv"))
    if (row.at("run") == run.name)
      for (const std::string& column : kQuantileColumns) out[row.at("port_class")].push_back(row.at(column));
  return out;
}

// The replica gives the artifact's results: times to the nanosecond, and queues.
TEST_P(Artifact, IsRepeatedToTheNanosecond) {
  const ArtifactRun& run = GetParam();
  if (!run.hpcc()) GTEST_SKIP() << "its marks are drawn at random";
  const Instance instance = instance_of(run, kReplica);
  Queues queues(instance.model->topology);
  const auto times = simulate(instance, run.arrivals, run.fat_tree() ? queues.sampler() : QueueSampler());
  EXPECT_EQ(count_equal(times, artifact_times(run)), instance.flows.size());
  // Its samples may come before or after what happens in the same nanosecond, which may be a packet.
  for (const auto& [name, theirs] : artifact_queues(run)) {
    const std::vector<std::string> ours = queues.quantiles(name);
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_NEAR(std::stod(ours[i]), std::stod(theirs[i]), 1) << name << ' ' << kQuantileColumns[i];
  }
}

// Weir's rules make Weir's results, to the picosecond.
TEST_P(Artifact, WeirIsRepeatedToThePicosecond) {
  const ArtifactRun& run = GetParam();
  for (const auto& telemetry : {std::vector<std::string>{}, kWire}) {
    if (!run.hpcc() && !telemetry.empty()) continue;
    const Instance instance = instance_of(run, telemetry);
    EXPECT_EQ(count_equal(completion_times(*instance.model, instance.flows), simulate(instance)),
              instance.flows.size());
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

// In Weir and in the artifact.
void compare_queues(const ArtifactRun& run, Queues& ours) {
  for (const auto& [name, theirs] : artifact_queues(run)) {
    const auto a = ours.quantiles(name);
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < theirs.size(); ++i) cells.push_back(fmt::format("{} / {}", a[i], theirs[i]));
    expect_row(kDocument, "queues", fmt::format("{}, {}", run.name, name), cells);
  }
}

TEST_P(Artifact, ComparedFlowByFlow) {
  const ArtifactRun& run = GetParam();
  const auto artifact = artifact_results(run);
  const Times theirs(artifact_times(run));
  const Instance instance = instance_of(run);
  Queues queues(instance.model->topology);
  const auto ours = simulate(instance, run.arrivals, run.fat_tree() ? queues.sampler() : QueueSampler());
  compare_times(run, run.name, Times(ours).us, theirs.us);
  if (run.hpcc()) compare_times(run, run.name + ", wire INT", Times(simulate(instance_of(run, kWire))).us, theirs.us);
  if (!run.fat_tree()) return;
  compare_slowdowns(run, instance, ours, artifact);
  compare_queues(run, queues);
}

// The mean and the largest completion time of several runs.
struct Members {
  std::vector<double> means;
  std::vector<double> largest;
  void add(const std::vector<double>& times) {
    means.push_back(mean(times));
    largest.push_back(*std::max_element(times.begin(), times.end()));
  }
};

// Of the artifact: one run, or one for each of its seeds.
Members artifact_members(const ArtifactRun& run) {
  Members out;
  if (!run.hpcc() && !run.fat_tree()) {
    for (const Row& row : read_rows("dcqcn_seed_spread.csv")) {
      if (row.at("run") != run.name) continue;
      out.means.push_back(std::stod(row.at("mean_fct_ns")) / 1000);
      out.largest.push_back(std::stod(row.at("max_fct_ns")) / 1000);
    }
  } else {
    out.add(Times(artifact_times(run)).us);
  }
  return out;
}

// Ours less theirs, with what their clock gains added, in standard errors. One run of theirs is taken to scatter like
// ours.
double left_over(const std::vector<double>& ours, const std::vector<double>& theirs, double clock) {
  const double scatter = deviation(ours);
  const double their_scatter = theirs.size() > 1 ? deviation(theirs) : scatter;
  const double error = std::sqrt(scatter * scatter / static_cast<double>(ours.size()) +
                                 their_scatter * their_scatter / static_cast<double>(theirs.size()));
  return (mean(ours) - mean(theirs) * (1 + clock)) / error;
}

void compare_members(const std::string& row, const Members& ours, const Members& theirs, double clock, bool last_flow) {
  const auto cell = [clock](const std::vector<double>& a, const std::vector<double>& b) {
    return fmt::format("{:.2f} +- {:.2f} / {:.2f} ({:+.2f} %), {:+.1f}", mean(a), deviation(a), mean(b),
                       100 * (mean(a) / mean(b) - 1), left_over(a, b, clock));
  };
  EXPECT_LT(std::abs(left_over(ours.means, theirs.means, clock)), 3);
  // The largest of thousands of flows is too wild a figure to judge by a few runs.
  if (last_flow) {
    EXPECT_LT(std::abs(left_over(ours.largest, theirs.largest, clock)), 3);
  }
  expect_row(kDocument, "spread", row,
             {fmt::format("{} / {}", ours.means.size(), theirs.means.size()), fmt::format("{:+.2f} %", 100 * clock),
              cell(ours.means, theirs.means), cell(ours.largest, theirs.largest)});
}

// The same run again and again, each time with other draws (paths and marks) and with starts that are later by less
// than the time of a packet, tells what chance alone does to completion times. The artifact's, with what its clock
// gains, must look like one more of these.
TEST_P(Artifact, LooksLikeOneMoreRun) {
  const ArtifactRun& run = GetParam();
  Members ours;
  for (std::uint32_t k = 1; k <= (run.fat_tree() ? 5u : 20u); ++k) {
    std::vector<std::string> settings = kWire;
    settings.push_back(fmt::format("run.seed={}", k));
    Instance instance = instance_of(run, settings);
    for (traffic::Flow& f : instance.flows) f.start += Time{mix32(static_cast<std::uint32_t>(f.id) * 64 + k) % 80'000};
    std::sort(instance.flows.begin(), instance.flows.end(), [](auto& a, auto& b) { return a.start < b.start; });
    for (std::size_t i = 0; i < instance.flows.size(); ++i) instance.flows[i].id = i;
    ours.add(Times(simulate(instance)).us);
  }
  compare_members(run.name, ours, artifact_members(run), run.clock(), !run.fat_tree());
}

// For marks the artifact has draws of its own. By its rules and with other draws its results must come out too.
TEST_P(Artifact, LooksLikeOneMoreRunByItsRules) {
  const ArtifactRun& run = GetParam();
  if (run.hpcc()) GTEST_SKIP() << "IsRepeatedToTheNanosecond says more";
  Members ours;
  for (int k = 1; k <= (run.fat_tree() ? 5 : 20); ++k) {
    std::vector<std::string> settings = kReplica;
    settings.push_back(fmt::format("run.seed={}", k));
    ours.add(Times(simulate(instance_of(run, settings))).us);
  }
  compare_members(run.name + ", the artifact's rules", ours, artifact_members(run), 0, !run.fat_tree());
}

INSTANTIATE_TEST_SUITE_P(Runs, Artifact, testing::ValuesIn(runs()), [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace weir::validation
