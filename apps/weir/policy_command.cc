// weir policy: shows, compares, times and transforms policies of pcc_rl.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/text.h"
#include "weir/base/text_file.h"
#include "weir/base/text_table.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/policy/compare.h"
#include "weir/policy/decider.h"
#include "weir/policy/distil.h"
#include "weir/policy/policy_file.h"
#include "weir/policy/quantise.h"
#include "weir/policy/walks.h"
#include "weir/probe/whole_files.h"

namespace weir::app {
namespace {

using Clock = std::chrono::steady_clock;

struct PolicyOptions {
  std::string policy;
  std::string other;
  std::string out;
  std::string calibration;
  policy::QuantiseOptions quantise;
  policy::DistilOptions distil;
  policy::LoopOptions loop;
};

std::string shape_of(const policy::Policy& p) {
  if (p.kind == policy::Kind::tree) {
    const auto leaves = std::count_if(p.nodes.begin(), p.nodes.end(), [](const auto& n) { return n.feature < 0; });
    return fmt::format("tree of {} leaves", leaves);
  }
  std::string out = fmt::format("{} ", p.width());
  for (const auto& layer : p.layers) out += fmt::format("- {}{} ", layer.lstm ? "LSTM " : "", layer.outputs);
  return out + (p.arithmetic == policy::Arithmetic::int8 ? "int8" : "float32");
}

std::size_t weights_of(const policy::Policy& p) {
  std::size_t out = 0;
  for (const auto& layer : p.layers) out += layer.weights.size();
  return out;
}

// One flow's factors by round trip, each after a decision at that round trip has been repeated a few times.
std::string table_of_factors(const policy::Decider& decider) {
  TextRows rows{{"round trip"}};
  constexpr std::array kRates{1.0, 0.1, 0.01, 0.001};
  for (const double rate : kRates) rows[0].push_back(fmt::format("rate {}", rate));
  for (const int eighth : {8, 12, 13, 14, 16, 24, 32, 64, 128}) {
    policy::Observation o;
    o.base_rtt = Time{8'192'000};
    o.rtt = o.base_rtt * eighth / 8;
    o.sent = 100;
    auto& row = rows.emplace_back(std::vector<std::string>{fmt::format("{} us", static_cast<double>(o.rtt.ps) / 1e6)});
    for (const double rate : kRates) {
      o.rate = rate;
      alignas(8) std::array<std::byte, policy::Decider::kMaxMemory> memory;
      decider.start(memory.data());
      double factor = 1;
      for (int i = 0; i < 8; ++i) factor = decider.decide(o, memory.data());
      row.push_back(fmt::format("{:.4f}", factor));
    }
  }
  return text_table(rows, 0, "  ");
}

std::string signal_text(const policy::Signal& s) {
  const std::string rate = s.power == 4 ? "sqrt(rate)" : fmt::format("rate^{}", s.power / 8.0);
  if (s.queue_unit > Time{}) {
    const std::string unit = s.queue_packets > 0
                                 ? fmt::format("({} + {} packets)", format_value(s.queue_unit), s.queue_packets)
                                 : format_value(s.queue_unit);
    return fmt::format("(max((RTT - base RTT) / U - {}, 0) {} - {}) {} U / base RTT, U = {}", s.beta, rate, s.target,
                       s.scale, unit);
  }
  return fmt::format("(max(RTT / {} - {}, 0) {} - {}) {}", s.base_rtt > Time{} ? format_value(s.base_rtt) : "base RTT",
                     s.beta, rate, s.target, s.scale);
}

int show_policy(const PolicyOptions& o) {
  const auto p = policy::find_policy(o.policy);
  const policy::Decider decider(p);
  TextRows rows{{"shape", shape_of(p)}};
  if (!p.layers.empty()) rows.push_back({"weights", fmt::format("{}", weights_of(p))});
  rows.push_back({"memory of a flow", fmt::format("{} bytes", decider.memory())});
  rows.push_back({"inputs", p.inputs == policy::Inputs::paper
                                ? "rate, RTT inflation, CNPs, NACKs (paper)"
                                : fmt::format("factor and signal of {} decisions (code)", p.history)});
  rows.push_back({"signal", signal_text(p.signal)});
  rows.push_back({"factors", fmt::format("{:.4f} to {:.4f}", 1 / (1 + p.step), 1 + p.step)});
  rows.push_back({"digest", policy::digest(p)});
  if (p.trained) {
    const policy::Trained& t = *p.trained;
    rows.push_back({"trained for",
                    fmt::format("base RTT {} to {}, rate {} to {}, {} to {} switches, {} to {} flows",
                                format_value(t.base_rtt.low), format_value(t.base_rtt.high), format_value(t.rate.low),
                                format_value(t.rate.high), t.hops.low, t.hops.high, t.flows.low, t.flows.high)});
  }
  for (const auto& [key, value] : p.provenance) rows.push_back({key, one_line(value)});
  show("{}\nfactors after 8 decisions at the same round trip and rate, of a base round trip of 8.192 us\n\n{}",
       text_table(rows, 2), table_of_factors(decider));
  return 0;
}

std::string difference_text(const policy::Difference& d) {
  return fmt::format("largest {:.6f}, mean {:.6f}, above 0.01 in {:.2f} % of {} decisions", d.largest, d.mean,
                     100 * d.differing, d.decisions);
}

std::string difference_text(const policy::Decider& a, const policy::Decider& b) {
  return text_table({{"where the first decides", difference_text(policy::compare_on_walks(a, b))},
                     {"on a grid of first decisions", difference_text(policy::compare_on_grid(a, b))}},
                    2);
}

int compare_policies(const PolicyOptions& o) {
  const policy::Decider a(policy::find_policy(o.policy));
  const policy::Decider b(policy::find_policy(o.other));
  show("differences of factors\n{}", difference_text(a, b));
  return 0;
}

// Nanoseconds per decision: the least of many short stretches, since anything else that runs only adds to them.
double time_of(const policy::Decider& decider, const std::vector<policy::Sample>& samples, std::size_t flows) {
  constexpr std::size_t kStretch = 500;
  const std::size_t room = (decider.memory() + 63) / 64 * 64;
  std::vector<std::byte> memories(room * flows);
  for (std::size_t i = 0; i < flows; ++i) decider.start(&memories[i * room]);
  double least = 1e30;
  volatile double kept = 0;  // the decisions are made though nobody needs them
  for (int pass = 0; pass < 5; ++pass)
    for (std::size_t from = 0; from + kStretch <= samples.size(); from += kStretch) {
      double sum = 0;
      const auto begin = Clock::now();
      for (std::size_t i = from; i < from + kStretch; ++i)
        sum += decider.decide(samples[i].observation, &memories[i % flows * room]);
      const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
      kept = kept + sum;
      least = std::min(least, took.count() / kStretch);
    }
  return least;
}

int bench_policy(const PolicyOptions& o) {
  const auto p = policy::find_policy(o.policy);
  const policy::Decider decider(p);
  const auto samples = policy::walk(decider, {.walks = 100, .decisions = 1000});
  show("{}: {:.1f} ns per decision with 8 flows, {:.1f} ns with 8192\n", shape_of(p), time_of(decider, samples, 8),
       time_of(decider, samples, 8192));
  return 0;
}

// Where the policy goes; a file that is there stays.
void check_target(const std::string& out) {
  if (!out.ends_with(".toml")) throw InputError(fmt::format("--out {}: write a name that ends in .toml", out));
  if (std::filesystem::exists(out)) throw InputError(fmt::format("{} exists already; name another file", out));
  const auto folder = std::filesystem::path(out).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw InputError(fmt::format("--out {}: there is no folder {}", out, folder.string()));
}

std::vector<policy::Sample> samples_of(const PolicyOptions& o, const policy::Decider& decider) {
  if (o.calibration.empty()) return policy::walk(decider);
  return policy::read_samples(read_text_file(o.calibration, "a table with the columns in1, in2, ..."), o.calibration,
                              decider);
}

int write_policy(const PolicyOptions& o, const policy::Decider& from, const policy::Policy& made) {
  const std::string text = policy::policy_text(made);
  probe::WholeFiles files;
  files.write(o.out, text);
  files.commit();
  show("{}: {}\ndifferences of factors\n{}", o.out, shape_of(made), difference_text(from, policy::Decider(made)));
  return 0;
}

// `make` is given the policy and samples, or none if it does without a table.
template <class Make>
int transform(const PolicyOptions& o, bool samples_its_own, Make&& make) {
  check_target(o.out);
  const auto p = policy::find_policy(o.policy);
  const policy::Decider decider(p);
  std::vector<policy::Sample> samples;
  if (!samples_its_own || !o.calibration.empty()) samples = samples_of(o, decider);
  const auto made = [&] {
    try {
      return make(p, samples);
    } catch (const InputError& error) {
      throw InputError(Where{o.policy, 0}, error.what());
    }
  }();
  return write_policy(o, decider, made);
}

int quantise_policy(const PolicyOptions& o) {
  return transform(o, false,
                   [&](const auto& p, const auto& samples) { return policy::quantise(p, samples, o.quantise); });
}

int distil_policy(const PolicyOptions& o) {
  return transform(o, true, [&](const auto& p, const auto& samples) {
    return samples.empty() ? policy::distil_in_loop(p, o.distil, o.loop) : policy::distil(p, samples, o.distil);
  });
}

}  // namespace

void add_policy(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("policy", "Show, compare, time, quantise or distil policies of pcc_rl");
  command->require_subcommand(1);
  auto o = std::make_shared<PolicyOptions>();
  const auto add = [&](const char* name, const char* meaning, int (*run)(const PolicyOptions&)) {
    CLI::App* sub = command->add_subcommand(name, meaning);
    sub->add_option("POLICY", o->policy, "a policy file, or the name of one that comes with Weir")->required();
    sub->callback([o, run, &status] { status = run(*o); });
    return sub;
  };
  const auto add_made = [&](CLI::App* sub) {
    sub->add_option("-o,--out", o->out, "the policy, a new TOML file")->required()->check(not_empty());
    sub->add_option(
           "--calibration", o->calibration,
           "table of inputs, columns in1, in2, ... and maybe flow, such as inputs.csv of a training; without it, of "
           "simulated flows")
        ->check(not_empty());
  };
  add("show", "What a policy is, and the factors that it gives", show_policy);
  CLI::App* compare = add("compare", "How far two policies are apart", compare_policies);
  compare->add_option("OTHER", o->other, "the other one")->required();
  add("bench", "How long a decision takes", bench_policy);
  CLI::App* quantise = add("quantise", "Make a network of int8 weights", quantise_policy);
  add_made(quantise);
  quantise
      ->add_option("--share", o->quantise.share,
                   fmt::format("of the magnitudes that are seen, what must fit; 1 = all ({})", o->quantise.share))
      ->check(CLI::Range(0.5, 1.0));
  quantise
      ->add_option("--headroom", o->quantise.headroom,
                   fmt::format("times the largest magnitude, what fits into a layer ({})", o->quantise.headroom))
      ->check(CLI::Range(1.0, 1000.0));
  CLI::App* distil = add("distil", "Make a regression tree", distil_policy);
  add_made(distil);
  distil->add_option("--leaves", o->distil.leaves, fmt::format("of the tree, at most ({})", o->distil.leaves))
      ->check(CLI::Range(1, 16'384));
  distil->add_option("--depth", o->distil.depth, fmt::format("splits on the way to a leaf ({})", o->distil.depth))
      ->check(CLI::Range(0, 14));
  distil->add_option("--leaf", o->distil.leaf, fmt::format("least samples of a leaf ({})", o->distil.leaf))
      ->check(CLI::Range(1, 1'000'000));
  distil
      ->add_option("--rounds", o->loop.rounds,
                   fmt::format("rounds of flows that the tree drives and the policy answers, before the last tree ({})",
                               o->loop.rounds))
      ->check(CLI::Range(0, 20))
      ->excludes("--calibration");
}

}  // namespace weir::app
