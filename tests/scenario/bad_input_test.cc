// Every message that a wrong scenario leads to: file, line, key, what is wrong and what would be
// valid. A case changes one thing in a scenario that is right.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "weir/scenario/run.h"

namespace weir::scenario {
namespace {

// Line numbers count from here; %1 to %5 are replaced.
constexpr std::string_view kGood =
    "[topology]\n"          // 1
    "kind = \"star\"\n"     // 2
    "hosts = 4\n"           // 3
    "\n"                    // 4
    "[algorithm]\n"         // 5
    "name = \"hpcc\"\n"     // 6
    "\n"                    // 7
    "[[traffic]]\n"         // 8
    "kind = \"incast\"\n"   // 9
    "size = \"100 KB\"\n";  // 10

struct BadInput {
  std::string replace;  // this part of the good scenario, "" = add at its end
  std::string with;
  std::string message;
};

std::string text_of(const BadInput& c) {
  std::string text(kGood);
  if (c.replace.empty()) return text + c.with;
  const auto at = text.find(c.replace);
  EXPECT_NE(at, std::string::npos) << c.replace;
  return text.replace(at, c.replace.size(), c.with);
}

void expect_message(const std::string& text, const std::vector<std::string>& overrides, const std::string& file,
                    const std::string& message) {
  try {
    build(load_scenario(text, file, overrides));
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(BadInput, TheUnchangedScenarioIsGood) { EXPECT_NO_THROW(build(load_scenario(kGood, "a.toml"))); }

TEST(BadInput, IsTold) {
  const std::vector<BadInput> cases{
      // the language
      {"hosts = 4", "hosts = = 4", "?"},
      {"hosts = 4", "hosts = 4\nhosts = 5", "?"},
      // tables
      {"", "[netwrok]\nport = \"fifo\"\n", "?"},
      {"[algorithm]", "[algorithms]", "?"},
      {"[topology]", "title = 7\n[topology]", "?"},
      {"", "[network]\necn = true\n", "?"},
      {"[[traffic]]", "[traffic]", "?"},
      // keys
      {"hosts = 4", "host = 4", "?"},
      {"hosts = 4", "pods = 4", "?"},
      {"name = \"hpcc\"", "name = \"hpcc\"\nmaxstage = 3", "?"},
      {"size = \"100 KB\"", "", "?"},
      {"name = \"hpcc\"", "", "?"},
      {"kind = \"star\"", "", "?"},
      // types and units
      {"hosts = 4", "hosts = \"4\"", "?"},
      {"hosts = 4", "hosts = 4.5", "?"},
      {"hosts = 4", "hosts = [4]", "?"},
      {"hosts = 4", "hosts = 1979-05-27", "?"},
      {"\"100 KB\"", "100000", "?"},
      {"\"100 KB\"", "true", "?"},
      {"\"100 KB\"", "\"100 kB\"", "?"},
      {"hosts = 4", "hosts = 4\ndelay = \"1 Gbps\"", "?"},
      {"hosts = 4", "hosts = 4\nrate = 100e9", "?"},
      {"name = \"hpcc\"", "name = \"hpcc\"\newma = 1", "?"},
      // ranges and choices
      {"hosts = 4", "hosts = 1", "?"},
      {"hosts = 4", "hosts = 4\nrate = \"0 Gbps\"", "?"},
      {"name = \"hpcc\"", "name = \"hpcc\"\neta = 1.5", "?"},
      {"name = \"hpcc\"", "name = \"hpcc\"\nsignal = \"rxrte\"", "?"},
      {"", "[run]\nthreads = 0\n", "?"},
      {"", "[run]\nscheduler = \"weel\"\n", "?"},
      // names
      {"\"star\"", "\"sstar\"", "?"},
      {"\"hpcc\"", "\"hpc\"", "?"},
      {"name = \"hpcc\"", "name = \"hpcc\"\npreset = \"papr\"", "?"},
      {"name = \"hpcc\"", "name = \"fixed-window\"\npreset = \"paper\"", "?"},
      {"kind = \"incast\"", "kind = \"incats\"", "?"},
      {"", "profile = \"fast\"\n", "?"},
      {"", "[probes.queue]\n", "?"},
      {"", "[probes]\nflows = false\n", "?"},
      {"", "[[profile]]\nname = \"hpcc\"\nalgorithm = \"hpcc\"\n", "?"},
      {"", "[[profile]]\nname = \"x\"\n", "?"},
      // traffic
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadop\"\nload = 0.5\nstop = \"1 ms\"", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadoop\"\nload = 1.5\nstop = \"1 ms\"", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadoop\"\nload = 0\nstop = \"1 ms\"", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"FB_Hadoop\"\nload = 0.5", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"poisson\"\nsizes = \"./no.cdf.txt\"\nload = 0.5\nstop = \"1 ms\"", "?"},
      {"", "receiver = 4\n", "?"},
      {"", "senders = \"0-3\"\nreceiver = 0\n", "?"},
      {"", "fan_in = 4\n", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = []", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nfile = \"no.csv\"", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [\n{ src = 1, dst = 1, size = \"1 KB\" }]", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [\n{ src = 1, dst = 9, size = \"1 KB\" }]", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [{ src = 1, dts = 2, size = \"1 KB\" }]", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [{ src = 1, dst = 2 }]", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nflow = [{ src = 1, dst = 2, size = \"1 B\", profile = \"x\" }]", "?"},
      {"kind = \"incast\"\nsize = \"100 KB\"", "kind = \"flows\"\nfile = \"a.csv\"\nflow = []", "?"},
      // the network
      {"kind = \"star\"\nhosts = 4", "kind = \"clos\"\ncores = 3", "?"},
      {"kind = \"star\"\nhosts = 4", "kind = \"clos\"\npods = 60000", "?"},
      {"kind = \"star\"\nhosts = 4", "kind = \"fat-tree\"\nk = 5", "?"},
      {"kind = \"star\"\nhosts = 4", "kind = \"file\"\nfile = \"no.graph\"", "?"},
      {"kind = \"star\"\nhosts = 4", "kind = \"parking-lot\"\nswitches = 9", "?"},
      {"kind = \"star\"\nhosts = 4", "kind = \"parking-lot\"\nswitches = 6\n[transport]\nint_mode = \"wire\"", "?"},
      {"", "[network.buffer]\nsize = \"100 KB\"\n", "?"},
      {"\"hpcc\"", "\"dcqcn\"", "?"},
      {"", "[[profile]]\nname = \"d\"\nalgorithm = \"dcqcn\"\n", "?"},
      {"", "[network.ecn]\nk_min = \"500 KB\"\n", "?"},
      {"", "[[network.ecn.rate]]\nrate = \"25 Gbps\"\nk_min = \"2 KB\"\nk_max = \"1 KB\"\n", "?"},
      {"", "[[network.ecn.rate]]\nrate = \"25 Gbps\"\n", "?"},
      {"", "[probes.queues]\nports = \"cores\"\n", "?"},
      {"", "[probes.rates]\ntag = \"incats\"\n", "?"},
      {"", "[probes.flows]\nbuckets = \"1 KB, 1 KB\"\n", "?"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.with);
    expect_message(text_of(c), {}, "a.toml", c.message);
  }
}

}  // namespace
}  // namespace weir::scenario
