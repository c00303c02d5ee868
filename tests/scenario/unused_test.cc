// Parameters that are written and have no effect are told, and no others.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/unused.h"

namespace weir::scenario {
namespace {

const std::string kBegin = "[topology]\nkind = \"star\"\nhosts = 4\n[[traffic]]\nkind = \"incast\"\nsize = \"1 KB\"\n";

std::vector<std::string> unused(const std::string& text) {
  const Scenario s = load_scenario(text, "a.toml");
  std::vector<std::string> out;
  warn_of_unused(s, *build_model(s), out);
  return out;
}

TEST(UnusedParameters, AreTold) {
  struct Case {
    std::string text;
    std::vector<std::string> told;
  };
  const std::string hpcc = "[algorithm]\nname = \"hpcc\"\n";
  const std::string dcqcn = "[network.ecn]\nenabled = true\n[algorithm]\nname = \"dcqcn\"\n";
  const std::string swift = "[algorithm]\nname = \"swift\"\n";
  const std::vector<Case> cases{
      {hpcc, {}},
      // by what another table has
      {dcqcn + "[host]\ncnp_delay = \"55 us\"\n",
       {"a.toml:12: host.cnp_delay has no effect: it needs CNPs that are packets of their own, as with "
        "algorithm.cnp_packet = true of dcqcn"}},
      {dcqcn + "cnp_packet = true\n[host]\ncnp_delay = \"55 us\"\n", {}},
      {dcqcn + "preset = \"paper\"\n[host]\ncnp_delay = \"55 us\"\n", {}},
      {swift + "[transport]\nint_bytes = \"40 B\"\nint_mode = \"wire\"\n",
       {"a.toml:10: transport.int_bytes, int_mode have no effect: each needs an algorithm that reads telemetry"}},
      {hpcc + "[transport]\nint_multiplier = 4\n",
       {"a.toml:10: transport.int_multiplier has no effect: it needs transport.int_mode = \"wire\""}},
      {hpcc + "[network.ecn]\nk_min = \"1 KB\"\nk_max = \"2 KB\"\n",
       {"a.toml:10: network.ecn.k_min, k_max have no effect: each needs network.ecn.enabled = true"}},
      {hpcc + "[network.buffer]\nmode = \"lossy\"\nreserve = \"1 KB\"\n",
       {"a.toml:11: network.buffer.reserve has no effect: it needs network.buffer.mode = \"lossless\""}},
      {hpcc + "[network.buffer]\negress_alpha = 2\n",
       {"a.toml:10: network.buffer.egress_alpha has no effect: it needs network.buffer.mode = \"lossy\", or a "
        "[[network.class]] with pfc = false"}},
      {hpcc + "[network]\nrounds = \"fixed\"\n",
       {"a.toml:10: network.rounds has no effect: it needs algorithm.load_balancing.kind = \"round-robin\""}},
      // by the same profile alone, whatever the other one has
      {hpcc + "[algorithm.recovery]\nrto_low = \"50 us\"\n[[profile]]\nname = \"irn\"\nalgorithm = \"hpcc\"\n"
              "[profile.recovery]\nkind = \"irn\"\nrto_low = \"50 us\"\n",
       {"a.toml:10: algorithm.recovery.rto_low has no effect: it needs algorithm.recovery.kind = \"irn\""}},
      {hpcc + "[algorithm.recovery]\nkind = \"sack\"\n[algorithm.load_balancing]\nkind = \"ops\"\nacks = "
              "\"adaptive\"\n",
       {"a.toml:13: algorithm.load_balancing.acks has no effect: it needs algorithm.load_balancing.kind = "
        "\"adaptive\""}},
      // acknowledgements of packets that switches spray go by entropies
      {hpcc +
           "[algorithm.recovery]\nkind = \"sack\"\n[algorithm.load_balancing]\nkind = \"round-robin\"\nentropies = 1\n",
       {}},
      {hpcc + "[algorithm.load_balancing]\nentropies = 1\n",
       {"a.toml:10: algorithm.load_balancing.entropies has no effect with algorithm.load_balancing.kind = "
        "\"ecmp\" or \"flowlets\" or \"conga\""}},
      {hpcc + "[network]\nflowlet_gap = \"1 us\"\nflowlet_entries = 8\n",
       {"a.toml:10: network.flowlet_gap, flowlet_entries have no effect: each needs algorithm.load_balancing.kind = "
        "\"flowlets\" or \"conga\""}},
      {hpcc +
           "[algorithm.load_balancing]\nkind = \"flowlets\"\n[network]\nflowlet_gap = \"1 us\"\nflowlet_entries = 8\n",
       {}},
      {hpcc + "[algorithm.recovery]\nkind = \"sack\"\nduplicates = 5\nreordering = \"1 us\"\n",
       {"a.toml:11: algorithm.recovery.duplicates has no effect: it needs algorithm.recovery.reordering = \"0 ps\""}},
      // of the algorithm
      {swift + "r_ai = \"1 Gbps\"\n",
       {"a.toml:9: algorithm.r_ai has no effect: it needs algorithm.additive_increase = \"rate\""}},
      {swift + "fs_range = 0\nfs_min_cwnd = 0.5\n",
       {"a.toml:10: algorithm.fs_min_cwnd has no effect with algorithm.fs_range = \"0 ps\""}},
      {swift + "vai_ai_cap = 50\n",
       {"a.toml:9: algorithm.vai_ai_cap has no effect: it needs algorithm.vai_enabled = true"}},
      // of traffic; an all-reduce has used what the choice of its algorithm asks for
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 KB\"\nwindow = "
              "2\norder = \"nccl\"\nroot = 1\nwithin = \"switch\"\nacross = \"tree\"\ngeneration = "
              "\"volta\"\n",
       {"a.toml:13: traffic.1.window has no effect: it needs traffic.1.operation = \"all-to-all\" or "
        "\"all-to-all-v\" or \"gather\" or \"scatter\"",
        "a.toml:14: traffic.1.order has no effect: it needs traffic.1.operation = \"all-to-all\" or "
        "\"all-to-all-v\"",
        "a.toml:15: traffic.1.root has no effect: it needs traffic.1.operation = \"ring-broadcast\" or "
        "\"ring-reduce\" or \"gather\" or \"scatter\"",
        "a.toml:16: traffic.1.within, across have no effect: each needs traffic.1.operation = "
        "\"hierarchical-all-reduce\"",
        "a.toml:18: traffic.1.generation has no effect: it needs traffic.1.operation = \"all-reduce\" or "
        "\"all-gather\" or \"reduce-scatter\""}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"all-to-all\"\nsize = \"1 KB\"\nwindow = 2\n", {}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"scatter\"\nsize = \"1 KB\"\nstep_delay = \"1 us\"\n",
       {"a.toml:13: traffic.1.step_delay has no effect with traffic.1.operation = \"all-to-all\" or "
        "\"all-to-all-v\" or \"gather\" or \"scatter\" or \"in-switch-all-reduce\" or \"in-switch-all-gather\" or "
        "\"in-switch-reduce-scatter\""}},
      {hpcc + "[[traffic]]\nkind = \"training\"\ntensor = 4\ngroup = 1\nactivations = \"1 MB\"\ngradients = \"1 MB\"\n"
              "attention = \"10 us\"\nmlp = \"10 us\"\nslow_factor = 3\n",
       {"a.toml:17: traffic.1.slow_factor has no effect with traffic.1.slow = \"\""}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 KB\"\nslow = "
              "\"1\"\nslow_factor = 3\n",
       {"a.toml:13: traffic.1.slow has no effect: it needs traffic.1.compute other than \"0 ps\", or "
        "traffic.1.step_delay other than \"0 ps\""}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 KB\"\nslow = "
              "\"1\"\nslow_factor = 3\nstep_delay = \"1 us\"\n",
       {}},
      // of servers
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 KB\"\ngroup = "
              "1\nscale_up_rate = \"800 Gbps\"\nscale_up_sharing = \"max-min\"\n",
       {"a.toml:14: traffic.1.scale_up_rate, scale_up_sharing have no effect with traffic.1.group = 1"}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"hierarchical-all-reduce\"\nsize = \"1 KB\"\ngroup = "
              "2\nin_switch_efficiency = 0.5\nscale_up_sharing = \"max-min\"\npxn = true\n",
       {"a.toml:14: traffic.1.in_switch_efficiency has no effect: it needs traffic.1.operation = "
        "\"all-reduce\" or \"all-gather\" or \"reduce-scatter\" or \"in-switch-all-reduce\" or "
        "\"in-switch-all-gather\" or \"in-switch-reduce-scatter\", or traffic.1.within = \"switch\"",
        "a.toml:16: traffic.1.pxn has no effect with traffic.1.operation = \"tree-all-reduce\" or "
        "\"hierarchical-all-reduce\" or \"in-switch-all-reduce\" or \"in-switch-all-gather\" or "
        "\"in-switch-reduce-scatter\""}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"hierarchical-all-reduce\"\nsize = \"1 KB\"\ngroup = "
              "2\nin_switch_efficiency = 0.5\nwithin = \"switch\"\n",
       {}},
      // messages of which no two go to one host
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"all-to-all\"\nsize = \"1 KB\"\nslots = 2\n",
       {"a.toml:13: traffic.1.slots has no effect: it needs traffic.1.chunks other than 1, or traffic.1.chunk_size "
        "other "
        "than \"0 B\", or traffic.1.operation = \"ring-all-reduce\" or \"ring-reduce-scatter\" or "
        "\"ring-all-gather\" or \"tree-all-reduce\" or \"hierarchical-all-reduce\" or "
        "\"halving-doubling-all-reduce\", or traffic.1.slots_freed_by = \"receiver\""}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"all-to-all\"\nsize = \"1 KB\"\nslots = 2\nchunks = "
              "2\n",
       {}},
      {hpcc + "[[traffic]]\nkind = \"collective\"\noperation = \"ring-all-reduce\"\nsize = \"1 KB\"\nslots = 2\n", {}},
      // of links that never change, or when all is over
      {hpcc + "[network]\nreroute_delay = \"1 us\"\n",
       {"a.toml:10: network.reroute_delay has no effect: it needs a row [[network.link_event]] or "
        "[[network.failure]]"}},
      {hpcc + "[network]\nreroute_delay = \"1 us\"\n[[network.failure]]\nprobability = 0\n", {}},
      {hpcc + "[run]\nstop = \"5 us\"\n[[network.link_event]]\ntime = \"5 us\"\na = 0\nb = 4\nstate = \"down\"\n",
       {"a.toml:12: network.link_event.0.time has no effect: it needs a time before run.stop"}},
      {hpcc + "[run]\nstop = \"6 us\"\n[[network.link_event]]\ntime = \"5 us\"\na = 0\nb = 4\nstate = \"down\"\n", {}},
      // of hosts with one port of 100 Gb/s
      {hpcc + "[algorithm.load_balancing]\nports = \"lane\"\nanswer_ports = \"hash\"\n[host]\nnic_rate = \"200 "
              "Gbps\"\n",
       {"a.toml:10: algorithm.load_balancing.ports, answer_ports have no effect: each needs hosts with several "
        "ports",
        "a.toml:13: host.nic_rate has no effect: it needs hosts whose ports together are quicker than that"}},
      {hpcc + "[host]\nnic_rate = \"50 Gbps\"\n", {}},
      {hpcc + "[run.fast_forward]\ntheta = 0\nsettle = 8\n",
       {"a.toml:11: run.fast_forward.settle has no effect with run.fast_forward.theta = 0"}},
      // what a preset sets is nobody's word
      {swift + "preset = \"fast-convergence-vai-sf\"\n", {}},
      {swift + "preset = \"fast-convergence\"\n", {}},
      // and so is what is written as it is anyway
      {dcqcn + "[host]\ncnp_delay = 0\n", {}},
  };
  for (const auto& [text, told] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(unused(kBegin + text), told);
    // the effective scenario writes everything, and is told of no more
    EXPECT_EQ(unused(effective(load_scenario(kBegin + text, "a.toml")).toml).size(), told.size());
  }
}

