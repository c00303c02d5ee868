// A run at flow level: flows are fluids that share links fairly, and there are no packets. It is what a scenario gets
// with run.fidelity = "flow"; docs/guides/flow-level.md tells what it may be trusted with.
//
// From its start on, a flow has its max-min or alpha-fair rate (theory/live_rates.h) among all flows that are sending,
// on the path that its packets would take (by the hash of its entropy, or spread over all shortest paths if it sprays),
// until all of its bytes on the wire, headers included, have been sent. Its receiver has the last byte when the last
// bit has crossed the path, which is the difference of its delivery alone (fluid/lone_times.h) and the transmission
// at the path's slowest link; a flow that is alone on one path is received at the very instant of the packet engine. It
// ends with its acknowledgement, one way back and the receiving host's delay later, but never sooner than with packets
// and alone (net::Paths::ideal_fct). Messages and computations wait for each other as in engine/partition/messages.h.
//
// There are no queues, no marks, no losses, no pauses and no algorithms. An event is the start of flows, the end of
// sending, a receipt or an acknowledgement; rates are worked out anew once for all events of an instant.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/engine/model/program_driver.h"
#include "weir/engine/model/scale_up_switch.h"
#include "weir/engine/time/samplers.h"
#include "weir/engine/time/simulation.h"
#include "weir/fluid/lone_times.h"
#include "weir/fluid/params.h"
#include "weir/fluid/paths.h"
#include "weir/sim/tournament.h"
#include "weir/theory/live_rates.h"
#include "weir/traffic/program.h"
#include "weir/traffic/traffic.h"

namespace weir::fluid {

class FlowLevel final : public engine::Engine {
 public:
  // The model and the traffic must outlive this. Of the options it knows `stop` and `until_program`.
  FlowLevel(const engine::Model& model, const FluidParams& params, traffic::Traffic& traffic,
            const engine::RunOptions& options);

  void every(Time interval, std::function<void(Time)> call) override;
  bool advance(Time until = Time::max()) override;
  bool advance_for(double wall_s, Time until) override;
  const engine::Stall* stall() const override { return stall_ ? &*stall_ : nullptr; }

  Time now() const override { return now_; }
  Time epoch() const override { return epoch_; }
  std::uint32_t threads() const override { return 1; }
  // Data packets are those that what has been sent would fill.
  engine::Counters counters() const override;
  const engine::Model& model() const override { return model_; }

  std::uint32_t queued_bytes(std::uint32_t) override { return 0; }
  engine::PortFigures port_figures(std::uint32_t port) override;
  engine::SwitchFigures switch_figures(std::uint32_t) const override { return {}; }

  std::vector<std::uint32_t> path(const host::FlowRecord& record) const override;
  // Payload that has been sent counts as acknowledged.
  void for_each_active(const std::function<void(const host::FlowView&)>& visit) const override;

  const traffic::Program& program() const override { return traffic_.program(); }
  std::span<const engine::NodeTimes> node_times() const override {
    return program_driver_ == nullptr ? std::span<const engine::NodeTimes>() : program_driver_->times();
  }
  void drive(std::unique_ptr<traffic::Driver> driver) override;
  std::vector<engine::DriverReport> driver_reports() const override;

  // How much was looked at for the rates.
  const theory::Effort& effort() const { return rates_->effort(); }

 private:
  enum class Stage : std::uint8_t { none, sending, on_the_way, acknowledging };
  static constexpr std::uint32_t kNoDriver = ~std::uint32_t{0};
  struct Flow {
    traffic::Message message;          // with all that is known of a flow that carries none
    std::uint32_t driver = kNoDriver;  // whose message it is
    std::uint32_t entropy = 0;
    Stage stage = Stage::none;
    LoneTimes::Times alone;
  };
  // How far a flow is that is sending; apart, as that is what changes all the time.
  struct Progress {
    double left = 0;  // bits on the wire, at `settled`
    double rate = 0;  // bit/s
    Time settled;
  };
  // What a driver is told then, or a server's scale-up switch, in the order in which it comes at one instant.
  enum class DueKind : std::uint8_t { posted, brought, carried, moved, shared, woken };
  struct Due {
    Time at;
    DueKind kind = DueKind::posted;
    std::uint32_t driver = 0;
    std::uint32_t host = 0;  // of a switch, the first one of its server
    std::uint32_t from = 0;
    std::uint64_t word = 0;
    traffic::Message message = {};  // that is moved
  };
  static bool is_later(const Due& a, const Due& b);
  // What drivers can do, for one host at a time.
  class HostDesk final : public traffic::Desk {
   public:
    explicit HostDesk(FlowLevel& level) : level_(level) {}
    HostDesk& of(std::uint32_t driver, std::uint32_t host) {
      driver_ = driver;
      host_ = host;
      return *this;
    }

    std::uint32_t host() const override { return host_; }
    Time now() const override { return level_.now_; }
    void send(traffic::Message message) override;
    void wake(Time at, std::uint32_t word) override;
    void post(std::uint32_t host, std::uint64_t word, Time at) override;
    Time lag() const override { return level_.lag_; }
    void move(traffic::Message message) override;
    Time& scale_up_free() override { return level_.scale_up_free_[host_]; }
    void done(std::uint64_t tasks) override { level_.tasks_done_ += tasks; }

   private:
    FlowLevel& level_;
    std::uint32_t driver_ = 0;
    std::uint32_t host_ = 0;
  };

  template <class Enough>
  bool advance_until(Time until, const Enough& is_enough);
  bool ended() const;
  Time next_event() const;
  void run_instant();
  void start(const traffic::Message& m, std::uint32_t driver);
  void add_driver(std::unique_ptr<traffic::Driver> driver);
  void tell_driver();
  void share_switch(const Due& due);
  void handle_due();
  void handle(std::uint32_t slot);
  void finish_sending(std::uint32_t slot);
  void end_flow(std::uint32_t slot);
  void share();
  double left(std::uint32_t slot) const;
  double packets_sent(std::uint32_t slot) const;
  void report();

  const engine::Model& model_;
  const engine::RunOptions options_;
  traffic::Traffic& traffic_;
  const Time epoch_;
  const Time lag_;
  PathFinder paths_;
  LoneTimes alone_;
  std::unique_ptr<theory::LiveRates> rates_;
  LargePageVector<Flow> flows_;  // by slot, which is a flow's number for `rates_`
  LargePageVector<Progress> progress_;
  std::vector<std::uint32_t> free_slots_;
  sim::Tournament events_;    // of slots
  std::vector<double> sent_;  // bits, by port: of flows that have been sent
  engine::Samplers samplers_;
  std::vector<host::FlowRecord> finished_;
  Time now_;
  engine::Counters counters_;

  std::vector<std::unique_ptr<traffic::Driver>> drivers_;
  std::vector<engine::UnhinderedDriver> unhindered_;  // by driver
  engine::ProgramDriver* program_driver_ = nullptr;   // one of them; null: the traffic has no program
  std::map<std::uint32_t, std::vector<engine::ScaleUpSwitch>> switches_;  // by the first host of the server
  std::vector<std::uint32_t> sent_by_;                                    // messages whose ids are chosen here, by host
  std::vector<Time> scale_up_free_;                                       // by host: its way out is (traffic::Desk)
  std::priority_queue<Due, std::vector<Due>, decltype(&is_later)> due_{is_later};
  HostDesk desk_{*this};
  std::uint64_t tasks_ = 0;  // of all drivers
  std::uint64_t tasks_done_ = 0;
  std::optional<engine::Stall> stall_;
};

}  // namespace weir::fluid
