// The keys of a scenario's own tables, as scenario.h has them.
#include "weir/scenario/fidelity.h"
#include "weir/scenario/perturbation.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

void RunParams::describe(ParamList<RunParams>& p) {
  p.integer("seed", &RunParams::seed, 0, kMaxSeed, "all that is random follows from it");
  p.integer("threads", &RunParams::threads, 1, 1024, "threads; the results are the same for any number");
  p.choice("scheduler", &RunParams::scheduler, {"auto", "wheel", "heap"},
           "event queue: the quickest one, the quick one that takes all events in the order of time, or the plain one; "
           "the same results");
  p.time("stop", &RunParams::stop, "end here even if flows are active; 0 = when all flows are done");
  p.choice("until", &RunParams::until, {"flows", "collectives"},
           "end when all flows are done, or already when all collectives are, even if other flows are active");
  p.integer(
      "perturbation", &RunParams::perturbation, 0, kPerturbations,
      "a small change, to see whether a result is an accident of phases; 0 = none; 1 to 4 = of link delays, 5 and 6 "
      "= of T, 7 = of the order of starts, 8 = of sizes, 9 = of host numbers",
      "docs/concepts/phase-effects.md");
  p.entry(
      "fidelity", &RunParams::fidelity, fidelities(),
      "whose physics: Weir's, packet by packet, or those of flows without packets; or those of the public simulator of "
      "HPCC's authors, to the nanosecond, or of uet-htsim, to the picosecond",
      "docs/concepts/modes.md, docs/guides/from-ns3.md, docs/guides/from-htsim.md");
}

void GraphParams::describe(ParamList<GraphParams>& p) {
  Param& file = p.text("file", &GraphParams::file, "graph file: lines 'hosts N', 'switches N', 'link A B RATE DELAY'");
  file.required = true;
  file.names_file = [](std::string_view) { return true; };
  p.number("delay_scale", &GraphParams::delay_scale, 0.01, 100,
           "factor by which all delays of the file are multiplied");
}

void Sending::describe(ParamList<Sending>& p) {
  p.integer("class", &Sending::data_class, 0, net::kDataClasses - 1,
            "data class of its packets, one of [[network.class]]");
  p.bytes("ack_every", &Sending::ack_every,
          "selective recovery: the receiver sends an acknowledgement for this many bytes together; one for a marked "
          "packet, for the first packet and where the sender waits for it goes at once; 0 = one for each packet",
          "uet-htsim sack_threshold", Bytes{0}, Bytes{1'000'000'000})
      .only_with("recovery.kind", {"irn", "sack"});
  p.bytes("unsolicited", &Sending::unsolicited,
          "receiver credits: what a flow sends without asking, in whole packets; then it sends one packet for each "
          "that its receiver grants. A receiver grants a packet for each that arrives, as fast as its link takes them, "
          "flow by flow in turn; 0 = no credits",
          "NDP (SIGCOMM 2017)", Bytes{0}, Bytes{1'000'000'000});
}

void InlineFlow::describe(ParamList<InlineFlow>& p) {
  p.integer("src", &InlineFlow::src, 0, kMaxHosts, "sending host").required = true;
  p.integer("dst", &InlineFlow::dst, 0, kMaxHosts, "receiving host").required = true;
  p.bytes("size", &InlineFlow::size, "payload", "", Bytes{1}, traffic::kMaxFlowSize).required = true;
  p.time("start", &InlineFlow::start, "when it starts");
  p.text("tag", &InlineFlow::tag, "tag, if not that of the source");
  p.text("profile", &InlineFlow::profile, "profile, if not that of the source");
}

}  // namespace weir::scenario
