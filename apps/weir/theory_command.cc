// weir theory: what the models of the papers predict, without a simulation.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/base/text_table.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/theory/queue.h"
#include "weir/theory/sampling.h"
#include "weir/theory/spraying.h"
#include "weir/theory_output.h"
#include "weir/theory_rates.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

// An option for each parameter of the object.
template <class T>
void add_params(CLI::App& command, const std::shared_ptr<T>& object) {
  for (const Param& p : params_of<T>().params())
    command.add_option_function<std::string>(
        "--" + p.name,
        [&p, object](const std::string& text) {
          try {
            p.set(object.get(), parse_value(p, text));
          } catch (const InputError& error) {
            throw InputError(fmt::format("--{}{} {}", p.name, p.choices.empty() ? " =" : "", error.reason()));
          }
        },
        fmt::format("{} ({})", p.meaning, format_value(p.fallback)));
}

// queue

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();  // "-" or null

std::vector<double> places(const theory::PeriodicQueue& queue) {
  std::vector<double> out{0};
  for (const double x : {1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000})
    if (x < queue.sources && queue.tail(x) > 1e-12) out.push_back(x);
  return out;
}

int queue_command(const theory::PeriodicQueue& queue, bool json) {
  const theory::PoissonQueue poisson{queue.load};
  const double poisson_mean = queue.load < 1 ? poisson.mean_work() : kUndefined;
  const auto digits = [](double v) { return std::isnan(v) ? "-" : fmt::format("{:.4g}", v); };

  TextRows rows{
      {"", "exact", "Brownian bridge", "M/D/1"},
      {"mean work, packet times", digits(queue.mean_work()), digits(queue.bridge_mean()), digits(poisson_mean)},
      {"mean packets", digits(queue.mean_packets())},
      {"  of them waiting", digits(queue.mean_waiting())}};
  Json out{{"sources", queue.sources},
           {"load", queue.load},
           {"mean_work", rounded(queue.mean_work())},
           {"mean_packets", rounded(queue.mean_packets())},
           {"mean_waiting", rounded(queue.mean_waiting())},
           {"bridge_mean_work", rounded(queue.bridge_mean())},
           {"poisson_mean_work", rounded(poisson_mean)},
           {"tail", Json::array()}};
  for (const double x : places(queue)) {
    const double exact = queue.tail(x);
    const double bridge = queue.bridge_tail(x);
    const double others = queue.load <= theory::PoissonQueue::kMaxTailLoad ? poisson.tail(x) : kUndefined;
    rows.push_back({fmt::format("P(work > {})", x), digits(exact), digits(bridge), digits(others)});
    out["tail"].push_back(
        {{"x", x}, {"exact", rounded(exact)}, {"bridge", rounded(bridge)}, {"poisson", rounded(others)}});
  }
  if (json)
    show("{}\n", out.dump(2));
  else
    show("{} periodic flows at load {}, each with a packet every {:.6g} packet times\n\n{}", queue.sources, queue.load,
         queue.sources / queue.load, text_table(rows, 1, kTableIndent));
  return 0;
}

// sampling

struct Series {
  Time step = Time{10'000'000};
  Time until = Time{100'000'000};

