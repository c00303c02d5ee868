// What `weir-host check` tells.
#include "hosts/agent/check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#ifdef WEIR_HOSTS_BPF
#include "hosts/bpf/bpf_path.h"
#endif

namespace weir::hosts {
namespace {

bool has_line(const std::string& text, const std::string& begin) {
  return ("\n" + text).find("\n" + begin) != std::string::npos;
}

TEST(Check, TellsOfSegmentsOnlyWhatIsKnown) {
  CheckReport report;
  report.wanted = Mode::bpf;  // by --mode, without a configuration
  EXPECT_FALSE(has_line(to_text(report), "yes  T "));
  EXPECT_FALSE(to_json(report).contains("segment"));
  report.segment = "super-packets keep their size";
  EXPECT_TRUE(has_line(to_text(report), "yes  T                     super-packets keep their size\n"));
  EXPECT_EQ(to_json(report).at("segment").at("value"), report.segment);
  report.segment_good = false;
  EXPECT_TRUE(has_line(to_text(report), "no   T "));
}

TEST(Check, TellsWhichInterfaceItAssumes) {
  CheckReport report;
  EXPECT_TRUE(has_line(to_text(report),
                       "No interface is named, so modes were tried on one that was made for it, called "
                       "eth0"))
      << to_text(report);
  report.interfaces.push_back({.name = "eth1", .exists = true, .mtu = 1'500});
  EXPECT_EQ(to_text(report).find("No interface is named"), std::string::npos);
}

#ifdef WEIR_HOSTS_BPF
TEST(Check, TellsWhetherProgramsAreTranslated) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may load BPF programs";
  const auto translated = bpf_is_translated();
  if (!translated) GTEST_SKIP() << "this process may not load BPF programs";
  const auto report = check_this_host(std::nullopt, {"lo"});
  for (const Fact& fact : report.facts)
    if (fact.name == "BPF JIT") {
      EXPECT_EQ(fact.good, *translated) << fact.value;
    }
}
#endif

}  // namespace
}  // namespace weir::hosts
