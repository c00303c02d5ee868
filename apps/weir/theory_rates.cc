#include "weir/theory_rates.h"
#include "weir/base/text_file.h"
#include "weir/output.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/base/error.h"
#include "weir/base/text_table.h"
#include "weir/scenario/flows_on_links.h"
#include "weir/theory/alpha_fair.h"
#include "weir/theory/max_min.h"
#include "weir/theory/recursion.h"
#include "weir/theory_output.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

scenario::FlowsOnLinks load(const std::string& file) {
  return scenario::parse_flows_on_links(read_document(file, "links and flows, a TOML file"), file);
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

// What all three have to say: a row per flow and per link, to which each adds.
class Report {
 public:
  Report(const scenario::FlowsOnLinks& input, const std::vector<double>& rates)
      : flow_rows_{{"flow", "weight", "rate"}}, link_rows_{{"link", "capacity", "load", "utilisation"}} {
    const auto& network = input.network;
    const auto load = theory::loads(network, rates);
    for (std::size_t j = 0; j < rates.size(); ++j) {
      flow_rows_.push_back({input.flows[j], fmt::format("{:g}", network.flows[j].weight), rate_text(rates[j])});
      flows_.push_back(
          {{"name", input.flows[j]}, {"weight", network.flows[j].weight}, {"rate_bps", rounded(rates[j])}});
    }
    for (std::size_t i = 0; i < load.size(); ++i) {
      const double u = load[i] / network.capacities[i];
      link_rows_.push_back(
          {input.links[i], rate_text(network.capacities[i]), rate_text(load[i]), fmt::format("{:.6f}", u)});
      links_.push_back({{"name", input.links[i]},
                        {"capacity_bps", network.capacities[i]},
                        {"load_bps", rounded(load[i])},
                        {"utilisation", rounded(u)}});
    }
    facts_["sum_bps"] = rounded(sum(rates));
    closing_ = fmt::format("sum of rates {}", rate_text(sum(rates)));
  }

  // `text(j)` and `json(j)` of each flow j.
  template <class T, class J>
  void flow_column(const std::string& title, const std::string& key, T&& text, J&& json) {
    column(flow_rows_, flows_, title, key, text, json);
  }
  template <class T, class J>
  void link_column(const std::string& title, const std::string& key, T&& text, J&& json) {
    column(link_rows_, links_, title, key, text, json);
  }
  void fact(const std::string& key, Json value, const std::string& text = "") {
    facts_[key] = std::move(value);
    if (!text.empty()) closing_ += "\n" + text;
  }

  void print(bool json) const {
    if (json) {
      Json out{{"flows", flows_}, {"links", links_}};
      out.update(facts_);
      show("{}\n", out.dump(2));
    } else {
      show("{}\n{}\n{}\n", text_table(flow_rows_, 1, kTableIndent), text_table(link_rows_, 1, kTableIndent), closing_);
    }
  }

 private:
  template <class T, class J>
  static void column(TextRows& rows, Json& list, const std::string& title, const std::string& key, T&& text, J&& json) {
    rows[0].push_back(title);
    for (std::size_t n = 0; n < list.size(); ++n) {
      rows[n + 1].push_back(text(n));
      list[n][key] = json(n);
    }
  }

  TextRows flow_rows_;
  TextRows link_rows_;
  Json flows_ = Json::array();
  Json links_ = Json::array();
  Json facts_ = Json::object();
  std::string closing_;
};

double parse_alpha(const std::string& text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(out))
    throw InputError(fmt::format("--alpha = '{}' is not a number; valid is {} to {}, or inf", text, theory::kLeastAlpha,
                                 theory::kLargestAlpha));
  return out;
}

// The rates at first and after each of so many steps.
std::vector<std::vector<double>> first_steps(const theory::Network& network, std::vector<double> rates, double increase,
                                             std::uint32_t steps) {
  std::vector<std::vector<double>> out{rates};
  while (out.size() <= steps) out.push_back(rates = theory::next_rates(network, rates, increase));
  return out;
}

}  // namespace

int max_min_command(const std::string& file, bool json) {
  const auto input = load(file);
  const auto filling = theory::max_min(input.network);
  Report report(input, filling.rates);
  const auto bottleneck = [&](std::size_t j) { return input.links[filling.bottlenecks[j]]; };
  report.flow_column("bottleneck", "bottleneck", bottleneck, bottleneck);
  report.print(json);
  return 0;
}

int alpha_fair_command(const std::string& file, const std::string& alpha_text, bool json) {
  const double alpha = parse_alpha(alpha_text);
  const auto input = load(file);
  const auto fair = theory::alpha_fair(input.network, alpha);
  Report report(input, fair.rates);
  report.link_column(
      "register", "register_bps",
      [&](std::size_t i) { return std::isinf(fair.registers[i]) ? "not full" : rate_text(fair.registers[i]); },
      [&](std::size_t i) { return rounded(fair.registers[i]); });
  report.fact("alpha", std::isinf(alpha) ? Json("inf") : Json(alpha), fmt::format("alpha {}", alpha));
  report.print(json);
  return 0;
}

int pareto_command(const std::string& file, const ParetoOptions& options, bool json) {
  const auto input = load(file);
  theory::Network target = input.network;
  for (double& c : target.capacities) c *= options.target;
  const auto increase = static_cast<double>(options.increase.bits_per_second);
  const auto end = theory::settle(target, input.start, increase);

  Report report(input, end.rates);
  const auto start = [&](std::size_t j) { return input.start[j]; };
  report.flow_column(
      "start", "start_bps", [&](std::size_t j) { return rate_text(start(j)); }, start);
  if (increase > 0) {
    const auto equilibrium = theory::additive_equilibrium(target, increase);
    report.flow_column(
        "equilibrium", "equilibrium_bps", [&](std::size_t j) { return rate_text(equilibrium.rates[j]); },
        [&](std::size_t j) { return rounded(equilibrium.rates[j]); });
    const auto bottleneck = [&](std::size_t j) { return input.links[equilibrium.bottlenecks[j]]; };
    report.flow_column("bottleneck", "bottleneck", bottleneck, bottleneck);
  } else {
    report.fact("pareto_optimal", theory::pareto_optimal(target, end.rates));
  }
  report.fact("settled", end.settled);
  report.fact("steps", end.steps,
              fmt::format("{} after {} steps{}", end.settled ? "constant" : "not constant even", end.steps,
                          increase > 0 ? "" : fmt::format("; the links are {}", input.links.size())));
  if (options.steps > 0) {
    const auto series = first_steps(target, input.start, increase, options.steps);
    TextRows rows{{"step"}};
    rows[0].insert(rows[0].end(), input.flows.begin(), input.flows.end());
    auto list = Json::array();
    for (std::size_t n = 0; n < series.size(); ++n) {
      auto& row = rows.emplace_back(std::vector{fmt::format("{}", n)});
      auto& rates = list.emplace_back(Json::array());
      for (const double r : series[n]) {
        row.push_back(rate_text(r));
        rates.push_back(rounded(r));
      }
    }
    report.fact("rates_bps_by_step", list, "\n" + text_table(rows, 1, kTableIndent));
  }
  report.print(json);
  return 0;
}

}  // namespace weir::app
