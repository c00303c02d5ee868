// What goes wrong in a network, as a scenario writes it row by row and as the engine uses it: links
// that lose packets, links that go down and up, hosts that stall.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weir/base/params.h"
#include "weir/host/params.h"
#include "weir/net/link/link_faults.h"
#include "weir/net/model/topology.h"

namespace weir::engine {

// Random loss on some links, in both directions. If several rows name a link, the last one counts.
struct LossRow {
  std::string links = "all";
  double probability = 0;
  bool retry = false;

  static void describe(ParamList<LossRow>& p) {
    p.text("links", &LossRow::links,
           "all, hosts (links of hosts), fabric (links between switches), or the links between two nodes, as 320-0");
    Param& probability =
        p.number("probability", &LossRow::probability, 0, 1,
                 "a packet is lost on the wire with this probability; pause and resume frames never are");
    probability.valid_text = "0 to 1, with retry less than 1";
    probability.required = true;
    p.flag("retry", &LossRow::retry,
           "the link itself sends a lost packet again, and all behind it: nothing is lost, but each loss takes the "
           "link for the packet's transmission and a round trip of the link",
           "UEC 1.0, link layer retry");
  }
};

// Links between switches that go down, each independently with a probability.
struct FailureRow {
  double probability = 0;
  Time time;

  static void describe(ParamList<FailureRow>& p) {
    p.number("probability", &FailureRow::probability, 0, 1, "that a link between two switches goes down",
             "Spraying IV-C")
        .required = true;
    p.time("time", &FailureRow::time, "when they do").only_with("run.end");
  }
};

enum class LinkState : std::uint8_t { down, up };

// The largest place of a link among several between the same two nodes; places are counted from 1.
inline constexpr std::uint32_t kMostParallel = 65'535;

// Links go down, or come up again: those between two nodes, all of a switch, or all of a plane (net/model/planes.h);
// planes are counted from 0. A link is down while it has been taken down by itself, with its switch, or with its plane.
struct LinkEventRow {
  static constexpr std::int64_t kNone = -1;

  Time time;
  std::int64_t a = kNone;
  std::int64_t b = kNone;
  LinkState state = LinkState::down;
  std::uint32_t parallel = 0;
  std::int64_t at_switch = kNone;
  std::int64_t plane = kNone;

  static void describe(ParamList<LinkEventRow>& p) {
    constexpr std::int64_t last_node = kMaxHosts + net::kMaxSwitches;
    p.time("time", &LinkEventRow::time, "acts before all else at this instant").only_with("run.end").required = true;
    p.integer("a", &LinkEventRow::a, kNone, last_node, "a node ...");
    p.integer("b", &LinkEventRow::b, kNone, last_node, "... and another; the links between them, in both directions");
    p.integer("switch", &LinkEventRow::at_switch, kNone, last_node,
              "instead of a and b: all links of this switch, a node");
    p.integer("plane", &LinkEventRow::plane, kNone, net::kMaxSwitches,
              "instead of a and b: all links of this plane, those of hosts included; planes are counted from 0 in the "
              "order of their switches");
    p.choice("state", &LinkEventRow::state, {"down", "up"}, "of the links from then on").required = true;
    p.integer(
        "parallel", &LinkEventRow::parallel, 0, kMostParallel,
        "of several links between them the one with this place, from 1 on in the order of their numbers; 0 = all");
  }
};

// A host's NIC sends nothing for a time, as if the host or its operating system stood still.
struct HostPauseRow {
  std::uint32_t host = 0;
  Time start;
  Time duration;

  static void describe(ParamList<HostPauseRow>& p) {
    p.integer("host", &HostPauseRow::host, 0, kMaxHosts, "the host").required = true;
    p.time("start", &HostPauseRow::start, "from then on no packet begins to leave, acknowledgements included")
        .only_with("run.end")
        .required = true;
    p.time("duration", &HostPauseRow::duration, "for how long", "", Time{1}).required = true;
  }
};

// Hosts that take arriving packets no faster than a rate, as if their memory or their driver could not keep up. Packets
// wait in the NIC ([host] receive_buffer).
struct SlowHostRow {
  std::string hosts;
  Rate rate;
  Time from;
  Time until;

  static void describe(ParamList<SlowHostRow>& p) {
    p.text("hosts", &SlowHostRow::hosts, "all, or hosts and ranges, as 0-3,8").required = true;
    p.rate("rate", &SlowHostRow::rate,
           "they take packets, headers included, no faster than this; acknowledgements are among them",
           "Guo et al., SIGCOMM 2016, section 6.2: slow receivers", Rate{1'000'000})
        .required = true;
    p.time("from", &SlowHostRow::from, "from then on").only_with("run.end");
    p.time("until", &SlowHostRow::until, "what still waits then is taken at once; 0 = for ever");
  }
};

struct FaultRows {
  std::vector<LossRow> loss;
  std::vector<FailureRow> failures;
  std::vector<LinkEventRow> link_events;
  std::vector<HostPauseRow> host_pauses;
  std::vector<SlowHostRow> slow_hosts = {};
};

struct LinkChange {
  Time time;
  std::uint32_t link = 0;
  LinkState state = LinkState::down;
};

// All that goes wrong, worked out for a topology.
struct Faults {
  std::map<std::uint32_t, net::LinkFaults> links;  // by link
  bool some_links_retry = false;
  std::vector<LinkChange> changes;                            // by time, then link
  std::vector<HostPauseRow> pauses;                           // by start
  std::map<std::uint32_t, std::vector<host::SlowSpan>> slow;  // by host, then in order, none within another
};

// Which links are down as time goes on. With `delay` above 0: which links are known to be down, if each change becomes
// known that much later.
class LinksOverTime {
 public:
  LinksOverTime(const std::vector<LinkChange>& changes, std::size_t links, Time delay = {})
      : changes_(&changes), delay_(delay), down_(links) {}

  const std::vector<bool>& down() const { return down_; }  // by link
  bool all_are_up() const { return std::find(down_.begin(), down_.end(), true) == down_.end(); }
  std::size_t changes_seen() const { return seen_; }
  bool is_last() const { return seen_ == changes_->size(); }
  // When the next change comes; Time::max() = there is none.
  Time next() const { return is_last() ? Time::max() : (*changes_)[seen_].time + delay_; }
  void restart() {
    down_.assign(down_.size(), false);
    seen_ = 0;
  }
  // Takes all changes up to and at `until`, and calls on_change(const LinkChange&) for each.
  template <class OnChange>
  void advance(Time until, OnChange&& on_change) {
    for (; !is_last() && next() <= until; ++seen_) {
      const LinkChange& change = (*changes_)[seen_];
      down_[change.link] = change.state == LinkState::down;
      on_change(change);
    }
  }
  void advance(Time until) {
    advance(until, [](const LinkChange&) {});
  }

 private:
  const std::vector<LinkChange>* changes_;
  Time delay_;
  std::vector<bool> down_;
  std::size_t seen_ = 0;
};

// Works out the faults of a topology from the rows. Throws InputError about the key of the wrong row, such as
// "network.loss.0.links".
Faults work_out(const FaultRows&, const net::Topology&, std::uint64_t seed);

}  // namespace weir::engine