// Of a file of calls, by its lines.
TEST(UnusedParameters, OfCallsAreToldWithTheLineOfTheFile) {
  const std::string file = testing::TempDir() + "/unused_calls.csv";
  std::ofstream(file) << "operation,size,window,compute,slow\nall-to-all,1 KB,2,,\nring-all-reduce,1 KB,2,,1\n"
                         "ring-all-reduce,1 KB,,1 us,1\nring-all-reduce,2 KB,3,,\nall-reduce,1 MB,3,,\n";
  const auto told =
      unused(kBegin + "[algorithm]\nname = \"hpcc\"\n[[traffic]]\nkind = \"calls\"\nfile = \"" + file + "\"\n");
  EXPECT_EQ(
      told,
      (std::vector<std::string>{
          file + ":3 and 1 more line: window has no effect: it needs operation = \"all-to-all\" or \"all-to-all-v\" or "
                 "\"gather\" or \"scatter\"",
          file + ":3: slow has no effect: it needs compute other than \"0 ps\", or step_delay other than "
                 "\"0 ps\""}));
}

// An operation that is chosen has used what the choice asks for.
TEST(UnusedParameters, OfAnAllReduceAreThoseThatItsChoiceDoesNotAskFor) {
  const std::string all_reduce =
      kBegin +
      "[algorithm]\nname = \"hpcc\"\n[[traffic]]\nkind = \"collective\"\noperation = \"all-reduce\"\nsize = "
      "\"1 MB\"\n";
  EXPECT_EQ(unused(all_reduce + "generation = \"volta\"\n"), std::vector<std::string>{});
  EXPECT_EQ(unused(all_reduce + "window = 2\n").size(), 1u);
}

}  // namespace
}  // namespace weir::scenario
