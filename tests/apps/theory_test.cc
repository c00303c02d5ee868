// weir theory from outside: tables, JSON, and what is refused.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace weir::app {
namespace {

using Json = nlohmann::json;

// The example of docs/guides/theory.md.
const std::string kLot =
    "[[link]]\nname = \"left\"\ncapacity = \"100 Gbps\"\n"
    "[[link]]\nname = \"right\"\ncapacity = \"40 Gbps\"\n"
    "[[flow]]\nname = \"long\"\nlinks = [\"left\", \"right\"]\n"
    "[[flow]]\nname = \"short-left\"\nlinks = [\"left\"]\n"
    "[[flow]]\nname = \"short-right\"\nlinks = [\"right\"]\nweight = 2\n";

class TheoryCommand : public testing::Test {
 protected:
  TheoryCommand() { std::ofstream(file_) << kLot; }

  Json json(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "theory");
    arguments.emplace_back("--json");
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return Json::parse(o.out);
  }
  std::vector<double> rates(const Json& out) {
    std::vector<double> r;
    for (const auto& flow : out.at("flows")) r.push_back(flow.at("rate_bps"));
    return r;
  }
  void expect_refused(std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "theory");
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 2) << message;
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, "weir: " + message + "\n");
  }

  Folder folder_{"weir-theory"};
  std::string file_ = folder_ / "lot.toml";
};

TEST_F(TheoryCommand, MaxMinAsInTheDocument) {
  const Output o = weir({"theory", "max-min", file_});
  EXPECT_EQ(o.status, 0) << o.err;
  const std::string document = read_file("docs/guides/theory.md");
  EXPECT_NE(document.find("$ weir theory max-min lot.toml\n" + o.out + "```"), std::string::npos) << o.out;
  const Json out = json({"max-min", file_});
  EXPECT_EQ(rates(out), (std::vector<double>{13333333300, 86666666700, 26666666700}));
  EXPECT_EQ(out.at("flows").at(1).at("bottleneck"), "left");
  EXPECT_EQ(out.at("links").at(1).at("utilisation"), 1);
}

// The vector of AlphaFair.UnequalLinks.
TEST_F(TheoryCommand, AlphaFair) {
  const Json out = json({"alpha-fair", file_});
  EXPECT_EQ(out.at("alpha"), 1);
  EXPECT_NEAR(rates(out).at(0), 12.05638e9, 1e4);
  EXPECT_NEAR(out.at("links").at(0).at("register_bps").get<double>(), 87.94362e9, 1e4);
  EXPECT_EQ(rates(json({"alpha-fair", file_, "--alpha", "inf"})), rates(json({"max-min", file_})));
  const Output o = weir({"theory", "alpha-fair", file_, "--alpha", "2"});
  EXPECT_NE(o.out.find("alpha 2\n"), std::string::npos) << o.out;
}

// At 95 %: start (40, 100, 40), Y = (140, 80), Y / C = (1.473684, 2.105263): 19, 67.857143, 19.
TEST_F(TheoryCommand, Pareto) {
  const Json out = json({"pareto", file_, "--target", "0.95", "--steps", "1"});
  EXPECT_EQ(out.at("rates_bps_by_step").at(0), Json({40e9, 100e9, 40e9}));
  EXPECT_EQ(out.at("rates_bps_by_step").at(1), Json({19e9, 67857142900.0, 19e9}));
  EXPECT_EQ(out.at("rates_bps_by_step").size(), 2u);
  EXPECT_TRUE(out.at("pareto_optimal").get<bool>());
  EXPECT_TRUE(out.at("settled").get<bool>());
  EXPECT_EQ(out.at("links").at(0).at("utilisation"), 0.95);
  const Output text = weir({"theory", "pareto", file_, "--target", "0.95", "--steps", "1"});
  EXPECT_NE(text.out.find("67.8571 Gbps"), std::string::npos) << text.out;

  // right: (38 + 3 * 0.05) / 3 = 12.716667 each
  const Json with = json({"pareto", file_, "--target", "0.95", "--increase", "50 Mbps"});
  EXPECT_NEAR(with.at("flows").at(0).at("equilibrium_bps").get<double>(), 12716666667.0, 100);
  EXPECT_NEAR(rates(with).at(0), 12716666667.0, 100);
  EXPECT_EQ(with.at("flows").at(0).at("bottleneck"), "right");
}

TEST_F(TheoryCommand, Queue) {
  const Json out = json({"queue"});
  EXPECT_EQ(out.at("sources"), 50);
  EXPECT_NEAR(out.at("mean_work").get<double>(), 3.2259, 1e-3);
  EXPECT_NEAR(out.at("poisson_mean_work").get<double>(), 9.5, 1e-9);
  EXPECT_EQ(out.at("tail").at(0).at("x"), 0);
  EXPECT_NEAR(out.at("tail").at(0).at("exact").get<double>(), 0.95, 1e-9);
  const Json full = json({"queue", "--load", "1", "--sources", "5"});
  EXPECT_TRUE(full.at("poisson_mean_work").is_null());
  EXPECT_TRUE(full.at("tail").at(1).at("poisson").is_null());
  EXPECT_FALSE(json({"queue", "--load", "0.01", "--sources", "10000"}).at("bridge_mean_work").is_null());
  const Output text = weir({"theory", "queue"});
  EXPECT_NE(text.out.find("Brownian bridge"), std::string::npos) << text.out;
}

