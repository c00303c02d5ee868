#include "weir/scenario/ecn_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "weir/cc/marking.h"

namespace weir::scenario {
namespace {

struct Wish {
  std::string profile;
  const cc::Marking* marking;
};

std::vector<Wish> wishes_of(const Scenario& s) {
  std::vector<Wish> out;
  for (const Profile& p : s.profiles)
    if (const auto* marking = cc::marking_of(*p.algorithm, p.preset)) out.push_back({p.name, marking});
  return out;
}

}  // namespace

void choose_ecn(const TableReader& table, Scenario& s) {
  if (!s.ecn.enabled || s.run.fidelity != Fidelity::exact) return;
  if (table.find("k_min") != nullptr || table.find("k_max") != nullptr) return;
  const std::vector<Wish> wishes = wishes_of(s);
  if (wishes.empty()) {
    const net::EcnParams& e = s.ecn;
    s.notices.push_back(
        fmt::format("network.ecn: no algorithm of this scenario comes with thresholds; those of HPCC 5.1 for DCQCN are "
                    "taken: k_min = {}, k_max = {}, p_max = {}, at_rate = {}",
                    format_value(e.k_min), format_value(e.k_max), e.p_max, format_value(e.at_rate)));
    return;
  }
  const Wish& taken = wishes.front();
  s.ecn.k_min = taken.marking->k_min;
  s.ecn.k_max = taken.marking->k_max;
  if (table.find("p_max") == nullptr) s.ecn.p_max = taken.marking->p_max;
  if (table.find("at_rate") == nullptr) s.ecn.at_rate = taken.marking->at_rate;
  std::vector<std::string> others;
  for (const Wish& w : wishes)
    if (*w.marking != *taken.marking) others.push_back(fmt::format("'{}' wants {}", w.profile, to_text(*w.marking)));
  if (others.empty()) return;
  s.notices.push_back(
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

}  // namespace weir::scenario
