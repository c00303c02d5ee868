#include "weir/scenario/ecn_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "weir/cc/marking.h"
#include "weir/scenario/fidelity.h"

namespace weir::scenario {
namespace {

struct Wish {
  std::string profile;
  const cc::Marking* marking;
};

std::vector<Wish> wishes_of(const Scenario& s) {
  std::vector<Wish> out;
  for (const ProfileSettings& p : s.profiles)
    if (const auto* marking = cc::marking_of(*p.algorithm, p.preset)) out.push_back({p.name, marking});
  return out;
}

bool is_written(const Scenario& s) {
  return s.places.contains("network.ecn.k_min") || s.places.contains("network.ecn.k_max");
}

bool is_written(const Scenario& s, Rate rate) {
  return std::any_of(s.ecn_overrides.begin(), s.ecn_overrides.end(), [&](const auto& o) { return o.rate == rate; });
}

// Of the thresholds of ports of this rate.
std::string whose(const Scenario& s, Rate rate) {
  if (is_written(s, rate)) return "as written";
  if (std::string by = recommended_by(s); !by.empty()) return by;
  if (is_written(s)) return "as written";
  const std::vector<Wish> wishes = wishes_of(s);
  if (wishes.empty() || !s.run.fidelity->chooses_ecn) return "the defaults: HPCC 5.1 for DCQCN";
  return fmt::format("{}: {}, with p_max or at_rate as written", wishes.front().profile,
                     wishes.front().marking->source);
}

// Thresholds that its source has for links of one rate, and that do not scale.
void warn_of_unscaled(const Scenario& s, const Wish& taken, std::vector<Rate> rates, std::vector<std::string>& out) {
  const cc::Marking& m = *taken.marking;
  if (s.ecn.at_rate != Rate{} || m.links == Rate{}) return;
  std::erase(rates, m.links);
  if (rates.empty()) return;
  std::vector<std::string> others;
  for (const Rate rate : rates) others.push_back(format_value(rate));
  out.push_back(
      fmt::format("network.ecn: k_min = {}, k_max = {} of '{}' ({}) are for links of {}, and taken for {} alike; write "
                  "at_rate = \"{}\" to scale them with the rate, or k_min and k_max",
                  format_value(s.ecn.k_min), format_value(s.ecn.k_max), taken.profile, m.source, format_value(m.links),
                  fmt::join(others, ", "), format_value(m.links)));
}

}  // namespace

void choose_ecn(const TableReader& table, Scenario& s) {
  if (!s.ecn.enabled || !s.run.fidelity->chooses_ecn) return;
  if (is_written(s)) return;
  const std::vector<Wish> wishes = wishes_of(s);
  if (wishes.empty()) return;
  const Wish& taken = wishes.front();
  s.ecn.k_min = taken.marking->k_min;
  s.ecn.k_max = taken.marking->k_max;
  if (table.find("p_max") == nullptr) s.ecn.p_max = taken.marking->p_max;
  if (table.find("at_rate") == nullptr) s.ecn.at_rate = taken.marking->at_rate;
}

void warn_of_ecn(const Scenario& s, const engine::Model& model, std::vector<std::string>& out) {
  if (!s.ecn.enabled || !s.run.fidelity->chooses_ecn || is_written(s)) return;
  std::vector<Rate> rates;
  for (const auto& [rate, thresholds] : ecn_at_rates(model))
    if (!is_written(s, rate)) rates.push_back(rate);
  if (rates.empty()) return;
  const std::vector<Wish> wishes = wishes_of(s);
  if (wishes.empty()) {
    const net::EcnParams& e = s.ecn;
    out.push_back(
        fmt::format("network.ecn: no algorithm of this scenario comes with thresholds; those of HPCC 5.1 for DCQCN are "
                    "taken: k_min = {}, k_max = {}, p_max = {}, at_rate = {}; where no algorithm reads marks, they "
                    "change nothing",
                    format_value(e.k_min), format_value(e.k_max), e.p_max, format_value(e.at_rate)));
    return;
  }
  const Wish& taken = wishes.front();
  warn_of_unscaled(s, taken, rates, out);
  std::vector<std::string> others;
  for (const Wish& w : wishes)
    if (*w.marking != *taken.marking) others.push_back(fmt::format("'{}' wants {}", w.profile, to_text(*w.marking)));
  if (others.empty()) return;
  out.push_back(
      fmt::format("network.ecn: the thresholds of the first profile that has any are taken, '{}': {}; {}; write k_min "
                  "and k_max to choose",
                  taken.profile, to_text(*taken.marking), fmt::join(others, "; ")));
}

std::string recommended_by(const Scenario& s) {
  std::string out;
  for (const Wish& w : wishes_of(s)) {
    const cc::Marking& m = *w.marking;
    if (!s.ecn.enabled || m.k_min != s.ecn.k_min || m.k_max != s.ecn.k_max || m.p_max != s.ecn.p_max ||
        m.at_rate != s.ecn.at_rate)
      continue;
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", w.profile, m.source);
  }
  return out;
}

std::vector<EcnAtRate> ecn_at_rates(const engine::Model& model) {
  std::vector<EcnAtRate> out;
  if (!model.ecn.enabled) return out;
  std::set<std::int64_t> rates;
  for (const net::Link& link : model.topology.links) rates.insert(link.rate.bits_per_second);
  for (const std::int64_t rate : rates) out.push_back({{rate}, engine::ecn_thresholds(model, {rate})});
  return out;
}

std::string ecn_text(const Scenario& s, const engine::Model& model) {
  constexpr std::size_t kMaxRates = 6;
  const std::vector<EcnAtRate> all = ecn_at_rates(model);
  if (all.empty()) return "";
  std::vector<std::string> rates;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [rate, k] = all[i];
    if (i == kMaxRates) {
      rates.push_back(fmt::format("... ({} rates)", all.size()));
      break;
    }
    rates.push_back(fmt::format("at {} K_min = {}, K_max = {}, P_max = {}", format_value(rate),
                                format_value(Bytes{k.min}), format_value(Bytes{k.max}), k.probability));
    if (i + 1 == all.size() || i + 1 == kMaxRates || whose(s, all[i + 1].rate) != whose(s, rate))
      rates.back() += fmt::format(" ({})", whose(s, rate));
  }
  return fmt::format("{}", fmt::join(rates, "; "));
}

}  // namespace weir::scenario