  static void describe(ParamList<Series>& p) {
    p.time("step", &Series::step, "interval of the table", "", Time{1'000});
    p.time("until", &Series::until, "end of the table", "", Time{}, Time{kPicosecondsPerSecond});
  }
};

int sampling_command(const theory::SamplingModel& model, const Series& series, bool json) {
  if (model.slow >= model.fast)
    throw InputError(fmt::format("--slow = {} is not valid; valid is less than that of --fast, {}",
                                 format_value(model.slow), format_value(model.fast)));
  if (series.until / series.step >= 100'000)
    throw InputError(fmt::format("--step = {} is not valid; valid is at least a 100000th of --until, {}",
                                 format_value(series.step), format_value(series.until)));
  constexpr double kGbps = 8;  // of a byte per nanosecond
  TextRows rows{{"time", "R_1", "R_0", "Jain", "S_1", "S_0", "Jain", "F"}};
  auto list = Json::array();
  for (const auto& s : theory::integrate(model, series.step, series.until)) {
    const auto gbps = [](double x) { return fmt::format("{:.4f}", x * kGbps); };
    const auto index = [](const std::array<double, 2>& x) { return fmt::format("{:.4f}", theory::jain(x)); };
    rows.push_back({format_value(s.time), gbps(s.per_rtt[1]), gbps(s.per_rtt[0]), index(s.per_rtt), gbps(s.sampled[1]),
                    gbps(s.sampled[0]), index(s.sampled), gbps(s.gain())});
    list.push_back({{"time_ps", s.time.ps},
                    {"per_rtt_bytes_per_ns", {rounded(s.per_rtt[1]), rounded(s.per_rtt[0])}},
                    {"sampled_bytes_per_ns", {rounded(s.sampled[1]), rounded(s.sampled[0])}},
                    {"gain_bytes_per_ns", rounded(s.gain())}});
  }
  const auto times = theory::sampling_times(model);
  const auto us = [](const std::optional<double>& ns) { return ns ? fmt::format("{:.4g} us", *ns * 1e-3) : "?"; };
  const auto or_null = [](const std::optional<double>& ns) { return ns ? rounded(*ns) : Json(); };
  if (json) {
    const Json out{{"gains_at_start", model.gains()},
                   {"peak_gain_bytes_per_ns", rounded(times.peak_gain)},
                   {"peak_ns", or_null(times.peak)},
                   {"end_of_gain_ns", or_null(times.end_of_gain)},
                   {"per_rtt_gap_5_percent_ns", or_null(times.per_rtt_gap)},
                   {"sampled_gap_5_percent_ns", or_null(times.sampled_gap)},
                   {"per_rtt_jain_95_ns", or_null(times.per_rtt_jain)},
                   {"sampled_jain_95_ns", or_null(times.sampled_jain)},
                   {"series", list}};
    show("{}\n", out.dump(2));
    return 0;
  }
  show("R decrease once per {}, S once per {} acknowledgements; rates and F = (R_1 - R_0) - (S_1 - S_0) in Gbps\n\n",
       format_value(model.rtt), model.acks_per_drop);
  show("{}\n", text_table(rows, 1, kTableIndent));
  if (model.gains())
    show("F rises at first, is largest, {:.4f} Gbps, after {}, and negative after {}\n", times.peak_gain * kGbps,
         us(times.peak), us(times.end_of_gain));
  else
    show("F is negative from the start\n");
  show("difference of the rates down to 5 %: R {}, S {}\n", us(times.per_rtt_gap), us(times.sampled_gap));
  show("Jain index of 0.95: R {}, S {}\n", times.per_rtt_jain ? us(times.per_rtt_jain) : "never",
       us(times.sampled_jain));
  return 0;
}

// spraying

void check(const theory::SprayingModel& m) {
  const auto error = [](const char* key, Time value, const std::string& valid) {
    return InputError(fmt::format("--{} = {} is not valid; valid is {}", key, format_value(value), valid));
  };
  if (m.t_l <= m.t_s) throw error("t_l", m.t_l, fmt::format("more than --t_s, {}", format_value(m.t_s)));
  if (m.target >= m.t_l) throw error("target", m.target, fmt::format("less than --t_l, {}", format_value(m.t_l)));
  if (m.t_s <= m.base_rtt || 2 * m.t_s >= 3 * m.base_rtt)
    throw error("base_rtt", m.base_rtt,
                fmt::format("less than --t_s, {}, and more than 2/3 of it", format_value(m.t_s)));
}

// The given q among those of the paper's figure 2.
int spraying_command(theory::SprayingModel model, bool json) {
  check(model);
  std::set<double> parts{0.005, 0.01, 0.02, 0.05, 0.1, model.q};
  TextRows rows{{"q", "TCP, DCTCP", "Swift", "SMaRTT", "resilient Swift", "order 1", "median of 3 or more"}};
  auto list = Json::array();
  for (const double q : parts) {
    model.q = q;
    const bool median = 3 * q < 1;
    rows.push_back({fmt::format("{:g}", q), rate_text(model.tcp()), rate_text(model.swift()), rate_text(model.smartt()),
                    rate_text(model.resilient_swift()), rate_text(model.resilient_swift_order_1()),
                    median ? "no collapse" : "-"});
    list.push_back({{"q", q},
                    {"tcp_bps", rounded(model.tcp())},
                    {"swift_bps", rounded(model.swift())},
                    {"smartt_bps", rounded(model.smartt())},
                    {"resilient_swift_bps", rounded(model.resilient_swift())},
                    {"resilient_swift_order_1_bps", rounded(model.resilient_swift_order_1())},
                    {"median_avoids_collapse", median}});
  }
  if (json)
    show("{}\n", Json{{"throughput", list}}.dump(2));
  else
    show("packets of {}, round trips of {} and, on a part q of the paths, {}\n\n{}", format_value(model.mss),
         format_value(model.t_s), format_value(model.t_l), text_table(rows, 1, kTableIndent));
  return 0;
}

}  // namespace

void add_theory(CLI::App& app, int& status) {
  CLI::App* theory = app.add_subcommand("theory", "What models predict: fair rates, queues, convergence");
  theory->require_subcommand(1);
  const auto json = std::make_shared<bool>(false);
  const auto file = std::make_shared<std::string>();
  const auto add = [&](const char* name, const char* meaning) {
    CLI::App* command = theory->add_subcommand(name, meaning);
    command->add_flag("--json", *json, "print the figures as JSON");
    return command;
  };
  const auto add_file = [&](CLI::App* command) {
    command->add_option("FILE", *file, "links and flows, a TOML file")->required();
  };

  CLI::App* max_min = add("max-min", "Max-min fair rates of flows on links");
  add_file(max_min);
  max_min->callback([=, &status] { status = max_min_command(*file, *json); });

  CLI::App* alpha_fair = add("alpha-fair", "Alpha-fair rates of flows on links");
  const auto alpha = std::make_shared<std::string>("1");
  add_file(alpha_fair);
  alpha_fair->add_option("--alpha", *alpha, "1 = proportional fairness, inf = max-min (1)");
  alpha_fair->callback([=, &status] { status = alpha_fair_command(*file, *alpha, *json); });

  CLI::App* pareto = add("pareto", "Rates that are scaled to the fullest link, round trip by round trip");
  const auto pareto_options = std::make_shared<ParetoOptions>();
  add_file(pareto);
  add_params(*pareto, pareto_options);
  pareto->callback([=, &status] { status = pareto_command(*file, *pareto_options, *json); });

  CLI::App* queue = add("queue", "The queue of a link under periodic flows");
  const auto queue_options = std::make_shared<theory::PeriodicQueue>();
  add_params(*queue, queue_options);
  queue->callback([=, &status] { status = queue_command(*queue_options, *json); });

  CLI::App* sampling = add("sampling", "Two flows that decrease per round trip or by Sampling Frequency");
  const auto model = std::make_shared<theory::SamplingModel>();
  const auto series = std::make_shared<Series>();
  add_params(*sampling, model);
  add_params(*sampling, series);
  sampling->callback([=, &status] { status = sampling_command(*model, *series, *json); });

  CLI::App* spraying = add("spraying", "Throughput of a flow over many paths, some of them congested");
  const auto paths = std::make_shared<theory::SprayingModel>();
  add_params(*spraying, paths);
  spraying->callback([=, &status] { status = spraying_command(*paths, *json); });
}

}  // namespace weir::app
