// The parts of completion times: they add up exactly for every flow of every test scenario, and are what can be worked
// out by hand for small networks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/scenario/scenario_files.h"
#include "weir/anatomy/walk.h"
#include "weir/scenario/build.h"
#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/scenario.h"

namespace weir::anatomy {
namespace {

using result::part_kinds;

struct Told {
  host::FlowRecord record;
  Time ideal;
  std::optional<Parts> parts;

  std::int64_t fct() const { return (record.finish - record.start).ps; }
  std::int64_t operator[](Part part) const { return parts.value()[part]; }
  std::int64_t queue(std::size_t hop) const { return Parts(parts.value()).queue(hop); }
};

std::string text_of(const Parts& parts) {
  std::string out;
  for (std::size_t i = 0; i < kParts; ++i)
    if (parts.all()[i] != 0) out += fmt::format("{} {}  ", part_kinds()[i].name, parts.all()[i]);
  return out;
}

// The flows that end, by id.
std::map<std::uint64_t, Told> tell(const scenario::Scenario& s, std::uint32_t partitions = 0) {
  std::map<std::uint64_t, Told> out;
  scenario::Run run = scenario::build(s, scenario::build_model(s), partitions, true);
  Walk walk(*run.model);
  run.simulation->trace({.ports = {}, .from = {}, .kinds = Walk::kKinds},
                        [&](net::TraceEvents events) { walk.add(events); });
  const engine::Model& model = *run.model;
  run.simulation->on_finish([&](const host::FlowRecord& r) {
    const net::Framing bare = model.framing_without_int(model.profiles[r.profile]);
    out[r.id] = {r, model.paths.ideal_fct(r.src, r.dst, r.size, bare), walk.take(r.id)};
  });
  while (!run.simulation->advance()) {
  }
  return out;
}

std::map<std::uint64_t, Told> tell(const std::string& toml) {
  const auto out = tell(scenario::load_scenario(toml, "test.toml"));
  for (const auto& [id, flow] : out) EXPECT_EQ(flow.parts.value().sum(), flow.fct()) << id;
  return out;
}

bool tells_all(const scenario::Scenario& s) { return s.run.fidelity->tells_events && !scenario::skips(s); }

class EveryScenario : public testing::TestWithParam<std::string> {};

TEST_P(EveryScenario, PartsAddUp) {
  const scenario::Scenario s = scenario::load_scenario_file(scenario::kTestScenarios + GetParam() + ".toml");
  if (!tells_all(s)) GTEST_SKIP() << "its engine tells no single events, or not all";
  for (const auto& [id, flow] : tell(s)) {
    ASSERT_TRUE(flow.parts.has_value()) << id;
    const Parts& parts = *flow.parts;
    ASSERT_EQ(parts.sum(), flow.fct()) << id << ": " << text_of(parts);
    for (std::size_t i = 0; i < kParts; ++i) ASSERT_GE(parts.all()[i], 0) << id << ": " << text_of(parts);
    ASSERT_EQ(parts[Part::alone], std::min(flow.fct(), flow.ideal.ps)) << id << ": " << text_of(parts);
  }
}

TEST_P(EveryScenario, PartsAreTheSameOnAnyThreads) {
  const scenario::Scenario s = scenario::load_scenario_file(scenario::kTestScenarios + GetParam() + ".toml");
  if (!tells_all(s)) GTEST_SKIP() << "its engine tells no single events, or not all";
  const auto one = tell(s);
  const auto three = tell(s, 3);
  ASSERT_EQ(one.size(), three.size());
  for (const auto& [id, flow] : one) ASSERT_EQ(flow.parts->all(), three.at(id).parts->all()) << id;
}

INSTANTIATE_TEST_SUITE_P(Tests, EveryScenario, testing::ValuesIn(scenario::names_in(scenario::kTestScenarios)),
                         scenario::test_name);

// A packet of 1000 bytes has 1048 on the wire: 83.84 ns at 100 Gb/s.
constexpr std::int64_t kPacket = 83'840;

std::string star(int hosts, const std::string& algorithm, const std::string& rest) {
  return fmt::format("[topology]\nkind = \"star\"\nhosts = {}\n[algorithm]\n{}\n{}", hosts, algorithm, rest);
}
const std::string kFree = "name = \"fixed-window\"\nwindow = \"1 GB\"";
std::string flow(int src, int dst, const std::string& size) {
  return fmt::format("[[traffic]]\nkind = \"incast\"\nsenders = \"{}\"\nreceiver = {}\nsize = \"{}\"\n", src, dst,
                     size);
}

void expect_only(const Told& flow, const std::map<Part, std::int64_t>& expected, const char* what) {
  for (std::size_t i = 0; i < kParts; ++i) {
    const auto at = expected.find(static_cast<Part>(i));
    EXPECT_EQ(flow.parts->all()[i], at == expected.end() ? 0 : at->second) << what << ", " << part_kinds()[i].name;
  }
}

TEST(Anatomy, OfAFlowAloneHasOnePart) {
  for (const std::string size : {"1 B", "1000 B", "100 KB", "123457 B"}) {
    const Told f = tell(star(3, kFree, flow(1, 0, size))).at(0);
    expect_only(f, {{Part::alone, f.ideal.ps}}, size.c_str());
    EXPECT_EQ(f.fct(), f.ideal.ps);
  }
}

TEST(Anatomy, OfAFlowAloneBehindASlowLinkHasOnePart) {
  const Told f =
      tell("[topology]\nkind = \"dumbbell\"\nleft = 1\nright = 1\nbottleneck_rate = \"25 Gbps\"\n[algorithm]\n" +
           kFree + "\n" + flow(0, 1, "200 KB"))
          .at(0);
  expect_only(f, {{Part::alone, f.ideal.ps}}, "slow link");
}

TEST(Anatomy, TelemetryIsAPartOfItsOwn) {
  const Told f = tell(star(3, "name = \"hpcc\"\nT = \"100 us\"", flow(1, 0, "20 KB"))).at(0);
  // 42 bytes on each of 20 packets at the first link and on the last at the second, and on its acknowledgement twice
  const std::int64_t per_packet = transmission_time(Bytes{1090}, Rate{100'000'000'000}).ps - kPacket;
  const std::int64_t per_ack =
      transmission_time(Bytes{88}, Rate{100'000'000'000}).ps - transmission_time(Bytes{60}, Rate{100'000'000'000}).ps;
  expect_only(f, {{Part::alone, f.ideal.ps}, {Part::telemetry, 21 * per_packet + 2 * per_ack}}, "telemetry");
}

TEST(Anatomy, OfTwoFlowsIntoOnePortIsItsQueue) {
  // Both send 100 packets at the same time. The port serves 200, so the last packet of one waits for 99 packets of the
  // other, and that of the other for 100.
  const auto flows = tell(star(3, kFree, flow(1, 0, "100 KB") + flow(2, 0, "100 KB")));
  std::vector<std::int64_t> waits;
  for (const auto& [id, f] : flows) {
    const std::int64_t wait = f.queue(1);
    waits.push_back(wait);
    expect_only(f, {{Part::alone, f.ideal.ps}, {Part::queue, wait}}, "two flows");
  }
  std::sort(waits.begin(), waits.end());
  EXPECT_EQ(waits, (std::vector<std::int64_t>{99 * kPacket, 100 * kPacket}));
}

TEST(Anatomy, OfTwoFlowsOfOneHostIsItsTurn) {
  const auto flows = tell(star(3, kFree, flow(1, 0, "100 KB") + flow(1, 2, "100 KB")));
  std::vector<std::int64_t> turns;
  for (const auto& [id, f] : flows) {
    turns.push_back(f[Part::turn]);
    expect_only(f, {{Part::alone, f.ideal.ps}, {Part::turn, turns.back()}}, "one NIC");
  }
  EXPECT_EQ(turns, (std::vector<std::int64_t>{99 * kPacket, 100 * kPacket}));
}

TEST(Anatomy, OfASmallWindowIsTheWindow) {
  // Ten packets in each round trip: nothing else holds the flow.
  const Told f = tell(star(3, "name = \"fixed-window\"\nwindow = \"10 KB\"", flow(1, 0, "100 KB"))).at(0);
  const Told one = tell(star(3, kFree, flow(1, 0, "1000 B"))).at(0);
  EXPECT_EQ(f.fct(), 10 * one.ideal.ps + 9 * kPacket);
  expect_only(f, {{Part::alone, f.ideal.ps}, {Part::window, f.fct() - f.ideal.ps}}, "window");
}

TEST(Anatomy, OfAPacedFlowIsPacing) {
  const Told f =
      tell(star(3, "name = \"fixed-window\"\nwindow = \"1 GB\"\nrate = \"50 Gbps\"", flow(1, 0, "100 KB"))).at(0);
  expect_only(f, {{Part::alone, f.ideal.ps}, {Part::pacing, 99 * kPacket}}, "paced");
}

TEST(Anatomy, OfALostPacketIsTheTimeout) {
  // The link is down when the only packet crosses it, and up again before the timeout.
  const std::string lossy =
      "[topology]\nkind = \"dumbbell\"\nleft = 1\nright = 1\n[transport]\nmin_rto = \"200 us\"\n[algorithm]\n" + kFree +
      "\n[[network.link_event]]\ntime = \"1 ns\"\na = 2\nb = 3\nstate = \"down\"\n[[network.link_event]]\ntime = \"100 "
      "us\"\na = 2\nb = "
      "3\n"
      "state = \"up\"\n";
  const Told f = tell(lossy + flow(0, 1, "1000 B")).at(0);
  EXPECT_EQ(f.record.retransmitted, 1);
  expect_only(f, {{Part::alone, f.ideal.ps}, {Part::timeout, 200'000'000}}, "timeout");
  // All of ten packets are lost, and sent again after the timeout of the first.
  const Told ten = tell(lossy + flow(0, 1, "10 KB")).at(0);
  EXPECT_EQ(ten.record.retransmitted, 10);
  expect_only(ten, {{Part::alone, ten.ideal.ps}, {Part::timeout, 200'000'000}}, "ten timeouts");
}

TEST(Anatomy, OfASlowReceiverIsTheHost) {
  const Told f = tell(star(3, kFree, "[host]\nreceive_delay = \"3 us\"\n" + flow(1, 0, "100 KB"))).at(0);
  expect_only(f, {{Part::alone, f.ideal.ps}, {Part::host, 3'000'000}}, "receiver");
}

TEST(Anatomy, OfAHeldSenderIsThat) {
  const Told f =
      tell(star(3, kFree, "[[host.pause]]\nhost = 1\nstart = \"1 us\"\nduration = \"20 us\"\n" + flow(1, 0, "100 KB")))
          .at(0);
  // The packet that is being sent at 1 us is sent whole.
  const std::int64_t held = 21'000'000 - 12 * kPacket;
  expect_only(f, {{Part::alone, f.ideal.ps}, {Part::held, held}}, "held");
}

// Flows that only PFC holds back: the time of the pauses of their NICs, and the queue that their last packets found.
TEST(Anatomy, OfPausedFlowsArePausesAndQueues) {
  const auto flows = tell(star(5, kFree,
                               "[network.buffer]\nsize = \"1 MB\"\n" + flow(1, 0, "500 KB") + flow(2, 0, "500 KB") +
                                   flow(3, 0, "500 KB") + flow(4, 0, "500 KB")));
  for (const auto& [id, f] : flows) {
    EXPECT_GT(f[Part::pause], 0);
    expect_only(f, {{Part::alone, f.ideal.ps}, {Part::pause, f[Part::pause]}, {Part::queue, f.queue(1)}}, "PFC");
    EXPECT_EQ(f[Part::pause] + f.queue(1), f.fct() - f.ideal.ps);
  }
}

}  // namespace
}  // namespace weir::anatomy
