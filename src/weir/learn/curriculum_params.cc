// The tables of a curriculum, value by value.
#include "weir/learn/curriculum.h"

namespace weir::learn {

void LearnerParams::describe(ParamList<LearnerParams>& p) {
  p.choice("method", &LearnerParams::method, {"adpg", "ppo-continuous", "ppo-discrete", "aurora", "dqn", "ddpg"},
           "how a policy is learned; all but adpg are there to be compared with, and give no policy file",
           "Tessler et al. 6.1, 8.2");
  p.choice("network", &LearnerParams::network, {"mlp", "lstm"},
           "inputs-12-12-1, or inputs-32-16-LSTM 16-1; other methods have their own", "public code; Tessler et al. 8");
  p.integer("seed", &LearnerParams::seed, 0, static_cast<double>(scenario::kMaxSeed),
            "of the first weights and of all that is random");
  p.integer("updates", &LearnerParams::updates, 1, 1e6, "steps of the optimiser; PPO: batches", "ours");
  p.number("learning_rate", &LearnerParams::learning_rate, 0, 1, "of Adam, at the first update", "public code");
  p.number("final_learning_rate", &LearnerParams::final_learning_rate, 0, 1,
           "of Adam, at the last update; it falls in a straight line", "ours");
  p.number("gamma", &LearnerParams::gamma, 0, 1, "discount of later signals; 0 or 1: none", "public code");
  p.number("reward", &LearnerParams::reward, 0, 1000, "weight of the loss that signals make", "public code");
  p.number("smooth", &LearnerParams::smooth, 0, 1000, "weight of the loss that differences of outputs make",
           "public code");
  p.integer("horizon", &LearnerParams::horizon, 0, 8192,
            "signals that a decision is held to account for; 0 = all that follow in the rollout, as in the public code",
            "ours");
  p.integer("delay", &LearnerParams::delay, 0, 8192,
            "decisions between one and the first of these signals: so late is it seen what a decision does", "ours");
  p.number("signal_clip", &LearnerParams::signal_clip, 0, 1e6,
           "signals count in the loss as no more than plus or minus this; 0 = as they are. Those of an overload are a "
           "hundred times those near equilibrium",
           "ours");
  p.number("clip", &LearnerParams::clip, 0, 1e6, "limit of each number of a gradient; 0 = none", "public code");
  p.integer("rollout", &LearnerParams::rollout, 2, 8192,
            "decisions of each active flow, on average, between two updates", "public code: 15");
  p.integer("most_steps", &LearnerParams::most_steps, 2, 1e7,
            "most decisions of all flows of an environment together between two updates", "public code");
  p.time("most_time", &LearnerParams::most_time, "longest simulated time between two updates", "ours", Time{1'000'000});
  p.integer("reset_every", &LearnerParams::reset_every, 1, 1e6,
            "updates after which environments begin anew; a policy that stays near equilibrium for long unlearns what "
            "to do far from it",
            "ours");
}

void PolicyParams::describe(ParamList<PolicyParams>& p) {
  p.choice("inputs", &PolicyParams::inputs, {"paper", "code"},
           "what the network gets: rate, RTT inflation, CNPs, NACKs; or the last factors and signals",
           "Tessler et al. 4; public code");
  p.integer("history", &PolicyParams::history, 1, 8, "decisions whose factor and signal the network gets",
            "public code");
  p.number("clip", &PolicyParams::clip, 0.1, 1000, "inputs are limited to plus and minus this", "ours");
  p.number("step", &PolicyParams::step, 0.001, 0.9, "largest change of the rate in one decision, as a share of it",
           "public code");
  p.number("target", &PolicyParams::target, 1e-6, 1000, "the signal is 0 where inflation * sqrt(rate) is this",
           "public code; Tessler et al. 3");
  p.number("beta", &PolicyParams::beta, 0, 100, "taken off the inflation", "public code");
  p.number("scale", &PolicyParams::scale, 1e-6, 1e6, "factor of the signal", "public code");
  p.time("base_rtt", &PolicyParams::base_rtt, "the round trip that counts as inflation 1; 0 = that of the flow's path",
         "public code");
  p.time(
      "queue_unit", &PolicyParams::queue_unit,
      "the signal is of the queueing delay in this unit instead of the inflation, and flows of different round trips "
      "become equal; 0 = of the inflation",
      "ours");
  p.number("queue_packets", &PolicyParams::queue_packets, 0, 1000,
           "with queue_unit: the number of packets whose transmission time is added to the unit", "ours");
  p.integer("power_eighths", &PolicyParams::power_eighths, 1, 8,
            "power of the rate in the signal, in eighths; 4 = the square root", "Tessler et al. 3: 4");
}

void EnvironmentParams::describe(ParamList<EnvironmentParams>& p) {
  p.integer("flows", &EnvironmentParams::flows, 0, 65'536,
            "flows that learn beside the scenario's own traffic; all-to-all: of each host",
            "Tessler et al. 8: 2, 4, 8");
  p.integer(
      "hosts", &EnvironmentParams::hosts, 0, 4096,
      "most hosts that send, of which each run draws a number; 0 = one for each flow, 64 at most, or with a file all",
      "Tessler et al., table 6");
  p.choice("pattern", &EnvironmentParams::pattern, {"many-to-one", "all-to-all"},
           "who receives: host 0, or each host in turn", "Tessler et al. 8");
  p.bytes("size", &EnvironmentParams::size, "of each of these flows; 0 = they do not end", "ours");
  p.text("file", &EnvironmentParams::file, "scenario file, relative to this one, instead of the star of [scenario]");
}

void RandomiseParams::describe(ParamList<RandomiseParams>& p) {
  p.number("first_rate_low", &RandomiseParams::first_rate_low, 1e-6, 1,
           "first rates of flows, as shares of the line rate; their logarithm is uniform", "ours");
  p.number("first_rate_high", &RandomiseParams::first_rate_high, 1e-6, 1, "the largest of them", "ours");
  p.time("spread", &RandomiseParams::spread, "the flows of an environment start within this time", "ours");
}

void ValidationParams::describe(ParamList<ValidationParams>& p) {
  p.integer("every", &ValidationParams::every, 1, 1e6, "updates from one validation to the next", "ours");
  p.time("duration", &ValidationParams::duration, "simulated time of each", "ours", Time{10'000'000});
  p.number("measured", &ValidationParams::measured, 0.05, 1, "share of it that is measured, at its end", "ours");
  p.number("first_load_low", &ValidationParams::first_load_low, 1e-6, 1e6,
           "first rates of flows, as multiples of their fair share, the line rate at most; their logarithm is uniform",
           "ours");
  p.number("first_load_high", &ValidationParams::first_load_high, 1e-6, 1e6, "the largest of them", "ours");
  p.integer("seeds", &ValidationParams::seeds, 1, 100, "runs of each number of flows, with other first rates", "ours");
}

}  // namespace weir::learn
