// Incast: many senders answer one receiver at the same moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/arrivals.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"

namespace weir::traffic {

// One incast between given hosts: all flows at once, in steps (the staggered incasts of FCF and of the HPCC artifact: 2
// more flows every 20 us), or each at a random time. Flows are dealt to the senders in turn. They come in order of
// start; flows of the same instant come in the order in which they were dealt.
class Incast : public CopyableSource<Incast> {
 public:
  struct Params {
    Bytes size;
    std::string receiver = "last";
    std::string senders = "all";
    std::uint32_t fan_in = 0;
    std::uint32_t flows = 0;
    Time start;
    Time spread;
    Time stagger;
    std::uint32_t stagger_every = 1;

    static void describe(ParamList<Params>& p) {
      p.bytes("size", &Params::size, "size of each flow", "", Bytes{1}, kMaxFlowSize).required = true;
      p.text("receiver", &Params::receiver, "receiving host, or \"last\"");
      p.text("senders", &Params::senders,
             "sending hosts in this order, like \"0-15\", \"0-255:32\" (every 32nd) or \"0-3,8\"; \"all\" = all but "
             "the receiver");
      p.integer("fan_in", &Params::fan_in, 0, kMaxHosts,
                "how many of the senders take part, the first ones; 0 = every one");
      p.integer("flows", &Params::flows, 0, kMaxFlows, "how many flows, dealt to the senders in turn; 0 = one of each");
      p.time("start", &Params::start, "the first flows start");
      p.time("spread", &Params::spread,
             "each flow starts at a time drawn uniformly from this long after start on; 0 = they do not differ", "",
             Time{}, kMaxSpread);
      p.time("stagger", &Params::stagger, "how much later the next flows start; 0 = all at once");
      p.integer("stagger_every", &Params::stagger_every, 1, kMaxHosts, "how many flows start together if staggered");
    }
  };

  static constexpr std::uint32_t kMaxFlows = 16 * kMaxHosts;
  static constexpr Time kMaxSpread{1'000'000'000'000};  // 1 s

  Incast(const Params&, const Context&);

  std::optional<Flow> next() override;

 private:
  Params params_;
  std::uint32_t receiver_;
  std::vector<std::uint32_t> senders_;
  struct Begin {
    Time start;
    std::uint32_t flow = 0;
  };
  std::vector<Begin> begins_;  // in order of start; only with `spread`
  std::uint32_t flows_ = 0;
  std::uint32_t sent_ = 0;
};

// Incasts at random times: each takes a random receiver and `fan_in` distinct random senders,
// which all start at once. The events are one Poisson process; that is the same as a process
// per receiver with the same load of each receiver's link. Flows come in order of (start, src).
class PoissonIncast : public CopyableSource<PoissonIncast> {
 public:
  struct Params {
    Bytes size;
    std::uint32_t fan_in = 0;
    double load = 0;
    Time start;
    Time stop;
    std::string hosts = "all";

    static void describe(ParamList<Params>& p) {
      p.bytes("size", &Params::size, "size of each flow", "", Bytes{1}, kMaxFlowSize).required = true;
      p.integer("fan_in", &Params::fan_in, 1, kMaxHosts, "senders of one incast", "HPCC 5.1").required = true;
      p.number("load", &Params::load, kLeastLoad, 1, "payload bytes per second / rate of all the hosts' links together",
               "HPCC 5.1")
          .required = true;
      p.time("start", &Params::start, "incasts begin");
      p.time("stop", &Params::stop, "incasts end, exclusive; after start", "", Time{1}).required = true;
      p.text("hosts", &Params::hosts, "those that take part: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
    }
  };

  PoissonIncast(const Params&, const Context&);

  std::optional<Flow> next() override;
  Time end() const override { return params_.stop; }

  // The mean time between two incasts.
  double mean_gap_ps() const { return mean_gap_ps_; }

 private:
  bool start_next_event();

  Params params_;
  RandomStream arrivals_;
  RandomStream members_;
  double mean_gap_ps_ = 0;
  std::vector<std::uint32_t> hosts_;

  // the present event; its receiver and senders are indices into hosts_
  std::uint64_t events_ = 0;
  Time time_;
  std::uint32_t receiver_ = 0;
  std::vector<std::uint32_t> senders_;
  std::size_t sent_ = 0;
  std::vector<std::uint64_t> chosen_in_;  // per candidate, the last event that chose it
};

}  // namespace weir::traffic
