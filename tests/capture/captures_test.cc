// Captures from outside: what `weir run --pcap` writes is what tshark reads, and its counts are the run's.
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/capture/tshark.h"

namespace weir::capture {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

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
    for (const auto& entry : fs::directory_iterator(folder / "c")) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  // Frames of all files.
  std::uint64_t count(const std::string& filter) const {
    std::uint64_t sum = 0;
    for (const std::string& file : files()) sum += frames(file, filter).size();
    return sum;
  }
  std::uint64_t fact(const char* name) const { return manifest.at(name); }

  app::Folder folder{"weir-captures"};
  Json manifest;
};

const std::string kSent = "frame.packet_flags_direction == 2";
const std::string kReceived = "frame.packet_flags_direction == 1";

// All protocols, kinds of recovery and special packets, at the senders' and the receivers' ends.
class Readable : public testing::TestWithParam<const char*> {};

TEST_P(Readable, WithoutAnythingThatIsWrong) {
  WEIR_NEEDS_TSHARK();
  const std::string scenario = fmt::format("tests/scenarios/{}.toml", GetParam());
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--pcap-until", "300 us"}, {"--pcap-until", "60 us", "--pcap-snaplen", "65536"},
        {"--pcap-until", "60 us", "--pcap-ipv6"}}) {
    const Captured run(scenario, more);
    EXPECT_GT(run.count("weir"), 100u);
    for (const std::string& file : run.files())
      for (const auto& frame : frames(file, kWrong, {"frame.number", "_ws.col.Info"}))
        ADD_FAILURE() << file << " frame " << frame[0] << ": " << frame[1];
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Readable,
                         testing::Values("cubic-lossy", "irn-lossy", "mixed-recovery", "on-ramp-timely",
                                         "spraying-balancers"));

// Each data packet is captured where it is sent and where it arrives, each mark where it arrives.
TEST(Captures, CountWhatTheRunCounts) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/irn-lossy.toml");
  EXPECT_EQ(run.count("infiniband.bth.opcode < 0x11 && " + kSent), run.fact("data_packets"));
  EXPECT_EQ(run.count("ip.dsfield.ecn == 3 && infiniband.bth.opcode < 0x11 && " + kReceived), run.fact("packets_marked"));
  EXPECT_EQ(run.count("weir.retransmission && " + kSent), run.fact("retransmitted_packets"));
  EXPECT_GT(run.fact("packets_marked"), 0u);
  EXPECT_GT(run.fact("retransmitted_packets"), 0u);
}

TEST(Captures, CountTrimmedPacketsAndTheirNotices) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/spraying-balancers.toml");
  EXPECT_EQ(run.count("uet.pds.type == 10 && " + kSent), run.fact("nacks"));
  EXPECT_EQ(run.count("uet.pds.type == 2 && " + kSent), run.fact("data_packets"));
  EXPECT_EQ(run.count("uet.pds.flags.retx == 1 && " + kSent), run.fact("retransmitted_packets"));
}

TEST(Captures, CountPauseFrames) {
  WEIR_NEEDS_TSHARK();
  const Captured run("scenarios/incast-dcqcn-pfc.toml", {"--pcap-at", "all", "--pcap-snaplen", "64"});
  const std::string pfc = "macc.opcode == 0x0101 && ";
  EXPECT_EQ(run.count(pfc + "frame[18:2] == ff:ff && " + kSent), run.fact("pfc_pauses"));
  EXPECT_GT(run.fact("pfc_pauses"), 0u);
}

TEST(Captures, CountOrAcks) {
  WEIR_NEEDS_TSHARK();
  const Captured run("tests/scenarios/on-ramp-timely.toml");
  EXPECT_EQ(run.count("weir.kind == 1 && weir.or_ack.arrived && " + kSent), run.fact("or_acks"));
}

// tshark's own analysis of TCP finds exactly the packets that Weir counts as sent again.
class Retransmissions : public testing::TestWithParam<const char*> {};

TEST_P(Retransmissions, AreThoseOfTshark) {
  WEIR_NEEDS_TSHARK();
  const Captured run(fmt::format("tests/scenarios/{}.toml", GetParam()));
  std::uint64_t sum = 0;
  for (const std::string& file : run.files()) {
    const auto found = frames(file, "(tcp.analysis.retransmission || tcp.analysis.out_of_order) && " + kSent);
    EXPECT_EQ(found, frames(file, "tcp && weir.retransmission && " + kSent)) << file;
    sum += found.size();
  }
  EXPECT_EQ(sum, run.fact("retransmitted_packets"));
  EXPECT_GT(sum, 0u);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Retransmissions, testing::Values("cubic-lossy", "dctcp-lossy", "bbr-lossy"));

TEST(Captures, AreTheSameOnAnyNumberOfThreads) {
  for (const char* scenario : {"tests/scenarios/mixed-recovery.toml", "scenarios/incast-dcqcn-pfc.toml"}) {
    const std::vector<std::string> at{"--pcap-at", "0,16,edge up", "--pcap-until", "300 us"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), at.begin(), at.end());
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
  const Captured run("tests/scenarios/irn-lossy.toml",
                     {"--pcap-at", "16,17->0", "--pcap-flow", "0,3-4", "--pcap-from", "10 us", "--pcap-until", "30 us"});
  ASSERT_EQ(run.files().size(), 2u);
  EXPECT_TRUE(run.files()[0].ends_with("/host-16.pcapng")) << run.files()[0];
  EXPECT_TRUE(run.files()[1].ends_with("/switch-17-to-host-0.pcapng")) << run.files()[1];
  EXPECT_GT(run.count("weir.flow == 3"), 0u);
  EXPECT_EQ(run.count("!(weir.flow in {0,3,4})"), 0u);
  EXPECT_EQ(run.count("frame.time_relative < 0 || frame.time_epoch < 0.00001 || frame.time_epoch >= 0.00003"), 0u);
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
  const app::Output o = app::weir({"run", "scenarios/demo-hpcc.toml", "--set", "run.fidelity=ns3-hpcc", "--quiet",
                                   "--pcap", folder / "c"});
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("single packets are only told by run.fidelity = \"exact\""), std::string::npos) << o.err;
}

TEST(Captures, EndWithAClearErrorWhenTheDiskIsFull) {
  const app::Folder folder("weir-captures");
  // a file may not become longer than so many blocks of 512 bytes
  const app::Output o = app::shell("ulimit -f 400; trap '' XFSZ; \"$weir\" run tests/scenarios/cubic-lossy.toml --quiet --pcap '" +
                                   folder / "c" + "'");
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.err.find("host-"), std::string::npos) << o.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

}  // namespace
}  // namespace weir::capture
