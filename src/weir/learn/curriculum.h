// Curriculum: what `weir train` reads. It says how is learned, in which networks, and how the policies are judged
// (docs/guides/learning.md, "Training").
//
//   [learner]        the method and its numbers
//   [policy]         what the network gets, what its output means, and the signal that it learns from
//   [scenario]       the scenario of all environments that name no file, without traffic; a star of any size
//   [[environment]]  a simulation whose flows learn; several run side by side
//   [randomise]      what changes from one run of an environment to the next
//   [validation]     the numbers of flows by which policies are compared, in the star of [scenario]
//   [[validation.network]]  a network by which they are compared, too; keys as of [[environment]]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/params.h"
#include "weir/policy/policy.h"
#include "weir/scenario/scenario.h"
#include "weir/toml/document.h"

namespace weir::learn {

enum class Method : std::uint8_t { adpg, ppo_continuous, ppo_discrete, aurora, dqn, ddpg };
enum class NetworkKind : std::uint8_t { mlp, lstm };

struct LearnerParams {
  Method method = Method::adpg;
  NetworkKind network = NetworkKind::mlp;
  std::uint64_t seed = 1;
  std::uint32_t updates = 400;
  double learning_rate = 0.01;
  double final_learning_rate = 0.001;
  double gamma = 0.99;
  double reward = 1;
  double smooth = 1;
  std::uint32_t horizon = 0;
  std::uint32_t delay = 0;
  double signal_clip = 0;
  double clip = 0.5;
  std::uint32_t rollout = 16;
  std::uint32_t most_steps = 8000;
  Time most_time{20'000'000'000};
  std::uint32_t reset_every = 5;

  static void describe(ParamList<LearnerParams>& p);
};

struct PolicyParams {
  policy::Inputs inputs = policy::Inputs::code;
  int history = 2;
  double clip = 8;
  double step = 0.2;
  double target = 0.064;
  double beta = 1.5;
  double scale = 12.5;
  Time base_rtt{8'192'000};
  Time queue_unit;
  double queue_packets = 0;
  int power_eighths = 4;

  static void describe(ParamList<PolicyParams>& p);
  policy::Signal signal() const {
    return {.target = target,
            .beta = beta,
            .scale = scale,
            .base_rtt = base_rtt,
            .queue_unit = queue_unit,
            .queue_packets = queue_packets,
            .power = power_eighths};
  }
};

enum class Pattern : std::uint8_t { many_to_one, all_to_all };

struct EnvironmentParams {
  std::uint32_t flows = 0;
  std::uint32_t hosts = 0;
  Pattern pattern = Pattern::many_to_one;
  Bytes size;
  std::string file;

  static void describe(ParamList<EnvironmentParams>& p);
};

struct RandomiseParams {
  double first_rate_low = 0.01;
  double first_rate_high = 1;
  Time spread{20'000'000};

  static void describe(ParamList<RandomiseParams>& p);
};

struct ValidationParams {
  std::uint32_t every = 10;
  Time duration{4'000'000'000};
  double measured = 0.5;
  double first_load_low = 0.25;
  double first_load_high = 4;
  std::uint32_t seeds = 1;

  static void describe(ParamList<ValidationParams>& p);
};

// A network with the flows that the learner adds to it.
struct World {
  scenario::Scenario scenario;  // has a profile of pcc_rl
  std::uint16_t profile = 0;    // its place
  std::uint32_t flows = 0;      // added beside the scenario's own traffic; all-to-all: per sending host
  std::uint32_t hosts = 0;      // that send
  Pattern pattern = Pattern::many_to_one;
  Bytes size;  // of each flow
};

struct EnvironmentRow {
  EnvironmentParams params;
  std::vector<std::string> set;
};

struct Curriculum {
  std::string file;  // as the user named it
  std::string title;
  LearnerParams learner;
  PolicyParams policy;
  RandomiseParams randomise;
  ValidationParams validation;
  std::vector<std::uint32_t> validation_flows;
  std::vector<EnvironmentRow> validation_rows;
  std::vector<EnvironmentRow> rows;
  std::vector<World> environments;  // of the rows, in order
  std::vector<World> validations;   // stars of validation_flows, then those of validation_rows
  scenario::Value base;             // [scenario]

  // A star with so many flows of one kind to host 0, as [validation] uses it. Senders: as [[environment]] hosts = 0.
  World star(std::uint32_t flows) const;
  // By the number of what is validated: "star", or the file or the overrides of a [[validation.network]].
  std::string network_of(std::size_t number) const;
  // All values, defaults included, as TOML that reads back to this curriculum; from a file in `folder`, or with "" from
  // one beside this curriculum's.
  std::string effective(const std::string& folder = "") const;
  // A checksum of all that a version of Weir trains by: of the values, and of what scenario files and data files have.
  std::string digest() const;
};

// Throw InputError with file, line, key and what is valid.
Curriculum read_curriculum(const std::string& file);
Curriculum parse_curriculum(std::string_view text, const std::string& file);

}  // namespace weir::learn
