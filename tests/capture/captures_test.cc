// Captures from outside: what `weir run --pcap` writes is what tshark reads, and its counts are the run's.
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/capture/tshark.h"

namespace weir::capture {
namespace {

using Json = nlohmann::json;

struct Captured {
  explicit Captured(const std::string& scenario, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"run", scenario, "--json", "--quiet", "--pcap", folder / "c"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const app::Output o = app::weir(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    if (o.status == 0) manifest = Json::parse(o.out).at("manifest");
  }

  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "c")) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  std::string file(const std::string& port) const { return folder / "c" + "/" + port + ".pcapng"; }
  std::uint64_t fact(const char* name) const { return manifest.at(name); }

  app::Folder folder{"weir-captures"};
  Json manifest;
};

const std::string kSent = "frame.packet_flags_direction == 2";
const std::string kReceived = "frame.packet_flags_direction == 1";

// All protocols, kinds of recovery and special packets, as a host sends and receives them.
class Readable : public testing::TestWithParam<const char*> {};

TEST_P(Readable, WithoutAnythingThatIsWrong) {
  WEIR_NEEDS_TSHARK();
  const std::string scenario = fmt::format("tests/scenarios/{}.toml", GetParam());
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--pcap-until", "300 us"},
                                               {"--pcap-until", "60 us", "--pcap-snaplen", "65536"},
                                               {"--pcap-until", "60 us", "--pcap-ipv6"}}) {
    std::vector<std::string> arguments{"--pcap-at", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Captured run(scenario, arguments);
    const std::string file = run.file("host-0");
    const auto all = frames(file, "weir", {"frame.number", "_ws.col.Info"});
    EXPECT_GT(all.size(), 20u);
    // of packets that are cut it says so there alone
    for (const auto& frame : all)
      EXPECT_EQ(frame[1].find("Malformed"), std::string::npos) << file << " frame " << frame[0] << ": " << frame[1];
    for (const auto& frame : frames(file, kWrong, {"frame.number", "_ws.col.Info"}))
      ADD_FAILURE() << file << " frame " << frame[0] << ": " << frame[1];
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Readable,
                         testing::Values("cubic-lossy", "irn-lossy", "mixed-recovery", "on-ramp-timely",
                                         "spraying-balancers"));

// A mark is on the packet as it leaves the switch that marks it.
TEST(Captures, CountMarks) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/irn-lossy.toml", {"--pcap-at", "16,17->16"});
  const auto received = frames(run.file("host-16"), "ip.dsfield.ecn == 3 && " + kReceived).size();
  EXPECT_EQ(frames(run.file("switch-17-to-host-16"), "ip.dsfield.ecn == 3 && " + kSent).size(), received);
  EXPECT_EQ(received, run.fact("packets_marked"));
  EXPECT_GT(received, 0u);
}

// The receiver is one host, whose switch all packets cross.
TEST(Captures, CountWhatTheRunCounts) {
  WEIR_NEEDS_TSHARK();
  const Captured run("scenarios/incast-16.toml",
                     {"--set", "algorithm.name=dcqcn", "--set", "algorithm.preset=hpcc", "--set",
                      "network.ecn.enabled=true", "--set", "traffic.0.size=100 KB", "--pcap-at", "16"});
  const std::string file = run.file("host-16");
  EXPECT_EQ(frames(file, "infiniband.bth.opcode < 0x11 && " + kReceived).size(), run.fact("data_packets"));
  EXPECT_EQ(frames(file, "ip.dsfield.ecn == 3 && " + kReceived).size(), run.fact("packets_marked"));
  EXPECT_EQ(frames(file, "frame[46] & 0x40 && " + kSent).size(), run.fact("cnps"));  // BECN
  EXPECT_GT(run.fact("packets_marked"), 0u);
  EXPECT_GT(run.fact("cnps"), 0u);
}

TEST(Captures, CountTrimmedPacketsAndTheirNotices) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/spraying-balancers.toml");
  std::uint64_t data = 0;
  std::uint64_t notices = 0;
  std::uint64_t again = 0;
  for (const std::string& file : run.files())
    for (const auto& frame :
         frames(file, kSent + " && uet.pds.type", {"uet.pds.type", "uet.pds.flags.retx", "weir.retransmission"})) {
      data += frame[0] == "2";
      notices += frame[0] == "10";
      again += frame[1] == "1";
      EXPECT_EQ(frame[1] == "1", frame[2] == "1");
    }
  EXPECT_EQ(data, run.fact("data_packets"));
  EXPECT_EQ(notices, run.fact("nacks"));
  EXPECT_EQ(again, run.fact("retransmitted_packets"));
  EXPECT_GT(again, 0u);
}

