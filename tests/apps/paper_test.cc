// weir paper as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace weir::app {
namespace {

TEST(Paper, ListsClaims) {
  const Output all = weir({"paper", "list"});
  EXPECT_EQ(all.status, 0);
  EXPECT_NE(all.out.find("A56"), std::string::npos);
  EXPECT_NE(all.out.find("E41"), std::string::npos);
  const Output one = weir({"paper", "list", "onramp"});
  EXPECT_EQ(one.status, 0);
  EXPECT_NE(one.out.find("C44"), std::string::npos);
  EXPECT_EQ(one.out.find("A56"), std::string::npos);
}

TEST(Paper, ChecksNamedClaims) {
  const Output o = weir({"paper", "check", "--only", "A56,A54,A25", "--json"});
  EXPECT_EQ(o.status, 0) << o.err;
  const auto claims = nlohmann::json::parse(o.out).at("claims");
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0].at("id"), "A25");
  EXPECT_EQ(claims[0].at("verdict"), "holds");
  EXPECT_EQ(claims[0].at("measured"), "1.04 us");
  EXPECT_EQ(claims[0].at("firmness"), "computed");
  EXPECT_EQ(claims[0].at("by_words"), "holds");
  EXPECT_EQ(claims[1].at("id"), "A54");
  EXPECT_EQ(claims[1].at("verdict"), "not run");
  EXPECT_NE(claims[1].at("reason"), "");
}

TEST(Paper, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& word) {
    const Output o = weir(arguments);
    EXPECT_EQ(o.status, 2) << o.err;
    EXPECT_NE(o.err.find(word), std::string::npos) << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_EQ(o.out, "");
  };
  refused({"paper", "check", "--tier", "slow"}, "quick, long, full or causes");
  refused({"paper", "check", "--only", "A25,Z1"}, "'Z1'");
  refused({"paper", "check", "--papers", "no/such/folder"}, "no/such/folder");
  refused({"paper", "list", "--papers", "no/such/folder"}, "no/such/folder");
  refused({"paper", "list", "bbr"}, "'bbr'");
}

TEST(Paper, TakesAPolicyWherePccRlRuns) {
  const Folder out("weir-policy");
  const Output none = weir({"paper", "run", "hpcc/fig09ab", "--policy", "standard", "--out", out.path()});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("no point of papers/hpcc/fig09ab.toml runs pcc_rl"), std::string::npos) << none.err;
  const Output unknown = weir({"paper", "run", "rldc/fig09", "--policy", "no-such-policy", "--out", out.path()});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("no-such-policy"), std::string::npos) << unknown.err;
}

TEST(Paper, IsWordedAsItIsAskedFor) {
  const Output o = weir({"paper", "why", "a28"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out.substr(0, 5), "A28 (") << o.out;
}

// A study can be run smaller, or with other seeds; its file stays as it is.
TEST(Paper, RunsAStudyThatIsChanged) {
  const Folder out("weir-paper");
  const std::vector<std::string> study{"paper", "run", "hpcc/fig09ab", "--out", out / "a"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = study;
    words.insert(words.end(), more.begin(), more.end());
    return weir(words);
  };
  const Output listed = with({"--seeds", "3", "--list"});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_NE(listed.out.find("seed3"), std::string::npos) << listed.out;
  EXPECT_FALSE(std::filesystem::exists(out / "a"));
  const Output wrong = with({"--set", "run.stpo=1 ms", "--list"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("--set run.stpo"), std::string::npos) << wrong.err;
  const Output changed = with({"--set", "run.stop=1 us", "--seeds", "2"});
  EXPECT_NE(changed.out.find("its verdicts are of the changed study"), std::string::npos) << changed.out << changed.err;
  EXPECT_TRUE(std::filesystem::exists(out / "a/hpcc/fig09ab"));
}

// Why a claim fails is only known of the study as its file has it.
TEST(Paper, AChangedStudyHasVerdictsWithoutCauses) {
  const Folder out("weir-paper");
  const Output o = weir({"paper", "run", "hpcc/fig11ab", "--set", "traffic.0.stop=0.1 ms", "--set",
                         "traffic.1.stop=0.1 ms", "--seeds", "1", "--out", out / "a"});
  std::ifstream file(out / "a/hpcc/fig11ab/verdicts.json");
  ASSERT_TRUE(file) << o.err;
  const auto claims = nlohmann::json::parse(file).at("claims");
  EXPECT_FALSE(claims.empty());
  for (const auto& claim : claims) {
    EXPECT_EQ(claim.at("reason"), "") << claim;
    EXPECT_EQ(claim.at("verdict"), "undecided") << claim;
    EXPECT_TRUE(claim.at("firmness").get<std::string>().starts_with("one seed: ")) << claim;
  }
}

TEST(Paper, SaysBeforehandWhatAStudyTakes) {
  const Output list = weir({"paper", "list", "hpcc"});
  EXPECT_NE(list.out.find("hpcc/fig11ab       18 min  FB_Hadoop"), std::string::npos) << list.out;
  const Output check = weir({"paper", "check", "--only", "A25"});
  EXPECT_NE(check.err.find("1 evaluation by code take"), std::string::npos) << check.err;
}

// Beside our band stand the paper's words, and how firmly either verdict stands.
TEST(Paper, TellsVerdictsByTheBandAndByTheWords) {
  const Output check = weir({"paper", "check", "--only", "A22"});
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_NE(check.out.find("firmness  "), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("words     95th percentile of the queue at most 4 KB\n  by words  fails (0 of "),
            std::string::npos)
      << check.out;
  const Output why = weir({"paper", "why", "A22"});
  EXPECT_NE(why.out.find("by words    fails (0 of "), std::string::npos) << why.out;
  const Output list = weir({"paper", "list", "hpcc"});
  EXPECT_NE(list.out.find("by the words"), std::string::npos) << list.out;
}

TEST(Paper, SaysWhereItLookedForClaims) {
  const Folder folder("weir-paper");
  const Output o = shell("cd '" + folder.path() + "' && \"$weir\" paper list");
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("cmake --install"), std::string::npos) << o.err;
}

// The claims of the project with other accepted verdicts.
class Accepted {
 public:
  Accepted(const std::string& id, const std::string& verdict) {
    std::filesystem::copy("papers", path(), std::filesystem::copy_options::recursive);
    std::ifstream in("papers/verdicts.json");
    auto document = nlohmann::ordered_json::parse(in);
    for (auto& claim : document.at("claims"))
      if (claim.at("id") == id) claim["verdict"] = verdict;
    std::ofstream(path() + "/verdicts.json") << document;
  }
  std::string path() const { return folder_ / "papers"; }

 private:
  Folder folder_{"weir-papers"};
};

TEST(Paper, TellsWhatHoldsNoLonger) {
  const Accepted accepted("A28", "holds");
  const Output o = weir({"paper", "check", "--only", "A28,A21", "--papers", accepted.path()});
  EXPECT_EQ(o.status, 3);
  EXPECT_NE(o.err.find("A28 held before and does not hold now"), std::string::npos) << o.err;
  EXPECT_EQ(o.err.find("A21 held"), std::string::npos) << o.err;
}

TEST(Paper, WhatHoldsNowIsNoFailure) {
  const Accepted accepted("A21", "fails");
  EXPECT_EQ(weir({"paper", "check", "--only", "A21", "--papers", accepted.path()}).status, 0);
}

}  // namespace
}  // namespace weir::app
