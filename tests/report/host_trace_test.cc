// Captures of hosts in reports, and as scenarios.
#include "weir/result/host_trace.h"
#include "tests/report/helpers.h"
#include "weir/import/host_import.h"
#include "weir/scenario/scenario.h"

namespace weir::report {
namespace {

// One connection that sends two messages of 20 and 10 KB, 300 ms apart, the second held for 2 ms in its middle; and one
// that sends once. One packet is sent again.
void write_trace(const std::string& directory) {
  std::filesystem::create_directories(directory);
  write(directory + "/meta.json",
        R"({"begin_ns": 1000, "begin_unix_ns": 5000001000, "end_ns": 1000001000, "mode": "queue",
    "lost": 0, "settings": {"rate": "100 Mbps"},
    "peers_at_end": [{"address": "10.77.0.2", "T_ns": 1000000}]})");
  write(directory + "/flows.csv",
        "flow,source,source_port,destination,destination_port\n"
        "0,10.77.0.1,40000,10.77.0.2,80\n"
        "1,10.77.0.1,40001,10.77.0.3,80\n");
  write(directory + "/packets.csv",
        "time_ns,flow,seq,length_bytes,held_ns\n"
        "2000,0,4294957296,10000,0\n"  // 2^32 - 10000: sequence numbers begin again at 0
        "3000,0,0,10000,0\n"
        "4000,0,0,10000,0\n"  // again
        "500000,1,7,1000,0\n"
        "300002000,0,10000,5000,0\n"
        "302003000,0,15000,5000,2000000\n");
  write(directory + "/or_acks.csv",
        "time_ns,flow,seq,delay_ns,beta,pause_ns\n"
        "900000,0,4294957296,800000,0,0\n"
        "301000000,0,10000,3000000,0.25,2000000\n");
}

std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HostTrace, BecomesMessagesThatAScenarioRepeats) {
  const Folder folder("weir-host-trace");
  write_trace(folder / "h1");
  ASSERT_TRUE(result::is_host_trace(folder / "h1"));
  const std::vector<result::HostTrace> traces{result::read_host_trace(folder / "h1")};
  const auto import = scenario::import_host(traces, {.flows_name = "t.flows.csv"});
  EXPECT_EQ(import.flows,
            "src,dst,size_bytes,start_ns,sport,dport\n"
            "0,1,20000,0,40000,80\n"
            "0,2,1000,498000,40001,80\n"
            "0,1,10000,300000000,40000,80\n");
  write(folder / "t.flows.csv", import.flows);
  write(folder / "t.toml", import.toml);
  const auto scenario = scenario::load_scenario(import.toml, folder / "t.toml");
  ASSERT_TRUE(scenario.profiles.front().on_ramp);
  EXPECT_EQ(scenario.profiles.front().on_ramp->T, Time{1'000'000'000}) << "that of the trace";
  ASSERT_TRUE(scenario.profiles.front().stack);
  EXPECT_EQ(scenario.profiles.front().on_ramp->segment, Bytes{0});

  const auto other = scenario::import_host(traces, {.flows_name = "t.flows.csv", .threshold = Time{50'000'000}});
  EXPECT_NE(other.toml.find("T = \"50 us\""), std::string::npos) << other.toml;
  const auto without = scenario::import_host(traces, {.flows_name = "t.flows.csv", .threshold = Time{}});
  EXPECT_EQ(without.toml.find("on_ramp"), std::string::npos) << without.toml;
}

TEST(HostTrace, StandsBesideSimulationsInAReport) {
  const Folder folder("weir-host-report");
  write_trace(folder / "h1");
  const Document document = read({folder / "h1"});
  EXPECT_EQ(ids(document), (std::vector<std::string>{"one-way-delays", "one-way-delays-over-time", "holds"}));
  const Figure& delays = figure(document, "one-way-delays");
  ASSERT_EQ(delays.series.size(), 1u);
  EXPECT_EQ(delays.series[0].name, "h1");
  EXPECT_EQ(delays.series[0].x, (std::vector<double>{8e8, 3e9}));
  EXPECT_EQ(delays.series[0].y, (std::vector<double>{0.5, 1}));
  const Figure& holds = figure(document, "holds");
  EXPECT_EQ(holds.series[0].x, (std::vector<double>{0, 2e9}));
  ASSERT_EQ(document.captures.size(), 1u);
  std::map<std::string, std::string> facts(document.captures[0].facts.begin(), document.captures[0].facts.end());
  EXPECT_EQ(facts["held"], "1 of them, 2 ms on average, 2 ms at most");
  EXPECT_EQ(facts["OR-ACKs"], "2, of which 1 paused a flow");
  EXPECT_EQ(facts["T to 10.77.0.2"], "1 ms");
}

TEST(HostTrace, FaultsAreToldWithTheirPlace) {
  const Folder folder("weir-host-faults");
  write_trace(folder / "h1");
  const std::string packets = folder / "h1/packets.csv";
  const struct {
    std::string text;
    std::string told;
  } cases[] = {
      {"time,flow\n", ":1: the first line names the columns; valid is time_ns,flow,seq,length_bytes,held_ns"},
      {"time_ns,flow,seq,length_bytes,held_ns\n1,0,0,x,0\n",
       ":2: length_bytes: 'x'; valid is a number of at most 4294967295"},
      {"time_ns,flow,seq,length_bytes,held_ns\n1,2,0,1,0\n", ":2: flow: '2'; valid is a number of at most 1"},
      {"time_ns,flow,seq,length_bytes,held_ns\n1,0,0,1\n", ":2: 4 fields; valid is 5"},
  };
  for (const auto& c : cases) {
    write(packets, c.text);
    EXPECT_EQ(message([&] { result::read_host_trace(folder / "h1"); }), packets + c.told);
  }
  write(packets, "time_ns,flow,seq,length_bytes,held_ns\n");
  EXPECT_EQ(message([&] { scenario::import_host(std::vector{result::read_host_trace(folder / "h1")}, {}); }),
            "no packet in the traces; trace while connections to peers send");
  write(folder / "h1/meta.json", "{}");
  EXPECT_EQ(message([&] { result::read_host_trace(folder / "h1"); }),
            (folder / "h1/meta.json") + ": begin_ns: valid is a whole number of nanoseconds");
}

}  // namespace
}  // namespace weir::report
