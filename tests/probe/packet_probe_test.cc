// packets.csv: the life of one packet by hand, and what is chosen.
#include "weir/probe/packet_probe.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "tests/probe/helpers.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

// The rows of a run over one switch with links of 1 us and 100 Gb/s, without the header line.
std::vector<std::string> packet_rows(Lab::Flows flows, const PacketsParams& params) {
  Lab lab(net::build(net::Star{.hosts = 3}), std::move(flows), "fixed-window", {}, {.traced = true});
  ProbeParams probes;
  probes.set(params);
  auto rows = table_of(lab, probes, "packets.csv");
  EXPECT_EQ(rows.at(0),
            "time_ps,event,port,from,to,flow_id,packet,seq,wire_bytes,queue_bytes,entropy,marked,again,window_bytes,"
            "rate_bps,lost_bytes");
  rows.erase(rows.begin());
  return rows;
}

// Without the entropy, which is a hash.
std::string plain(const std::string& row) {
  std::string out;
  std::istringstream fields(row + ",");
  int n = 0;
  for (std::string field; std::getline(fields, field, ','); ++n) out += (n == 0 ? "" : ",") + (n == 10 ? "" : field);
  return out;
}

// Two links of 1 us; the packet takes 1,048 B at 80 ps each, its acknowledgement 60 B. Host 1's NIC is port 2, and the
// switch's ports are 1 (to host 0) and 3 (to host 1).
TEST(PacketProbe, TellsTheLifeOfAPacket) {
  const auto rows = packet_rows({flow(0_us, 1, 0, 1_KB)}, {});
  const std::vector<std::string> expected{
      "0,started,2,1,3,0,,,,,,,,,,",
      "0,controlled,2,1,3,0,,,,,,,,1000000000,,",
      "0,accepted,2,1,3,0,data,0,1048,1048,,0,0,,,",
      "0,left,2,1,3,0,data,0,1048,0,,0,0,,,",
      "1083840,arrived,2,1,3,0,data,0,1048,,,0,0,,,",
      "1083840,accepted,1,3,0,0,data,0,1048,1048,,0,0,,,",
      "1083840,left,1,3,0,0,data,0,1048,0,,0,0,,,",
      "2167680,arrived,1,3,0,0,data,0,1048,,,0,0,,,",
      "2167680,accepted,0,0,3,0,ack,1000,60,60,,0,0,,,",
      "2167680,left,0,0,3,0,ack,1000,60,0,,0,0,,,",
      "3172480,arrived,0,0,3,0,ack,1000,60,,,0,0,,,",
      "3172480,accepted,3,3,1,0,ack,1000,60,60,,0,0,,,",
      "3172480,left,3,3,1,0,ack,1000,60,0,,0,0,,,",
      "4177280,arrived,3,3,1,0,ack,1000,60,,,0,0,,,",
      "4177280,ended,2,1,3,0,,,,,,,,,,",
  };
  std::vector<std::string> got;
  std::transform(rows.begin(), rows.end(), std::back_inserter(got), plain);
  EXPECT_EQ(got, expected);
}

TEST(PacketProbe, FollowsChosenFlowsPortsAndTimes) {
  const Lab::Flows flows{flow(0_us, 1, 0, 20_KB), flow(1_us, 2, 0, 20_KB), flow(2_us, 1, 2, 5_KB)};
  const auto all = packet_rows(flows, {});
  const auto field = [](const std::string& row, int n) {
    std::istringstream fields(row);
    std::string out;
    for (int i = 0; i <= n; ++i) std::getline(fields, out, ',');
    return out;
  };
  const auto of_flow = [&](const std::string& row) { return field(row, 5) == "1" || field(row, 5) == "2"; };
  const auto of_port = [&](const std::string& row) {
    const std::string event = field(row, 1);
    return event == "started" || event == "ended" || event == "controlled" || field(row, 2) == "1";
  };
  const auto in_time = [&](const std::string& row) {
    const std::int64_t t = std::stoll(field(row, 0));
    return t >= 2'000'000 && t < 4'000'000;
  };
  const auto pick = [&](const auto& is) {
    std::vector<std::string> out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(out), is);
    return out;
  };
  EXPECT_EQ(packet_rows(flows, {.flows = "1-2"}), pick(of_flow));
  EXPECT_EQ(packet_rows(flows, {.ports = "edge down"}).size(),
            pick([&](const auto& r) { return of_port(r) || field(r, 3) == "3"; }).size());
  EXPECT_EQ(packet_rows(flows, {.ports = "3->0"}), pick(of_port));
  EXPECT_EQ(packet_rows(flows, {.start = 2_us, .stop = 4_us}), pick(in_time));
}

TEST(ParseIds, ReadsIdsAndRanges) {
  const auto shown = [](std::string_view list) {
    std::string out;
    for (const IdRange& r : parse_ids(list)) out += std::to_string(r.first) + "-" + std::to_string(r.last) + " ";
    return out;
  };
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("17"), "17-17 ");
  EXPECT_EQ(shown(" 200 - 299 ,0, 5"), "0-0 5-5 200-299 ");
  for (const char* wrong : {"a", "1,", "-1", "1-", "3-2", "1 2", "99999999999999999999"})
    EXPECT_THROW(parse_ids(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace weir::probe