TEST(Captures, CountPauseFrames) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/irn-lossless.toml", {"--pcap-at", "all"});
  std::uint64_t sent = 0;
  for (const std::string& file : run.files())
    sent += frames(file, "macc.opcode == 0x0101 && frame[18:2] == ff:ff && " + kSent).size();
  EXPECT_EQ(sent, run.fact("pfc_pauses"));
  EXPECT_GT(sent, 0u);
}

TEST(Captures, CountOrAcks) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/on-ramp-timely.toml", {"--pcap-at", "8"});
  EXPECT_EQ(frames(run.file("host-8"), "weir.kind == 1 && weir.or_ack.arrived && " + kSent).size(),
            run.fact("or_acks"));
}

// The ports of a host are interfaces of one file; what is sent by each is what the run counts there.
TEST(Captures, TellThePortsOfAHostApart) {
  WEIR_NEEDS_TSHARK();
  const app::Folder results{"weir-captures"};
  const std::string out = results / "out";
  const Captured run("tests/scenarios/host-ports-dual-tor.toml",
                     {"--pcap-at", "0", "--set", "probes.links={}", "--out", out});
  EXPECT_EQ(run.files().size(), 1u);
  std::map<std::string, std::uint64_t> captured;
  for (const auto& frame : frames(run.file("host-0"), kSent, {"frame.interface_name", "weir.wire"}))
    captured[frame[0]] += std::stoull(frame[1]);
  std::map<std::string, std::uint64_t> counted;
  std::ifstream table(out + "/links.csv");
  std::string line;
  for (std::getline(table, line); std::getline(table, line);) {
    std::vector<std::string> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (row[1] == "0" && row[5] != "0") counted["host 0 to switch " + row[2]] += std::stoull(row[5]);
  }
  EXPECT_GT(captured.size(), 1u);
  EXPECT_EQ(captured, counted);
}

// What a run says of the size of its captures before it begins, where one host gets all packets, at all hosts, and
// within the network.
TEST(Captures, AreAsLargeAsExpected) {
  struct Case {
    std::string scenario;
    std::string at;
    std::vector<std::string> more;
  };
  const std::vector<std::string> few{"--set", "traffic.0.size=300 KB"};
  const std::vector<std::string> short_run{"--set", "traffic.0.size=100 KB", "--set", "traffic.1.stop=200 us"};
  for (const Case& c : {Case{"scenarios/incast-16.toml", "16", few}, Case{"scenarios/incast-16.toml", "all", few},
                        Case{"scenarios/incast-dcqcn-pfc.toml", "edge up", short_run}}) {
    const app::Folder folder{"weir-captures"};
    std::vector<std::string> arguments{"run", c.scenario, "--pcap", folder / "c", "--pcap-at", c.at};
    arguments.insert(arguments.end(), c.more.begin(), c.more.end());
    const app::Output o = app::weir(arguments);
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string_view says = "will take about ";
    const auto at = o.err.find(says);
    ASSERT_NE(at, std::string::npos) << o.err;
    const double expected = std::stod(o.err.substr(at + says.size())) * 1e6;
    double bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "c"))
      bytes += static_cast<double>(entry.file_size());
    EXPECT_GT(bytes, 1e6);
    EXPECT_NEAR(expected / bytes, 1, 0.2) << c.scenario << " " << c.at;
  }
}

// tshark's own analysis of TCP finds exactly the packets that Weir counts as sent again. It calls those that follow
// within 3 ms of the flow's last new packet out of order, though none can be where it is sent.
class Retransmissions : public testing::TestWithParam<const char*> {};

TEST_P(Retransmissions, AreThoseOfTshark) {
  WEIR_NEEDS_TSHARK();
  const Captured run(fmt::format("tests/scenarios/{}.toml", GetParam()));
  std::uint64_t sum = 0;
  for (const std::string& file : run.files()) {
    const auto all =
        frames(file, kSent + " && tcp.len > 0",
               {"frame.number", "tcp.analysis.retransmission", "tcp.analysis.out_of_order", "weir.retransmission"});
    for (const auto& frame : all) {
      const bool found = !frame[1].empty() || !frame[2].empty();
      EXPECT_EQ(found, frame[3] == "1") << file << " frame " << frame[0];
      sum += found;
    }
  }
  EXPECT_EQ(sum, run.fact("retransmitted_packets"));
  EXPECT_GT(sum, 0u);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Retransmissions, testing::Values("cubic-lossy", "dctcp-lossy", "linux-hosts"));

