// Open-loop Poisson traffic: every sender starts flows at random times, whether or not earlier flows have ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/traffic/arrivals.h"
#include "weir/traffic/context.h"
#include "weir/traffic/flow.h"
#include "weir/traffic/size_distribution.h"

namespace weir::traffic {

// Flows come in order of (start, src). Each sender draws from streams of its own, so its flows do
// not depend on who else sends.
class Poisson : public CopyableSource<Poisson> {
 public:
  struct Params {
    std::string sizes;
    double load = 0;
    Time start;
    Time stop;
    std::string hosts = "all";
    std::string to = "all";

    static void describe(ParamList<Params>& p) {
      Param& sizes = p.text("sizes", &Params::sizes, "flow sizes: a workload, a size like \"1 MB\", or a CDF file");
      sizes.required = true;
      sizes.names_file = &SizeDistribution::names_file;
      p.number("load", &Params::load, kLeastLoad, 1, "payload bytes per second of a sender / rate of its link",
               "HPCC 5.1")
          .required = true;
      p.time("start", &Params::start, "arrivals begin");
      p.time("stop", &Params::stop, "arrivals end, exclusive; after start", "", Time{1}).required = true;
      p.text("hosts", &Params::hosts, "senders: \"all\", \"0-15\", \"0-255:32\", \"0-3,8\"");
      p.text("to", &Params::to, "receivers, each as likely as the others, never the sender itself");
    }
  };

  Poisson(const Params&, const Context&);

  std::optional<Flow> next() override;
  Time end() const override { return stop_; }

  // The mean time between two flows of this sender.
  double mean_gap_ps(std::uint32_t host) const;

 private:
  struct Sender {
    std::uint32_t host = 0;
    std::uint32_t self = 0;   // its index among the receivers, or kNowhere
    std::uint64_t drawn = 0;  // flows so far: the index of the next draws
  };
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  struct Arrival {
    Time time;
    std::uint32_t sender = 0;  // an index; senders are in order of their hosts
    friend constexpr auto operator<=>(const Arrival&, const Arrival&) = default;
  };

  void push_next(std::uint32_t sender, Time last);
  std::uint32_t draw_destination(const Sender&) const;

  Context context_;
  SizeDistribution sizes_;
  double load_;
  double mean_size_;
  Time stop_;
  std::vector<std::uint32_t> receivers_;
  std::vector<Sender> senders_;
  std::vector<Arrival> heap_;  // the next arrival of each sender, earliest first
};

}  // namespace weir::traffic
