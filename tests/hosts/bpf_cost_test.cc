// Processor time per packet. Each figure is the smallest of many short runs, less that of a program that does nothing:
// whatever else the machine does can only add. It adds to all of them where the machine is busy all the time, so
// figures are only held against their limits with WEIR_COST_LIMITS=1.
#include <bpf/bpf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>

#include "tests/hosts/bpf_lab.h"
#include "tests/hosts/bpf_tested.h"

namespace weir::hosts::lab {
namespace {

constexpr int kRuns = 200;
constexpr std::uint32_t kData = 1'000;

class BpfCost : public ProgramTest {
 protected:
  BpfCost() : ProgramTest({"weir_egress", "weir_ingress", "nothing", "next_leaves", "next_arrives"}) {}

  const Flow flow_{address("10.77.0.1"), address("10.77.0.2"), 40'000, 80};
  const Bytes packet_ = frame({.flow = flow_, .length = kData});

  // ns for one more packet than nothing.
  template <class Round>
  std::int64_t cost(Round round) {
    std::int64_t least = 1'000'000;
    std::int64_t nothing = 1'000'000;
    for (int i = 0; i < kRuns; ++i) {
      least = std::min(least, round());
      nothing = std::min(nothing, run(program_->program("nothing"), packet_, 1'000).cost);
    }
    return least - nothing;
  }

  void report(const char* what, std::int64_t ns, std::int64_t limit) {
    std::cout << what << ": " << ns << " ns\n";
    RecordProperty(what, static_cast<int>(ns));
    if (std::getenv("WEIR_COST_LIMITS") != nullptr) {
      EXPECT_LE(ns, limit) << what;
    }
  }
};

TEST_F(BpfCost, OfWhatIsNotOurs) {
  const int egress = program_->egress();
  report("bypassed, to no peer", cost([&] { return run(egress, packet_, 1'000).cost; }), 50);
  const Bytes v6 = frame({.flow = {address("fd77::1"), address("fd77::2"), 1, 2}});
  report("bypassed, to no peer, IPv6", cost([&] { return run(egress, v6, 1'000).cost; }), 50);
  const Bytes udp = udp_frame(flow_.source, flow_.destination, 53, std::vector<std::uint8_t>(100));
  report("bypassed, UDP", cost([&] { return run(egress, udp, 1'000).cost; }), 50);
}

TEST_F(BpfCost, OfAPacketThatLeaves) {
  program_->set_peer(peer(flow_.source, flow_.destination, 100'000));
  const int leaves = program_->program("next_leaves");
  report("egress", cost([&] {
           beat();
           return run(leaves, packet_, 1'000).cost;
         }),
         150);
  EXPECT_GT(program_->counters().notes, 0u);
  const weir_flow_key key = key_sent(flow_);
  report("egress, held", cost([&] {
           beat();
           weir_flow paused = flow(flow_);
           paused.rule.pause_end = monotonic_now() + 1'000'000'000;
           EXPECT_EQ(bpf_map_update_elem(program_->map("flows"), &key, &paused, BPF_EXIST), 0);
           return run(leaves, packet_, 1'000).cost;
         }),
         150);
  EXPECT_GT(program_->counters().held, 0u);
  program_->state().beat = 1;
  report("egress, no heartbeat", cost([&] { return run(leaves, packet_, 1'000).cost; }), 100);
}

TEST_F(BpfCost, OfAnOrAck) {
  program_->set_peer(peer(flow_.source, flow_.destination, 100'000, 1'000'000'000'000));
  const PairKey key = pair_key(kMaster, flow_.destination, flow_.source, kEpoch);
  const Bytes any = or_ack_frame(flow_, 0, 0);
  // As many packets leave as there are OR-ACKs ready, then these arrive.
  Bytes next = packet_;
  std::uint32_t seq = 0;
  const auto round = [&] {
    beat();
    prepared_or_acks ready{};
    for (auto& words : ready.words) {
      seq += kData;
      const OrAckBytes payload = write_or_ack({.flow = flow_, .seq = seq, .received = monotonic_now()}, key);
      std::memcpy(words, payload.bytes.data(), sizeof words);
    }
    next = run(program_->program("next_leaves"), next, PREPARED_OR_ACKS).packet;
    const unsigned zero = 0;
    EXPECT_EQ(bpf_map_update_elem(program_->map("prepared"), &zero, &ready, BPF_ANY), 0);
    return run(program_->program("next_arrives"), any, PREPARED_OR_ACKS).cost;
  };
  report("OR-ACK", cost(round), 500);
  const weir_counters counters = program_->counters();
  EXPECT_EQ(counters.or_acks_accepted, static_cast<std::uint64_t>(kRuns * PREPARED_OR_ACKS));

  program_->set_peer(peer(flow_.destination, flow_.source, 1));
  Bytes forged = any;
  forged.back() ^= 1;
  report("forged OR-ACK", cost([&] { return run(program_->ingress(), forged, 1'000).cost; }), 500);
}

TEST_F(BpfCost, OfDataThatArrives) {
  program_->set_peer(peer(flow_.destination, flow_.source, 100'000));
  run(program_->ingress(), packet_);
  report("ingress, not answered", cost([&] {
           beat();
           return run(program_->ingress(), packet_, 50).cost;
         }),
         150);
}

}  // namespace
}  // namespace weir::hosts::lab
