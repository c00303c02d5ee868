// delays.csv by hand: a lone flow's packets take what the empty path takes.
#include "weir/probe/delay_probe.h"

#include <sstream>

#include "tests/probe/helpers.h"
#include "weir/base/csv.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

struct Row {
  std::int64_t time, sent, delay, measured, rtt, known_delay, known_rtt;  // ps; -1 = empty
};

// Flows from host 1, and 2, to host 0 at 100 Gb/s over one switch with links of 1 us, whose clocks are off.
std::vector<Row> delay_rows(Lab::Flows flows, const DelaysParams& params) {
  Lab lab(net::build(net::Star{.hosts = 3}), std::move(flows), "fixed-window", [](engine::Model& m) {
    m.clocks = host::ClockParams{.offset = 50_us};
    m.profiles[0].on_ramp = {.T = 1_s};
  });
  ProbeParams probes;
  probes.set(params);
  const auto lines = table_of(lab, probes, "delays.csv");
  EXPECT_EQ(lines.at(0), "time_ps,flow_id,sent_ps,delay_ps,measured_ps,rtt_ps,known_delay_ps,known_rtt_ps");
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::vector<std::int64_t> f;
    std::istringstream fields(lines[i] + ",");
    for (std::string field; std::getline(fields, field, ',');) f.push_back(field.empty() ? -1 : std::stoll(field));
    f.resize(8, -1);
    rows.push_back({f[0], f[2], f[3], f[4], f[5], f[6], f[7]});
  }
  return rows;
}

TEST(DelayProbe, ALonePacketTakesWhatTheEmptyPathTakes) {
  const auto rows = delay_rows({flow(0_us, 1, 0, 1_KB)}, {});
  ASSERT_EQ(rows.size(), 0u) << "it has ended when it is looked at";
  const auto some = delay_rows({flow(0_us, 1, 0, 100_KB)}, {.interval = 1_us});
  ASSERT_GT(some.size(), 3u);
  // two links of 1 us, and twice a packet of 1,048 B at 100 Gb/s
  const std::int64_t empty = 2'000'000 + 2 * 1'048 * 80;
  for (const Row& r : some) {
    EXPECT_EQ(r.delay, empty);
    EXPECT_EQ(r.rtt, r.time - r.sent);
    EXPECT_GT(r.rtt, r.delay + 2'000'000);
    EXPECT_EQ(r.measured - r.delay, some[0].measured - some[0].delay) << "clocks without drift";
  }
  EXPECT_NE(some[0].measured, some[0].delay);
}

// Two flows fill the receiver's link, so that delays grow: what is known is older than what the packet meets.
TEST(DelayProbe, TellsWhatTheSenderKnew) {
  const auto rows = delay_rows({flow(0_us, 1, 0, 1_MB), flow(0_us, 2, 0, 1_MB)}, {.interval = 500_ns, .stop = 60_us});
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_LT(rows[i].time, 60'000'000);
    if (rows[i].known_rtt < 0) continue;
    ++pairs;
    bool found = false;  // an earlier row that came before the packet left
    for (std::size_t j = 0; j < i; ++j)
      found = found || (rows[j].measured == rows[i].known_delay && rows[j].rtt == rows[i].known_rtt &&
                        rows[j].time <= rows[i].sent);
    EXPECT_TRUE(found) << i;
  }
  EXPECT_GT(pairs, 0u) << "nothing was looked at";
  EXPECT_GT(rows.back().delay, rows.front().delay);
}

TEST(DelayProbe, NeedsOnRamp) {
  const Lab lab(net::build(net::Star{.hosts = 3}), {});
  ProbeParams params;
  params.set(DelaysParams{});
  EXPECT_THROW(check(params, lab.model, {}), InputError);
}

}  // namespace
}  // namespace weir::probe
