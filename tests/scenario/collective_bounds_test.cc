// Bounds of all collective operations, collective_bounds.csv: no run is quicker, and with a window that never runs out
// none takes more than `most` % longer. Where that is more than 10 %, the table says why. Bounds do not depend on how
// messages are recorded, nor on slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/base/text_file.h"
#include "weir/probe/collective_report.h"
#include "weir/scenario/build.h"

namespace weir::scenario::collective_bounds_test {
namespace {

struct Case {
  std::string operation;
  int hosts = 0;
  std::vector<std::string> set;  // of the collective; with a dot, of the scenario
  double most = 0;               // percent above the bound
  std::string why;               // so much, if it is much

  std::string name() const { return fmt::format("{} of {} hosts, {}", operation, hosts, fmt::join(set, " ")); }
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  const auto lines = split(read_text_file("tests/scenario/collective_bounds.csv", "a table of cases"), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto fields = split(lines[i], ',');
    out.push_back({fields.at(0), std::stoi(fields.at(1)), split(fields.at(2), ' '), std::stod(fields.at(3)),
                   fields.size() > 4 ? fields.at(4) : ""});
  }
  return out;
}

probe::CollectiveSummary run(const Case& c, const std::vector<std::string>& more = {}) {
  std::string text = fmt::format(R"(
[topology]
kind = "star"
hosts = {}
rate = "400 Gbps"
[algorithm]
name = "fixed-window"
window = "16 MB"
[transport]
payload = "4096 B"
[[traffic]]
kind = "collective"
operation = "{}"
size = "4 MB"
)",
                                 c.hosts, c.operation);
  std::vector<std::string> set;
  for (const std::string& one : c.set) set.push_back((one.find('.') == std::string::npos ? "traffic.0." : "") + one);
  for (const std::string& one : more) set.push_back("traffic.0." + one);
  const auto run = build(load_scenario(text, "a.toml", set));
  run.simulation->advance();
  return probe::report_collectives(*run.simulation, run.tags()).at(0);
}

TEST(CollectiveBounds, AreReachedWhereNothingIsInTheWay) {
  for (const Case& c : cases()) {
    const auto found = run(c);
    ASSERT_TRUE(found.completion) << c.name();
    EXPECT_LE(found.bound, *found.completion) << c.name();
    EXPECT_LE(found.acknowledged_bound, *found.acknowledged) << c.name();
    EXPECT_LE(100 * found.excess().value_or(1e9), c.most) << c.name();
    EXPECT_EQ(c.most > 10, !c.why.empty()) << c.name();
  }
}

TEST(CollectiveBounds, AreThoseOfTheMessagesHoweverTheyAreKept) {
  for (const Case& c : cases()) {
    const auto rows = run(c);
    std::vector<std::vector<std::string>> ways{{"messages=sums"}, {"slots=1"}, {"slots=3"}};
    for (const char* by_slots : {"ring-all-reduce", "ring-reduce-scatter", "ring-all-gather", "tree-all-reduce",
                                 "ring-broadcast", "ring-reduce", "hierarchical-all-reduce"})
      if (c.operation == by_slots) ways.push_back({"slots=3", "slots_freed_by=receiver"});
    for (const auto& more : ways) {
      const auto other = run(c, more);
      EXPECT_EQ(rows.bound, other.bound) << c.name() << ' ' << more.back();
      EXPECT_EQ(rows.acknowledged_bound, other.acknowledged_bound) << c.name() << ' ' << more.back();
      EXPECT_LE(other.bound, *other.completion) << c.name() << ' ' << more.back();
    }
  }
}

// What two take more than alone is an excess of neither, where they have hosts in common at the same time.
TEST(CollectiveBounds, KnowOfOthersAtTheSameHosts) {
  const auto excesses = [](const std::string& second) {
    const std::string ring = "[[traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 MB\"\n";
    const auto run =
        build(load_scenario("[topology]\nkind = \"star\"\nhosts = 8\n[algorithm]\nname = "
                            "\"fixed-window\"\n" +
                                ring + "hosts = \"0-3\"\ntag = \"a\"\n" + ring + second + "tag = \"b\"\n",
                            "a.toml"));
    run.simulation->advance();
    int out = 0;
    for (const auto& c : probe::report_collectives(*run.simulation, run.tags())) {
      EXPECT_EQ(c.excess().has_value(), c.shares_hosts_with.empty());
      EXPECT_GE(*c.completion, c.bound);
      out += c.excess().has_value();
    }
    return out;
  };
  EXPECT_EQ(excesses("hosts = \"4-7\"\n"), 2);
  EXPECT_EQ(excesses("hosts = \"3-6\"\n"), 0);
  EXPECT_EQ(excesses("hosts = \"3-6\"\nstart = \"1 s\"\n"), 2);
  EXPECT_EQ(excesses("hosts = \"3-6\"\nmessages = \"sums\"\n"), 0);
}

}  // namespace
}  // namespace weir::scenario::collective_bounds_test
