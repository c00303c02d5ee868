// Scenarios of the tests of environments.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario.h"

namespace weir::gym::test {

// So many hosts send to one more by a switch of 100 Gb/s, until `stop`. All flows have the algorithm pcc_rl.
inline Scenario many_to_one(int senders, const std::string& latency, const std::string& stop,
                            std::vector<std::string> more = {}) {
  std::vector<std::string> values{"topology.kind=star",
                                  "topology.hosts=" + std::to_string(senders + 1),
                                  "topology.rate=100 Gbps",
                                  "topology.delay=1 us",
                                  "network.buffer.mode=lossy",
                                  "algorithm.name=pcc_rl",
                                  "algorithm.decision_latency=" + latency,
                                  "algorithm.first_rate=0.1",
                                  "traffic=[{kind='incast', size='1 GB', receiver='last'}]",
                                  "run.stop=" + stop};
  values.insert(values.end(), more.begin(), more.end());
  return Scenario::from_values(values);
}

}  // namespace weir::gym::test
