#include "weir/traffic/size_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/traffic/helpers.h"
#include "weir/base/random.h"
#include "weir/traffic/workloads.h"

namespace weir::traffic::size_distribution_test {
namespace {

SizeDistribution parse(const std::string& text) { return SizeDistribution::parse(text, "x.cdf.txt"); }

// The points of a workload, read without the code under test.
struct Point {
  double size;
  double percent;
};
std::vector<Point> points_of(std::string_view text) {
  std::vector<Point> out;
  std::istringstream in{std::string(text)};
  for (Point p; in >> p.size >> p.percent;) out.push_back(p);
  return out;
}

// A row of the table in data/workloads/README.md.
struct Row {
  std::string name;
  std::size_t points;
  std::string mean;
  std::int64_t p10, p50, p90, p99, max;
};
std::vector<Row> documented() {
  std::vector<Row> out;
  std::ifstream in("data/workloads/README.md");
  for (std::string line; std::getline(in, line);) {
    char name[64];
    char mean[64];
    Row row;
    long long q[5];
    if (std::sscanf(line.c_str(), "| %63[A-Za-z0-9_].cdf.txt | %zu | %63s | %lld / %lld / %lld / %lld | %lld |", name,
                    &row.points, mean, &q[0], &q[1], &q[2], &q[3], &q[4]) != 8)
      continue;
    row.name = name;
    row.mean = mean;
    row.p10 = q[0], row.p50 = q[1], row.p90 = q[2], row.p99 = q[3], row.max = q[4];
    out.push_back(row);
  }
  return out;
}

TEST(Workloads, AreTheDocumentedOnesInOrder) {
  std::vector<std::string> embedded;
  for (const auto& w : workloads()) embedded.emplace_back(w.name);
  EXPECT_TRUE(std::is_sorted(embedded.begin(), embedded.end()));
  std::vector<std::string> rows;
  for (const auto& row : documented()) rows.push_back(row.name);
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(embedded, rows);
}

TEST(Workloads, HaveTheDocumentedMeanAndQuantiles) {
  for (const auto& row : documented()) {
    SCOPED_TRACE(row.name);
    const auto d = SizeDistribution::named(row.name);
    EXPECT_EQ(d.points(), row.points);
    EXPECT_EQ(fmt::format("{:.1f}", d.mean()), row.mean);
    EXPECT_EQ(d.quantile(0.10).count, row.p10);
    EXPECT_EQ(d.quantile(0.50).count, row.p50);
    EXPECT_EQ(d.quantile(0.90).count, row.p90);
    EXPECT_EQ(d.quantile(0.99).count, row.p99);
    EXPECT_EQ(d.largest().count, row.max);
  }
}

TEST(Workloads, AreTheFilesInTheSourceTree) {
  for (const auto& w : workloads()) {
    std::ifstream in("data/workloads/" + std::string(w.name) + ".cdf.txt");
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(w.cdf, text.str()) << w.name;
  }
}

TEST(SizeDistribution, MeanIsNotRoundedBeyondTheLargest) {
  EXPECT_EQ(SizeDistribution::parse("200 0\n200 1e-3\n200 2e-3\n200 100\n", "same").mean(), 200);
}

// The mean that the source of this list states in its first line.
TEST(Workloads, GoogleSearchRpcHasItsStatedMean) {
  const auto d = SizeDistribution::named("GoogleSearchRPC");
  EXPECT_NEAR(d.mean(), 440.7907, 5e-5);
  // On-Ramp: more than 99.85 % of the messages are at most 10 KB
  EXPECT_LE(d.quantile(0.9985).count, 10'240);
}

// Dvoretzky, Kiefer, Wolfowitz and Massart: the empirical distribution of n draws is nowhere
// further from the true one than sqrt(ln(2 / alpha) / 2n), but for a chance alpha.
TEST(Workloads, DrawsFollowThePoints) {
  constexpr int n = 100'000;
  const double tolerance = std::sqrt(std::log(2 / 1e-9) / (2 * n));
  for (const auto& w : workloads()) {
    SCOPED_TRACE(w.name);
    const auto d = SizeDistribution::named(w.name);
    const RandomStream stream(7, 0, Purpose::flow_size);
    std::vector<std::int64_t> draws;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      draws.push_back(d.quantile(stream.uniform(static_cast<std::uint64_t>(i))).count);
      sum += static_cast<double>(draws.back());
    }
    std::sort(draws.begin(), draws.end());

    const auto points = points_of(w.cdf);
    double second_moment = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const auto [a, b] = std::pair{points[i - 1].size, points[i].size};
      second_moment += (a * a + a * b + b * b) / 3 * (points[i].percent - points[i - 1].percent) / 100;
      // strictly below a point of the curve: rounding down does not move a draw across it
      if (b < 1 || points[i - 1].size == b) continue;
      const auto below = std::lower_bound(draws.begin(), draws.end(), static_cast<std::int64_t>(b)) - draws.begin();
      EXPECT_NEAR(static_cast<double>(below) / n, points[i].percent / 100, tolerance) << "at " << b << " B";
    }
    // 6 standard errors, and the byte that rounding down may cost
    const double sigma = std::sqrt((second_moment - d.mean() * d.mean()) / n);
    EXPECT_NEAR(sum / n, d.mean(), 6 * sigma + 1);
  }
}

TEST(SizeDistribution, QuantileNeverDecreasesAndStaysInside) {
  for (const auto& w : workloads()) {
    const auto d = SizeDistribution::named(w.name);
    std::int64_t last = 1;
    for (int i = 0; i <= 100'000; ++i) {
      const auto q = d.quantile(i / 100'000.0).count;
      ASSERT_GE(q, last) << w.name << " at " << i;
      last = q;
    }
    EXPECT_EQ(last, d.largest().count);
    EXPECT_EQ(d.quantile(1 - 0x1p-53), d.quantile(std::nextafter(1.0, 0.0)));
    EXPECT_LE(d.quantile(1 - 0x1p-53), d.largest());
  }
}

TEST(SizeDistribution, InterpolatesAndRoundsDown) {
  const auto d = parse("100 0\n200 50\n301 100\n");
  EXPECT_EQ(d.quantile(0).count, 100);
  EXPECT_EQ(d.quantile(0.25).count, 150);
  EXPECT_EQ(d.quantile(0.5).count, 200);
  EXPECT_EQ(d.quantile(0.75).count, 250);  // 250.5
  EXPECT_EQ(d.quantile(1).count, 301);
  EXPECT_DOUBLE_EQ(d.mean(), 150 * 0.5 + 250.5 * 0.5);
}

TEST(SizeDistribution, EqualSizesAreAPointMass) {
  const auto d = parse("100 0\n100 40\n200 40 # nothing between\n200 100\n");
  EXPECT_EQ(d.quantile(0.39).count, 100);
  EXPECT_EQ(d.quantile(0.4).count, 200);
  EXPECT_DOUBLE_EQ(d.mean(), 160);
}

TEST(SizeDistribution, SizesBeyondTheLastPercentDoNotCount) {
  const auto d = parse("10 0\n20 100\n30 100\n40 100\n");
  EXPECT_EQ(d.largest().count, 20);
  EXPECT_EQ(d.mean(), 15);
}

TEST(SizeDistribution, DrawsAtLeastOneByte) {
  EXPECT_EQ(parse("0 0\n0 60\n10 100\n").quantile(0.5).count, 1);
  EXPECT_EQ(parse("0 0\n10 100\n").quantile(0.05).count, 1);
}

TEST(SizeDistribution, ReadsCommentsBlankLinesTabsAndExponents) {
  const auto d = parse("# sizes\r\n\r\n0\t0 # first\r\n  10 1e-1\r\n20 1e2");
  EXPECT_EQ(d.points(), 3u);
  EXPECT_EQ(d.largest().count, 20);
}

TEST(SizeDistribution, HugeSizesStayInside) {
  const auto d = parse("0 0\n1 4.9e-324\n1000000000000000 100\n");
  for (const double u : {0.0, 5e-324, 0x1p-53, 0.5, 1 - 0x1p-53}) {
    EXPECT_GE(d.quantile(u).count, 1);
    EXPECT_LE(d.quantile(u).count, 1'000'000'000'000'000);
  }
}

TEST(SizeDistribution, FixedSize) {
  const auto d = SizeDistribution::from_text("1 MB", "sizes", "");
  EXPECT_EQ(d.quantile(0).count, 1'000'000);
  EXPECT_EQ(d.quantile(0.999).count, 1'000'000);
  EXPECT_EQ(d.largest().count, 1'000'000);
  EXPECT_EQ(d.mean(), 1e6);
}

TEST(SizeDistribution, FromTextTakesNamesSizesAndFiles) {
  EXPECT_EQ(SizeDistribution::from_text("WebSearch", "sizes", "").points(), 12u);
  EXPECT_EQ(SizeDistribution::from_text("2 KiB", "sizes", "").largest().count, 2048);
  EXPECT_EQ(SizeDistribution::from_text("WebSearch.cdf.txt", "sizes", "data/workloads").points(), 12u);
  EXPECT_EQ(SizeDistribution::from_text("data/workloads/WebSearch.cdf.txt", "sizes", "").points(), 12u);
  const auto absolute = std::filesystem::absolute("data/workloads/WebSearch.cdf.txt").string();
  EXPECT_EQ(SizeDistribution::from_text(absolute, "sizes", "elsewhere").points(), 12u);
}

TEST(SizeDistribution, ReadsFractions) {
  const auto fractions = parse("100 0\n200 0.5\n301 1\n400 1.0\n");
  EXPECT_EQ(fractions.quantile(0.25).count, 150);
  EXPECT_EQ(fractions.largest().count, 301);
  EXPECT_DOUBLE_EQ(fractions.mean(), parse("100 0\n200 50\n301 100\n").mean());
}

TEST(SizeDistribution, FirstSizeAboveZeroIsAPointMass) {
  const auto d = parse("100 10\n200 50\n300 100\n");
  EXPECT_EQ(d.quantile(0).count, 100);
  EXPECT_EQ(d.quantile(0.09).count, 100);
  EXPECT_DOUBLE_EQ(d.mean(), 100 * 0.1 + 150 * 0.4 + 250 * 0.5);
}

// As Homa's lists are: the mean is that of the sizes alone.
TEST(SizeDistribution, LineOfTheMeanMakesSteps) {
  const auto d = parse("875.5\n100 0.25\n200 0.75\n3002 1.0000\n");
  EXPECT_EQ(d.quantile(0.24).count, 100);
  EXPECT_EQ(d.quantile(0.26).count, 200);
  EXPECT_EQ(d.quantile(0.76).count, 3002);
  EXPECT_DOUBLE_EQ(d.mean(), 875.5);
}

TEST(SizeDistribution, ReadsCommas) { EXPECT_EQ(parse("0,0\r\n10, 15\r\n20,100\r\n").quantile(0.15).count, 10); }

TEST(SizeDistribution, NamesWithAnExtensionAreFiles) {
  for (const char* name : {"ws.csv", "a.cdf.txt", "my.dat", "./ws", "7.csv"})
    EXPECT_TRUE(SizeDistribution::names_file(name)) << name;
  for (const char* name : {"WebSearch", "1.5 MB", "1.5MB", "1.", "2 KiB", ""})
    EXPECT_FALSE(SizeDistribution::names_file(name)) << name;
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(SizeDistribution, RefusesBadText) {
  const Bad cases[] = {
      {"",
       "x.cdf.txt: 0 points; a distribution has at least 2, and a line is 'size_bytes cumulative_percent', like "
       "'1000 50'"},
      {"# nothing\n\n",
       "x.cdf.txt: 0 points; a distribution has at least 2, and a line is 'size_bytes "
       "cumulative_percent', like '1000 50'"},
      {"0 0\n",
       "x.cdf.txt: 1 point; a distribution has at least 2, and a line is 'size_bytes cumulative_percent', "
       "like '1000 50'"},
      {"0 0\n10\n", "x.cdf.txt:2: one column; a line is 'size_bytes cumulative_percent', like '1000 50'"},
      {"0 0\n10 50 7\n", "x.cdf.txt:2: unexpected '7'; a line is 'size_bytes cumulative_percent', like '1000 50'"},
      {"7\n8\n", "x.cdf.txt:2: one column; a line is 'size_bytes cumulative_percent', like '1000 50'"},
      {"mean\n10 100\n", "x.cdf.txt:1: one column; a line is 'size_bytes cumulative_percent', like '1000 50'"},
      {"0,0\n1,000,50\n", "x.cdf.txt:2: unexpected '50'; a line is 'size_bytes cumulative_percent', like '1000 50'"},
      {"0 0\nten 50\n", "x.cdf.txt:2: 'ten' is not a size; valid is a whole number of bytes, 0 to 1000000000000000"},
      {"0 0\n-10 50\n", "x.cdf.txt:2: '-10' is not a size; valid is a whole number of bytes, 0 to 1000000000000000"},
      {"0 0\n1.5 50\n", "x.cdf.txt:2: '1.5' is not a size; valid is a whole number of bytes, 0 to 1000000000000000"},
      {"0 0\n9223372036854775808 50\n",
       "x.cdf.txt:2: '9223372036854775808' is not a size; valid is a whole number of "
       "bytes, 0 to 1000000000000000"},
      {"0 0\n10 half\n", "x.cdf.txt:2: 'half' is not a cumulative percentage; valid is a number from 0 to 100"},
      {"0 0\n10 nan\n", "x.cdf.txt:2: 'nan' is not a cumulative percentage; valid is a number from 0 to 100"},
      {"0 0\n10 inf\n", "x.cdf.txt:2: 'inf' is not a cumulative percentage; valid is a number from 0 to 100"},
      {"0 0\n10 -1\n", "x.cdf.txt:2: '-1' is not a cumulative percentage; valid is a number from 0 to 100"},
      {"0 0\n10 100.5\n", "x.cdf.txt:2: '100.5' is not a cumulative percentage; valid is a number from 0 to 100"},
      {"0 0\n10 50%\n", "x.cdf.txt:2: '50%' is not a cumulative percentage; valid is a number from 0 to 100"},
      {"10 0\n5 50\n20 100\n", "x.cdf.txt:2: size 5 after 10; sizes must not decrease"},
      {"10 0\n20 50\n30 40\n40 100\n", "x.cdf.txt:3: 40 % after 50 %; the cumulative percentage must not decrease"},
      {"10 0\n20 97.5\n", "x.cdf.txt: the last point is at 97.5, it must be at 100 %, or at 1 in fractions"},
      {"10 0\n20 0.99\n", "x.cdf.txt: the last point is at 0.99, it must be at 100 %, or at 1 in fractions"},
      {"10 0.5\n20 0.25\n30 1\n", "x.cdf.txt:2: 25 % after 50 %; the cumulative percentage must not decrease"},
      {"0 0\n0 100\n100 100\n", "x.cdf.txt: the mean is 0 bytes; it must be at least 1"},
      {"0 0\n1 100\n", "x.cdf.txt: the mean is 0.5 bytes; it must be at least 1"},
      {"0 0\n0 100\n", "x.cdf.txt: the mean is 0 bytes; it must be at least 1"},
  };
  for (const auto& bad : cases) EXPECT_EQ(error_of([&] { parse(bad.text); }), bad.message) << bad.text;
}

TEST(SizeDistribution, RefusesBadSizesAsAScenarioWritesThem) {
  const std::string names =
      "valid is AliStorage2019, CacheFollower, DataMining, FB_Hadoop, FB_Hadoop_fine, GoogleRPC2008, GoogleSearchRPC, "
      "Solar2022, WebSearch, WebServer, a size like \"1 MB\", or a file like \"my.cdf.txt\"";
  const std::pair<std::string, std::string> cases[] = {
      {"FB_Hadop", "sizes: unknown workload 'FB_Hadop' (did you mean 'FB_Hadoop'?); " + names},
      {"websearch", "sizes: unknown workload 'websearch' (did you mean 'WebSearch'?); " + names},
      {"", "sizes: unknown workload ''; " + names},
      {"0 B", "sizes: a flow of 0 B is out of range; valid is 1 B to 1000000000000000 B"},
      {"2000000 GB", "sizes: a flow of 2000000000000000 B is out of range; valid is 1 B to 1000000000000000 B"},
      {"no.txt",
       "sizes: dir/no.txt: cannot be read (No such file or directory); it should be a file of lines 'size_bytes "
       "cumulative_percent'"},
      {"../data/",
       "sizes: dir/../data/: cannot be read (No such file or directory); it should be a file of lines "
       "'size_bytes cumulative_percent'"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(error_of([&] { SizeDistribution::from_text(c.first, "sizes", "dir"); }), c.second) << c.first;
  EXPECT_EQ(error_of([] { SizeDistribution::from_text("data/workloads", "sizes", ""); }),
            "sizes: data/workloads: cannot be read (Is a directory); it should be a file of lines 'size_bytes "
            "cumulative_percent'");
  // the message about units is the parser's own
  EXPECT_TRUE(error_of([] { SizeDistribution::from_text("5", "sizes", ""); }).starts_with("sizes: '5' is not"));
  EXPECT_TRUE(error_of([] { SizeDistribution::from_text("-5 B", "sizes", ""); }).find("negative") != std::string::npos);
}

}  // namespace
}  // namespace weir::traffic::size_distribution_test
