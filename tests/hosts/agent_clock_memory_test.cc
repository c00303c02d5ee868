#include "hosts/agent/clock_memory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/hosts/support_scratch.h"

namespace weir::hosts {
namespace {

constexpr std::int64_t kNow = 5'000'000'000'000;

std::vector<ClockMemory> some() {
  ClockMemory v4{*parse_address("10.0.0.2"), {}};
  v4.known.line = clock::PairLine{kNow - 1'000'000'000, -123'456'789, 12.5e-6, 80, 9e-9, 10'040, 3};
  v4.known.least = {kNow - 1'000'000'000, 10'030, 25};
  ClockMemory v6{*parse_address("fd00::2"), {}};
  v6.known.line = clock::PairLine{kNow - 2'000'000'000, 1, 0, 20, 0, 9'000, 0};
  return {v4, v6};
}

TEST(ClockMemory, ComesBackAsItWas) {
  const Scratch scratch;
  const std::string file = scratch / "clocks.json";
  ASSERT_TRUE(write_clock_memory(file, some(), kNow));
  std::string why;
  const auto back = read_clock_memory(file, kNow + 1, why);
  EXPECT_EQ(why, "");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].address, some()[0].address);
  EXPECT_EQ(back[0].known.line->at, some()[0].known.line->at);
  EXPECT_EQ(back[0].known.line->offset, -123'456'789);
  EXPECT_EQ(back[0].known.line->drift, 12.5e-6);
  EXPECT_EQ(back[0].known.line->offset_error, 80);
  EXPECT_EQ(back[0].known.line->drift_error, 9e-9);
  EXPECT_EQ(back[0].known.line->margin, 10'040);
  EXPECT_EQ(back[0].known.line->bias, 3);
  EXPECT_EQ(back[0].known.least->delay, 10'030);
  EXPECT_EQ(back[0].known.least->noise, 25);
  EXPECT_FALSE(back[1].known.least);
}

TEST(ClockMemory, WhatDoesNotFitIsNotUsed) {
  const Scratch scratch;
  const std::string file = scratch / "clocks.json";
  std::string why;
  EXPECT_TRUE(read_clock_memory(file, kNow, why).empty());
  EXPECT_EQ(why, "");  // there is none
  ASSERT_TRUE(write_clock_memory(file, some(), kNow));
  EXPECT_TRUE(read_clock_memory(file, kNow - 1, why).empty());
  EXPECT_NE(why, "");
  EXPECT_TRUE(read_clock_memory(file, kNow + 3'600'000'000'000, why).empty());
  EXPECT_EQ(why, "it is older than an hour");

  std::ifstream in(file);
  const auto good = nlohmann::json::parse(in);
  const auto refused = [&](const char* what, const std::function<void(nlohmann::json&)>& change) {
    auto json = good;
    change(json);
    std::ofstream(file) << json.dump();
    why.clear();
    EXPECT_TRUE(read_clock_memory(file, kNow, why).empty()) << what;
    EXPECT_NE(why, "") << what;
  };
  refused("version", [](auto& j) { j["version"] = 2; });
  refused("boot", [](auto& j) { j["boot_id"] = "another"; });
  refused("no boot", [](auto& j) { j.erase("boot_id"); });
  refused("address", [](auto& j) { j["peers"][0]["address"] = "10.0.0"; });
  refused("future", [](auto& j) { j["peers"][0]["line"]["at_ns"] = kNow + 1; });
  refused("fraction", [](auto& j) { j["peers"][0]["line"]["at_ns"] = 1.5; });
  refused("offset", [](auto& j) { j["peers"][0]["line"]["offset_ns"] = INT64_MAX; });
  refused("drift", [](auto& j) { j["peers"][0]["line"]["drift"] = 0.5; });
  refused("no drift", [](auto& j) { j["peers"][0]["line"]["drift"] = nullptr; });
  refused("error", [](auto& j) { j["peers"][0]["line"]["offset_error_ns"] = 0; });
  refused("negative", [](auto& j) { j["peers"][0]["line"]["drift_error"] = -1; });
  refused("bias", [](auto& j) { j["peers"][0]["line"]["bias_ns"] = 1e9; });
  refused("least", [](auto& j) { j["peers"][0]["least_delay"] = 7; });
  refused("list", [](auto& j) { j = nlohmann::json::array(); });
  std::ofstream(file) << good.dump().substr(0, 100);
  EXPECT_TRUE(read_clock_memory(file, kNow, why).empty());
  EXPECT_EQ(why, "it is not what an agent has written");

  ASSERT_TRUE(write_clock_memory(file, some(), kNow));
  why.clear();
  EXPECT_EQ(read_clock_memory(file, kNow, why).size(), 2u);
  ::chmod(file.c_str(), 0666);
  EXPECT_TRUE(read_clock_memory(file, kNow, why).empty());
  EXPECT_NE(why, "");
  EXPECT_FALSE(write_clock_memory(scratch / "no/such/clocks.json", some(), kNow));
}

}  // namespace
}  // namespace weir::hosts
