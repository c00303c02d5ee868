// The INT header of captured packets has what the algorithm read, to the bit.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/capture/tshark.h"
#include "weir/base/int_wire.h"
#include "weir/capture/capture.h"
#include "weir/cc/algorithm.h"
#include "weir/run/execute.h"
#include "weir/scenario/build.h"

namespace weir::capture {
namespace {

struct Told {
  Time time;
  int hops = 0;
  Telemetry telemetry;
};
std::vector<Told> told;

// Sends at line rate, and writes down what it reads.
class Reader {
 public:
  struct Params {
    static void describe(ParamList<Params>&) {}
  };
  static constexpr cc::About about{
      .name = "reader-of-int", .title = "Reader", .source = "test", .needs = cc::Needs::telemetry};
  Reader(const Params&, const cc::FlowFacts&, cc::Control& control) { control.window = {20'000}; }
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack& ack, cc::Control&) {
    told.push_back({ack.now, ack.hops, *ack.telemetry});
  }
};

std::string scenario_text(const std::string& mode) {
  return fmt::format(R"([topology]
kind = "dumbbell"
left = 3
right = 3
bottleneck_rate = "50 Gbps"
[algorithm]
name = "reader-of-int"
[transport]
int_mode = "{}"
int_multiplier = 2
[[traffic]]
kind = "flows"
flow = [
  {{ src = 0, dst = 3, size = "200 KB" }},
  {{ src = 1, dst = 4, size = "200 KB" }},
  {{ src = 2, dst = 5, size = "200 KB" }},
]
)",
                     mode);
}

class IntOnTheWire : public testing::TestWithParam<const char*> {};

TEST_P(IntOnTheWire, IsWhatTheAlgorithmReads) {
  WEIR_NEEDS_TSHARK();
  static const cc::Algorithm& reader = cc::add_algorithm(cc::describe<Reader>());
  ASSERT_EQ(reader.about.name, "reader-of-int");
  told.clear();
  const app::Folder folder("weir-int");
  const auto s = scenario::load_scenario(scenario_text(GetParam()), "int.toml");
  const auto model = scenario::build_model(s);
  Capture capture({.directory = folder / "c", .at = {"0,1,2,6->7"}}, *model);
  run::ExecutionOptions options;
  options.traced = true;
  options.prepare = [&](engine::Engine& engine) { capture.attach(engine); };
  run::execute(s, model, nullptr, options);
  capture.finish();

  const bool exact = std::string(GetParam()) == "exact";
  const auto text_of = [&](const Told& t) {
    std::vector<std::string> values[4];
    for (int i = 0; i < t.hops; ++i) {
      const HopTelemetry& read = t.telemetry.hop[static_cast<std::size_t>(i)];
      const HopTelemetry h = exact ? IntFormat::wire(2).quantise(read) : read;
      values[0].push_back(std::to_string(int_speed_code(h.rate_mbps).value()));
      values[1].push_back(std::to_string(h.time));
      values[2].push_back(std::to_string(h.tx_bytes));
      values[3].push_back(std::to_string(h.queue));
    }
    std::string out = fmt::format("{} {} 0x{:04x}", t.time.ps / 1'000, t.hops, path_id(t.telemetry.path));
    for (const auto& value : values) out += fmt::format(" {}", fmt::join(value, ","));
    return out;
  };
  // by time and host; the acknowledgement that ends a flow is not told
  std::vector<std::string> read;
  for (const Told& t : told) read.push_back(text_of(t));
  std::vector<std::string> captured;
  for (const char* host : {"0", "1", "2"}) {
    auto rows = frames(folder / (std::string("c/host-") + host + ".pcapng"),
                       "infiniband.bth.opcode == 0x11 && frame.packet_flags_direction == 1",
                       {"frame.time_epoch", "hpcc_int.nhop", "hpcc_int.pathid", "hpcc_int.b", "hpcc_int.ts",
                        "hpcc_int.txbytes", "hpcc_int.qlen"});
    ASSERT_EQ(rows.size(), 200u) << host;
    rows.pop_back();
    for (auto& row : rows) {
      const std::string& time = row[0];  // 0.000012345: in nanoseconds
      captured.push_back(fmt::format("{} {} {} {} {} {} {}", std::stoll(time.substr(time.find('.') + 1)), row[1],
                                     row[2], row[3], row[4], row[5], row[6]));
    }
  }
  std::sort(read.begin(), read.end());
  std::sort(captured.begin(), captured.end());
  EXPECT_EQ(captured, read);
  // a switch's record is complete as the packet leaves the switch
  const auto at_switch =
      frames(folder / "c/switch-6-to-switch-7.pcapng",
             "infiniband.bth.opcode < 0x11 && frame.packet_flags_direction == 2 && hpcc_int.nhop == 1");
  EXPECT_EQ(at_switch.size(), 600u);
}

INSTANTIATE_TEST_SUITE_P(Modes, IntOnTheWire, testing::Values("wire", "exact"));

}  // namespace
}  // namespace weir::capture
