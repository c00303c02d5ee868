// A driver of hosts, as programs of API 1.0 write one: a token goes round all hosts.
#include <cstdint>
#include <cstdio>
#include <memory>

#include "weir/scenario.h"
#include "weir/simulation.h"
#include "weir/traffic/driver.h"
#include "weir/traffic/scale_up.h"

namespace {

// Each host sends a message to the next one when it has received one; host 0 begins.
class Token final : public weir::traffic::Driver {
 public:
  explicit Token(std::uint32_t hosts) : hosts_(hosts) {}
  std::uint64_t tasks() const override { return hosts_; }
  void begin(weir::traffic::Desk& desk) override {
    if (desk.host() == 0) pass(desk);
  }
  void received(weir::traffic::Desk& desk, const weir::traffic::Message&) override {
    if (desk.host() != 0) pass(desk);
  }
  void sent(weir::traffic::Desk& desk, const weir::traffic::Message&) override { desk.done(); }
  std::unique_ptr<Driver> clone() const override { return std::make_unique<Token>(*this); }
  void archive(weir::Saver&, std::uint32_t) override {}  // it knows nothing that changes
  void archive(weir::Loader&, std::uint32_t) override {}

 private:
  void pass(weir::traffic::Desk& desk) const {
    desk.send({.size = weir::Bytes{100'000}, .dst = (desk.host() + 1) % hosts_, .sport = 1, .dport = 1});
  }
  std::uint32_t hosts_;
};

}  // namespace

int main() {
  const auto star =
      weir::Scenario::from_values({"topology.kind=star", "topology.hosts=32", "algorithm.name=hpcc", "traffic=[]"});
  weir::Simulation simulation(star);
  weir::Time last;
  simulation.engine().on_finish([&](const weir::host::FlowRecord& message) { last = message.finish; });
  simulation.engine().drive(std::make_unique<Token>(32));
  simulation.advance();
  std::printf("the token was round after %.1f us\n", last.seconds() * 1e6);
  const weir::traffic::ScaleUp nvlink{.group = 8};
  return last > weir::Time{} && nvlink.is_there() && nvlink.joins(8, 15) && !nvlink.joins(7, 8) ? 0 : 1;
}
