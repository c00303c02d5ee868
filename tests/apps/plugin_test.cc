// weir run --plugin: algorithms of shared libraries.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "weir/base/checksum.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

std::string plugin(const std::string& name) {
  const std::string bin = "/bin/weir";
  std::string folder = command();
  EXPECT_TRUE(folder.ends_with(bin)) << "the plug-ins are in the build of the command";
  folder.resize(folder.size() - bin.size());
  return folder + "/tests/plugins/lib" + name + ".so";
}

Output run_with(const std::string& file, const std::string& out, const std::string& algorithm) {
  return weir({"run", "tests/scenarios/star-incast-dcqcn.toml", "--plugin", file, "--out", out, "--set",
               "algorithm={name=\"" + algorithm + "\"}"});
}

TEST(Plugins, BringAlgorithms) {
  const Folder folder("weir-plugin");
  const Output o = run_with(plugin("plugin_halving"), folder / "a", "halving");
  ASSERT_EQ(o.status, 0) << o.err;
  const Json manifest = Json::parse(read_file(folder / "a/manifest.json"));
  ASSERT_EQ(manifest.at("plugins").size(), 1u);
  EXPECT_EQ(manifest.at("plugins").at(0).at("file"), plugin("plugin_halving"));
  EXPECT_EQ(manifest.at("plugins").at(0).at("xxh128"), checksum_of(read_file(plugin("plugin_halving"))));
  EXPECT_EQ(manifest.at("flows_completed"), manifest.at("flows_started"));
  // its parameters are read and checked as all are
  const auto with = [&](const std::string& packets) {
    return weir({"run", "tests/scenarios/star-incast-dcqcn.toml", "--plugin", plugin("plugin_halving"), "--set",
                 "algorithm={name=\"halving\", packets=" + packets + "}"});
  };
  EXPECT_EQ(with("1").status, 2);
  const auto digest = [](const Output& out) { return out.out.substr(out.out.find("digest"), 30); };
  EXPECT_NE(digest(with("4")), digest(with("64")));
  // one that no flow uses is not told
  const Output other = run_with(plugin("plugin_halving"), folder / "b", "hpcc");
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_FALSE(Json::parse(read_file(folder / "b/manifest.json")).contains("plugins"));
}

TEST(Plugins, AreListed) {
  const Output o = weir({"list", "algorithms", "halving", "--plugin", plugin("plugin_halving")});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("packets"), std::string::npos) << o.out;
  EXPECT_EQ(weir({"list", "algorithms", "halving"}).status, 2);
}

// Where a result's scenario needs a plug-in, the commands that take it up say which.
TEST(Plugins, OfAResultAreNamed) {
  const Folder folder("weir-plugin");
  const std::string file = plugin("plugin_halving");
  ASSERT_EQ(run_with(file, folder / "a", "halving").status, 0);
  const Output again = weir({"validate", folder / "a/scenario.toml"});
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("--plugin " + file), std::string::npos) << again.err;
  EXPECT_EQ(weir({"validate", folder / "a/scenario.toml", "--plugin", file}).status, 0);
  const Output view = weir({"view", folder / "a", "--out", folder / "a.html"});
  EXPECT_EQ(view.status, 2);
  EXPECT_NE(view.err.find("--view-data --out ANOTHER --plugin " + file), std::string::npos) << view.err;
}

TEST(Plugins, ServeSweeps) {
  const Folder folder("weir-plugin");
  const std::string file = plugin("plugin_halving");
  std::ofstream(folder / "s.toml")
      << "[study]\nseeds = 2\nscenario = \""
      << std::filesystem::absolute("tests/scenarios/star-incast-dcqcn.toml").string()
      << "\"\n[[axis]]\nname = \"algorithm\"\n"
      << "[[axis.point]]\nlabel = \"Halving\"\nset = { algorithm = { name = \"halving\" } }\n"
      << "[[axis.point]]\nlabel = \"DCQCN\"\nset = {}\n"
      << "[[measure]]\nname = \"p50\"\nof = \"summary\"\nkey = \"slowdown.all.p50\"\n";
  const std::vector<std::string> sweep{"sweep", folder / "s.toml", "--out", folder / "a", "--jobs", "2"};
  const auto with = [&](const std::string& name) {
    std::vector<std::string> words = sweep;
    words.insert(words.end(), {"--plugin", name});
    return weir(words);
  };
  const Output without = weir(sweep);
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("halving"), std::string::npos) << without.err;
  const Output o = with(file);
  ASSERT_EQ(o.status, 0) << o.err;
  const auto manifest = [&](const std::string& run) {
    return Json::parse(read_file(folder / ("a/runs/" + run + "/manifest.json")));
  };
  EXPECT_EQ(manifest("Halving+seed2").at("plugins").at(0).at("file"), file);
  EXPECT_FALSE(manifest("DCQCN+seed2").contains("plugins"));
  EXPECT_NE(with(file).out.find("0 done, 4 kept"), std::string::npos);
  // results of another build of it are not taken for those of this one
  std::filesystem::copy_file(file, folder / "other.so");
  std::ofstream(folder / "other.so", std::ios::app) << "further bytes";
  const Output other = with(folder / "other.so");
  EXPECT_EQ(other.status, 2) << other.out;
  EXPECT_NE(other.err.find("used the plug-in"), std::string::npos) << other.err;
}

TEST(Plugins, ThatDoNotFitAreRefused) {
  const Folder folder("weir-plugin");
  std::ofstream(folder / "text.so") << "this is no library";
  const auto refuses = [&](const std::string& file, const std::string& why) {
    const Output o = run_with(file, folder / "a", "dcqcn");
    EXPECT_EQ(o.status, 2) << o.out;
    EXPECT_NE(o.err.find(file), std::string::npos) << o.err;
    EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
    EXPECT_EQ(folder.names(), std::vector<std::string>{"text.so"});
  };
  refuses(folder / "none.so", "");
  refuses(folder / "text.so", "weir::weir, as examples/CMakeLists.txt does");
  refuses(plugin("plugin_none"), "it lacks WEIR_PLUGIN");
  refuses(plugin("plugin_other_sizes"), "it was built against another Weir");
  refuses(plugin("plugin_other_version"), "it was built against weir 0.0.0+other");
  refuses(plugin("plugin_taken"), "there is an algorithm of the name 'hpcc' already");
}

}  // namespace
}  // namespace weir::app
