// What is told of ECN thresholds.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "weir/scenario/build.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {
namespace {

// At the rates of the network's links, and with whose they are.
TEST(EcnThresholds, AreToldAtTheRatesOfLinks) {
  const std::string spine =
      "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts_per_leaf = 2\n"
      "[[traffic]]\nkind = \"incast\"\nsize = \"1 KB\"\n";
  const std::string on = "[network.ecn]\nenabled = true\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[algorithm]\nname = \"hpcc\"", ""},
      {on + "[algorithm]\nname = \"dcqcn\"",
       "at 100 Gbps K_min = 400 KB, K_max = 1.6 MB, P_max = 0.2; at 400 Gbps K_min = 1.6 MB, K_max = 6.4 MB, P_max "
       "= "
       "0.2 (dcqcn: HPCC 5.1, p_max of its public simulator)"},
      {on + "[algorithm]\nname = \"dctcp\"",
       "at 100 Gbps K_min = 975 KB, K_max = 975 KB, P_max = 1; at 400 Gbps K_min = 3.9 MB, K_max = 3.9 MB, P_max = 1 "
       "(dctcp: SIGCOMM'10, 65 packets of 1500 bytes)"},
      {on + "[algorithm]\nname = \"nscc\"",
       "at 100 Gbps K_min = 40 KB, K_max = 40 KB, P_max = 1; at 400 Gbps K_min = 40 KB, K_max = 40 KB, P_max = 1 "
       "(nscc: Spraying IV-A)"},
      {on + "[algorithm]\nname = \"hpcc\"",
       "at 100 Gbps K_min = 400 KB, K_max = 1.6 MB, P_max = 0.2; at 400 Gbps K_min = 1.6 MB, K_max = 6.4 MB, P_max "
       "= "
       "0.2 (the defaults: HPCC 5.1 for DCQCN)"},
      {on + "k_min = \"1 KB\"\nk_max = \"2 KB\"\n[[network.ecn.rate]]\nrate = \"400 Gbps\"\nk_min = \"5 KB\"\n"
            "k_max = \"7 KB\"\n[algorithm]\nname = \"dctcp\"",
       "at 100 Gbps K_min = 4 KB, K_max = 8 KB, P_max = 0.2; at 400 Gbps K_min = 5 KB, K_max = 7 KB, P_max = 1 (as "
       "written)"},
      // rows for some links, and for all
      {on + "[[network.ecn.rate]]\nrate = \"400 Gbps\"\nk_min = \"5 KB\"\nk_max = \"7 KB\"\n[algorithm]\nname = "
            "\"dctcp\"",
       "at 100 Gbps K_min = 975 KB, K_max = 975 KB, P_max = 1 (dctcp: SIGCOMM'10, 65 packets of 1500 bytes); at 400 "
       "Gbps K_min = 5 KB, K_max = 7 KB, P_max = 1 (as written)"},
      {on + "[[network.ecn.rate]]\nrate = \"400 Gbps\"\nk_min = \"5 KB\"\nk_max = \"7 KB\"\n"
            "[[network.ecn.rate]]\nrate = \"100 Gbps\"\nk_min = \"1 KB\"\nk_max = \"2 KB\"\n[algorithm]\nname = "
            "\"hpcc\"",
       "at 100 Gbps K_min = 1 KB, K_max = 2 KB, P_max = 1; at 400 Gbps K_min = 5 KB, K_max = 7 KB, P_max = 1 (as "
       "written)"},
      // thresholds of the algorithm, and a rate that is written
      {on + "at_rate = \"100 Gbps\"\n[algorithm]\nname = \"nscc\"",
       "at 100 Gbps K_min = 40 KB, K_max = 40 KB, P_max = 1; at 400 Gbps K_min = 160 KB, K_max = 160 KB, P_max = 1 "
       "(nscc: "
       "Spraying IV-A, with p_max or at_rate as written)"},
      // values that are the defaults, but written
      {on + "k_min = \"100 KB\"\nk_max = \"400 KB\"\n[algorithm]\nname = \"hpcc\"",
       "at 100 Gbps K_min = 400 KB, K_max = 1.6 MB, P_max = 0.2; at 400 Gbps K_min = 1.6 MB, K_max = 6.4 MB, P_max = "
       "0.2 (as written)"},
  };
  for (const auto& [text, told] : cases) {
    const Scenario s = load_scenario(spine + text, "a.toml");
    EXPECT_EQ(ecn_text(s, *build_model(s)), told) << text;
  }
}

}  // namespace
}  // namespace weir::scenario
