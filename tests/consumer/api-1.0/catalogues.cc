// What a program adds: an algorithm, a kind of traffic, a probe with a table; and decisions of its own.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "weir/base/archive.h"
#include "weir/base/params.h"
#include "weir/base/random.h"
#include "weir/base/telemetry.h"
#include "weir/cc/algorithm.h"
#include "weir/cc/external.h"
#include "weir/cc/hooks.h"
#include "weir/host/decisions.h"
#include "weir/net/ideal_fct.h"
#include "weir/probe/catalogue.h"
#include "weir/probe/probe.h"
#include "weir/probe/results.h"
#include "weir/probe/statistics.h"
#include "weir/probe/summary.h"
#include "weir/result/columns.h"
#include "weir/result/contents.h"
#include "weir/result/percentile.h"
#include "weir/result/tables.h"
#include "weir/simulation.h"
#include "weir/traffic/catalogue.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

using namespace weir::literals;

namespace {

// All hooks that an algorithm can have.
class Every {
 public:
  struct Params {
    double share = 0.5;
    static void describe(weir::ParamList<Params>& p) { p.number("share", &Params::share, 0, 1, "of the window"); }
  };
  static constexpr weir::cc::About about{
      .name = "every", .title = "Every", .source = "this test", .needs = weir::cc::Needs::telemetry};
  Every(const Params& p, const weir::cc::FlowFacts& flow, weir::cc::Control& control) {
    control.window = {
        static_cast<std::int64_t>(static_cast<double>(weir::bytes_in(flow.base_rtt, flow.line_rate).count) * p.share) +
        flow.payload.count};
    control.timer = flow.start + 1_us;
  }
  void on_ack(const Params&, const weir::cc::FlowFacts&, const weir::cc::Ack& ack, weir::cc::Control&) {
    hops_ = std::max<int>(hops_, ack.hops);
    if (ack.telemetry != nullptr) queue_ = ack.telemetry->hop[0].queue;
  }
  void on_loss(const Params&, const weir::cc::FlowFacts&, const weir::cc::Loss&, weir::cc::Control&) {}
  void on_cnp(const Params&, const weir::cc::FlowFacts&, weir::Time, weir::cc::Control&) {}
  void on_send(const Params&, const weir::cc::FlowFacts&, const weir::cc::Send&, weir::cc::Control&) {}
  void on_timer(const Params&, const weir::cc::FlowFacts&, weir::Time, weir::cc::Control& control) {
    control.probe = true;
  }
  void on_echo(const Params&, const weir::cc::FlowFacts&, const weir::cc::Echo&, weir::cc::Control&) {}
  static weir::cc::ReceiverRules receiver(const Params&) { return {}; }

