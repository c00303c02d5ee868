// ECN thresholds that nobody has written.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"
#include "weir/toml/reader.h"

namespace weir::scenario {

// Where switches mark and neither k_min nor k_max is written, sets them, and what else is not written, to what the
// algorithms' sources recommend: those of the first profile that has any. `table` is [network.ecn] of the document.
// Fidelities that do not choose thresholds (Fidelity::chooses_ecn) keep the defaults.
void choose_ecn(const TableReader& table, Scenario& s);

// Where thresholds were chosen for some links: tells of profiles that want others, where none wants any, and of
// thresholds that are meant for links of another rate.
void warn_of_ecn(const Scenario&, const engine::Model&, std::vector<std::string>& out);

// Which profiles' sources recommend the thresholds that the scenario has: "dctcp: SIGCOMM'10 ..."; "" if none.
std::string recommended_by(const Scenario& s);

// The thresholds of the ports of one rate.
struct EcnAtRate {
  Rate rate;
  net::EcnThresholds thresholds;
};

// The thresholds by rate, for all links of the network, slowest first; none if switches do not mark.
std::vector<EcnAtRate> ecn_at_rates(const engine::Model&);
// One line that ends with the source of the thresholds: "at 100 Gbps K_min = 400 KB, K_max = 1.6 MB, P_max = 0.2; ...
// (dcqcn: HPCC 5.1)"; "" if switches do not mark.
std::string ecn_text(const Scenario&, const engine::Model&);

}  // namespace weir::scenario