TEST_F(TheoryCommand, Sampling) {
  const Json out = json({"sampling", "--step", "2.4 us", "--until", "4.8 us"});
  ASSERT_EQ(out.at("series").size(), 3u);
  EXPECT_EQ(out.at("series").at(1).at("time_ps"), 2'400'000);
  EXPECT_NEAR(out.at("series").at(1).at("sampled_bytes_per_ns").at(0).get<double>(), 8.333333, 1e-6);
  EXPECT_TRUE(out.at("gains_at_start").get<bool>());
  EXPECT_TRUE(out.at("per_rtt_jain_95_ns").is_null());
  const Output text = weir({"theory", "sampling"});
  EXPECT_NE(text.out.find("F rises at first, is largest, 34.58"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("Jain index of 0.95: R never"), std::string::npos) << text.out;
}

// 64.2 Gb/s at q = 1 %, and the given q beside those of the paper's figure.
TEST_F(TheoryCommand, Spraying) {
  const Json out = json({"spraying", "--q", "0.4"}).at("throughput");
  ASSERT_EQ(out.size(), 6u);
  EXPECT_EQ(out.at(1).at("q"), 0.01);
  EXPECT_NEAR(out.at(1).at("tcp_bps").get<double>() * 1e-9, 64.2, 0.05);
  EXPECT_TRUE(out.at(1).at("median_avoids_collapse").get<bool>());
  EXPECT_EQ(out.at(5).at("q"), 0.4);
  EXPECT_FALSE(out.at(5).at("median_avoids_collapse").get<bool>());
  EXPECT_EQ(json({"spraying"}).at("throughput").size(), 5u);
  const Output text = weir({"theory", "spraying"});
  EXPECT_NE(text.out.find("64.21"), std::string::npos) << text.out;
}

TEST_F(TheoryCommand, RefusesBadInput) {
  const std::string valid = "; valid is max-min, alpha-fair, pareto, queue, sampling, spraying; see weir theory --help";
  expect_refused({}, "no command is named" + valid);
  expect_refused({"maxmin", file_}, "unknown command 'maxmin' (did you mean 'max-min'?)" + valid);
  expect_refused({"max-min"}, "FILE is required; see weir theory max-min --help");
  expect_refused({"max-min", file_, "--jsn"},
                 "unexpected argument '--jsn' (did you mean '--json'?); see weir theory max-min --help");
  expect_refused({"max-min", folder_ / "no.toml"},
                 (folder_ / "no.toml") +
                     ": cannot be read (No such file or directory); it should be links and flows, a TOML file");
  std::ofstream(folder_ / "bad.toml") << "[[link]]\nname = \"a\"\ncapacity = \"1 Gbps\"\n[[flow]]\nlinks = [\"b\"]\n";
  for (const char* command : {"max-min", "alpha-fair", "pareto"})
    expect_refused({command, folder_ / "bad.toml"},
                   (folder_ / "bad.toml") + ":5: key 'flow.0.links': unknown link 'b'");
  expect_refused({"alpha-fair", file_, "--alpha", "0"}, "alpha cannot be 0; valid is 0.01 to 1000, or inf");
  expect_refused({"alpha-fair", file_, "--alpha", "one"},
                 "--alpha = 'one' is not a number; valid is 0.01 to 1000, or inf");
  expect_refused({"pareto", file_, "--target", "2"}, "--target = 2 is out of range; valid is 0.01 to 1");
  expect_refused({"queue", "--load", "1.5"}, "--load = 1.5 is out of range; valid is 0.01 to 1");
  expect_refused({"sampling", "--slow", "200 Gbps"},
                 "--slow = 200 Gbps is not valid; valid is less than that of --fast, 100 Gbps");
  expect_refused({"sampling", "--step", "1 ns", "--until", "1 ms"},
                 "--step = 1 ns is not valid; valid is at least a 100000th of --until, 1 ms");
  expect_refused({"spraying", "--t_l", "6 us"}, "--t_l = 6 us is not valid; valid is more than --t_s, 6.25 us");
  expect_refused({"spraying", "--target", "20 us"}, "--target = 20 us is not valid; valid is less than --t_l, 20 us");
  expect_refused({"spraying", "--base_rtt", "4 us"},
                 "--base_rtt = 4 us is not valid; valid is less than --t_s, 6.25 us, and more than 2/3 of it");
}

}  // namespace
}  // namespace weir::app