 private:
  int hops_ = 0;
  std::uint64_t queue_ = 0;
};

class Pairs : public weir::traffic::CopyableSource<Pairs> {
 public:
  struct Params {
    weir::Bytes size{10'000};
    static void describe(weir::ParamList<Params>& p) {
      p.bytes("size", &Params::size, "payload", "", weir::Bytes{1}, weir::traffic::kMaxFlowSize);
    }
  };
  Pairs(const Params& p, const weir::traffic::Context& context)
      : size_(p.size), hosts_(context.hosts()), random_(context.stream(weir::Purpose::flow_arrival)) {}
  std::optional<weir::traffic::Flow> next() override {
    if (src_ + 1 >= hosts_) return std::nullopt;
    weir::traffic::Flow flow{.src = src_, .dst = src_ + 1, .size = size_};
    src_ += 2;
    start_ += weir::Time{static_cast<std::int64_t>(random_.bits(src_) % 1'000)};
    flow.start = start_;
    return flow;
  }

 private:
  weir::Bytes size_;
  std::uint32_t hosts_;
  weir::RandomStream random_;
  weir::Time start_;
  std::uint32_t src_ = 0;
};

class Longest : public weir::probe::ArchivedProbe<Longest> {
 public:
  struct Params {
    weir::Time interval = 1_us;
    std::int64_t port = 0;
    static void describe(weir::ParamList<Params>& p) {
      p.time("interval", &Params::interval, "between samples", "", weir::probe::kMinInterval);
      p.integer("port", &Params::port, 0, 1'000'000, "of the network");
    }
  };
  static constexpr std::string_view kName = "longest";
  static constexpr std::string_view kMeaning = "the longest queue of a port";
  static constexpr bool kNeedsPackets = true;
  static void check(const Params& p, const weir::probe::Checks& checks) {
    checks.of_key("port", [&] {
      if (p.port >= checks.setting.network.ports()) throw weir::InputError("port", "there is no such port");
    });
  }
  static weir::Time interval(const Params& p) { return p.interval; }
  static void add_possible(const Params&, const weir::probe::Setting&, weir::probe::Summary& out) {
    out.sections.push_back({"longest", {{"most", 1}}});
  }
  Longest(const Params& p, const weir::probe::Context& context) {
    if (context.out != nullptr) file_.emplace(context.out->table("longest.csv"));
    context.engine.every(p.interval, [this, &engine = context.engine, port = p.port](weir::Time now) {
      const std::uint32_t queue = engine.queued_bytes(static_cast<std::uint32_t>(port));
      queues_.push_back(queue);
      if (file_) file_->print("{},{}\n", now.ps, queue);
    });
  }
  void on_finish(const weir::host::FlowRecord&) override { ++ended_; }
  void finish(weir::probe::Summary& out) override {
    if (file_) file_->close();
    const weir::probe::Distribution d = weir::probe::distribution_of(queues_);
    out.sections.push_back({"longest", {{"most", static_cast<std::int64_t>(d.max)}}});
  }
  template <class A>
  void archive(A& a) {
    a.value(ended_);
    a.values(queues_);
    if (file_) file_->archive(a);
  }

 private:
  std::optional<weir::probe::ResultFile> file_;
  std::vector<std::uint32_t> queues_;
  std::uint64_t ended_ = 0;
};

bool added() {
  weir::cc::add_algorithm(weir::cc::describe<Every>());
  weir::traffic::add_kind(weir::traffic::kind_of<Pairs>("pairs", "each host but the last to the next one"));
  weir::probe::add_kind(
      weir::probe::describe<Longest>(),
      {{.file = "longest.csv", .columns = {{.name = "time_ps", .is_measure = false}, {.name = "queue_bytes"}}}});
  const auto scenario = weir::Scenario::from_values({"topology.kind=star", "topology.hosts=8", "algorithm.name=every",
                                                     "traffic=[{kind='pairs', size='50 KB'}]", "probes.longest=true"});
  weir::Simulation run(scenario, {.tables = true});
  while (!run.advance()) {
  }
  const weir::Result result = run.finish();
  const weir::result::Columns table = weir::result::read_columns(
      result.tables.at("longest.csv"), *weir::result::find_table("longest.csv"), "longest.csv");
  bool is_intact = false;
  return table.rows > 3 && table.find("queue_bytes")->whole.size() == table.rows &&
         weir::result::percentile_place(table.rows, 1000) == table.rows - 1 &&
         weir::result::is_intact(result.manifest, is_intact) && weir::cc::find_algorithm("every") != nullptr &&
         weir::net::IdealFct::exact != weir::net::IdealFct::hpcc && weir::probe::jain(std::vector<double>{1, 1}) == 1;
}

bool decided() {
  const auto scenario =
      weir::Scenario::from_values({"topology.kind=star", "topology.hosts=3", "algorithm.name=external",
                                   "traffic=[{kind='incast', size='100 KB', receiver='2'}]"});
  weir::Simulation run(scenario);
  std::uint64_t acks = 0;
  run.engine().decide([&](std::span<const weir::host::Question> questions, std::span<weir::cc::Control> controls) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      acks += static_cast<const weir::cc::External*>(questions[i].state)->last().acks;
      controls[i].rate = questions[i].facts->line_rate;
    }
  });
  run.advance();
  return acks > 0;
}

}  // namespace

int main() {
  const bool all[] = {added(), decided()};
  for (const bool one : all)
    if (!one) return std::fprintf(stderr, "catalogues: %d %d\n", all[0], all[1]), 1;
}
