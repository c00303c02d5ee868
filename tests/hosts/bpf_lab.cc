#include "tests/hosts/bpf_lab.h"

#include <bpf/bpf.h>
#include <linux/if_ether.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace weir::hosts::lab {
namespace {

constexpr std::size_t kTcpHeader = 20;

void put(Bytes& out, std::uint64_t value, unsigned bytes) {
  while (bytes-- > 0) out.push_back(static_cast<std::uint8_t>(value >> (8 * bytes)));
}

void put(Bytes& out, std::span<const std::uint8_t> bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void put_ethernet(Bytes& out, bool v6, unsigned vlans) {
  put(out, 0x0200'0000'0001, 6);
  put(out, 0x0200'0000'0002, 6);
  for (unsigned i = 0; i < vlans; ++i) {
    put(out, i + 1 == vlans ? ETH_P_8021Q : ETH_P_8021AD, 2);
    put(out, 0x6000 + 10 * (i + 1), 2);
  }
  put(out, v6 ? ETH_P_IPV6 : ETH_P_IP, 2);
}

// Without its checksum, which nobody looks at.
void put_ip(Bytes& out, const Address& from, const Address& to, std::uint8_t protocol, std::size_t size,
            std::uint8_t class_of_traffic) {
  if (from.v6) {
    put(out, 0x6000'0000 | static_cast<std::uint64_t>(class_of_traffic) << 20, 4);
    put(out, size, 2);
    put(out, protocol, 1);
    put(out, 64, 1);
  } else {
    put(out, 0x45, 1);
    put(out, class_of_traffic, 1);
    put(out, size + 20, 2);
    put(out, 0x4000, 4);
    put(out, 64, 1);
    put(out, protocol, 1);
    put(out, 0, 2);
  }
  put(out, {from.bytes.data(), from.size()});
  put(out, {to.bytes.data(), to.size()});
}

}  // namespace

std::int64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

Address address(const char* text) { return parse_address(text).value(); }

Bytes frame(const Segment& segment) {
  Bytes out;
  put_ethernet(out, segment.flow.source.v6, segment.vlans);
  put_ip(out, segment.flow.source, segment.flow.destination, 6, kTcpHeader + segment.length, segment.class_of_traffic);
  put(out, segment.flow.source_port, 2);
  put(out, segment.flow.destination_port, 2);
  put(out, segment.seq, 4);
  put(out, 1, 4);
  put(out, 0x50, 1);
  put(out, segment.flags, 1);
  put(out, 0xffff, 2);
  put(out, 0, 4);
  out.insert(out.end(), segment.length, 0xda);
  return out;
}

Bytes udp_frame(const Address& from, const Address& to, std::uint16_t port, std::span<const std::uint8_t> payload,
                unsigned vlans) {
  Bytes out;
  put_ethernet(out, from.v6, vlans);
  put_ip(out, from, to, 17, 8 + payload.size(), 0);
  put(out, port, 2);
  put(out, port, 2);
  put(out, 8 + payload.size(), 2);
  put(out, 0, 2);
  put(out, payload);
  return out;
}

Ran run(int program, const Bytes& packet, unsigned repeat) {
  Ran out;
  out.packet.resize(packet.size() + 512);
  __sk_buff context{};
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.data_in = packet.data();
  options.data_size_in = static_cast<unsigned>(packet.size());
  options.data_out = out.packet.data();
  options.data_size_out = static_cast<unsigned>(out.packet.size());
  options.ctx_out = &context;
  options.ctx_size_out = sizeof context;
  options.repeat = static_cast<int>(repeat);
  const int failed = bpf_prog_test_run_opts(program, &options);
  EXPECT_EQ(failed, 0) << std::strerror(-failed);
  out.verdict = static_cast<int>(options.retval);
  out.packet.resize(options.data_size_out);
  out.stamp = static_cast<std::int64_t>(context.tstamp);
  out.cost = options.duration;
  return out;
}

Peer peer(const Address& local, const Address& remote, std::int64_t threshold, std::int64_t sigma) {
  Peer out;
  out.address = remote;
  out.held = true;
  out.threshold = threshold;
  out.clock.sigma = sigma;
  out.send = pair_keys(kMaster, local, remote, kEpoch);
  out.receive = pair_keys(kMaster, remote, local, kEpoch);
  return out;
}

Bytes or_ack_frame(const Flow& flow, std::uint32_t seq, std::int64_t received, std::uint64_t epoch) {
  const OrAckBytes payload = write_or_ack({.flow = flow, .seq = seq, .received = received},
                                          pair_key(kMaster, flow.destination, flow.source, epoch));
  return udp_frame(flow.destination, flow.source, kOrAckPort, payload);
}

PathSettings ProgramTest::holding() {
  PathSettings out;
  out.hold = true;
  return out;
}

void ProgramTest::SetUp() { load(holding()); }

void ProgramTest::load(const PathSettings& settings) {
  program_.reset();
  try {
    program_ = std::make_unique<Program>(settings, bpf_object_bpf_tested(), programs_);
  } catch (const Unavailable& missing) {
    GTEST_SKIP() << missing.what();
  }
  beat();
}

weir_flow ProgramTest::flow(const Flow& flow) const {
  const weir_flow_key key = key_sent(flow);
  weir_flow out{};
  EXPECT_EQ(bpf_map_lookup_elem(program_->map("flows"), &key, &out), 0);
  return out;
}

std::vector<std::string> ProgramTest::table(const char* map) const {
  const int table = program_->map(map);
  bpf_map_info info{};
  unsigned size = sizeof info;
  EXPECT_EQ(bpf_obj_get_info_by_fd(table, &info, &size), 0);
  std::vector<std::string> out;
  std::string key(info.key_size, '\0');
  for (int more = bpf_map_get_next_key(table, nullptr, key.data()); more == 0;
       more = bpf_map_get_next_key(table, key.data(), key.data())) {
    std::string entry = key;
    entry.resize(key.size() + info.value_size);
    EXPECT_EQ(bpf_map_lookup_elem(table, key.data(), entry.data() + key.size()), 0);
    out.push_back(std::move(entry));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace weir::hosts::lab
