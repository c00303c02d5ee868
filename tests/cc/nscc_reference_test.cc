// NSCC against the traces of uet-htsim: the same feedback gives the same window after every acknowledgement, to the
// byte. data/reference/htsim/README.md says what the traces are.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cc/preset.h"
#include "weir/cc/nscc.h"

namespace weir::cc::nscc_reference_test {
namespace {

using namespace literals;

constexpr Bytes kFrame{4'160};

struct Trace {
  const char* name;
  Time base_rtt;
  int rows;
};

void PrintTo(const Trace& t, std::ostream* out) { *out << t.name; }

class NsccReference : public testing::TestWithParam<Trace> {};

std::vector<std::int64_t> numbers(const std::string& line) {
  std::vector<std::int64_t> out;
  std::istringstream cells(line);
  for (std::string cell; std::getline(cells, cell, ',');) out.push_back(std::stoll(cell));
  return out;
}

TEST_P(NsccReference, HasTheSameWindowAfterEachAcknowledgement) {
  FlowFacts facts;
  facts.line_rate = 800_Gbps;
  facts.path_rate = 800_Gbps;
  facts.base_rtt = GetParam().base_rtt;
  facts.network_rtt = 6'253'440_ps;
  facts.payload = 4'096_B;
  facts.wire = kFrame;
  auto params = preset<Nscc>("spraying");
  params.initial_window = 1.5;  // as the reference begins
  Control control;
  Nscc nscc(params, facts, control);

  const auto path = std::string("data/reference/htsim/nscc_") + GetParam().name + ".csv";
  std::ifstream in(path);
  ASSERT_TRUE(in) << path << " cannot be read; tests run in the source folder";
  std::string line;
  std::getline(in, line);
  ASSERT_EQ(line, "time_ps,rtt_ps,ecn,acked,lost,in_flight,window");
  int rows = 0;
  while (std::getline(in, line)) {
    const auto row = numbers(line);
    ASSERT_EQ(row.size(), 7u);
    const Time now{row[0]};
    for (std::int64_t n = 0; n < row[4]; ++n)
      nscc.on_loss(params, facts, {.kind = Loss::Kind::timeout, .now = now, .lost = kFrame}, control);
    Ack ack;
    ack.now = now;
    ack.rtt = {row[1]};
    ack.ecn = row[2] != 0;
    ack.acked = {row[3]};
    ack.in_flight = {row[5]};
    nscc.on_ack(params, facts, ack, control);
    ++rows;
    ASSERT_EQ(control.window.count, row[6]) << path << ":" << rows + 1;
  }
  EXPECT_EQ(rows, GetParam().rows);
}

INSTANTIATE_TEST_SUITE_P(Traces, NsccReference,
                         testing::Values(Trace{"one128_8M_ecmp", 6'253'440_ps, 513},
                                         Trace{"two128_2M_ops", 6'253'440_ps, 404},
                                         Trace{"stagger3_4M_ops", 6'253'440_ps, 632},
                                         Trace{"inc8_2M_ops", 2'084'480_ps, 422},
                                         Trace{"inc8_2M_ecmp", 2'084'480_ps, 415}));

}  // namespace
}  // namespace weir::cc::nscc_reference_test
