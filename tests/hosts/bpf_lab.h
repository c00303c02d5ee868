// What tests of the BPF path share: programs loaded with others around them, packets, and runs of a program on a
// packet.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hosts/bpf/program.h"
#include "hosts/path/data_path.h"
#include "hosts/wire/keys.h"
#include "hosts/wire/or_ack.h"

namespace weir::hosts {

std::span<const unsigned char> bpf_object_bpf_tested();

namespace lab {

using Bytes = std::vector<std::uint8_t>;

std::int64_t monotonic_now();
Address address(const char* text);

// What a frame of TCP is made of.
struct Segment {
  Flow flow;
  std::uint32_t seq = 0;
  std::uint32_t length = 1000;  // of data
  std::uint8_t flags = 0x10;    // of TCP: ACK
  unsigned vlans = 0;           // tags in the frame
  std::uint8_t class_of_traffic = 0;
};
Bytes frame(const Segment& segment);
// A frame with an OR-ACK, or anything else, as payload of UDP.
Bytes udp_frame(const Address& from, const Address& to, std::uint16_t port, std::span<const std::uint8_t> payload,
                unsigned vlans = 0);

// The result of running a program on a packet.
struct Ran {
  int verdict = 0;
  Bytes packet;            // after it
  std::int64_t stamp = 0;  // time of departure; 0: none
  std::int64_t cost = 0;   // ns, on average
};
Ran run(int program, const Bytes& packet, unsigned repeat = 1);

// Both ends of a pair of hosts as their programs see them: this host is `local`, the other `remote`; the epoch is 100.
inline const MasterKey kMaster = {7, 7, 7};
inline constexpr std::uint64_t kEpoch = 100;
Peer peer(const Address& local, const Address& remote, std::int64_t threshold, std::int64_t sigma = 1'000);

// What the remote end of a flow that this host sends answers.
Bytes or_ack_frame(const Flow& flow, std::uint32_t seq, std::int64_t received, std::uint64_t epoch = kEpoch);

// Loads the programs of bpf_tested.bpf.c that are named, or says why this cannot be tested here.
class ProgramTest : public testing::Test {
 protected:
  explicit ProgramTest(std::vector<std::string> programs = {"weir_egress", "weir_ingress"})
      : programs_(std::move(programs)) {}
  void SetUp() override;
  // With these settings.
  void load(const PathSettings& settings);
  static PathSettings holding();
  void beat() { program_->state().beat = monotonic_now(); }
  weir_flow flow(const Flow& flow) const;
  // All entries of the table of flows, as bytes.
  std::vector<std::string> table(const char* map) const;

  std::unique_ptr<Program> program_;

 private:
  std::vector<std::string> programs_;
};

}  // namespace lab
}  // namespace weir::hosts