TEST(Captures, AreTheSameOnAnyNumberOfThreads) {
  for (const char* scenario : {"tests/scenarios/mixed-recovery.toml", "scenarios/incast-dcqcn-pfc.toml"}) {
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), {"--pcap-at", "0,16,edge up", "--pcap-until", "300 us"});
      return more;
    };
    const Captured one(scenario, with({"--threads", "1"}));
    const Captured two(scenario, with({"--threads", "2"}));
    const Captured heap(scenario, with({"--set", "run.scheduler=heap"}));
    ASSERT_GT(one.files().size(), 2u);
    for (const Captured* other : {&two, &heap}) {
      ASSERT_EQ(other->files().size(), one.files().size());
      for (std::size_t i = 0; i < one.files().size(); ++i)
        EXPECT_TRUE(app::read_file(one.files()[i]) == app::read_file(other->files()[i])) << one.files()[i];
    }
  }
}

TEST(Captures, ChangeNothing) {
  const Captured run("tests/scenarios/irn-lossy.toml");
  const app::Output plain = app::weir({"run", "tests/scenarios/irn-lossy.toml", "--json", "--quiet"});
  EXPECT_EQ(run.manifest.at("digest"), Json::parse(plain.out).at("manifest").at("digest"));
}

TEST(Captures, HoldTheChosenFlowsAndTimes) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/irn-lossy.toml", {"--pcap-at", "16,17->0", "--pcap-flow", "0,3-4", "--pcap-from",
                                                        "10 us", "--pcap-until", "30 us"});
  ASSERT_EQ(run.files(), (std::vector<std::string>{run.file("host-16"), run.file("switch-17-to-host-0")}));
  const auto all = frames(run.file("host-16"), "frame", {"weir.flow", "frame.time_epoch"});
  EXPECT_GT(all.size(), 0u);
  for (const auto& frame : all) {
    EXPECT_TRUE(frame[0] == "0" || frame[0] == "3" || frame[0] == "4") << frame[0];
    EXPECT_TRUE(frame[1] >= "0.000010" && frame[1] < "0.000030") << frame[1];
  }
}

struct Refusal {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(Captures, AreRefusedWithWhatWouldBeValid) {
  const app::Folder folder("weir-captures");
  const std::string scenario = "tests/scenarios/irn-lossy.toml";
  const std::string dir = folder / "c";
  for (const Refusal& refusal : {
           Refusal{{"--pcap", dir, "--pcap-at", "99"},
                   "--pcap-at: there is no node 99; hosts are 0 to 16, switches 17 to 17"},
           {{"--pcap", dir, "--pcap-at", "17->99"}, "--pcap-at: there is no node 99; nodes are 0 to 17"},
           {{"--pcap", dir, "--pcap-flow", "3,99"}, "--pcap-flow: there is no flow 99; flows are 0 to 15"},
           {{"--pcap", dir, "--pcap-flow", "x"},
            "--pcap-flow: 'x' is no flow id; valid is a list of ids and ranges, as \"0, 17, 200-299\""},
           {{"--pcap", dir, "--pcap-from", "2 us", "--pcap-until", "1 us"},
            "--pcap-until: 1 us is not after --pcap-from, 2 us"},
           {{"--pcap", dir, "--pcap-snaplen", "0"},
            "--pcap-snaplen: '0' is no number of bytes; valid is 1 to 262144, which keeps all"},
           {{"--pcap-at", "0"}, "there is no --pcap DIR; the other options of captures only say what goes there"},
           {{"--pcap", dir, "--checkpoint", "1 us", "--out", folder / "o"},
            "--pcap: captures do not go on from a checkpoint; leave out one of the two"},
           {{"--pcap", folder / "o/c", "--out", folder / "o"},
            "--pcap: write captures and results (--out) to directories of which none is inside the other"},
       }) {
    std::vector<std::string> arguments{"run", scenario, "--quiet"};
    arguments.insert(arguments.end(), refusal.arguments.begin(), refusal.arguments.end());
    const app::Output o = app::weir(arguments);
    EXPECT_EQ(o.status, 2) << refusal.message;
    EXPECT_EQ(o.err, "weir: " + refusal.message + "\n");
    EXPECT_EQ(folder.names(), std::vector<std::string>{}) << refusal.message;
  }
}

TEST(Captures, AreNotOfReplicas) {
  const app::Folder folder("weir-captures");
  const app::Output o = app::weir(
      {"run", "scenarios/demo-hpcc.toml", "--set", "run.fidelity=ns3-hpcc", "--quiet", "--pcap", folder / "c"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("single packets are only told by run.fidelity = \"exact\""), std::string::npos) << o.err;
}

TEST(Captures, EndWithAClearErrorWhenTheDiskIsFull) {
  const app::Folder folder("weir-captures");
  // a file may not become longer than so many blocks of 512 bytes
  const app::Output o =
      app::shell("ulimit -f 400; trap '' XFSZ; \"$weir\" run tests/scenarios/cubic-lossy.toml --quiet --pcap '" +
                 folder / "c" + "'");
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.err.find("host-"), std::string::npos) << o.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

}  // namespace
}  // namespace weir::capture
